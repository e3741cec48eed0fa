#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

#include "doctest/doctest.h"
#include "importance/distribution.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

const std::vector<std::uint32_t> kLevels = {0, 1, 1, 2, 0, 1};  // two variables of three rows
const std::vector<double> kStatistics = {1.0, 0.0, 2.0, 1.0, 0.0, 3.0};

Distribution right() {
    return {.n_rows = 3,
            .n_variables = 2,
            .levels = kLevels,
            .n_levels = {2, 3},
            .statistics = kStatistics,
            .width = 2,
            .values = {{0.5, 1.5}, {-1.0, 0.0, 4.0}}};
}

void check_refused(const char* what, const std::function<void(Distribution&)>& change) {
    Distribution d = right();
    change(d);
    CHECK_THROWS_WITH_AS(check(d), what, std::invalid_argument);
}

TEST_CASE("a distribution whose sizes, levels and statistics agree is accepted") {
    CHECK_NOTHROW(check(right()));
    Distribution d = right();
    d.values.clear();
    CHECK_NOTHROW(check(d));
    for (const std::size_t n : {4U, 100U}) {  // levels that no row has
        d.n_levels[1] = static_cast<std::uint32_t>(n);
        CHECK_NOTHROW(check(d));
    }
    d.width = 1;
    d.statistics = std::span(kStatistics).first(3);
    CHECK_NOTHROW(check(d));
}

TEST_CASE("a distribution of three moments is accepted") {
    const std::vector<double> moments = {1, 2, 4, 2, -3, 5, 1, 0, 0};
    Distribution d = right();
    d.impurity = Impurity::variance;
    d.width = 3;
    d.statistics = moments;
    CHECK_NOTHROW(check(d));
}

TEST_CASE("a distribution without rows, or with more than can be numbered, is refused") {
    check_refused("a distribution needs rows", [](Distribution& d) {
        d.n_rows = 0;
        d.levels = {};
        d.statistics = {};
    });
    for (const std::size_t n : {std::size_t{0xFFFFFFFF}, std::size_t{1} << 40})
        check_refused("a distribution needs rows", [&](Distribution& d) { d.n_rows = n; });
}

TEST_CASE("a distribution without variables, or with numbers of levels of others, is refused") {
    const char* what = "levels of each variable";
    check_refused(what, [](Distribution& d) {
        d.n_variables = 0;
        d.n_levels.clear();
        d.levels = {};
    });
    check_refused(what, [](Distribution& d) { d.n_levels.pop_back(); });
    check_refused(what, [](Distribution& d) { d.n_levels.push_back(2); });
}

TEST_CASE("too few and too many levels or statistics are refused") {
    static const std::vector<std::uint32_t> levels(7, 0);
    static const std::vector<double> statistics(7, 1.0);
    for (const std::size_t n : {0U, 5U, 7U}) {
        check_refused("a level of each row and variable",
                      [&](Distribution& d) { d.levels = std::span(levels).first(n); });
        check_refused("statistics of each row",
                      [&](Distribution& d) { d.statistics = std::span(statistics).first(n); });
    }
    check_refused("statistics of each row", [&](Distribution& d) {
        d.width = 0;
        d.statistics = {};
    });
}

TEST_CASE("variance needs three moments") {
    static const std::vector<double> four(12, 1.0);
    check_refused("three moments", [](Distribution& d) { d.impurity = Impurity::variance; });
    check_refused("three moments", [](Distribution& d) {
        d.impurity = Impurity::variance;
        d.width = 4;
        d.statistics = four;
    });
}

TEST_CASE("a level that its variable does not have is refused, in any place") {
    for (std::size_t i = 0; i < kLevels.size(); ++i) {
        std::vector<std::uint32_t> levels = kLevels;
        for (const std::uint32_t wrong : {i < 3 ? 2U : 3U, 0xFFFFFFFFU}) {
            levels[i] = wrong;
            check_refused("a level beyond those of its variable",
                          [&](Distribution& d) { d.levels = levels; });
        }
    }
    check_refused("a level beyond those of its variable",
                  [&](Distribution& d) { d.n_levels[0] = 0; });
}

TEST_CASE("statistics that are not finite are refused, in any place") {
    const double inf = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < kStatistics.size(); ++i)
        for (const double wrong : {inf, -inf, std::nan("")}) {
            std::vector<double> statistics = kStatistics;
            statistics[i] = wrong;
            check_refused("finite statistics", [&](Distribution& d) { d.statistics = statistics; });
        }
}

TEST_CASE("values must be there for each variable and level, and ascend") {
    check_refused("values of each variable", [](Distribution& d) { d.values.pop_back(); });
    check_refused("values of each variable", [](Distribution& d) { d.values.push_back({1.0}); });
    const char* each = "a value of each level";
    check_refused(each, [](Distribution& d) { d.values[0].clear(); });
    check_refused(each, [](Distribution& d) { d.values[1].pop_back(); });
    check_refused(each, [](Distribution& d) { d.values[1].push_back(9.0); });
    const char* ascend = "values that ascend";
    check_refused(ascend, [](Distribution& d) { d.values[1] = {-1.0, 4.0, 0.0}; });
    check_refused(ascend, [](Distribution& d) { d.values[1] = {0.0, 1.0, 1.0}; });
    check_refused(ascend, [](Distribution& d) { d.values[1] = {0.0, std::nan(""), 1.0}; });
    const char* range = "values with a finite range";
    check_refused(range, [](Distribution& d) { d.values[1] = {-1e308, 0.0, 1e308}; });
    check_refused(range, [](Distribution& d) { d.values[1][2] = std::nan(""); });
}

TEST_CASE("weights that are negative, or all zero, are refused") {
    for (std::size_t i = 0; i < kStatistics.size(); ++i) {
        std::vector<double> statistics = kStatistics;
        statistics[i] = -1.0;
        check_refused("weights that are not negative",
                      [&](Distribution& d) { d.statistics = statistics; });
    }
    const std::vector<double> zero(kStatistics.size(), 0.0);
    check_refused("weights that are not all zero", [&](Distribution& d) { d.statistics = zero; });
}

// ---- impurities

// Weight times impurity, as the textbook has it.
double entropy(const std::vector<double>& classes) {
    double whole = 0.0, sum = 0.0;
    for (const double w : classes) whole += w;
    for (const double w : classes)
        if (w > 0.0) sum -= w * std::log2(w / whole);
    return sum;
}

double gini(const std::vector<double>& classes) {
    double whole = 0.0, sum = 0.0;
    for (const double w : classes) whole += w;
    for (const double w : classes)
        if (w > 0.0) sum += w * (1.0 - w / whole);
    return sum;
}

WeightedImpurity impurity_of(Impurity impurity, std::size_t width,
                             const std::vector<double>& statistics) {
    Distribution d;
    d.n_rows = statistics.size() / width;
    d.statistics = statistics;
    d.width = width;
    d.impurity = impurity;
    return WeightedImpurity(d);
}

// Numbers on both sides of the end of the table, and far beyond it.
const std::vector<std::uint32_t> kCounts = {0,     1,     2,     3,      1000,    32766,
                                            32767, 32768, 32769, 100000, 1000000, 3000000000};

TEST_CASE("entropy and gini of counts, in and beyond the table of logarithms") {
    for (const bool is_gini : {false, true}) {
        const auto impurity =
            impurity_of(is_gini ? Impurity::gini : Impurity::entropy, 3, {3.0, 0.0, 1.0});
        CHECK(impurity.has_counts());
        for (const std::uint32_t a : kCounts)
            for (const std::uint32_t b : kCounts)
                for (const std::uint32_t c : {0U, 1U, 32768U}) {
                    if (std::uint64_t{a} + b + c > 0xFFFFFFFF) continue;
                    const std::vector<std::uint32_t> counts = {a, b, c};
                    const std::vector<double> doubles(counts.begin(), counts.end());
                    const double expected = is_gini ? gini(doubles) : entropy(doubles);
                    const double weight = doubles[0] + doubles[1] + doubles[2];
                    const auto near = [&](double got) {  // differences of numbers of that size
                        return std::abs(got - expected) <= 1e-13 * (1.0 + weight);
                    };
                    CHECK(near(impurity(counts.data())));
                    CHECK(near(impurity(doubles.data())));
                    CHECK(impurity.weight(doubles.data()) == weight);
                    if (is_gini || c != 0) continue;
                    CHECK(near(impurity.entropy_of_two(a, b)));
                    CHECK(near(impurity.entropy_of_two(doubles[0], doubles[1])));
                }
    }
}

TEST_CASE("entropy and gini of fractional weights") {
    test::Rng rng(170);
    for (std::size_t width = 1; width <= 5; ++width)
        for (int repeat = 0; repeat < 20; ++repeat) {
            std::vector<double> weights(width);
            for (double& w : weights)
                w = test::pick(rng, 4) == 0 ? 0.0 : test::pick_real(rng, 0.0, 5.0);
            std::vector<double> all = weights;
            all[0] = 0.5;
            const auto by_entropy = impurity_of(Impurity::entropy, width, all);
            const auto by_gini = impurity_of(Impurity::gini, width, all);
            CHECK_FALSE(by_entropy.has_counts());
            CHECK_FALSE(by_gini.has_counts());
            CHECK(by_entropy(weights.data()) == doctest::Approx(entropy(weights)).epsilon(1e-12));
            CHECK(by_gini(weights.data()) == doctest::Approx(gini(weights)).epsilon(1e-12));
        }
}

TEST_CASE("variance is the sum of squared distances to the mean") {
    test::Rng rng(171);
    for (int repeat = 0; repeat < 20; ++repeat) {
        std::vector<double> moments(3, 0.0), weights, values;
        for (std::size_t left = 1 + test::pick(rng, 8); left > 0; --left) {
            weights.push_back(test::pick_real(rng, 0.1, 3.0));
            values.push_back(test::pick_real(rng, -5.0, 5.0));
            moments[0] += weights.back();
            moments[1] += weights.back() * values.back();
            moments[2] += weights.back() * values.back() * values.back();
        }
        double expected = 0.0;
        for (std::size_t i = 0; i < values.size(); ++i)
            expected += weights[i] * std::pow(values[i] - moments[1] / moments[0], 2);
        const auto impurity = impurity_of(Impurity::variance, 3, moments);
        CHECK(impurity(moments.data()) == doctest::Approx(expected).epsilon(1e-12));
        CHECK(impurity.weight(moments.data()) == moments[0]);
    }
    const auto impurity = impurity_of(Impurity::variance, 3, {1.0, 2.0, 4.0});
    CHECK_FALSE(impurity.has_counts());  // though they are whole
    const std::vector<std::uint32_t> whole = {4, 6, 14};
    CHECK(impurity(whole.data()) == 5.0);
}

TEST_CASE("statistics are counts if all are whole, not negative, and fit 32 bits in sum") {
    for (const Impurity kind : {Impurity::entropy, Impurity::gini}) {
        CHECK(impurity_of(kind, 2, {0.0, 0.0}).has_counts());
        CHECK(impurity_of(kind, 2, {1.0, 0.0, 4294967294.0, 0.0}).has_counts());
        CHECK_FALSE(impurity_of(kind, 2, {1.0, 0.0, 4294967295.0, 0.0}).has_counts());
        CHECK_FALSE(impurity_of(kind, 2, {1.0, 0x1p60}).has_counts());
        CHECK_FALSE(impurity_of(kind, 2, {1.0, 0.5}).has_counts());
        CHECK_FALSE(impurity_of(kind, 2, {1.0, -1.0}).has_counts());
    }
}

TEST_CASE("weights that rounding took below zero count as none") {
    for (const Impurity kind : {Impurity::entropy, Impurity::gini})
        for (const double of_distribution : {1.0, 0.5})  // with a table, and without
            for (const double little : {-1e-18, -1e-12, -1e-9}) {
                const auto impurity = impurity_of(kind, 2, {of_distribution, 1.0});
                const std::vector<std::vector<double>> nothing = {
                    {little, 0.0}, {0.0, little}, {little, little}};
                for (const auto& weights : nothing) CHECK(impurity(weights.data()) == 0.0);
                const std::vector<double> pure = {little, 3.0};
                // Sums of whole weights are exact: no more than this can be off.
                if (of_distribution == 0.5 || little + 3.0 == 3.0)
                    CHECK(impurity(pure.data()) == doctest::Approx(0.0).epsilon(1e-7));
                if (kind == Impurity::entropy) {
                    CHECK(impurity.entropy_of_two(little, little) == 0.0);
                    CHECK(impurity.entropy_of_two(0.0, little) == 0.0);
                }
            }
    const auto variance = impurity_of(Impurity::variance, 3, {1.0, 1.0, 1.0});
    const std::vector<double> no_weight = {-1e-18, 1e-18, 1e-18}, nothing = {0.0, 0.0, 0.0},
                              no_spread = {3.0, 3.0, 3.0 - 1e-15};
    CHECK(variance(no_weight.data()) == 0.0);
    CHECK(variance(nothing.data()) == 0.0);
    CHECK(variance(no_spread.data()) == 0.0);
}

}  // namespace
}  // namespace silvics
