// Importances computed node by node, against plain sums over rows.
#include <algorithm>
#include <numeric>

#include "doctest/doctest.h"
#include "importance/impurity_decrease.hpp"
#include "importance/node_importances.hpp"
#include "importance/node_sums.hpp"
#include "predictor/forest_example.hpp"
#include "tree/compact.hpp"

namespace silvics {
namespace {

std::vector<std::uint32_t> each_by_itself(std::size_t n) {
    std::vector<std::uint32_t> groups(n);
    std::iota(groups.begin(), groups.end(), 0U);
    return groups;
}

std::vector<std::int64_t> leaves_of(const test::ForestExample& forest, ThreadTeam& team) {
    std::vector<std::int64_t> leaves(forest.target.n_rows * forest.trees.size());
    forest.predictor().apply(forest.X.view(), leaves, team);
    return leaves;
}

std::vector<double> found_by(const test::ForestExample& forest, NodeMeasure measure,
                             ThreadTeam& team, std::size_t min_samples = 0,
                             bool by_output = false) {
    const auto groups = each_by_itself(forest.X.cols);
    return node_importances(forest.trees, leaves_of(forest, team), forest.target,
                            {0, forest.plan.seeds, forest.plan.sampling},
                            {measure, groups, forest.X.cols, min_samples, by_output}, team);
}

// One row in numbers: classes as 0 and 1, or the outputs themselves.
std::vector<double> numbers_of(const Target& target, std::size_t row) {
    std::vector<double> y(target.value_width(), 0.0);
    std::size_t first = 0;
    for (std::size_t k = 0; k < target.n_outputs; ++k)
        if (target.classification()) {
            y[first + target.classes[k * target.n_rows + row]] = 1.0;
            first += target.n_classes[k];
        } else {
            y[k] = target.value(k, row);
        }
    return y;
}

struct Mean {
    double weight = 0.0;
    std::vector<double> sum;
    double of(std::size_t k) const { return sum[k] / weight; }
};

// Rows of a node: all whose leaf is in its subtree.
template <class WeightOf>
Mean mean_at(const test::ForestExample& forest, std::span<const std::int64_t> leaves, std::size_t m,
             NodeId begin, NodeId end, WeightOf&& weight_of) {
    Mean mean{0.0, std::vector<double>(forest.target.value_width(), 0.0)};
    for (std::size_t i = 0; i < forest.X.rows; ++i) {
        const std::int64_t leaf = leaves[i * forest.trees.size() + m];
        if (leaf < begin || leaf >= end) continue;
        const double weight = weight_of(i);
        const auto y = numbers_of(forest.target, i);
        mean.weight += weight;
        for (std::size_t k = 0; k < y.size(); ++k) mean.sum[k] += weight * y[k];
    }
    return mean;
}

TEST_CASE("held-out measures are what sums over rows give") {
    for (const char* criterion : {"gini", "entropy", "squared_error"})
        for (const std::size_t outputs : {1U, 2U}) {
            CAPTURE(criterion);
            const test::ForestExample forest = test::forest_example(criterion, 60, 4, outputs);
            ThreadTeam team(1, nullptr);
            std::vector<std::int64_t> leaves(60 * 4);
            forest.predictor().apply(forest.X.view(), leaves, team);
            const auto oob = found_by(forest, NodeMeasure::out_of_bag, team);
            const auto cross = found_by(forest, NodeMeasure::cross_fitted, team);
            const auto large = found_by(forest, NodeMeasure::cross_fitted, team, 10);
            const std::size_t p = forest.X.cols, w = forest.target.value_width();
            const double unit = forest.target.scale * forest.target.scale * double(outputs);
            for (std::size_t m = 0; m < 4; ++m) {
                const Tree tree = expand(*forest.trees[m]);
                const auto ends = tree.subtree_ends();
                std::vector<double> drawn(60, 0.0);
                for (const RowId row : draw_rows(forest.plan.sampling, forest.plan.seeds[m]))
                    drawn[row] += 1.0;
                const auto in_bag = [&](std::size_t i) { return drawn[i]; };
                const auto out = [&](std::size_t i) { return drawn[i] > 0.0 ? 0.0 : 1.0; };
                const auto at = [&](NodeId t, auto&& weight) {
                    return mean_at(forest, leaves, m, t, ends[t], weight);
                };
                const Mean root = at(0, in_bag), root_out = at(0, out);
                std::vector<double> li(p, 0.0), zhou(p, 0.0), zhou_large(p, 0.0);
                for (NodeId t = 0; t < tree.nodes.size(); ++t) {
                    if (tree.nodes[t].leaf()) continue;
                    const auto j = static_cast<std::size_t>(tree.nodes[t].feature);
                    const NodeId children[2] = {t + 1, tree.nodes[t].second()};
                    const Mean here = at(t, in_bag), here_out = at(t, out);
                    Mean in[2], outside[2];
                    for (int c = 0; c < 2; ++c) {
                        in[c] = at(children[c], in_bag);
                        outside[c] = at(children[c], out);
                    }
                    double cross_here = 0.0;
                    for (std::size_t k = 0; k < w; ++k) {
                        const bool classes = forest.target.classification();
                        for (int c = 0; c < 2; ++c)
                            li[j] += (in[c].of(k) - here.of(k)) *
                                     (outside[c].sum[k] -
                                      (classes ? 0.0 : root.of(k)) * outside[c].weight) /
                                     root_out.weight;
                        if (outside[0].weight == 0.0 || outside[1].weight == 0.0) continue;
                        const double from = classes ? 0.0 : here.of(k);
                        for (int c = 0; c < 2; ++c)
                            cross_here += in[c].weight * (in[c].of(k) - from) * outside[c].of(k);
                        cross_here -= here.weight * (here.of(k) - from) * here_out.of(k);
                    }
                    zhou[j] += cross_here / root.weight;
                    if (tree.n_node_samples[t] >= 10) zhou_large[j] += cross_here / root.weight;
                }
                for (std::size_t j = 0; j < p; ++j) {
                    CHECK(oob[m * p + j] == doctest::Approx(li[j] / unit).epsilon(1e-9));
                    CHECK(cross[m * p + j] == doctest::Approx(zhou[j] / unit).epsilon(1e-9));
                    CHECK(large[m * p + j] == doctest::Approx(zhou_large[j] / unit).epsilon(1e-9));
                }
            }
        }
}

TEST_CASE("outputs add up, and nothing depends on the team") {
    const test::ForestExample forest = test::forest_example("gini", 80, 5, 2);
    for (const NodeMeasure measure :
         {NodeMeasure::out_of_bag, NodeMeasure::cross_fitted, NodeMeasure::null_part}) {
        std::vector<double> first;
        test::with_teams([&](ThreadTeam& team) {
            const auto found = found_by(forest, measure, team);
            if (first.empty()) first = found;
            CHECK(found == first);
            const auto parts = found_by(forest, measure, team, 0, true);
            const std::size_t w = forest.target.value_width();
            for (std::size_t i = 0; i < found.size(); ++i)
                CHECK(std::accumulate(parts.data() + i * w, parts.data() + (i + 1) * w, 0.0) ==
                      doctest::Approx(found[i]).epsilon(1e-12));
        });
    }
}

TEST_CASE("over the rows drawn, local importances are the decrease of impurity") {
    for (const char* criterion : {"gini", "entropy", "squared_error"}) {
        const test::ForestExample forest = test::forest_example(criterion, 70, 1);
        const std::size_t p = forest.X.cols;
        const auto groups = each_by_itself(p);
        std::vector<double> sums(70 * p, 0.0);
        ThreadTeam team(2, nullptr);
        add_local_importances(forest.predictor(), forest.trees, 0, forest.X.view(), groups, p, sums,
                              team);
        const auto expected = impurity_decrease(*forest.trees[0], false);
        std::vector<double> mean(p, 0.0);
        for (const RowId row : draw_rows(forest.plan.sampling, forest.plan.seeds[0]))
            for (std::size_t j = 0; j < p; ++j) mean[j] += sums[row * p + j] / 70.0;
        for (std::size_t j = 0; j < p; ++j)
            CHECK(mean[j] == doctest::Approx(expected[j]).epsilon(1e-9));
    }
}

TEST_CASE("parts of the decrease add up to it") {
    for (const char* criterion : {"gini", "entropy", "squared_error"})
        for (const std::size_t outputs : {1U, 3U}) {
            const test::ForestExample forest = test::forest_example(criterion, 70, 2, outputs);
            const Impurity impurity = std::string(criterion) == "gini"      ? Impurity::gini
                                      : std::string(criterion) == "entropy" ? Impurity::entropy
                                                                            : Impurity::variance;
            const std::size_t w = forest.width();
            for (const SharedTree& tree : forest.trees)
                for (const std::size_t min_samples : {0U, 12U}) {
                    const auto whole = impurity_decrease(*tree, false, min_samples);
                    const auto parts = impurity_decrease_by_output(*tree, impurity, min_samples);
                    for (std::size_t j = 0; j < whole.size(); ++j)
                        CHECK(std::accumulate(parts.data() + j * w, parts.data() + (j + 1) * w,
                                              0.0) == doctest::Approx(whole[j]).epsilon(1e-9));
                }
        }
}

TEST_CASE("of honest trees the rows that fill leaves count, and no row is out of reach") {
    for (const bool weighted : {false, true}) {
        SamplingPlan plan;
        plan.n_rows = 50;
        plan.n_draws = 12;
        plan.subsample = true;
        plan.structure = 0.5;
        if (weighted) plan.weights.assign(50, 0.25);
        plan.prepare();
        test::Rng rng(9);
        const Target target = test::random_classes(rng, 50, {2});
        for (const std::uint32_t seed : {1U, 2U, 3U}) {
            const LearningSubset all = learning_subset(plan, target, seed);
            const LearningSubset filling = estimation_subset(all, 50);
            REQUIRE(filling.weights.size() == 50);
            double whole = 0.0;
            std::vector<RowId> rows;
            for (std::size_t i = 0; i < all.rows.size(); ++i)
                if (all.estimates[i] != 0) {
                    rows.push_back(all.rows[i]);
                    whole += all.weight(all.rows[i]);
                    CHECK(filling.weight(all.rows[i]) == all.weight(all.rows[i]));
                }
            CHECK(filling.rows == rows);
            CHECK(filling.whole == whole);
            for (RowId row = 0; row < 50; ++row)
                if (!std::ranges::binary_search(rows, row)) CHECK(filling.weight(row) == 0.0);
        }
    }
}

TEST_CASE("parts that do not belong together are refused") {
    const test::ForestExample forest = test::forest_example("gini", 30, 3);
    ThreadTeam team(1, nullptr);
    auto groups = each_by_itself(forest.X.cols);
    auto seeds = forest.plan.seeds;
    Target target = forest.target;
    std::size_t n_groups = forest.X.cols;
    SUBCASE("a seed missing") { seeds.pop_back(); }
    SUBCASE("a variable without a group") { groups.pop_back(); }
    SUBCASE("a group that is not there") { --n_groups; }
    SUBCASE("other rows") { target.n_rows = 29; }
    const auto leaves = leaves_of(forest, team);
    CHECK_THROWS_AS(node_importances(forest.trees, leaves, target, {0, seeds, forest.plan.sampling},
                                     {NodeMeasure::out_of_bag, groups, n_groups, 0, false}, team),
                    std::invalid_argument);
}

}  // namespace
}  // namespace silvics
