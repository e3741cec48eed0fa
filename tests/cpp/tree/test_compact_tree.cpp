#include "doctest/doctest.h"
#include "tree/compact_tree.hpp"

namespace silvics {
namespace {

// Two leaves below a threshold.
CompactTree stump(CompactionRule rule, const Node& first, const Node& second) {
    CompactTree tree;
    tree.rule = rule;
    tree.n_features = 1;
    tree.max_depth = 1;
    tree.nodes = {{0.5, 0, 2}, first, second};
    return tree;
}

TEST_CASE("whole class weights: leaves have counts") {
    CompactTree tree = stump(CompactionRule::gini, Node::leaf_of_counts({2, 6}, kPureBit | 1),
                             Node::leaf_of_counts({3, 7}, 0));
    tree.n_classes = {2};
    tree.whole_weights.narrow = {3, 4};
    CHECK(tree.counts_in_leaves());
    CHECK(tree.pure(tree.nodes[1]));
    CHECK_FALSE(tree.pure(tree.nodes[2]));
    const LeafStats pure = tree.leaf_stats(1, 0), impure = tree.leaf_stats(2, 1);
    CHECK(pure.n == 2);
    CHECK(pure.weight == 6.0);
    CHECK(impure.n == 3);
    std::vector<double> row(2);
    CHECK(tree.write_leaf_row(2, row) == 7.0);
    CHECK(row == std::vector<double>{3.0, 4.0});
    CHECK(tree.leaf_scales().weight == 1.0);
}

TEST_CASE("other class weights: leaves have their weight") {
    Node first = Node::plain_leaf(kPureBit), second = Node::plain_leaf(0);
    first.set_weight(0.5);
    second.set_weight(8.5);
    CompactTree tree = stump(CompactionRule::entropy, first, second);
    tree.n_classes = {2};
    tree.n_leaf_samples = {4, 5};
    tree.leaf_weights = {8.0, 0.5};
    CHECK_FALSE(tree.counts_in_leaves());
    CHECK(tree.leaf_stats(1, 0).n == 4);
    CHECK(tree.leaf_stats(1, 0).weight == 0.5);
    std::vector<double> row(2);
    CHECK(tree.write_leaf_row(2, row) == 8.5);
    CHECK(row == tree.leaf_weights);
    CHECK(tree.leaf_scales().weight == 0.125);
}

TEST_CASE("means: leaves have mean and samples, and weights and impurities where they differ") {
    CompactTree tree =
        stump(CompactionRule::variance, Node::leaf_of_mean(-1.0, 2), Node::leaf_of_mean(2.5, 3));
    LeafStats leaf = tree.leaf_stats(2, 1);
    CHECK(leaf.n == 3);
    CHECK(leaf.weight == 3.0);
    CHECK(leaf.impurity == 0.0);
    CHECK(leaf.mean == 2.5);
    CHECK(tree.leaf_mean(1) == -1.0);
    tree.leaf_impurity = {0.0, 0.75};
    CHECK(tree.leaf_stats(2, 1).impurity == 0.75);
    tree.whole_weights.narrow = {9, 11};
    CHECK(tree.leaf_stats(2, 1).weight == 11.0);
    tree.whole_weights = {};
    tree.weighted_n_leaf_samples = {0.5, 4.5};
    CHECK(tree.leaf_stats(2, 1).weight == 4.5);
    CHECK(tree.leaf_scales().weight == 0.25);
    tree.impurity_exponent = -4;
    CHECK(tree.leaf_scales().output == 4.0);
}

}  // namespace
}  // namespace silvics
