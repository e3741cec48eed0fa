#include <numeric>

#include "doctest/doctest.h"
#include "importance/impurity_decrease.hpp"
#include "importance/target_importances.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

constexpr std::size_t kRows = 60, kColumns = 6;

struct Example {
    test::Matrix X;
    Table table;
    std::vector<double> values;  // of each column as a target, and of one target more
    ManyTargets targets;
    ForestPlan plan;

    TargetImportances importances(std::size_t team_size, Monitor* monitor = nullptr) const {
        ThreadTeam team(team_size, monitor);
        return target_importances(table, targets, plan, team);
    }
};

Example example(std::uint32_t n_trees = 5) {
    test::Rng rng(350);
    test::Matrix X = test::random_matrix(rng, kRows, kColumns);
    std::vector<double> values;
    std::vector<std::int64_t> columns;
    for (std::size_t j = 0; j <= kColumns; ++j) {
        for (std::size_t i = 0; i < kRows; ++i) {
            const double* const row = &X.values[i * kColumns];
            values.push_back(j < kColumns ? row[j] : row[0] + 2.0 * row[1]);
        }
        columns.push_back(j < kColumns ? static_cast<std::int64_t>(j) : -1);
    }
    Table table = test::coded(X);
    ForestPlan plan{find_criterion("squared_error"), {}, {}, {}};
    plan.rules.search.max_features = 2;
    plan.sampling.n_rows = plan.sampling.n_draws = kRows;
    plan.sampling.bootstrap = true;
    plan.sampling.prepare();
    for (std::uint32_t m = 0; m < n_trees; ++m) plan.seeds.push_back(tree_seed(5, m));
    Example made{std::move(X), std::move(table), std::move(values), {}, std::move(plan)};
    made.targets = {made.values, std::move(columns)};
    return made;
}

TEST_CASE("the importances of a target are those of a forest without its column") {
    const Example all = example();
    const TargetImportances found = all.importances(1);
    for (std::size_t t = 0; t <= kColumns; ++t) {
        CHECK(found.finished[t] == 1);
        test::Matrix X{kRows, t < kColumns ? kColumns - 1 : kColumns, {}};
        for (std::size_t i = 0; i < kRows; ++i)
            for (std::size_t j = 0; j < kColumns; ++j)
                if (j != t) X.values.push_back(all.X.values[i * kColumns + j]);
        const Table table = test::coded(X);
        const auto y = std::span(all.values).subspan(t * kRows, kRows);
        ThreadTeam alone;
        const GrownTrees grown =
            grow_forest(table, real_target(y, kRows, 1, true), all.plan, alone);
        std::vector<double> expected(kColumns, 0.0);
        for (const SharedTree& tree : grown.trees) {
            const auto of_tree = impurity_decrease(*tree, false);
            for (std::size_t j = 0; j < X.cols; ++j) expected[j + (j >= t)] += of_tree[j];
        }
        for (std::size_t j = 0; j < kColumns; ++j)
            CHECK(found.values[t * kColumns + j] == expected[j] / 5.0);
    }
}

TEST_CASE("importances for targets do not depend on the size of the team") {
    for (const bool random_cut : {false, true}) {
        Example all = example();
        all.plan.rules.search.random_cut = random_cut;
        const TargetImportances alone = all.importances(1);  // a thread for each target
        for (const std::size_t size : {2, 3, 8}) {           // and all threads for each
            const TargetImportances found = all.importances(size);
            CHECK(found.values == alone.values);
            CHECK(found.finished == alone.finished);
        }
    }
}

struct StopAtOnce : Monitor {
    bool poll(std::size_t, std::size_t) override { return false; }
};

TEST_CASE("after a stop request, unfinished targets are not marked") {
    const Example all = example(20000);
    for (const std::size_t size : {1, 4}) {
        StopAtOnce monitor;
        const TargetImportances found = all.importances(size, &monitor);
        CHECK(std::accumulate(found.finished.begin(), found.finished.end(), 0) < 7);
    }
}

TEST_CASE("targets that do not fit the table are refused") {
    const auto refused = [](auto&& change) {
        Example wrong = example();
        change(wrong);
        CHECK_THROWS_AS(wrong.importances(1), std::invalid_argument);
    };
    refused([](Example& all) { all.plan.rules.search.honest = true; });
    refused([](Example& all) { all.targets.values = std::span(all.values).first(10); });
    refused([](Example& all) { all.targets.columns[0] = kColumns; });
    refused([](Example& all) { all.plan.seeds.clear(); });
    const Example all = example();
    const ForestPlan classes{find_criterion("gini"), {}, all.plan.sampling, {1}};
    ThreadTeam alone;
    CHECK_THROWS_AS(target_importances(all.table, all.targets, classes, alone),
                    std::invalid_argument);
}

}  // namespace
}  // namespace silvics
