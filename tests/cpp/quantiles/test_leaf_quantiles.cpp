#include <algorithm>
#include <cmath>
#include <numeric>

#include "doctest/doctest.h"
#include "predictor/forest_example.hpp"
#include "proximity/proximity.hpp"
#include "quantiles/leaf_quantiles.hpp"

namespace silvics {
namespace {

constexpr std::size_t kRows = 130, kOutputs = 2;
constexpr double kLevels[] = {0.0, 0.05, 0.31, 0.5, 0.77, 0.95, 1.0};
constexpr std::size_t kWidth = std::size(kLevels) * kOutputs;

// The definition: the weights of all training rows in the order of their outputs.
double quantile_of(std::span<const double> weights, std::span<const double> outputs,
                   std::size_t n_outputs, std::size_t k, double level) {
    std::vector<std::size_t> order(weights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return outputs[i * n_outputs + k]; });
    double sum = 0.0, last = std::nan("");
    for (const std::size_t i : order) {
        if (weights[i] == 0.0) continue;
        sum += weights[i];
        last = outputs[i * n_outputs + k];
        if (sum >= level - 1e-12) return last;
    }
    return last;
}

struct Example {
    test::ForestExample forest = test::forest_example("squared_error", kRows, 30);
    Predictor predictor = forest.predictor();
    LeafMembership membership;
    std::vector<double> outputs;

    Example() {
        ThreadTeam team;
        membership = leaf_membership(predictor, forest.X.view(), forest.target,
                                     {0, forest.plan.seeds, forest.plan.sampling}, team);
        test::Rng rng(3);  // outputs with ties, and others without
        for (std::size_t i = 0; i < kRows; ++i) {
            outputs.push_back(static_cast<double>(test::pick(rng, 9)));
            outputs.push_back(test::pick_real(rng, -1.0, 1.0));
        }
    }
};

TEST_CASE("quantiles are those of the weights of training rows, for any number of threads") {
    const Example example;
    const auto X = Matrix(example.forest.X.view());
    for (const bool own_rows : {false, true}) {
        const Matrix* rows = own_rows ? nullptr : &X;
        for (const std::size_t threads : {1U, 3U}) {
            ThreadTeam team(threads, nullptr);
            const auto kind = own_rows ? ProximityKind::gap : ProximityKind::kernel;
            const Proximity proximity(example.predictor, example.membership, kind, {}, 0, 1000,
                                      team);
            std::vector<double> weights(kRows * kRows), found(kRows * kWidth);
            proximity.dense(rows, weights, team);
            const LeafQuantiles of_leaves(example.predictor, example.membership, example.outputs,
                                          kOutputs, team);
            of_leaves.quantiles(rows, kLevels, Interpolation::inverted_cdf, found, team);
            for (std::size_t i = 0; i < kRows; ++i)
                for (std::size_t q = 0; q < std::size(kLevels); ++q)
                    for (std::size_t k = 0; k < kOutputs; ++k)
                        REQUIRE(found[i * kWidth + q * kOutputs + k] ==
                                quantile_of(std::span(weights).subspan(i * kRows, kRows),
                                            example.outputs, kOutputs, k, kLevels[q]));
        }
    }
}

// Parts of the ranks have several ranks here, with rows of several trees at each: some of them
// fewer rows than are sorted, others more.
TEST_CASE("quantiles within parts of the ranks are those of the weights") {
    constexpr std::size_t kMany = 3000, kSome = 25;
    for (const std::size_t depth : {1U, 4U, 30U}) {
        test::ForestExample forest = test::forest_example("squared_error", kMany, 1);
        forest.plan.rules.stopping.max_depth = depth;
        forest.plan.seeds.clear();
        for (std::uint32_t m = 0; m < 12; ++m) forest.plan.seeds.push_back(tree_seed(2, m));
        const Table table = test::coded(forest.X);
        ThreadTeam team(2, nullptr);
        const Predictor predictor(grow_forest(table, forest.target, forest.plan, team).trees,
                                  false);
        const auto all = Matrix(forest.X.view());
        const Matrix X = all.part(0, kSome);
        const LeafMembership membership = leaf_membership(
            predictor, all, forest.target, {0, forest.plan.seeds, forest.plan.sampling}, team);
        test::Rng rng(4);
        std::vector<double> outputs(kMany);
        for (double& y : outputs) y = test::pick_real(rng, -1.0, 1.0);
        std::vector<double> weights(kSome * kMany), found(kSome * std::size(kLevels));
        Proximity(predictor, membership, ProximityKind::kernel, {}, 0, 1000, team)
            .dense(&X, weights, team);
        LeafQuantiles(predictor, membership, outputs, 1, team)
            .quantiles(&X, kLevels, Interpolation::inverted_cdf, found, team);
        for (std::size_t i = 0; i < kSome; ++i)
            for (std::size_t q = 0; q < std::size(kLevels); ++q)
                REQUIRE(found[i * std::size(kLevels) + q] ==
                        quantile_of(std::span(weights).subspan(i * kMany, kMany), outputs, 1, 0,
                                    kLevels[q]));
    }
}

TEST_CASE("between two outputs, quantiles are interpolated as asked for") {
    // One leaf with three rows of equal weights, so that levels are 0, 0.5 and 1.
    test::ForestExample forest = test::forest_example("squared_error", 3, 1);
    forest.plan.sampling.bootstrap = false;
    forest.plan.sampling.n_draws = 0;
    forest.plan.sampling.prepare();
    forest.plan.rules.stopping.max_depth = 0;
    const Table table = test::coded(forest.X);
    ThreadTeam team;
    const Predictor predictor(grow_forest(table, forest.target, forest.plan, team).trees, false);
    const auto X = Matrix(forest.X.view());
    const LeafMembership membership = leaf_membership(
        predictor, X, forest.target, {0, forest.plan.seeds, forest.plan.sampling}, team);
    const std::vector<double> outputs{30.0, 10.0, 20.0};
    const LeafQuantiles of_leaves(predictor, membership, outputs, 1, team);
    const auto found = [&](double level, Interpolation how) {
        std::vector<double> out(3);
        of_leaves.quantiles(&X, std::span(&level, 1), how, out, team);
        CHECK((out[0] == out[1] && out[1] == out[2]));
        return out[0];
    };
    CHECK(found(0.3, Interpolation::inverted_cdf) == 10.0);
    CHECK(found(0.34, Interpolation::inverted_cdf) == 20.0);
    CHECK(found(0.3, Interpolation::linear) == doctest::Approx(16.0).epsilon(1e-12));
    CHECK(found(0.3, Interpolation::lower) == 10.0);
    CHECK(found(0.3, Interpolation::higher) == 20.0);
    CHECK(found(0.3, Interpolation::midpoint) == 15.0);
    CHECK(found(0.3, Interpolation::nearest) == 20.0);
    CHECK(found(0.25, Interpolation::nearest) == 10.0);
    CHECK(found(0.75, Interpolation::nearest) == 30.0);
    for (const auto how : {Interpolation::linear, Interpolation::lower, Interpolation::higher}) {
        CHECK(found(0.0, how) == 10.0);
        CHECK(found(0.5, how) == 20.0);
        CHECK(found(1.0, how) == 30.0);
    }
}

TEST_CASE("rows that no tree has out of bag have no quantiles") {
    Example example;
    // Without rows out of bag: all rows are in bag.
    example.forest.plan.sampling.bootstrap = false;
    example.forest.plan.sampling.n_draws = 0;
    example.forest.plan.sampling.prepare();
    ThreadTeam team;
    const LeafMembership whole =
        leaf_membership(example.predictor, example.forest.X.view(), example.forest.target,
                        {0, example.forest.plan.seeds, example.forest.plan.sampling}, team);
    const LeafQuantiles of_leaves(example.predictor, whole, example.outputs, kOutputs, team);
    std::vector<double> found(kRows * kWidth, 0.0);
    of_leaves.quantiles(nullptr, kLevels, Interpolation::linear, found, team);
    CHECK(std::ranges::all_of(found, [](double q) { return std::isnan(q); }));
}

TEST_CASE("outputs that do not fit are refused") {
    const Example example;
    ThreadTeam team;
    std::vector<double> outputs = example.outputs;
    const auto made = [&] {
        LeafQuantiles(example.predictor, example.membership, outputs, kOutputs, team);
    };
    outputs.back() = std::nan("");
    CHECK_THROWS_AS(made(), std::invalid_argument);
    outputs.pop_back();
    CHECK_THROWS_AS(made(), std::invalid_argument);
}

}  // namespace
}  // namespace silvics
