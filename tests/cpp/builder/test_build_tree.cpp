#include <algorithm>
#include <cmath>

#include "builder/build_tree.hpp"
#include "doctest/doctest.h"
#include "support/build_problem.hpp"

namespace silvics {
namespace {

using test::Rng;
using Problem = test::BuildProblem;
using test::grown;

TEST_CASE("every criterion grows a valid tree whose counts are those of its rows") {
    Rng rng(90);
    for (const CriterionEntry& criterion : criteria())
        for (int repeat = 0; repeat < 12; ++repeat) {
            CAPTURE(std::string(criterion.name));
            Problem problem = test::random_problem(rng, criterion);
            problem.rules.search.random_cut = repeat % 3 == 1;
            problem.rules.search.split_sample = repeat % 3 == 2 ? 15 : 0;
            const Tree tree = problem.tree();
            CHECK_NOTHROW(check_tree(tree));
            test::check_counts(problem, tree);
        }
}

TEST_CASE("bins at or above the distinct values grow the exact tree") {
    Rng rng(92);
    Problem problem = test::random_problem(rng, find_criterion("gini"));
    const Tree exact = problem.tree();
    problem.table = test::coded(problem.X, {problem.X.rows, BinRule::Widths::equal_frequency});
    CHECK(test::same_trees(exact, problem.tree()));
    problem.table = test::coded(problem.X, {3, BinRule::Widths::equal_frequency});
    const Tree coarse = problem.tree();
    CHECK_NOTHROW(check_tree(coarse));
    test::check_counts(problem, coarse);
}

TEST_CASE("a seed is a tree") {
    Rng rng(93);
    Problem problem = test::random_problem(rng, find_criterion("squared_error"));
    problem.rules.search.random_cut = true;
    const auto with_seed = [&](std::uint32_t seed) {
        return grown(problem.criterion, problem.table, problem.target, problem.subset,
                     problem.rules, seed);
    };
    CHECK(test::same_trees(with_seed(1), with_seed(1)));
    CHECK_FALSE(test::same_trees(with_seed(1), with_seed(2)));
}

TEST_CASE("a full tree on distinct rows remembers every class and value") {
    Rng rng(94);
    const test::Matrix X = test::random_matrix(rng, 120, 3);
    const Table table = test::coded(X);
    const LearningSubset subset = test::subset_of(120);
    SUBCASE("classes") {
        const Target target = test::random_classes(rng, 120, {4});
        const Tree tree = grown("entropy", table, target, subset, test::full_search(table));
        for (std::size_t i = 0; i < 120; ++i)
            CHECK(tree.nodes[test::descend(tree, X.row(i))].link == (kPureBit | target.classes[i]));
    }
    SUBCASE("values") {
        const Target target = test::random_reals(rng, 120, 1);
        const Tree tree = grown("absolute_error", table, target, subset, test::full_search(table));
        for (std::size_t i = 0; i < 120; ++i)
            CHECK(tree.node_values[test::descend(tree, X.row(i))] == target.original[i]);
    }
}

TEST_CASE("weights in other units grow the same tree, with its weights in those units") {
    Rng rng(89);
    for (const char* criterion : {"gini", "entropy", "squared_error", "absolute_error"})
        for (const double unit : {0x1.0p-400, 0x1.0p+30, 0x1.0p+900}) {
            CAPTURE(std::string(criterion));
            const Problem problem = test::random_problem(rng, find_criterion(criterion));
            const std::size_t n = problem.X.rows;
            std::vector<double> weights(n);
            for (double& w : weights) w = test::pick_real(rng, 0.1, 2.0);
            const auto with = [&](const std::vector<double>& w) {
                return grown(criterion, problem.table, problem.target, test::subset_of(n, w),
                             problem.rules);
            };
            Tree expected = with(weights);
            for (double& w : weights) w *= unit;
            for (double& w : expected.weighted_n_node_samples) w *= unit;
            for (double& w : expected.leaf_weights) w *= unit;
            const Tree tree = with(weights);
            CHECK_NOTHROW(check_tree(tree));
            CHECK(test::same_trees(tree, expected));
        }
}

TEST_CASE("ccp_alpha prunes what it grows") {
    Rng rng(97);
    Problem problem = test::random_problem(rng, find_criterion("gini"));
    const std::size_t before = problem.tree().nodes.size();
    problem.rules.ccp_alpha = 0.01;
    const Tree pruned = problem.tree();
    CHECK_NOTHROW(check_tree(pruned));
    CHECK(pruned.nodes.size() < before);
    problem.rules.ccp_alpha = 1e9;
    CHECK(problem.tree().nodes.size() == 1);
}

TEST_CASE("rows without any positive weight are refused") {
    const Table table = test::coded(test::column_of({1.0, 2.0}));
    const Target target = class_target(std::vector<std::int64_t>{0, 1}, 2, {2});
    CHECK_THROWS_AS(grown("gini", table, target, LearningSubset{}, test::full_search(table)),
                    std::invalid_argument);
}

// Below a node that splits on a constrained variable, all of one side is at or below the other.
void check_monotonic(const Tree& tree, const std::vector<std::int8_t>& signs, std::size_t column) {
    const auto ends = tree.subtree_ends();
    const auto values = tree.all_values();
    const std::size_t width = tree.value_width();
    bool ordered = true;
    for (NodeId t = 0; t < tree.nodes.size(); ++t) {
        if (tree.nodes[t].leaf()) continue;
        const int sign = signs[static_cast<std::size_t>(tree.nodes[t].feature)];
        double left_high = -INFINITY, left_low = INFINITY, right_high = -INFINITY,
               right_low = INFINITY;
        for (NodeId u = t + 1; u < ends[t]; ++u) {
            const double v = values[u * width + column];
            (u < tree.nodes[t].second() ? left_high : right_high) =
                std::max(u < tree.nodes[t].second() ? left_high : right_high, v);
            (u < tree.nodes[t].second() ? left_low : right_low) =
                std::min(u < tree.nodes[t].second() ? left_low : right_low, v);
        }
        if (sign > 0) ordered &= left_high <= right_low;
        if (sign < 0) ordered &= left_low >= right_high;
    }
    CHECK(ordered);
}

TEST_CASE("monotonic constraints hold between all leaves") {
    Rng rng(99);
    const std::vector<std::int8_t> signs = {1, -1, 0};
    for (const char* criterion : {"squared_error", "absolute_error", "poisson", "gini", "entropy"})
        for (int repeat = 0; repeat < 6; ++repeat) {
            CAPTURE(std::string(criterion));
            const CriterionEntry& entry = find_criterion(criterion);
            const test::Matrix X = test::random_matrix(rng, 100, 3);
            const Table table = test::coded(X);
            const Target target = entry.classification ? test::random_classes(rng, 100, {2})
                                                       : test::target_for(rng, entry, 100, 1);
            GrowthRules rules = test::full_search(table);
            rules.search.monotonic = signs;
            rules.search.random_cut = repeat % 3 == 1;
            rules.growth = repeat % 2 == 0 ? Growth::depth_first : Growth::best_first;
            const LearningSubset subset =
                test::random_subset(rng, 100, test::kAllWeights[repeat % 3]);
            const Tree tree = grown(criterion, table, target, subset, rules);
            CHECK_NOTHROW(check_tree(tree));
            CHECK(tree.nodes.size() > 3);
            check_monotonic(tree, signs, tree.value_width() - 1);
        }
}

TEST_CASE("inner nodes above impure leaves have the impurities and values of their rows") {
    Rng rng(192);
    for (const char* criterion : {"squared_error", "friedman_mse", "gini"})
        for (int repeat = 0; repeat < 9; ++repeat) {
            CAPTURE(std::string(criterion));
            CAPTURE(repeat);
            const bool classes = std::string(criterion) == "gini";
            const std::size_t n = 150;
            test::Matrix X = test::random_matrix(rng, n, 3);
            Table table = test::coded(X);
            GrowthRules rules = test::full_search(table);
            rules.search.min_samples_leaf = 5;
            rules.search.random_cut = repeat % 2 == 1;
            rules.growth = repeat % 3 == 0   ? Growth::depth_first
                           : repeat % 3 == 1 ? Growth::breadth_first
                                             : Growth::best_first;
            if (repeat == 8) rules.stopping.max_leaf_nodes = 12;
            const Problem problem{
                std::move(X),
                std::move(table),
                classes ? test::random_classes(rng, n, {3}) : test::random_reals(rng, n, 1),
                test::random_subset(rng, n, test::kAllWeights[repeat / 3]),
                criterion,
                rules};
            const Tree tree = repeat == 8 ? problem.tree() : test::grown_either_way(problem);
            const std::vector<double> values = tree.all_values();
            const std::size_t width = tree.value_width();
            CHECK(tree.nodes.size() > 9);
            test::check_counts(problem, tree);
            std::vector<std::vector<RowId>> rows(tree.nodes.size());
            for (const RowId row : problem.subset.rows)
                test::descend(tree, problem.X.row(row), [&](NodeId t) { rows[t].push_back(row); });
            bool right = true;
            for (NodeId t = 0; t < tree.nodes.size(); ++t) {
                double weight = 0.0, impurity = 0.0;
                std::vector<double> value(width, 0.0);
                const auto output = [&](RowId row, std::size_t c) {
                    return classes ? static_cast<double>(problem.target.classes[row] == c)
                                   : problem.target.original[row];
                };
                for (const RowId row : rows[t]) weight += problem.subset.weight(row);
                for (std::size_t c = 0; c < width;
                     ++c) {  // Gini is the sum of the variances of class indicators
                    for (const RowId row : rows[t])
                        value[c] += problem.subset.weight(row) * output(row, c) / weight;
                    for (const RowId row : rows[t])
                        impurity += problem.subset.weight(row) / weight *
                                    std::pow(output(row, c) - value[c], 2.0);
                    right &= std::fabs(values[t * width + c] - value[c]) < 1e-11;
                }
                right &= std::fabs(test::users_impurity(tree, t) - impurity) < 1e-11;
            }
            CHECK(right);
        }
}

}  // namespace
}  // namespace silvics
