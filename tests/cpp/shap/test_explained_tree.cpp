// Edges of a tree: shares of the training weight, and the edges of one variable on a path.
#include "doctest/doctest.h"
#include "predictor/forest_example.hpp"
#include "shap/explained_tree.hpp"
#include "support/made_branches.hpp"
#include "tree/compact.hpp"

namespace silvics {
namespace {

TEST_CASE("edges have the shares of their variable on the path") {
    const auto forest = test::forest_example("gini", 200, 3);
    const Predictor predictor = forest.predictor();
    for (std::size_t m = 0; m < 3; ++m) {
        const Tree tree = expand(*forest.trees[m]);
        const auto& cover = tree.weighted_n_node_samples;
        const ExplainedTree explained(predictor, m, cover);
        REQUIRE(explained.n_nodes() == tree.nodes.size());
        const auto depths = tree.depths();
        const auto ends = tree.subtree_ends();
        std::vector<NodeId> parent(tree.nodes.size(), 0);
        for (NodeId t = 0; t < tree.nodes.size(); ++t)
            if (!tree.nodes[t].leaf()) tree.for_children(t, [&](NodeId c) { parent[c] = t; });
        for (NodeId t = 1; t < tree.nodes.size(); ++t) {
            const Edge& edge = explained.edge(t);
            const auto variable = [&](NodeId node) {
                return static_cast<FeatureId>(tree.nodes[parent[node]].feature);
            };
            CHECK(edge.depth == depths[t]);
            CHECK(edge.end == ends[t]);
            CHECK(explained.leaf(t) == tree.nodes[t].leaf());
            CHECK(explained.variables()[edge.variable] == variable(t));
            double share = 1.0;
            NodeId previous = 0;
            for (NodeId u = t; u != 0; u = parent[u]) {
                if (variable(u) != variable(t)) continue;
                share *= cover[u] / cover[parent[u]];
                if (u != t && previous == 0) previous = u;
            }
            CHECK(edge.share == doctest::Approx(share).epsilon(1e-13));
            CHECK(edge.previous == previous);
        }
        // The mean over leaves is that of the root.
        std::vector<double> root(tree.value_width());
        tree.write_value(0, root);
        for (std::size_t c = 0; c < root.size(); ++c)
            CHECK(explained.mean()[c] == doctest::Approx(root[c]).epsilon(1e-12));
    }
}

TEST_CASE("without training weights, children are even") {
    const auto forest = test::forest_example("squared_error", 100, 1);
    const Predictor predictor = forest.predictor();
    const ExplainedTree tree(predictor, 0, {});
    for (NodeId t = 1; t < tree.n_nodes(); ++t) CHECK(tree.edge(t).ratio == 0.5);
}

TEST_CASE("combinations of variables are refused, and weights of another tree") {
    test::Rng rng(3);
    test::Shape shape{.kinds = {test::Branches::combination}};
    Tree made;
    do made = test::random_branches(rng, shape);
    while (made.nodes.size() < 10);
    const std::vector<SharedTree> trees = {std::make_shared<const StoredTree>(std::move(made))};
    const Predictor predictor(trees, false);
    CHECK_THROWS_AS(ExplainedTree(predictor, 0, {}), std::invalid_argument);
    const auto forest = test::forest_example("gini", 50, 1);
    const std::vector<double> cover(3, 1.0);
    CHECK_THROWS_AS(ExplainedTree(forest.predictor(), 0, cover), std::invalid_argument);
}

}  // namespace
}  // namespace silvics
