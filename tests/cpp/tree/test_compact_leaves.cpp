#include <vector>

#include "doctest/doctest.h"
#include "tree/compact_leaves.hpp"

namespace silvics {
namespace {

CompactTree finished(CompactLeaves leaves) {
    CompactTree tree;
    std::move(leaves).finish(tree);
    return tree;
}

TEST_CASE("leaves of classes keep their counts in the node, and class weights where impure") {
    CompactLeaves leaves(true, 0, true);
    const Node pure = leaves.put_class(3, 5.0, 2);
    CHECK(pure.leaf());
    CHECK(pure.pure());
    CHECK(pure.pure_class() == 2);
    CHECK(pure.counts().n == 3);
    CHECK(pure.counts().weight == 5);
    for (const std::uint32_t row : {0U, 1U}) {
        const double weights[] = {1.0, 0.0, 70000.0 * row + 2.0};
        const Node impure = leaves.put_classes(2, 3.0, weights);
        CHECK(impure.weights_row() == row);
        CHECK(impure.counts().n == 2);
    }
    CHECK(leaves.exact());
    CHECK(leaves.size() == 3);
    const CompactTree tree = finished(leaves);
    CHECK(tree.whole_weights.wide == std::vector<std::uint32_t>{1, 0, 2, 1, 0, 70002});
    CHECK(tree.whole_weights.narrow.empty());
}

TEST_CASE("leaves of means keep their weights apart only where one is not n") {
    for (const bool other : {false, true}) {
        CompactLeaves leaves(false, 0, true);
        const Node first = leaves.put_mean({2, 2.0, 0.0, 0.5});
        const Node second = leaves.put_mean({1, other ? 4.0 : 1.0, 0.0, -1.0});
        CHECK(first.mean() == 0.5);
        CHECK(first.n_samples() == 2);
        CHECK(leaves.exact());
        CHECK(leaves.mean(second, 1).weight == (other ? 4.0 : 1.0));
        const std::vector<std::uint16_t> kept =
            other ? std::vector<std::uint16_t>{2, 4} : std::vector<std::uint16_t>{};
        CHECK(finished(leaves).whole_weights.narrow == kept);
    }
    CompactLeaves unweighted(false, 0, false);
    CHECK(unweighted.mean(unweighted.put_mean({6, 6.0, 0.0, 1.0}), 0).weight == 6.0);
}

TEST_CASE("an impure mean, or one out of scale, is not enough for compact form") {
    CompactLeaves leaves(false, 0, false);
    const Node pure = leaves.put_mean({1, 1.0, 0.0, 1.0});
    CHECK(leaves.exact());
    const Node impure = leaves.put_mean({2, 2.0, 0.25, 1.5});
    const Node later = leaves.put_mean({1, 1.0, 0.0, 2.0});
    CHECK(!leaves.exact());
    CHECK(leaves.mean(pure, 0).impurity == 0.0);
    CHECK(leaves.mean(impure, 1).impurity == 0.25);
    CHECK(leaves.mean(impure, 1).mean == 1.5);
    CHECK(leaves.mean(later, 2).impurity == 0.0);
    CompactLeaves large(false, 0, false);
    large.put_mean({1, 1.0, 0.0, 1e61});
    CHECK(!large.exact());
    CompactLeaves scaled(false, 20, false);  // outputs in units of 2^10
    scaled.put_mean({1, 1.0, 0.0, 1e62});
    CHECK(scaled.exact());
}

}  // namespace
}  // namespace silvics
