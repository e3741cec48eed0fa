// Values of rows in one tree, against the sum over leaves in the product form.
#include "doctest/doctest.h"
#include "predictor/forest_example.hpp"
#include "shap/path_values.hpp"
#include "tree/compact.hpp"

namespace silvics {
namespace {

// The value of every variable: for each leaf, w (o - q) times the integral of the other factors.
std::vector<double> by_leaf(const ExplainedTree& tree, const double* row, std::size_t p) {
    const Quadrature q(64);
    std::vector<double> found(p, 0.0);
    std::vector<NodeId> path;
    for (NodeId t = 1; t < tree.n_nodes(); ++t) {
        path.resize(tree.edge(t).depth - 1);
        path.push_back(t);
        if (!tree.leaf(t)) continue;
        double value = 0.0;
        tree.for_values(t, [&](std::size_t, double v) { value = v; });
        std::vector<double> open(p, 1.0), share(p, 1.0);
        std::vector<bool> used(p, false);
        NodeId above = 0;
        for (const NodeId node : path) {
            const std::size_t f = tree.variables()[tree.edge(node).variable];
            used[f] = true;
            share[f] = tree.edge(node).share;
            open[f] *= tree.child_of(above, row) == tree.edge(node).which;
            above = node;
        }
        for (std::size_t f = 0; f < p; ++f) {
            if (!used[f]) continue;
            double integral = 0.0;
            for (std::size_t i = 0; i < 64; ++i) {
                double product = q.weights[i];
                for (std::size_t g = 0; g < p; ++g)
                    if (used[g] && g != f)
                        product *= q.points[i] * open[g] + (1 - q.points[i]) * share[g];
                integral += product;
            }
            found[f] += value * (open[f] - share[f]) * integral;
        }
    }
    return found;
}

TEST_CASE("one traversal computes what a sum over leaves does") {
    const auto forest = test::forest_example("squared_error", 120, 4);
    const Predictor predictor = forest.predictor();
    const std::size_t p = forest.X.cols;
    const std::vector<std::uint8_t> skipped(1, 0);
    ThreadTeam team(1, nullptr);
    for (std::size_t m = 0; m < 4; ++m) {
        const Tree tree = expand(*forest.trees[m]);
        const ExplainedTree explained(predictor, m, tree.weighted_n_node_samples);
        for_row_blocks(forest.X.view(), false, team, 40, [&](const RowBlock& block) {
            std::vector<double> values(forest.X.rows * p, 0.0);
            PathValues paths;
            paths.add(explained, block, {p, 1, values, {}, skipped}, team.stop());
            for (std::size_t i = 0; i < block.size; i += 7) {
                const auto expected = by_leaf(explained, block.row(i), p);
                for (std::size_t f = 0; f < p; ++f)
                    CHECK(values[(block.first + i) * p + f] ==
                          doctest::Approx(expected[f]).epsilon(1e-11));
            }
        });
    }
}

TEST_CASE("a request to stop ends the traversal") {
    const auto forest = test::forest_example("squared_error", 3000, 1);
    const Tree tree = expand(*forest.trees[0]);
    const Predictor predictor = forest.predictor();
    const ExplainedTree explained(predictor, 0, tree.weighted_n_node_samples);
    const std::vector<std::uint8_t> skipped(1, 0);
    std::vector<double> values(forest.X.cols, 0.0);
    StopFlag stop;
    stop.request();
    PathValues paths;
    const RowBlock block{0, 1, forest.X.cols, forest.X.row(0), true};
    if (explained.n_nodes() > 1100)
        CHECK_THROWS_AS(paths.add(explained, block, {forest.X.cols, 1, values, {}, skipped}, stop),
                        Interrupted);
}

}  // namespace
}  // namespace silvics
