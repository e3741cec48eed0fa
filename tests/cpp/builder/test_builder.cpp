// The growing loop: orders of growth, limits and stopping rules.
#include <algorithm>
#include <numeric>

#include "builder/build_tree.hpp"
#include "doctest/doctest.h"
#include "support/build_problem.hpp"

namespace silvics {
namespace {

using test::Rng;
using Problem = test::BuildProblem;
using test::grown;

TEST_CASE("with limits that do not bite the three frontiers grow the same tree") {
    Rng rng(91);
    for (const CriterionEntry& criterion : criteria())
        for (int repeat = 0; repeat < 4; ++repeat) {
            CAPTURE(std::string(criterion.name));
            Problem problem = test::random_problem(rng, criterion);
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

TEST_CASE("XOR is learned through splits of no decrease") {
    const test::Matrix X{4, 2, {0, 0, 0, 1, 1, 0, 1, 1}};
    const Table table = test::coded(X);
    const Target target = class_target(std::vector<std::int64_t>{0, 1, 1, 0}, 4, {2});
    CHECK(grown("gini", table, target, test::subset_of(4), test::full_search(table)).n_leaves() ==
          4);
}

TEST_CASE("max_leaf_nodes keeps the leaves of the best splits") {
    Rng rng(95);
    Problem problem = test::random_problem(rng, find_criterion("gini"));
    problem.rules.growth = Growth::best_first;
    const std::size_t all = problem.tree().n_leaves();
    double before = 1e9;
    for (std::size_t leaves = 2; leaves <= all + 2; ++leaves) {
        problem.rules.stopping.max_leaf_nodes = leaves;
        const Tree tree = problem.tree();
        CHECK_NOTHROW(check_tree(tree));
        test::check_counts(problem, tree);
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
            test::random_problem(rng, find_criterion(repeat % 2 == 0 ? "gini" : "squared_error"));
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

TEST_CASE("growing feels a stop request") {
    Rng rng(98);
    const Problem problem = test::random_problem(rng, find_criterion("gini"));
    StopFlag stop;
    stop.request();
    CHECK_THROWS_AS(
        build_tree({find_criterion("gini"), problem.table, problem.target, problem.rules, stop},
                   problem.subset, 1),
        Interrupted);
}

}  // namespace
}  // namespace silvics
