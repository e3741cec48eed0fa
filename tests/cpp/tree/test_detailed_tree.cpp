#include "doctest/doctest.h"
#include "support/build_problem.hpp"
#include "tree/detailed_tree.hpp"

namespace silvics {
namespace {

BuiltTree built_by(const test::BuildProblem& problem, const GrowthRules& rules) {
    return build_tree(
        {find_criterion(problem.criterion), problem.table, problem.target, rules, test::kNeverStop},
        problem.subset, 7);
}

DetailedTree detailed_tree(const test::BuildProblem& problem) {
    GrowthRules rules = problem.rules;
    rules.detailed = true;
    auto built = built_by(problem, rules);
    REQUIRE(built.detailed.has_value());
    return *std::move(built.detailed);
}

StoredTree grown_under(const test::BuildProblem& problem, const TreeLimits& limits) {
    GrowthRules rules = problem.rules;
    StoppingRule& stopping = rules.stopping;
    stopping.max_depth = limits.max_depth;
    stopping.min_samples_split = std::max<std::size_t>(limits.min_samples_split, 2);
    stopping.min_impurity_decrease = limits.min_impurity_decrease;
    stopping.max_leaf_nodes = limits.max_leaf_nodes;
    rules.growth = stopping.limits_leaves() ? Growth::best_first : Growth::depth_first;
    return built_by(problem, rules).tree;
}

TreeLimits random_limits(test::Rng& rng, const DetailedTree& tree) {
    TreeLimits limits;
    const auto some_node = [&] { return test::pick(rng, tree.decrease.size()); };
    const std::size_t kind = test::pick(rng, 5);
    if (kind == 0 || kind == 4) limits.max_depth = 1 + test::pick(rng, 6);
    if (kind == 1 || kind == 4) limits.min_samples_split = test::pick(rng, 30);
    // The decrease of a node itself, so that the limit is met exactly.
    if (kind == 2 || kind == 4)
        limits.min_impurity_decrease =
            std::ldexp(tree.decrease[some_node()], tree.plain().impurity_exponent);
    if (kind == 3 || kind == 4) limits.max_leaf_nodes = 2 + test::pick(rng, 30);
    return limits;
}

void check_same(const StoredTree& collapsed, const StoredTree& grown) {
    CHECK((collapsed.compact() == nullptr) == (grown.compact() == nullptr));
    CHECK(test::same_trees(collapsed, grown));
    CHECK(collapsed->level_sets == grown->level_sets);
    CHECK(collapsed->max_depth == grown->max_depth);
}

TEST_CASE("a collapsed tree is the tree that grows under the limits") {
    test::Rng rng(410);
    for (const CriterionEntry& criterion : criteria())
        for (int repeat = 0; repeat < 12; ++repeat) {
            test::BuildProblem problem = test::random_problem(rng, criterion);
            problem.rules.search.min_samples_leaf = 1 + test::pick(rng, 3);
            problem.rules.search.random_cut = test::pick(rng, 3) == 0;
            const DetailedTree tree = detailed_tree(problem);
            check_same(collapse(tree, {}), grown_under(problem, {}));
            for (int k = 0; k < 6; ++k) {
                const TreeLimits limits = random_limits(rng, tree);
                CAPTURE(criterion.name);
                check_same(collapse(tree, limits), grown_under(problem, limits));
            }
        }
}

TEST_CASE("multiway splits collapse as they grow") {
    test::Rng rng(411);
    for (const char* name : {"gini", "squared_error"})
        for (int repeat = 0; repeat < 15; ++repeat) {
            test::BuildProblem problem = test::random_problem(rng, find_criterion(name));
            problem.rules.search.kind = SplitKind::multiway;
            problem.rules.search.max_values = 4;
            for (std::size_t j = 0; j < problem.table.n_features(); ++j)
                problem.rules.search.edges.push_back({-0.5, 0.0, 0.5});
            const DetailedTree tree = detailed_tree(problem);
            for (int k = 0; k < 6; ++k) {
                const TreeLimits limits = random_limits(rng, tree);
                check_same(collapse(tree, limits), grown_under(problem, limits));
            }
        }
}

TEST_CASE("shrinkage follows the path from the root") {
    test::Rng rng(412);
    for (const char* name : {"gini", "squared_error"}) {
        const test::BuildProblem problem = test::random_problem(rng, find_criterion(name));
        const DetailedTree tree = detailed_tree(problem);
        const Tree& plain = tree.plain();
        const std::vector<double> values = plain.all_values();
        const std::size_t width = plain.value_width();
        TreeLimits limits;
        limits.shrinkage = 7.0;
        const StoredTree shrunken = collapse(tree, limits);
        REQUIRE(shrunken.plain() != nullptr);
        REQUIRE(shrunken.plain()->has_node_values());
        for (std::size_t i = 0; i < 20; ++i) {
            std::vector<double> expected(values.begin(),
                                         values.begin() + static_cast<std::ptrdiff_t>(width));
            NodeId parent = 0;
            const NodeId leaf = test::descend(plain, problem.X.row(i), [&](NodeId t) {
                const double w = plain.weighted_n_node_samples[parent];
                for (std::size_t c = 0; t != 0 && c < width; ++c)
                    expected[c] += (values[t * width + c] - values[parent * width + c]) /
                                   (1.0 + limits.shrinkage / w);
                parent = t;
            });
            std::vector<double> found(width);
            shrunken.plain()->write_value(leaf, found);
            for (std::size_t c = 0; c < width; ++c) CHECK(found[c] == doctest::Approx(expected[c]));
        }
    }
}

TEST_CASE("no node below a leaf is split") {
    test::Rng rng(413);
    const test::BuildProblem problem = test::random_problem(rng, find_criterion("gini"));
    const DetailedTree tree = detailed_tree(problem);
    CHECK(collapse(tree, {.max_depth = 1})->nodes.size() <= 3);
    CHECK(collapse(tree, {.min_samples_split = 1000})->nodes.size() == 1);
    CHECK(collapse(tree, {.min_impurity_decrease = 10.0})->nodes.size() == 1);
    CHECK(collapse(tree, {.max_leaf_nodes = 4})->n_leaves() <= 4);
}

}  // namespace
}  // namespace silvics
