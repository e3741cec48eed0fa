// Memory that runs out at any one allocation is std::bad_alloc: never a crash, a hang or a leak
// (the address sanitizer looks for leaks).
#include <algorithm>
#include <functional>
#include <new>
#include <system_error>

#include "doctest/doctest.h"
#include "forest/grower.hpp"
#include "predictor/predictor.hpp"
#include "support/allocation_failure.hpp"
#include "support/problem.hpp"
#include "tree/prune.hpp"

namespace silvics {
namespace {

// Lets allocation 1 fail, then 2, and so on until the work needs no more. Work that is done in
// spite of a refusal (a sort without its buffer, a team of fewer threads) must be right.
void survives_any_failure(const std::function<bool()>& work_is_right) {
    for (const test::Refusal refusal : {test::Refusal::once, test::Refusal::from_then_on}) {
        std::size_t failures = 0, wrong = 0, k = 0;
        do {
            const test::FailAllocation fail(++k, refusal);
            try {
                wrong += !work_is_right();
            } catch (const std::bad_alloc&) {
                ++failures;
            } catch (const std::system_error&) {  // no thread could be started
                ++failures;
            }
        } while (test::an_allocation_was_refused());
        CHECK(failures > 0);
        CHECK(wrong == 0);
    }
}

struct Problem {
    test::Matrix X;
    Table table;
    Target target;
    ForestPlan plan;

    std::vector<SharedTree> grow(std::size_t team_size) const {
        ThreadTeam team(team_size, nullptr);
        return grow_forest(table, target, plan, team).trees;
    }
};

Problem small_problem(const char* criterion) {
    test::Rng rng(140);
    test::Matrix X = test::random_matrix(rng, 24, 3);
    Table table = test::coded(X);
    Target target = find_criterion(criterion).classification ? test::random_classes(rng, 24, {2})
                                                             : test::random_reals(rng, 24, 1);
    ForestPlan plan{find_criterion(criterion), {}, {}, {11, 12, 13}};
    plan.rules.search.max_features = 3;
    plan.rules.ccp_alpha = 1e-3;
    plan.sampling.n_rows = plan.sampling.n_draws = 24;
    plan.sampling.bootstrap = true;
    plan.sampling.prepare();
    return {std::move(X), std::move(table), std::move(target), std::move(plan)};
}

bool same_tables(const Table& a, const Table& b) {
    return a.n_rows == b.n_rows &&
           std::ranges::equal(a.columns, b.columns, [&](const Column& c, const Column& d) {
               return test::same_columns(c, d, a.n_rows);
           });
}

TEST_CASE("coding a table survives any failed allocation") {
    test::Rng rng(141);
    test::Matrix X;
    BinRule rule;
    SUBCASE("of bins") {
        X = test::random_matrix(rng, 1100, 3);
        rule = {16, BinRule::Widths::equal_frequency};
    }
    SUBCASE("of values") { X = test::random_matrix(rng, 1100, 3); }
    SUBCASE("of few values, in a wide table") { X = test::random_matrix(rng, 70, 130, 4); }
    SUBCASE("of whole numbers") {
        X = test::random_matrix(rng, 600, 2, 9);
        for (double& x : X.values) x *= 4.0;
    }
    const Table expected = test::coded(X, rule);
    for (const std::size_t team_size : {1U, 3U})
        survives_any_failure([&] {
            ThreadTeam team(team_size, nullptr);
            return same_tables(code_table(X.view(), rule, team), expected);
        });
}

TEST_CASE("making a target survives any failed allocation") {
    const std::vector<double> y = {1.0, 2.0, 3.0, 4.0};
    const std::vector<std::int64_t> classes = {0, 1, 1, 0};
    survives_any_failure([&] { return real_target(y, 2, 2, true).n_outputs == 2; });
    survives_any_failure([&] { return class_target(classes, 4, {2}).n_outputs == 1; });
}

TEST_CASE("growing a forest survives any failed allocation") {
    for (const char* criterion : {"gini", "squared_error", "absolute_error"}) {
        CAPTURE(std::string(criterion));
        const Problem problem = small_problem(criterion);
        const auto expected = problem.grow(1);
        for (const std::size_t team_size : {1U, 3U})
            survives_any_failure([&] {
                return std::ranges::equal(
                    problem.grow(team_size), expected,
                    [](const auto& a, const auto& b) { return test::same_trees(*a, *b); });
            });
    }
}

TEST_CASE("predicting survives any failed allocation") {
    const Problem problem = small_problem("gini");
    const auto trees = problem.grow(1);
    std::vector<double> out(24 * 2), sums(24 * 2), one(2);
    std::vector<std::int64_t> leaves(24 * 3), counts(24);
    ThreadTeam alone(1, nullptr);
    const MatrixView X = problem.X.view();
    const Predictor predictor(trees, false);
    predictor.average(X, out, alone);
    predictor.apply(X, leaves, alone);
    predictor.out_of_bag(X, {0, problem.plan.seeds, problem.plan.sampling}, {sums, counts}, alone);
    const auto paths = predictor.paths(X, alone);
    auto out_now = out, sums_now = sums, sample = problem.X.values;
    auto leaves_now = leaves, counts_now = counts;
    survives_any_failure([&] {
        auto copy = trees;
        Predictor(std::move(copy), false).average(std::span(sample).first(3), one);
        return std::equal(one.begin(), one.end(), out.begin());
    });
    const auto survives_with = [&](const std::function<ThreadTeam()>& made) {
        survives_any_failure([&] {
            ThreadTeam team = made();
            predictor.average(X, out_now, team);
            predictor.apply(X, leaves_now, team);
            return out_now == out && leaves_now == leaves;
        });
        survives_any_failure([&] {
            ThreadTeam team = made();
            const auto paths_now = predictor.paths(X, team);
            return paths_now.starts == paths.starts && paths_now.nodes == paths.nodes;
        });
        survives_any_failure([&] {
            ThreadTeam team = made();
            predictor.out_of_bag(X, {0, problem.plan.seeds, problem.plan.sampling},
                                 {sums_now, counts_now}, team);
            return sums_now == sums && counts_now == counts;
        });
    };
    for (const std::size_t team_size : {1U, 3U})
        survives_with([&] { return ThreadTeam(team_size, nullptr); });
    survives_with([] { return ThreadTeam(); });
}

TEST_CASE("pruning survives any failed allocation") {
    Problem problem = small_problem("entropy");
    problem.plan.rules.ccp_alpha = 0.0;
    const auto trees = problem.grow(1);
    const StoredTree pruned = prune(*trees[0], 0.01);
    const PruningPath path = pruning_path(*trees[0]);
    survives_any_failure([&] { return test::same_trees(prune(*trees[0], 0.01), pruned); });
    survives_any_failure([&] { return pruning_path(*trees[0]).alphas == path.alphas; });
}

}  // namespace
}  // namespace silvics
