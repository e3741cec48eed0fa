#include "doctest/doctest.h"
#include "predictor/forest_example.hpp"
#include "predictor/leaf_membership.hpp"
#include "proximity/leaf_cells.hpp"

namespace silvics {
namespace {

std::vector<std::uint32_t> sizes_of(const test::ForestExample& forest, const Predictor& predictor) {
    ThreadTeam team;
    const LeafMembership membership =
        leaf_membership(predictor, forest.X.view(), forest.target,
                        {0, forest.plan.seeds, forest.plan.sampling}, team);
    std::vector<std::uint32_t> sizes;
    for (std::size_t m = 0; m < membership.n_trees(); ++m)
        for (std::size_t leaf = 0; leaf < membership.tree(m).n_leaves(); ++leaf)
            sizes.push_back(static_cast<std::uint32_t>(membership.tree(m).in_bag(leaf).size()));
    return sizes;
}

// The range of leaves below each node, from the stored tree, whose nodes are in depth-first order.
struct PlainNodes {
    std::vector<LeafRange> below;
    std::vector<std::size_t> depth, parent;
    std::vector<std::size_t> leaves;  // node numbers
};

PlainNodes plain_nodes(const Tree& tree) {
    PlainNodes nodes;
    const std::size_t n = tree.nodes.size();
    nodes.below.resize(n);
    nodes.depth.resize(n, 0);
    nodes.parent.resize(n, 0);
    for (NodeId t = 0; t < n; ++t) {
        if (tree.nodes[t].leaf()) {
            const auto k = static_cast<std::uint32_t>(nodes.leaves.size());
            nodes.leaves.push_back(t);
            nodes.below[t] = {k, k + 1};
            continue;
        }
        tree.for_children(t, [&](NodeId child) {
            nodes.parent[child] = t;
            nodes.depth[child] = nodes.depth[t] + 1;
        });
    }
    for (std::size_t t = n; t-- > 0;)
        if (!tree.nodes[t].leaf())
            nodes.below[t] = {nodes.below[t + 1].begin,
                              nodes.below[tree.last_child(static_cast<NodeId>(t))].end};
    return nodes;
}

TEST_CASE("the cell of a leaf is the deepest node above with enough rows, not too deep") {
    const test::ForestExample forest = test::forest_example("squared_error", 300, 5);
    const Predictor predictor = forest.predictor();
    const std::vector<std::uint32_t> sizes = sizes_of(forest, predictor);
    for (const auto& [least, deepest] : {std::pair<std::size_t, std::size_t>{0, 100},
                                         {1, 3},
                                         {6, 100},
                                         {10, 4},
                                         {1000, 100},
                                         {2, 0}}) {
        ThreadTeam team(2, nullptr);
        const LeafCells cells(predictor, sizes, least, deepest, team);
        std::size_t first = 0;
        for (std::size_t m = 0; m < predictor.n_trees(); ++m) {
            const Tree tree = expand(*forest.trees[m]);
            const PlainNodes nodes = plain_nodes(tree);
            const auto rows_in = [&](LeafRange range) {
                std::size_t sum = 0;
                for (std::uint32_t k = range.begin; k < range.end; ++k) sum += sizes[first + k];
                return sum;
            };
            std::vector<LeafRange> expected;
            for (std::size_t t : nodes.leaves) {
                while (t != 0 && (nodes.depth[t] > deepest || rows_in(nodes.below[t]) < least))
                    t = nodes.parent[t];
                expected.push_back(nodes.below[t]);
            }
            for (std::uint32_t leaf = 0; leaf < expected.size(); ++leaf) {
                CHECK(cells.below(m, leaf) == expected[leaf]);
                std::vector<std::uint32_t> same, found;
                for (std::uint32_t other = 0; other < expected.size(); ++other)
                    if (expected[other] == expected[leaf]) same.push_back(other);
                cells.for_sharing(m, leaf, [&](std::uint32_t l) { found.push_back(l); });
                CHECK(found == same);
            }
            first += expected.size();
        }
    }
}

TEST_CASE("sizes of another forest are refused") {
    const test::ForestExample forest = test::forest_example("gini", 50, 2);
    const Predictor predictor = forest.predictor();
    ThreadTeam team;
    const std::vector<std::uint32_t> sizes(3, 1);
    CHECK_THROWS_AS(LeafCells(predictor, sizes, 2, 100, team), std::invalid_argument);
}

}  // namespace
}  // namespace silvics
