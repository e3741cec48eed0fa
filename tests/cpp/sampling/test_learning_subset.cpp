#include <algorithm>
#include <bit>
#include <cmath>

#include "doctest/doctest.h"
#include "sampling/learning_subset.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

SamplingPlan plan_of(std::size_t n_rows, bool bootstrap, std::vector<double> weights = {}) {
    SamplingPlan plan;
    plan.n_rows = n_rows;
    plan.bootstrap = bootstrap;
    plan.n_draws = n_rows;
    plan.weights = std::move(weights);
    plan.prepare();
    return plan;
}

TEST_CASE("without bootstrap the subset is the rows of positive weight, in order") {
    SUBCASE("all") {
        const LearningSubset subset = learning_subset(plan_of(4, false), {}, 1);
        CHECK(subset.rows == std::vector<RowId>{0, 1, 2, 3});
        CHECK(subset.weights.empty());
        CHECK(subset.weight(2) == 1.0);
        CHECK(subset.whole_weights);
        CHECK(subset.whole == 4.0);
        CHECK(subset.in_order() == std::vector<double>(4, 1.0));
    }
    SUBCASE("some") {
        const LearningSubset subset =
            learning_subset(plan_of(4, false, {2.0, 0.0, 3.0, 1.0}), {}, 1);
        CHECK(subset.rows == std::vector<RowId>{0, 2, 3});
        CHECK(subset.weight(2) == 3.0);
        CHECK(subset.whole_weights);
        CHECK(subset.whole == 6.0);
        CHECK(subset.in_order() == std::vector<double>{2.0, 3.0, 1.0});
    }
    SUBCASE("fractions") {
        CHECK_FALSE(learning_subset(plan_of(2, false, {2.0, 0.5}), {}, 1).whole_weights);
        CHECK_FALSE(learning_subset(plan_of(2, false, {2.0, 0x1.0p60}), {}, 1).whole_weights);
    }
}

TEST_CASE("so many rows of each class are drawn, in proportion to their weights") {
    const std::vector<RowId> strata{0, 1, 0, 2, 1, 0, 2, 0};
    SamplingPlan plan;
    plan.n_rows = strata.size();
    plan.strata = strata;
    plan.weights = {1, 2, 3, 0, 1, 1, 5, 0};
    for (const bool bootstrap : {true, false}) {
        plan.bootstrap = bootstrap;
        plan.subsample = !bootstrap;
        plan.stratum_draws =
            bootstrap ? std::vector<std::size_t>{6, 0, 3} : std::vector<std::size_t>{2, 1, 1};
        plan.n_draws = bootstrap ? 9 : 4;
        plan.prepare();
        std::vector<double> counts(strata.size(), 0.0);
        for (std::uint32_t seed = 0; seed < 4000; ++seed) {
            std::vector<std::size_t> drawn(3, 0);
            for (const RowId row : draw_rows(plan, seed)) {
                ++drawn[strata[row]];
                ++counts[row];
            }
            REQUIRE(drawn == plan.stratum_draws);
        }
        CHECK(counts[3] == 0.0);  // without weight
        CHECK(counts[7] == 0.0);
        const double most = bootstrap ? 6.0 * 0.6 : 2.0 / 3.0;  // of row 2, in a tree
        CHECK(std::fabs(counts[2] / 4000.0 - most) < 0.15);
        const LearningSubset subset = learning_subset(plan, {}, 7);
        CHECK(std::ranges::is_sorted(subset.rows));
    }
    plan.stratum_draws = {5, 1, 1};  // of three rows with a weight, without replacement
    plan.n_draws = 7;
    CHECK_THROWS_AS(plan.prepare(), std::invalid_argument);
    plan.stratum_draws = {2, 1};  // none for the third class
    CHECK_THROWS_AS(plan.prepare(), std::invalid_argument);
}

TEST_CASE("groups are drawn as a whole") {
    const std::vector<RowId> groups{2, 0, 1, 0, 2, 2, 3, 3};
    for (const bool bootstrap : {true, false})
        for (const bool weighted : {false, true})
            for (std::uint32_t seed = 0; seed < 50; ++seed) {
                SamplingPlan plan;
                plan.n_rows = groups.size();
                plan.bootstrap = bootstrap;
                plan.subsample = !bootstrap;
                plan.n_draws = bootstrap ? 4 : 2;
                plan.groups = groups;
                if (weighted) plan.weights = {1, 2, 3, 0, 1, 1, 0, 0};  // group 3 has no weight
                plan.prepare();
                std::vector<double> counts(groups.size(), 0.0);
                for (const RowId row : draw_rows(plan, seed)) ++counts.at(row);
                const std::vector<bool> out = out_of_bag(plan, seed);
                const LearningSubset subset = learning_subset(plan, {}, seed);
                std::vector<double> of_group(4, -1.0);
                for (std::size_t i = 0; i < groups.size(); ++i) {
                    double& count = of_group[groups[i]];
                    CHECK((count < 0.0 || count == counts[i]));
                    count = counts[i];
                    CHECK(out[i] == (count == 0.0));
                    const double weight = count * (weighted ? plan.weights[i] : 1.0);
                    CHECK(std::ranges::binary_search(subset.rows, i) == (weight > 0.0));
                    if (weight > 0.0) CHECK(subset.weight(static_cast<RowId>(i)) == weight);
                }
                CHECK(std::accumulate(of_group.begin(), of_group.end(), 0.0) ==
                      static_cast<double>(plan.n_draws));
                if (weighted) CHECK(of_group[3] == 0.0);
            }
}

TEST_CASE("groups that do not fit the rows are refused") {
    SamplingPlan plan = plan_of(3, true);
    plan.groups = {0, 1};
    CHECK_THROWS_WITH(plan.prepare(), "groups do not have one value per row");
    plan.groups = {0, 1, 3};
    CHECK_THROWS(plan.prepare());
    plan.groups = {0, 1, 1};
    plan.patches = true;
    plan.strata = {0, 1, 1};
    CHECK_THROWS(plan.prepare());
}

TEST_CASE("a bootstrap replicate counts its draws on the unique rows") {
    for (const std::size_t n_draws : {1U, 30U, 100U, 250U})
        for (std::uint32_t seed = 0; seed < 20; ++seed) {
            SamplingPlan plan = plan_of(100, true);
            plan.n_draws = n_draws;
            const LearningSubset subset = learning_subset(plan, {}, seed);
            std::vector<double> counts(100, 0.0);
            for (const RowId row : draw_rows(plan, seed)) ++counts.at(row);
            CHECK(subset.weights == counts);
            CHECK(std::accumulate(counts.begin(), counts.end(), 0.0) == n_draws);
            CHECK(subset.whole == n_draws);
            CHECK(std::ranges::is_sorted(subset.rows));
            for (const RowId row : subset.rows) CHECK(counts[row] > 0.0);
            CHECK(static_cast<std::ptrdiff_t>(subset.rows.size()) ==
                  std::ranges::count_if(counts, [](double c) { return c > 0.0; }));
        }
}

TEST_CASE("out of bag is what was not drawn") {
    const SamplingPlan plan = plan_of(50, true);
    std::vector<bool> out(50, true);
    for (const RowId row : draw_rows(plan, 4)) out[row] = false;
    CHECK(out_of_bag(plan, 4) == out);
    CHECK(draw_rows(plan, 4) != draw_rows(plan, 5));
}

TEST_CASE("rows of weight zero are never drawn, wherever they stand") {
    test::Rng rng(6);
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        std::vector<double> weights(20, 0.0);
        weights[test::pick(rng, 20)] = 0.1;
        weights[test::pick(rng, 20)] = 1e-300;
        weights[test::pick(rng, 20)] = 3.7;
        const SamplingPlan plan = plan_of(20, true, weights);
        for (const RowId row : draw_rows(plan, seed)) REQUIRE(weights[row] > 0.0);
    }
}

TEST_CASE("rows are drawn in proportion to their weights") {
    SamplingPlan plan = plan_of(4, true, {1.0, 2.0, 0.0, 5.0});
    plan.n_draws = 80000;
    std::vector<double> counts(4, 0.0);
    for (const RowId row : draw_rows(plan, 11)) ++counts[row];
    const std::vector<double> expected = {10000.0, 20000.0, 0.0, 50000.0};
    for (std::size_t i = 0; i < 4; ++i)
        CHECK(std::fabs(counts[i] - expected[i]) <= 5.0 * std::sqrt(expected[i]));
}

TEST_CASE("rows without weights are drawn evenly") {
    SamplingPlan plan = plan_of(10, true);
    plan.n_draws = 100000;
    std::vector<double> counts(10, 0.0);
    for (const RowId row : draw_rows(plan, 12)) ++counts[row];
    for (const double c : counts) CHECK(std::fabs(c - 10000.0) < 5.0 * 95.0);
}

TEST_CASE("balanced_subsample gives every class of the draw the same weight") {
    test::Rng rng(7);
    const std::size_t n = 60;
    std::vector<std::int64_t> y(n);
    for (std::size_t i = 0; i < n; ++i) y[i] = i < 45 ? 0 : i < 58 ? 1 : 3;  // class 2 is absent
    const Target target = class_target(y, n, {4});
    SamplingPlan plan = plan_of(n, true);
    plan.balanced_subsample = true;
    const LearningSubset subset = learning_subset(plan, target, 2);
    CHECK_FALSE(subset.whole_weights);
    std::vector<double> of_class(4, 0.0);
    for (const RowId row : subset.rows) of_class[target.classes[row]] += subset.weight(row);
    const auto present = std::ranges::count_if(of_class, [](double w) { return w > 0.0; });
    CHECK(present >= 2);
    for (const double w : of_class)
        if (w > 0.0)
            CHECK(w == doctest::Approx(60.0 / static_cast<double>(present)).epsilon(1e-13));
}

TEST_CASE("balanced_subsample multiplies over the outputs, as counts times one factor each") {
    test::Rng rng(8);
    const std::size_t n = 40;
    const Target target = test::random_classes(rng, n, {2, 3});
    SamplingPlan plan = plan_of(n, true);
    const LearningSubset plain = learning_subset(plan, target, 3);
    plan.balanced_subsample = true;
    const LearningSubset balanced = learning_subset(plan, target, 3);
    CHECK(balanced.rows == plain.rows);
    for (const RowId row : plain.rows) {
        double expected = plain.weight(row);
        for (std::size_t k = 0; k < 2; ++k) {
            double drawn = 0.0;
            for (const RowId other : plain.rows)
                if (target.classes[k * n + other] == target.classes[k * n + row])
                    drawn += plain.weight(other);
            expected *= 40.0 / (static_cast<double>(target.n_classes[k]) * drawn);
        }
        CHECK(balanced.weight(row) == doctest::Approx(expected).epsilon(1e-13));
    }
}

SamplingPlan subsample_of(std::size_t n_rows, std::size_t n_draws,
                          std::vector<double> weights = {}) {
    SamplingPlan plan = plan_of(n_rows, false, std::move(weights));
    plan.subsample = true;
    plan.n_draws = n_draws;
    return plan;
}

TEST_CASE("a subsample has each row at most once, with its own weight") {
    test::Rng rng(9);
    std::vector<double> weights(50);
    for (double& w : weights) w = test::pick_real(rng, 0.5, 2.0);
    for (const std::size_t n_draws : {1U, 7U, 49U, 50U})
        for (std::uint32_t seed = 0; seed < 20; ++seed) {
            const auto rows = draw_rows(subsample_of(50, n_draws), seed);
            CHECK(rows.size() == n_draws);
            CHECK(std::ranges::is_sorted(rows, std::ranges::less_equal{}));
            CHECK(rows.back() < 50);
            const LearningSubset plain = learning_subset(subsample_of(50, n_draws), {}, seed);
            CHECK(plain.rows == rows);
            CHECK(plain.in_order() == std::vector<double>(n_draws, 1.0));
            CHECK(plain.whole == static_cast<double>(n_draws));
            CHECK(plain.whole_weights);
            const LearningSubset weighted =
                learning_subset(subsample_of(50, n_draws, weights), {}, seed);
            CHECK(weighted.rows == rows);
            for (std::size_t i = 0; i < 50; ++i)
                CHECK(weighted.weight(static_cast<RowId>(i)) ==
                      (std::ranges::binary_search(rows, static_cast<RowId>(i)) ? weights[i] : 0.0));
            const auto out = out_of_bag(subsample_of(50, n_draws), seed);
            for (std::size_t i = 0; i < 50; ++i)
                CHECK(out[i] == !std::ranges::binary_search(rows, static_cast<RowId>(i)));
        }
}

TEST_CASE("a row of weight zero is drawn for nothing") {
    std::vector<double> weights(20, 1.0);
    weights[3] = weights[11] = 0.0;
    const LearningSubset subset = learning_subset(subsample_of(20, 20, weights), {}, 1);
    CHECK(subset.rows.size() == 18);
    CHECK(subset.whole == 18.0);
}

TEST_CASE("all subsamples of a size are equally likely") {
    std::vector<double> counts(1 << 6, 0.0);
    const double n = 40000.0;
    for (std::uint32_t seed = 0; seed < 40000; ++seed) {
        std::size_t mask = 0;
        for (const RowId row : draw_rows(subsample_of(6, 3), seed)) mask |= std::size_t{1} << row;
        ++counts[mask];
    }
    for (std::size_t mask = 0; mask < counts.size(); ++mask)
        if (std::popcount(mask) == 3)
            CHECK(std::fabs(counts[mask] - n / 20.0) < 5.0 * std::sqrt(n / 20.0));
        else
            CHECK(counts[mask] == 0.0);
}

TEST_CASE("the usual number of rows is about that of any tree") {
    for (const std::size_t n_draws : {50U, 1000U, 3000U})
        for (const bool bootstrap : {false, true}) {
            SamplingPlan plan = plan_of(1000, bootstrap);
            CHECK((bootstrap || plan.usual_size() == 1000));
            plan.n_draws = n_draws;
            plan.subsample = !bootstrap;
            const std::size_t usual = plan.usual_size();
            for (std::uint32_t seed = 0; seed < 5; ++seed) {
                const std::size_t n = learning_subset(plan, {}, seed).rows.size();
                CHECK(std::max(n, usual) - std::min(n, usual) <= (bootstrap ? 50 : 0));
            }
        }
}

TEST_CASE("honest roles: as many find splits as said, at least one of each kind") {
    struct Case {
        std::size_t n;
        double structure;
        std::size_t finders;
    };
    for (const auto& [n, structure, finders] :
         {Case{10, 0.5, 5}, Case{10, 0.26, 3}, Case{10, 0.001, 1}, Case{10, 0.999, 9},
          Case{2, 0.5, 1}, Case{3, 0.5, 2}}) {
        SamplingPlan plan = plan_of(n, false);
        plan.structure = structure;
        std::vector<double> estimates(n, 0.0);
        for (std::uint32_t seed = 0; seed < 4000; ++seed) {
            const LearningSubset subset = learning_subset(plan, {}, seed);
            REQUIRE(subset.estimates.size() == n);
            CHECK(static_cast<std::size_t>(std::ranges::count(subset.estimates, 0)) == finders);
            for (std::size_t i = 0; i < n; ++i) estimates[i] += subset.estimates[i];
        }
        const double expected = 4000.0 * static_cast<double>(n - finders) / static_cast<double>(n);
        for (const double count : estimates)
            CHECK(std::fabs(count - expected) <= 5.0 * std::sqrt(expected));
    }
}

TEST_CASE("honest roles are of the rows drawn, and do not change which those are") {
    for (std::uint32_t seed = 0; seed < 50; ++seed) {
        SamplingPlan plan = plan_of(40, true);
        const auto rows = learning_subset(plan, {}, seed).rows;
        CHECK(learning_subset(plan, {}, seed).estimates.empty());
        plan.structure = 0.5;
        const LearningSubset subset = learning_subset(plan, {}, seed);
        CHECK(subset.rows == rows);
        CHECK(subset.estimates.size() == rows.size());
    }
    SamplingPlan one = subsample_of(5, 1);
    one.structure = 0.5;
    CHECK_THROWS_AS(learning_subset(one, {}, 1), std::invalid_argument);
}

TEST_CASE("weights of any size are brought near one by a power of two") {
    for (const double size : {1.0, 1e-300, 1e-100, 1e100, 1e300}) {
        CAPTURE(size);
        const std::vector<double> weights = {0.3 * size, 0.0, 2.0 * size, 1.7 * size};
        const LearningSubset subset = learning_subset(plan_of(4, false, weights), {}, 1);
        CHECK(subset.rows == std::vector<RowId>{0, 2, 3});
        for (RowId row = 0; row < 4; ++row) CHECK(subset.weight(row) * subset.unit == weights[row]);
        CHECK(subset.weight(2) < 0x1.0p21);
        CHECK(subset.weight(2) > 0x1.0p-21);
    }
}

TEST_CASE("weights that cannot be used are refused") {
    CHECK_THROWS_AS(plan_of(2, false, {1.0}), std::invalid_argument);
    CHECK_THROWS_AS(plan_of(2, false, {1.0, -1.0}), std::invalid_argument);
    CHECK_THROWS_AS(plan_of(2, false, {1.0, NAN}), std::invalid_argument);
    CHECK_THROWS_AS(plan_of(2, false, {0.0, 0.0}), std::invalid_argument);
    CHECK_THROWS_AS(plan_of(2, true, {1e308, 1e308}), std::invalid_argument);
    CHECK_THROWS_AS(plan_of(2, true, {1.0, INFINITY}), std::invalid_argument);
}

TEST_CASE("rows held out to prune trees are not out of bag, though no tree draws them") {
    SamplingPlan plan = plan_of(6, true, {1.0, 0.0, 1.0, 1.0, 0.0, 1.0});
    CHECK(out_of_bag(plan, 3)[1]);
    CHECK(out_of_bag(plan, 3)[4]);
    plan.held_out = {1};
    plan.prepare();
    CHECK(!out_of_bag(plan, 3)[1]);
    CHECK(out_of_bag(plan, 3)[4]);
    plan.held_out = {6};
    CHECK_THROWS_AS(plan.prepare(), std::invalid_argument);
}

TEST_CASE("drawing checks the stop flag, for any number of rows") {
    SamplingPlan plan = plan_of(60, true);
    plan.n_draws = kMaxIds;
    plan.prepare();
    StopFlag stop;
    stop.request();
    CHECK_THROWS_AS(learning_subset(plan, {}, 1, stop), Interrupted);
    CHECK_THROWS_AS(out_of_bag(plan, 1, stop), Interrupted);
    plan.n_draws = 60;
    CHECK_THROWS_AS(draw_rows(plan, 1, stop), Interrupted);
}

TEST_CASE("more draws than can be counted are refused") {
    SamplingPlan plan = plan_of(60, true);
    plan.n_draws = kMaxIds + 1;
    CHECK_THROWS_AS(plan.prepare(), std::length_error);
}

TEST_CASE("equal weights draw the same rows, however small they are") {
    // All of them are multiples of the least denormal number by a power of two.
    for (const double least : {0x1.0p-1074, 0x1.0p-1060, 0x1.0p-1022, 0x1.0p-900, 0x1.0p-40}) {
        CAPTURE(least);
        const auto times = [](double unit) {
            return std::vector<double>{unit, 2.0 * unit, 0.0, 5.0 * unit, unit};
        };
        SamplingPlan small = plan_of(5, true, times(least)), plain = plan_of(5, true, times(1.0));
        small.n_draws = plain.n_draws = 1000;
        CHECK(draw_rows(small, 13) == draw_rows(plain, 13));
    }
}

}  // namespace
}  // namespace silvics
