// Out-of-bag predictions when groups of variables are permuted.
#include <numeric>

#include "doctest/doctest.h"
#include "importance/permutation.hpp"
#include "predictor/forest_example.hpp"
#include "predictor/made_forests.hpp"

namespace silvics {
namespace {

// The change of each sum is the sum of the permuted matrix less that of the matrix as it is.
void check_permuted(test::Rng& rng, const std::vector<SharedTree>& trees, const test::Matrix& X,
                    std::vector<std::vector<FeatureId>> variables, std::size_t n_repeats = 2) {
    SamplingPlan sampling;
    sampling.n_rows = sampling.n_draws = X.rows;
    sampling.bootstrap = true;
    sampling.prepare();
    std::vector<std::uint32_t> seeds(trees.size());
    for (auto& seed : seeds) seed = static_cast<std::uint32_t>(rng());

    PermutedGroups groups;
    groups.n_repeats = n_repeats;
    groups.variables = std::move(variables);
    std::vector<std::uint32_t> rows(groups.variables.size() * n_repeats * X.rows);
    for (auto& row : rows) row = static_cast<std::uint32_t>(test::pick(rng, X.rows));
    groups.rows = rows;

    const Predictor predictor(trees, false);
    ThreadTeam alone;
    const auto before = test::out_of_bag_by(predictor, X.view(), seeds, sampling, alone);
    const std::size_t size = X.rows * predictor.value_width();
    std::vector<double> first;
    test::with_teams([&](ThreadTeam& team) {
        std::vector<double> changes(rows.size() * predictor.value_width(), -1.0);
        test::OutOfBag as_they_are;
        as_they_are.sums.resize(size, -1.0);
        as_they_are.counts.resize(X.rows, -1);
        permuted_out_of_bag(predictor, X.view(), {0, seeds, sampling}, groups, changes,
                            {as_they_are.sums, as_they_are.counts}, team);
        CHECK(as_they_are == before);
        if (first.empty()) first = changes;
        CHECK(changes == first);
    });
    for (std::size_t at = 0; at < groups.variables.size() * n_repeats; ++at) {
        test::Matrix permuted = X;
        for (std::size_t i = 0; i < X.rows; ++i)
            for (const FeatureId j : groups.variables[at / n_repeats])
                permuted.values[i * X.cols + j] = X.values[rows[at * X.rows + i] * X.cols + j];
        const auto after = test::out_of_bag_by(predictor, permuted.view(), seeds, sampling, alone);
        for (std::size_t k = 0; k < size; ++k)
            CHECK(std::abs(first[at * size + k] - (after.sums[k] - before.sums[k])) <=
                  1e-9 * (1.0 + std::abs(before.sums[k])));
    }
}

// Each of the first variables by itself; and two together, with one that is by itself.
void check_permuted(test::Rng& rng, const std::vector<SharedTree>& trees, const test::Matrix& X) {
    std::vector<std::vector<FeatureId>> each;
    for (FeatureId j = 0; j < std::min<std::size_t>(X.cols, 6); ++j) each.push_back({j});
    check_permuted(rng, trees, X, each);
    if (X.cols > 2) check_permuted(rng, trees, X, {{0, static_cast<FeatureId>(X.cols - 1)}, {1}});
}

TEST_CASE("permuted groups change the sums as permuted matrices do, for trees of every kind") {
    test::Rng rng(340);
    for (const test::Kind& kind : test::all_kinds())
        for (const test::Trials& trials : test::kAllTrials) {
            CAPTURE(kind.name);
            const auto trees = kind.forest(rng, 5, trials);
            for (const std::size_t n_rows : {1U, 40U})
                check_permuted(rng, trees, test::samples_for(rng, n_rows, trials));
        }
}

TEST_CASE("and of more variables than are copied, more trees and rows than are taken at a time") {
    const test::ForestExample forest = test::forest_example("gini", 300, 70);
    test::Rng rng(341);
    check_permuted(rng, forest.trees, forest.X);
    std::vector<SharedTree> wide;
    for (const SharedTree& tree : forest.trees)
        wide.push_back(std::make_shared<const StoredTree>(
            test::changed(*tree, [](TreeBase& base) { base.n_features = 400; })));
    test::Matrix X{300, 400, std::vector<double>(300 * 400, 0.5)};
    for (std::size_t i = 0; i < 300; ++i)
        std::copy_n(forest.X.row(i), forest.X.cols, &X.values[i * 400]);
    check_permuted(rng, {wide.begin(), wide.begin() + 7}, X);
}

TEST_CASE("and of as many repeats as there can be") {
    const test::ForestExample forest = test::forest_example("gini", 50, 5);
    test::Rng rng(342);
    for (const std::size_t n_repeats : {1U, 63U, 64U})
        check_permuted(rng, forest.trees, forest.X, {{0, 2}, {1}}, n_repeats);
}

TEST_CASE("losses of a tree change as its predictions do") {
    using Kind = LossOfRows::Kind;
    using Parts = LossOfRows::Parts;
    for (const char* criterion : {"gini", "squared_error"})
        for (const std::size_t outputs : {1U, 2U})
            for (const Parts parts : {Parts::none, Parts::classes, Parts::outputs}) {
                const bool classes = std::string(criterion) == "gini";
                if (parts == Parts::classes && (!classes || outputs == 2)) continue;
                const test::ForestExample forest = test::forest_example(criterion, 90, 3, outputs);
                const Predictor predictor = forest.predictor();
                test::Rng rng(343);
                std::vector<std::uint32_t> rows(2 * 3 * 90);
                for (auto& row : rows) row = static_cast<std::uint32_t>(test::pick(rng, 90));
                const PermutedGroups groups{{{0, 3}, {1}}, 3, rows};
                const std::span<const std::uint32_t> seed(&forest.plan.seeds[1], 1);
                const DrawnTrees tree{1, seed, forest.plan.sampling};
                const std::size_t w = predictor.value_width();
                std::vector<double> sums(90 * w), changes(rows.size() * w);
                std::vector<std::int64_t> counts(90);
                ThreadTeam alone;
                permuted_out_of_bag(predictor, forest.X.view(), tree, groups, changes,
                                    {sums, counts}, alone);
                for (const Kind kind : {classes ? Kind::error : Kind::squared_error,
                                        classes ? Kind::log_loss : Kind::absolute_error}) {
                    const LossOfRows loss{kind, parts, forest.target};
                    const std::size_t n_parts = loss.n_parts();
                    std::vector<double> first;
                    test::with_teams([&](ThreadTeam& team) {
                        std::vector<double> found(6 * n_parts, -1.0);
                        permuted_losses(predictor, forest.X.view(), tree, groups, loss, found,
                                        team);
                        if (first.empty()) first = found;
                        CHECK(found == first);
                    });
                    for (std::size_t at = 0; at < 6; ++at) {
                        std::vector<double> expected(n_parts, 0.0);
                        for (std::size_t i = 0; i < 90; ++i) {
                            if (counts[i] == 0) continue;
                            std::vector<double> after(&sums[i * w], &sums[i * w] + w);
                            for (std::size_t c = 0; c < w; ++c)
                                after[c] += changes[(at * 90 + i) * w + c];
                            loss.for_parts(
                                i, {&sums[i * w], w}, after,
                                [&](std::size_t part, double change) { expected[part] += change; });
                        }
                        for (std::size_t part = 0; part < n_parts; ++part)
                            CHECK(first[at * n_parts + part] ==
                                  doctest::Approx(expected[part]).epsilon(1e-9));
                    }
                }
            }
}

TEST_CASE("the loss of a row is the loss of its name") {
    Target target = class_target(std::vector<std::int64_t>{1, 0, 0, 2}, 2, {2, 3});
    const std::vector<double> sure{0.25, 0.75, 1.0, 0.0, 0.0}, wrong{0.5, 0.5, 0.25, 0.5, 0.25};
    const auto change = [&](LossOfRows::Kind kind, std::size_t row) {
        double sum = 0.0;
        LossOfRows{kind, LossOfRows::Parts::none, target}.for_parts(
            row, sure, wrong, [&](std::size_t, double of_row) { sum += of_row; });
        return sum;
    };
    // Row 0 is of class 1 and 0; equals go to the first. Row 1 is of class 0 and 2.
    CHECK(change(LossOfRows::Kind::error, 0) == (2.0 - 0.0) / 2);
    CHECK(change(LossOfRows::Kind::error, 1) == (1.0 - 2.0) / 2);
    CHECK(change(LossOfRows::Kind::log_loss, 0) ==
          doctest::Approx((std::log(0.75 / 0.5) + std::log(1.0 / 0.25)) / 2));
    target = real_target(std::vector<double>{3.0, -1.0}, 2, 1, true);
    const std::vector<double> near{2.5}, far{1.0};
    for (const auto kind : {LossOfRows::Kind::squared_error, LossOfRows::Kind::absolute_error})
        LossOfRows{kind, LossOfRows::Parts::outputs, target}.for_parts(
            0, near, far, [&](std::size_t part, double of_row) {
                CHECK(part == 0);
                CHECK(of_row == (kind == LossOfRows::Kind::squared_error ? 4.0 - 0.25 : 1.5));
            });
}

TEST_CASE("groups that do not fit are refused") {
    const test::ForestExample forest = test::forest_example("gini", 30, 3);
    const Predictor predictor = forest.predictor();
    std::vector<std::uint32_t> rows(30, 0);
    std::vector<double> changes(30 * predictor.value_width()), sums(changes.size());
    std::vector<std::int64_t> counts(30);
    PermutedGroups groups{{{0}}, 1, {}};
    SUBCASE("no rows") {}
    SUBCASE("a row that is not there") {
        rows[7] = 30;
        groups.rows = rows;
    }
    SUBCASE("no such variable") {
        groups.rows = rows;
        groups.variables[0][0] = 1000;
    }
    SUBCASE("no place for the changes") {
        groups.rows = rows;
        changes.pop_back();
    }
    SUBCASE("too many repeats") {
        groups.n_repeats = 65;
        rows.resize(65 * 30, 0);
        groups.rows = rows;
        changes.resize(65 * 30 * predictor.value_width());
    }
    SUBCASE("a variable in two groups") {
        groups.variables.push_back({0});
        rows.resize(2 * 30, 0);
        groups.rows = rows;
        changes.resize(2 * 30 * predictor.value_width());
    }
    ThreadTeam team(1, nullptr);
    CHECK_THROWS_AS(permuted_out_of_bag(predictor, forest.X.view(),
                                        {0, forest.plan.seeds, forest.plan.sampling}, groups,
                                        changes, {sums, counts}, team),
                    std::invalid_argument);
}

}  // namespace
}  // namespace silvics
