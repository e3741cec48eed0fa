// Whole trees on columns of every kind: values or codes, missing values, categories, sparse
// columns.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "builder/build_tree.hpp"
#include "doctest/doctest.h"
#include "support/build_problem.hpp"
#include "support/sparse.hpp"
#include "tree/level_rule.hpp"

namespace silvics {
namespace {

using test::Rng;
using Problem = test::BuildProblem;
using test::grown;

void check_values_as_codes(Problem& problem) {
    ThreadTeam team(2, nullptr);
    problem.table = code_table(problem.X.view(), {}, team);
    problem.rules.search.random_cut = true;
    const Tree expected = problem.tree();
    CHECK_NOTHROW(check_tree(expected));
    test::check_counts(problem, expected);
    for (const std::size_t below : {3U, 9U, 33U, 1024U, ~0U}) {
        CAPTURE(below);
        problem.table.values_below = below;
        CHECK(test::same_trees(problem.tree(), expected));
    }
    problem.table = table_of_values(problem.X.view(), team);
    CHECK(test::same_trees(test::grown_either_way(problem), expected));
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
    // Enough rows for knots that span several codes, and codes that span several values.
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
            CHECK(test::same_trees(test::grown_either_way(problem), expected));
        }
}

// The columns are numbers, numbers with missing values, a category of 7 levels, one of 200 with
// missing values, and one with too many levels to be coded.
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
    return {{std::move(X), std::move(table),
             test::target_for(rng, criterion, n, 1 + test::pick(rng, 2)),
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
            test::check_counts(mixed.problem, tree);
            check_unseen(mixed, tree);
            for (const Node& node : tree.nodes) {
                if (node.leaf()) continue;
                categories += !node.rule().is_threshold();
                left += node.missing_left();
            }
            apart += !tree.level_sets.empty();
            // A team grows the same tree, and samples descend a pruned tree as well.
            rules.search.shared_from = 8;
            const Problem& problem = mixed.problem;
            const Tree alone = problem.tree();
            CHECK(test::same_trees(problem.tree_by(&team, nullptr), alone));
            CHECK(test::same_trees(problem.tree_by(nullptr, &pool), alone));
            rules.ccp_alpha = 0.01;
            const Tree pruned = problem.tree();
            CHECK_NOTHROW(check_tree(pruned));
            test::check_counts(problem, pruned);
        }
    CHECK(categories > 100);
    CHECK(apart > 10);
    CHECK(left > 100);
}

TEST_CASE(
    "a full tree remembers every class of rows that differ only in levels or missing values") {
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
            const Target target = test::target_for(rng, criterion, n, 1 + test::pick(rng, 2));
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
