#include "doctest/doctest.h"
#include "tree/node.hpp"

namespace silvics {
namespace {

TEST_CASE("an inner node has a rule, a second child and a side for missing values") {
    Node node(0.5, 3, 7);
    CHECK_FALSE(node.leaf());
    CHECK(node.feature == 3);
    CHECK(node.rule().threshold() == 0.5);
    CHECK(node.second() == 7);
    CHECK_FALSE(node.missing_left());
    node.set_second(9, true);
    CHECK(node.second() == 9);
    CHECK(node.missing_left());
    node.set_rule(SplitRule::record(5));
    CHECK(node.rule().record_offset() == 5);
    CHECK(node.second() == 9);
}

TEST_CASE("a leaf of a plain tree has a class or a row of class weights") {
    CHECK(Node().leaf());
    CHECK(Node().payload() == kLeaf);
    const Node pure = Node::plain_leaf(kPureBit | 4), row = Node::plain_leaf(12);
    CHECK(pure.leaf());
    CHECK(pure.pure());
    CHECK(pure.pure_class() == 4);
    CHECK_FALSE(row.pure());
    CHECK(row.weights_row() == 12);
    CHECK(row.payload() == kLeaf);
}

TEST_CASE("a leaf of a compact tree has counts, a weight, or a mean") {
    Node leaf = Node::leaf_of_counts({3, 0xFFFFFFFFU}, kPureBit | 1);
    CHECK(leaf.leaf());
    CHECK(leaf.counts().n == 3);
    CHECK(leaf.counts().weight == 0xFFFFFFFFU);
    CHECK(leaf.pure_class() == 1);
    leaf.set_counts({2, 5});
    CHECK(leaf.counts().weight == 5);
    leaf.set_weight(0.25);
    CHECK(leaf.weight() == 0.25);
    CHECK(leaf.pure_class() == 1);
    const Node mean = Node::leaf_of_mean(-1.5, 8);
    CHECK(mean.leaf());
    CHECK(mean.mean() == -1.5);
    CHECK(mean.n_samples() == 8);
    leaf.set_mean(2.5, 9);
    CHECK(leaf.mean() == 2.5);
    CHECK(leaf.n_samples() == 9);
    const Node again = Node::from_stored(mean.payload(), mean.feature, mean.link);
    CHECK(again.mean() == -1.5);
    CHECK(again.n_samples() == 8);
}

TEST_CASE("a count is a whole number below 2^32") {
    for (const double count : {0.0, 1.0, 4294967295.0}) CHECK(is_count(count));
    for (const double other : {-1.0, 0.5, 4294967296.0, 1e300}) CHECK_FALSE(is_count(other));
}

}  // namespace
}  // namespace silvics
