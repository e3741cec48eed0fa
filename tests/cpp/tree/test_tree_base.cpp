#include "doctest/doctest.h"
#include "support/made_branches.hpp"
#include "support/tree_example.hpp"
#include "tree/tree_base.hpp"

namespace silvics {
namespace {

TEST_CASE("leaves, ends and depths are those of the links") {
    const StoredTree kept = test::tree_example({"gini", {3}, test::Weights::whole, 5}).tree;
    const TreeBase& tree = kept;
    const auto ends = tree.subtree_ends();
    const auto depths = tree.depths();
    std::size_t leaves = 0;
    for (NodeId t = 0; t < tree.nodes.size(); ++t) {
        if (tree.nodes[t].leaf()) {
            ++leaves;
            CHECK(ends[t] == t + 1);
            continue;
        }
        const NodeId second = tree.nodes[t].second();
        CHECK(ends[t + 1] == second);
        CHECK(ends[t] == ends[second]);
        CHECK(depths[t + 1] == depths[t] + 1);
        CHECK(depths[second] == depths[t] + 1);
    }
    CHECK(depths[0] == 0);
    CHECK(ends[0] == tree.nodes.size());
    CHECK(tree.n_leaves() == leaves);
    CHECK(tree.max_depth == *std::ranges::max_element(depths));
}

TEST_CASE("children, ends and depths of nodes with records are those of the records") {
    test::Rng rng(105);
    for (int repeat = 0; repeat < 50; ++repeat) {
        const Tree tree = test::random_branches(rng, {});
        const auto ends = tree.subtree_ends();
        const auto depths = tree.depths();
        bool right = true;
        for (NodeId t = 0; t < tree.nodes.size(); ++t) {
            if (tree.nodes[t].leaf()) continue;
            NodeId next = t + 1;  // all nodes below a child come before the next child
            tree.for_children(t, [&](NodeId child) {
                right &= child == next && depths[child] == depths[t] + 1;
                next = ends[child];
            });
            right &= next == ends[t] && ends[tree.last_child(t)] == ends[t];
        }
        CHECK(right);
    }
}

TEST_CASE("a header has all but nodes and records") {
    test::Rng rng(106);
    Tree tree = test::random_branches(rng, {.n_classes = {2, 3}});
    tree.both_children = true;
    tree.impurity_exponent = 6;
    const TreeBase header = header_of(tree);
    CHECK(header.nodes.empty());
    CHECK(header.branches.empty());
    CHECK(header.n_features == tree.n_features);
    CHECK(header.n_outputs == tree.n_outputs);
    CHECK(header.n_classes == tree.n_classes);
    CHECK(header.max_depth == tree.max_depth);
    CHECK(header.level_sets == tree.level_sets);
    CHECK(header.impurity_exponent == 6);
    CHECK(header.both_children);
}

}  // namespace
}  // namespace silvics
