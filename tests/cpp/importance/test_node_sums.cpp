#include "doctest/doctest.h"
#include "importance/node_sums.hpp"
#include "predictor/forest_example.hpp"
#include "tree/compact.hpp"

namespace silvics {
namespace {

TEST_CASE("the sums of a node are those of the rows in the leaves of its subtree") {
    for (const char* criterion : {"gini", "squared_error"})
        for (const std::size_t outputs : {1U, 2U}) {
            CAPTURE(criterion);
            const test::ForestExample forest = test::forest_example(criterion, 80, 2, outputs);
            const std::size_t m = 1, w = forest.width();
            ThreadTeam team;
            std::vector<std::int64_t> leaves(80 * 2);
            forest.predictor().apply(forest.X.view(), leaves, team);
            const Tree tree = expand(*forest.trees[m]);
            const LearningSubset subset =
                learning_subset(forest.plan.sampling, forest.target, forest.plan.seeds[m]);
            const auto held_out = out_of_bag(forest.plan.sampling, forest.plan.seeds[m]);
            std::vector<double> weights(80);
            for (std::size_t i = 0; i < 80; ++i) weights[i] = 1.0 + static_cast<double>(i % 3);
            const NodeSums sums = node_sums(tree, std::span(leaves).subspan(m), 2, forest.target,
                                            subset, held_out, weights);
            REQUIRE(sums.width == w);
            const auto ends = tree.subtree_ends();
            for (NodeId t = 0; t < tree.nodes.size(); ++t) {
                double drawn = 0.0, others = 0.0, n = 0.0, ww = 0.0;
                std::vector<double> drawn_y(w, 0.0), others_y(w, 0.0), y(w, 0.0), yy(w, 0.0);
                for (std::size_t i = 0; i < 80; ++i) {
                    const auto leaf = static_cast<NodeId>(leaves[i * 2 + m]);
                    if (leaf < t || leaf >= ends[t]) continue;
                    const double weight = held_out[i] ? 0.0 : subset.weight(static_cast<RowId>(i));
                    const double other = held_out[i] ? weights[i] : 0.0;
                    drawn += weight;
                    others += other;
                    n += held_out[i] ? 0.0 : 1.0;
                    ww += weight * weight;
                    for_outputs(forest.target, i, [&](std::size_t k, double value) {
                        drawn_y[k] += weight * value;
                        others_y[k] += other * value;
                        if (held_out[i]) return;
                        y[k] += value;
                        yy[k] += value * value;
                    });
                }
                CHECK(sums.drawn[t] == doctest::Approx(drawn));
                CHECK(sums.held_out[t] == doctest::Approx(others));
                CHECK(sums.n[t] == n);
                CHECK(sums.ww[t] == doctest::Approx(ww));
                for (std::size_t k = 0; k < w; ++k) {
                    CHECK(std::abs(sums.drawn_y[t * w + k] - drawn_y[k]) < 1e-9);
                    CHECK(std::abs(sums.held_out_y[t * w + k] - others_y[k]) < 1e-9);
                    CHECK(std::abs(sums.y[t * w + k] - y[k]) < 1e-9);
                    CHECK(std::abs(sums.yy[t * w + k] - yy[k]) < 1e-9);
                }
            }
        }
}

TEST_CASE("stored statistics are the sums of the rows that a tree drew") {
    for (const char* criterion : {"gini", "squared_error"}) {
        CAPTURE(criterion);
        const test::ForestExample forest = test::forest_example(criterion, 80, 1);
        ThreadTeam team;
        std::vector<std::int64_t> leaves(80);
        forest.predictor().apply(forest.X.view(), leaves, team);
        const Tree tree = expand(*forest.trees[0]);
        const LearningSubset subset =
            learning_subset(forest.plan.sampling, forest.target, forest.plan.seeds[0]);
        const NodeSums sums =
            node_sums(tree, leaves, 1, forest.target, subset, std::vector<bool>(80, false), {});
        NodeSums stored = node_sums(tree, leaves, 1, forest.target, LearningSubset{},
                                    std::vector<bool>(80, true), {});
        take_stored_sums(tree, forest.target, stored);
        for (NodeId t = 0; t < tree.nodes.size(); ++t) {
            CHECK(stored.drawn[t] == doctest::Approx(sums.drawn[t] * subset.unit));
            CHECK(stored.n[t] == sums.n[t]);
            for (std::size_t k = 0; k < sums.width; ++k)
                CHECK(std::abs(stored.mean(t, k) - sums.mean(t, k)) < 1e-9);
        }
        CHECK(stored.held_out[0] == 80.0);
    }
}

}  // namespace
}  // namespace silvics
