#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "builder/builder.hpp"
#include "doctest/doctest.h"
#include "support/descend.hpp"
#include "support/problem.hpp"
#include "support/sparse.hpp"
#include "tree/level_rule.hpp"

namespace silvics {
namespace {

using test::grown;
using test::Rng;

struct Problem {
    test::Matrix X;
    Table table;
    Target target;
    LearningSubset subset;
    const char* criterion;
    GrowthRules rules;

    Tree tree() const { return grown(criterion, table, target, subset, rules); }
};

Target target_for(Rng& rng, const CriterionEntry& criterion, std::size_t n, std::size_t outputs) {
    if (criterion.classification)
        return test::random_classes(rng, n, std::vector<ClassId>(outputs, 3));
    return criterion.centred ? test::random_reals(rng, n, outputs)
                             : test::random_counts(rng, n, outputs);
}

Problem random_problem(Rng& rng, const CriterionEntry& criterion) {
    const std::size_t n = 20 + test::pick(rng, 80), p = 1 + test::pick(rng, 5);
    test::Matrix X = test::random_matrix(rng, n, p, test::pick(rng, 2) == 0 ? 0 : 6);
    Table table = test::coded(X);
    const GrowthRules rules = test::full_search(table);
    return {std::move(X),
            std::move(table),
            target_for(rng, criterion, n, 1 + test::pick(rng, 2)),
            test::random_subset(rng, n, test::kAllWeights[test::pick(rng, 3)]),
            criterion.name.data(),
            rules};
}

// Every training row, sent down the tree, arrives where it was counted.
void check_counts(const Problem& problem, const Tree& tree) {
    std::vector<std::uint32_t> n(tree.nodes.size(), 0);
    std::vector<double> weight(tree.nodes.size(), 0.0);
    for (const RowId row : problem.subset.rows)
        test::descend(tree, problem.X.row(row), [&](NodeId t) {
            ++n[t];
            weight[t] += problem.subset.weight(row);
        });
    CHECK(n == tree.n_node_samples);
    bool close = true;
    for (std::size_t t = 0; t < n.size(); ++t)
        close &= std::fabs(weight[t] - tree.weighted_n_node_samples[t]) < 1e-9;
    CHECK(close);
}

TEST_CASE("every criterion grows a valid tree whose counts are those of its rows") {
    Rng rng(90);
    for (const CriterionEntry& criterion : criteria())
        for (int repeat = 0; repeat < 12; ++repeat) {
            CAPTURE(std::string(criterion.name));
            Problem problem = random_problem(rng, criterion);
            problem.rules.search.random_cut = repeat % 3 == 1;
            problem.rules.search.split_sample = repeat % 3 == 2 ? 15 : 0;
            const Tree tree = problem.tree();
            CHECK_NOTHROW(check_tree(tree));
            check_counts(problem, tree);
        }
}

TEST_CASE("with limits that do not bite the three frontiers grow the same tree") {
    Rng rng(91);
    for (const CriterionEntry& criterion : criteria())
        for (int repeat = 0; repeat < 4; ++repeat) {
            CAPTURE(std::string(criterion.name));
            Problem problem = random_problem(rng, criterion);
            problem.rules.search.max_features = 1 + test::pick(rng, problem.table.n_features());
            problem.rules.search.random_cut = repeat % 2 == 1;
            const Tree depth_first = problem.tree();
            problem.rules.stopping.max_leaf_nodes = problem.X.rows + 1;
            CHECK(test::same_trees(depth_first, problem.tree()));
            problem.rules.growth = Growth::best_first;
            CHECK(test::same_trees(depth_first, problem.tree()));
            problem.rules.growth = Growth::breadth_first;
            CHECK(test::same_trees(depth_first, problem.tree()));
        }
}

TEST_CASE("bins at or above the distinct values grow the exact tree") {
    Rng rng(92);
    Problem problem = random_problem(rng, find_criterion("gini"));
    const Tree exact = problem.tree();
    problem.table = test::coded(problem.X, {problem.X.rows, BinRule::Widths::equal_frequency});
    CHECK(test::same_trees(exact, problem.tree()));
    problem.table = test::coded(problem.X, {3, BinRule::Widths::equal_frequency});
    const Tree coarse = problem.tree();
    CHECK_NOTHROW(check_tree(coarse));
    check_counts(problem, coarse);
}

TEST_CASE("a seed is a tree") {
    Rng rng(93);
    Problem problem = random_problem(rng, find_criterion("squared_error"));
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
            const Problem problem = random_problem(rng, find_criterion(criterion));
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

TEST_CASE("XOR is learned through splits of no decrease") {
    const test::Matrix X{4, 2, {0, 0, 0, 1, 1, 0, 1, 1}};
    const Table table = test::coded(X);
    const Target target = class_target(std::vector<std::int64_t>{0, 1, 1, 0}, 4, {2});
    CHECK(grown("gini", table, target, test::subset_of(4), test::full_search(table)).n_leaves() ==
          4);
}

TEST_CASE("max_leaf_nodes keeps the leaves of the best splits") {
    Rng rng(95);
    Problem problem = random_problem(rng, find_criterion("gini"));
    problem.rules.growth = Growth::best_first;
    const std::size_t all = problem.tree().n_leaves();
    double before = 1e9;
    for (std::size_t leaves = 2; leaves <= all + 2; ++leaves) {
        problem.rules.stopping.max_leaf_nodes = leaves;
        const Tree tree = problem.tree();
        CHECK_NOTHROW(check_tree(tree));
        check_counts(problem, tree);
        CHECK(tree.n_leaves() == std::min(leaves, all));
        double impurity = 0.0;  // what is left falls with every leaf
        for (std::size_t t = 0; t < tree.nodes.size(); ++t)
            if (tree.nodes[t].leaf())
                impurity += tree.weighted_n_node_samples[t] * tree.impurity[t];
        CHECK(impurity <= before + 1e-9);
        before = impurity;
    }
}

TEST_CASE("stopping rules hold at every node") {
    Rng rng(96);
    for (int repeat = 0; repeat < 20; ++repeat) {
        Problem problem =
            random_problem(rng, find_criterion(repeat % 2 == 0 ? "gini" : "squared_error"));
        problem.rules.search.random_cut = repeat % 4 == 3;
        const auto for_nodes = [&](auto&& check) {
            const Tree tree = problem.tree();
            CHECK_NOTHROW(check_tree(tree));
            bool holds = true;
            for (NodeId t = 0; t < tree.nodes.size(); ++t) holds &= check(tree, t);
            CHECK(holds);
        };
        const double whole = problem.tree().weighted_n_node_samples[0];
        const GrowthRules original = problem.rules;
        problem.rules.stopping.max_depth = 3;
        for_nodes([](const Tree& tree, NodeId) { return tree.max_depth <= 3; });
        problem.rules = original;
        problem.rules.stopping.min_samples_split = 9;
        for_nodes([](const Tree& tree, NodeId t) {
            return tree.nodes[t].leaf() || tree.n_node_samples[t] >= 9;
        });
        problem.rules = original;
        problem.rules.search.min_samples_leaf = 4;
        for_nodes([](const Tree& tree, NodeId t) { return tree.n_node_samples[t] >= 4; });
        problem.rules = original;
        problem.rules.min_weight_fraction_leaf = 0.1;
        for_nodes([&](const Tree& tree, NodeId t) {
            return tree.weighted_n_node_samples[t] >= 0.1 * whole * (1 - 1e-12);
        });
        problem.rules = original;
        problem.rules.stopping.min_impurity_decrease = 0.02;
        for_nodes([&](const Tree& tree, NodeId t) {
            if (tree.nodes[t].leaf()) return true;
            const auto mass = [&](NodeId u) {
                return tree.weighted_n_node_samples[u] * test::users_impurity(tree, u);
            };
            return (mass(t) - mass(t + 1) - mass(tree.nodes[t].second())) / whole >= 0.02 - 1e-12;
        });
    }
}

TEST_CASE("ccp_alpha prunes what it grows") {
    Rng rng(97);
    Problem problem = random_problem(rng, find_criterion("gini"));
    const std::size_t before = problem.tree().nodes.size();
    problem.rules.ccp_alpha = 0.01;
    const Tree pruned = problem.tree();
    CHECK_NOTHROW(check_tree(pruned));
    CHECK(pruned.nodes.size() < before);
    problem.rules.ccp_alpha = 1e9;
    CHECK(problem.tree().nodes.size() == 1);
}

TEST_CASE("a tree that peels off one sample at a time grows deep") {
    // With classes in turn, all cuts of least misclassification tie, and the lowest is taken.
    const std::size_t n = 2000;
    std::vector<double> x(n);
    std::iota(x.begin(), x.end(), 0.0);
    std::vector<std::int64_t> y(n);
    for (std::size_t i = 0; i < n; ++i) y[i] = static_cast<std::int64_t>(i % 2);
    const Table table = test::coded(test::column_of(x));
    const Tree tree = grown("misclassification", table, class_target(y, n, {2}), test::subset_of(n),
                            test::full_search(table));
    CHECK(tree.max_depth == n - 1);
    CHECK_NOTHROW(check_tree(tree));
}

TEST_CASE("rows without any positive weight are refused") {
    const Table table = test::coded(test::column_of({1.0, 2.0}));
    const Target target = class_target(std::vector<std::int64_t>{0, 1}, 2, {2});
    CHECK_THROWS_AS(grown("gini", table, target, LearningSubset{}, test::full_search(table)),
                    std::invalid_argument);
}

TEST_CASE("growing feels a stop request") {
    Rng rng(98);
    const Problem problem = random_problem(rng, find_criterion("gini"));
    StopFlag stop;
    stop.request();
    CHECK_THROWS_AS(build_tree(find_criterion("gini"), problem.table, problem.target,
                               problem.subset, problem.rules, 1, stop),
                    Interrupted);
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
                                                       : target_for(rng, entry, 100, 1);
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

// ---- random cuts, by values and by codes

// The tree alone and with a team, which must be the same.
Tree grown_either_way(const Problem& problem) {
    const Tree alone = problem.tree();
    GrowthRules rules = problem.rules;
    rules.search.shared_from = 20;
    ThreadTeam team(3, nullptr);
    const Tree shared =
        expand(build_tree(find_criterion(problem.criterion), problem.table, problem.target,
                          problem.subset, rules, 7, test::kNeverStop, &team));
    CHECK(test::same_trees(shared, alone));
    return alone;
}

void check_values_as_codes(Problem& problem) {
    ThreadTeam team(2, nullptr);
    problem.table = code_table(problem.X.view(), {}, team);
    problem.rules.search.random_cut = true;
    const Tree expected = problem.tree();
    CHECK_NOTHROW(check_tree(expected));
    check_counts(problem, expected);
    for (const std::size_t below : {3U, 9U, 33U, 1024U, ~0U}) {
        CAPTURE(below);
        problem.table.values_below = below;
        CHECK(test::same_trees(problem.tree(), expected));
    }
    problem.table = table_of_values(problem.X.view(), team);
    CHECK(test::same_trees(grown_either_way(problem), expected));
}

struct RandomCutCase {
    const char* criterion;
    ClassId n_classes;  // 0: a real output
};
constexpr RandomCutCase kRandomCutCases[] = {{"gini", 2},         {"gini", 5},
                                             {"entropy", 3},      {"squared_error", 0},
                                             {"friedman_mse", 0}, {"absolute_error", 0}};

Problem random_cut_problem(Rng& rng, const test::Matrix& X, const RandomCutCase& of,
                           test::Weights weights) {
    Problem problem{X,
                    {},
                    of.n_classes > 0 ? test::random_classes(rng, X.rows, {of.n_classes})
                                     : test::random_reals(rng, X.rows, 1),
                    test::random_subset(rng, X.rows, weights),
                    of.criterion,
                    {}};
    problem.rules.search.max_features = 1 + test::pick(rng, std::min<std::size_t>(X.cols, 6));
    problem.rules.search.constants_count = test::pick(rng, 2) == 0;
    return problem;
}

TEST_CASE("random cuts by values and by codes grow the same tree") {
    Rng rng(190);
    const auto check = [&](const test::Matrix& X) {
        for (const RandomCutCase& of : kRandomCutCases)
            for (const test::Weights weights : test::kAllWeights) {
                CAPTURE(std::string(of.criterion));
                CAPTURE(of.n_classes);
                CAPTURE(static_cast<int>(weights));
                Problem problem = random_cut_problem(rng, X, of, weights);
                const GrowthRules plain = problem.rules;
                check_values_as_codes(problem);
                problem.rules = plain;
                problem.rules.search.split_sample = 2 + test::pick(rng, 40);
                check_values_as_codes(problem);
                problem.rules = plain;
                problem.rules.search.min_samples_leaf = 2 + test::pick(rng, 5);
                check_values_as_codes(problem);
                problem.rules.search.split_sample = 2 + test::pick(rng, 20);
                problem.rules.min_weight_fraction_leaf = 0.02;
                problem.rules.growth = Growth::breadth_first;
                check_values_as_codes(problem);
                problem.rules.growth = Growth::best_first;
                check_values_as_codes(problem);
            }
    };
    SUBCASE("values without ties") { check(test::random_matrix(rng, 130, 5)); }
    SUBCASE("values with ties") { check(test::random_matrix(rng, 130, 4, 6)); }
    SUBCASE("a single variable") { check(test::random_matrix(rng, 100, 1)); }
    SUBCASE("bytes, and one that is not") {
        test::Matrix X = test::random_matrix(rng, 130, 5, 100);
        for (std::size_t k = 0; k < X.values.size(); ++k) X.values[k] *= k % 5 == 0 ? 1.0 : 4.0;
        check(X);
    }
    SUBCASE("wide rows") { check(test::random_matrix(rng, 90, 80)); }
    SUBCASE("wide rows of bytes") {
        test::Matrix X = test::random_matrix(rng, 90, 140, 9);
        for (double& x : X.values) x *= 4.0;
        check(X);
    }
    SUBCASE("zeros of both signs, constants and the ends of the doubles") {
        test::Matrix X = test::random_matrix(rng, 120, 5, 3);
        for (std::size_t i = 0; i < X.rows; ++i) {
            double* row = X.values.data() + i * 5;
            row[0] = row[0] == -1.0 ? -0.0 : row[0] == -0.75 ? 0.0 : row[0];
            row[1] = 0.5;
            row[2] *= std::numeric_limits<double>::max();
            row[3] = 1.0 + row[3] * 0x1.0p-50;
        }
        check(X);
    }
}

TEST_CASE("random cuts by values grow the same large tree") {
    Rng rng(191);
    // Knots of several codes, and codes of several values.
    for (const std::size_t n : {3000U, 70000U})
        for (const RandomCutCase& of :
             {kRandomCutCases[0], kRandomCutCases[1], kRandomCutCases[3]}) {
            CAPTURE(n);
            CAPTURE(std::string(of.criterion));
            Problem problem =
                random_cut_problem(rng, test::random_matrix(rng, n, 2), of, test::Weights::unit);
            problem.rules.search.min_samples_leaf = n > 3000 ? 20 : 1;
            problem.rules.search.random_cut = true;
            problem.table = test::coded(problem.X);
            const Tree expected = problem.tree();
            problem.table.values_below = 33;
            CHECK(test::same_trees(problem.tree(), expected));
            ThreadTeam team(2, nullptr);
            problem.table = table_of_values(problem.X.view(), team);
            CHECK(problem.table.buffers.empty());
            CHECK(test::same_trees(grown_either_way(problem), expected));
        }
}

// ---- leaves that are not pure

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
            const Tree tree = repeat == 8 ? problem.tree() : grown_either_way(problem);
            const std::vector<double> values = tree.all_values();
            const std::size_t width = tree.value_width();
            CHECK(tree.nodes.size() > 9);
            check_counts(problem, tree);
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
                for (std::size_t c = 0; c < width; ++c) {  // of classes, the sum of variances
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

// ---- numbers with holes, levels, sparse columns

// Numbers, numbers with holes, few levels, many levels with holes, levels too many to be coded.
struct MixedProblem {
    Problem problem;
    std::vector<std::int64_t> n_levels;
};

MixedProblem mixed_problem(Rng& rng, const CriterionEntry& criterion, std::size_t n, bool random) {
    test::Matrix X = test::random_matrix(rng, n, 5, 12);
    for (std::size_t i = 0; i < n; ++i) {
        double* const row = X.values.data() + 5 * i;
        if (test::pick(rng, 4) == 0) row[1] = NAN;
        row[2] = static_cast<double>(test::pick(rng, 5));
        row[3] = test::pick(rng, 6) == 0 ? -1.0 : static_cast<double>(test::pick(rng, 90));
        row[4] = static_cast<double>(1000 * test::pick(rng, 80));
    }
    const std::vector<std::int64_t> n_levels = {-1, -1, 7, 200, 80000};
    silvics::Matrix view(X.view());
    view.n_levels = n_levels;
    ThreadTeam team(1, nullptr);
    Table table = random ? table_of_values(view, team) : code_table(view, {}, team);
    GrowthRules rules = test::full_search(table);
    rules.search.random_cut = random;
    rules.search.max_features = 1 + test::pick(rng, 5);
    return {{std::move(X), std::move(table), target_for(rng, criterion, n, 1 + test::pick(rng, 2)),
             test::random_subset(rng, n, test::kAllWeights[test::pick(rng, 3)]),
             criterion.name.data(), rules},
            n_levels};
}

// What a node has not seen goes to its heavier child.
void check_unseen(const MixedProblem& mixed, const Tree& tree) {
    std::vector<std::vector<RowId>> rows(tree.nodes.size());
    const Problem& problem = mixed.problem;
    for (const RowId row : problem.subset.rows)
        test::descend(tree, problem.X.row(row), [&](NodeId t) { rows[t].push_back(row); });
    bool right = true;
    for (NodeId t = 0; t < tree.nodes.size(); ++t) {
        const Node& node = tree.nodes[t];
        if (node.leaf()) continue;
        const auto f = static_cast<std::size_t>(node.feature);
        const auto& w = tree.weighted_n_node_samples;
        const bool heavier_left = w[t + 1] > w[node.second()];
        std::set<double> seen;
        bool missing = false;
        for (const RowId row : rows[t]) {
            const double x = problem.X.row(row)[f];
            const bool here = std::isnan(x) || (mixed.n_levels[f] >= 0 && x < 0.0);
            missing |= here;
            if (!here) seen.insert(x);
        }
        if (!missing) right &= node.missing_left() == heavier_left;
        right &= !node.rule().is_threshold() == (mixed.n_levels[f] >= 0);
        if (node.rule().is_threshold()) continue;
        const LevelRule rule = node.rule().levels();
        right &= rule.others_left() == heavier_left;
        right &= (rule.form() == LevelRule::Form::coin) == problem.rules.search.random_cut;
        if (rule.form() == LevelRule::Form::coin) continue;
        for (const Level level : {0U, 3U, 6U, 46U, 47U, 89U, 199U, 1000U, 79000U})
            if (!seen.contains(level))
                right &= rule.goes_left(level, tree.level_sets) == heavier_left;
    }
    CHECK(right);
}

TEST_CASE("rows of a mixed table arrive where they were counted, under any rules") {
    Rng rng(270);
    ThreadTeam team(3, nullptr);
    PagePool pool;
    std::size_t categories = 0, apart = 0, left = 0;
    for (const CriterionEntry& criterion : criteria())
        for (int repeat = 0; repeat < 12; ++repeat) {
            CAPTURE(std::string(criterion.name));
            CAPTURE(repeat);
            MixedProblem mixed =
                mixed_problem(rng, criterion, 60 + test::pick(rng, 200), repeat % 2 == 0);
            GrowthRules& rules = mixed.problem.rules;
            if (repeat % 4 == 1) rules.growth = Growth::best_first;
            if (repeat % 4 == 1) rules.stopping.max_leaf_nodes = 4 + test::pick(rng, 30);
            if (repeat % 3 == 1) rules.search.min_samples_leaf = 4;
            if (repeat % 3 == 2) rules.search.split_sample = 20;
            const Tree tree = mixed.problem.tree();
            CHECK_NOTHROW(check_tree(tree));
            check_counts(mixed.problem, tree);
            check_unseen(mixed, tree);
            for (const Node& node : tree.nodes) {
                if (node.leaf()) continue;
                categories += !node.rule().is_threshold();
                left += node.missing_left();
            }
            apart += !tree.level_sets.empty();
            // The same tree with a team, and pruned it still says where samples go.
            rules.search.shared_from = 8;
            const Problem& problem = mixed.problem;
            const Tree alone = problem.tree();
            const Tree shared =
                expand(build_tree(find_criterion(problem.criterion), problem.table, problem.target,
                                  problem.subset, rules, 7, test::kNeverStop, &team));
            CHECK(test::same_trees(shared, alone));
            const Tree pooled = expand(build_tree(find_criterion(problem.criterion), problem.table,
                                                  problem.target, problem.subset, rules, 7,
                                                  test::kNeverStop, nullptr, nullptr, &pool));
            CHECK(test::same_trees(pooled, alone));
            rules.ccp_alpha = 0.01;
            const Tree pruned = problem.tree();
            CHECK_NOTHROW(check_tree(pruned));
            check_counts(problem, pruned);
        }
    CHECK(categories > 100);
    CHECK(apart > 10);
    CHECK(left > 100);
}

TEST_CASE("a full tree remembers every class of rows that only levels or holes tell apart") {
    Rng rng(271);
    const std::size_t n = 60;
    test::Matrix X{n, 2, std::vector<double>(2 * n)};
    for (std::size_t i = 0; i < n; ++i) {
        X.values[2 * i] = static_cast<double>(i / 2 * 7 % 97);  // thirty levels
        X.values[2 * i + 1] = i % 2 == 0 ? NAN : 0.25;          // missing or not
    }
    silvics::Matrix view(X.view());
    view.n_levels = {97, -1};
    ThreadTeam team(1, nullptr);
    for (const ClassId n_classes : {2U, 4U})
        for (const bool random : {false, true}) {
            const Table table = random ? table_of_values(view, team) : code_table(view, {}, team);
            const Target target = test::random_classes(rng, n, {n_classes});
            const LearningSubset subset = test::subset_of(n);
            for (const char* criterion : {"gini", "entropy"}) {
                GrowthRules rules = test::full_search(table);
                rules.search.random_cut = random;
                const Tree tree = grown(criterion, table, target, subset, rules);
                bool right = true;
                for (std::size_t i = 0; i < n; ++i)
                    right &= tree.nodes[test::descend(tree, X.row(i))].link ==
                             (kPureBit | target.classes[i]);
                CHECK(right);
            }
        }
}

TEST_CASE("a sparse table grows the tree of the dense one") {
    Rng rng(272);
    ThreadTeam team(1, nullptr);
    for (const CriterionEntry& criterion : criteria())
        for (int repeat = 0; repeat < 8; ++repeat) {
            CAPTURE(std::string(criterion.name));
            const std::size_t n = 40 + test::pick(rng, 150);
            test::Matrix X = test::thinned(rng, test::random_matrix(rng, n, 4, 9), 3);
            if (repeat % 2 == 0)
                for (std::size_t i = 0; i < n; i += 1 + test::pick(rng, 6))
                    X.values[4 * i + 2] = NAN;
            const test::SparseMatrix sparse(X);
            const BinRule rule{repeat % 4 == 3 ? std::size_t{3} : 0,
                               BinRule::Widths::equal_frequency};
            const bool random = repeat % 4 >= 2 && rule.max_bins == 0;
            const auto table = [&](const silvics::Matrix& of) {
                return random ? table_of_values(of, team) : code_table(of, rule, team);
            };
            const Table dense = table(X.view()), cells = table(sparse.view());
            const Target target = target_for(rng, criterion, n, 1 + test::pick(rng, 2));
            const LearningSubset subset =
                test::random_subset(rng, n, test::kAllWeights[test::pick(rng, 3)]);
            GrowthRules rules = test::full_search(dense);
            rules.search.random_cut = random;
            rules.search.max_features = 1 + test::pick(rng, 4);
            const Tree a = grown(criterion.name.data(), dense, target, subset, rules);
            const Tree b = grown(criterion.name.data(), cells, target, subset, rules);
            CHECK(a.nodes.size() > 1);
            CHECK(test::same_trees(a, b));
        }
}

}  // namespace
}  // namespace silvics
