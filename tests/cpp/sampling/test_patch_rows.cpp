#include <algorithm>
#include <cmath>
#include <vector>

#include "doctest/doctest.h"
#include "sampling/learning_subset.hpp"
#include "sampling/patch_rows.hpp"

namespace silvics {
namespace {

std::vector<std::uint64_t> all_rows(std::uint32_t seed, std::uint64_t n, std::uint64_t wanted) {
    std::vector<std::uint64_t> rows;
    PatchRows(seed, n, wanted).visit_below(n, [&](std::uint64_t row) { rows.push_back(row); });
    return rows;
}

// The probability that x of the elements drawn are special, by logarithms of factorials.
double hypergeometric(double special, double other, double wanted, double x) {
    const auto choose = [](double n, double k) {
        return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
    };
    return std::exp(choose(special, x) + choose(other, wanted - x) -
                    choose(special + other, wanted));
}

TEST_CASE("numbers of special elements have a hypergeometric distribution, by chi-square") {
    struct Case {
        std::uint64_t special, other, wanted;
    };
    std::vector<double> weights;
    for (const auto [special, other, wanted] :
         {Case{5, 5, 3}, Case{64, 3, 60}, Case{1, 1000, 10}, Case{4096, 1500, 700},
          Case{100000, 70000, 20000}, Case{8, 8, 16}}) {
        CAPTURE(special);
        RandomStream stream(derive(7, special));
        const int draws = 40000;
        std::vector<double> counts(wanted + 1, 0.0);
        for (int i = 0; i < draws; ++i)
            ++counts.at(draw_hypergeometric(special, other, wanted, stream, weights));
        double chi = 0.0, freedom = -1.0, expected = 0.0, found = 0.0;
        for (std::uint64_t x = 0; x <= wanted; ++x) {  // neighbours of small probability together
            const bool possible = x <= special && wanted - x <= other;
            if (possible)
                expected +=
                    draws * hypergeometric(static_cast<double>(special), static_cast<double>(other),
                                           static_cast<double>(wanted), static_cast<double>(x));
            else
                CHECK(counts[x] == 0.0);
            found += counts[x];
            if (expected < 10.0) continue;
            chi += (found - expected) * (found - expected) / expected;
            freedom += 1.0;
            expected = found = 0.0;
        }
        CHECK(chi <= freedom + 5.0 * std::sqrt(2.0 * freedom) + 1e-9);
    }
}

TEST_CASE("a patch has exactly the wanted number of rows, ascending and distinct") {
    for (const std::uint64_t n : {1ULL, 2ULL, 63ULL, 64ULL, 4095ULL, 4096ULL, 4097ULL, 30011ULL})
        for (const std::uint64_t wanted : {std::uint64_t{0}, std::uint64_t{1}, n / 3, n - 1, n}) {
            CAPTURE(n);
            CAPTURE(wanted);
            const auto rows = all_rows(3, n, wanted);
            CHECK(rows.size() == wanted);
            CHECK(std::ranges::adjacent_find(rows, std::greater_equal<>()) == rows.end());
            CHECK((rows.empty() || rows.back() < n));
        }
}

TEST_CASE("the rows do not depend on the pieces in which they are asked for") {
    const std::uint64_t n = 50000;
    const auto whole = all_rows(11, n, 9000);
    for (const std::uint64_t step : {1ULL, 777ULL, 4096ULL, 33333ULL}) {
        PatchRows rows(11, n, 9000);
        std::vector<std::uint64_t> found;
        for (std::uint64_t end = 0; end < n + step; end += step)
            rows.visit_below(end, [&](std::uint64_t row) {
                CHECK(row < end);
                found.push_back(row);
            });
        CHECK(found == whole);
    }
}

TEST_CASE("every row, and every pair of neighbours, is drawn equally often") {
    const std::uint64_t n = 10000, wanted = 2500, trees = 3000;
    std::vector<double> drawn(n, 0.0);
    double together = 0.0;
    for (std::uint32_t seed = 0; seed < trees; ++seed) {
        const auto rows = all_rows(seed, n, wanted);
        for (const auto row : rows) ++drawn[row];
        for (std::size_t i = 1; i < rows.size(); ++i) together += rows[i] == rows[i - 1] + 1;
    }
    const double share = double(wanted) / double(n), expected = share * double(trees);
    const double variance = expected * (1.0 - share);
    double chi = 0.0;
    for (const double d : drawn) chi += (d - expected) * (d - expected) / variance;
    CHECK(std::fabs(chi - double(n)) < 5.0 * std::sqrt(2.0 * double(n)));
    const double pairs = double(trees) * double(wanted) * (double(wanted) - 1.0) / double(n);
    CHECK(std::fabs(together / pairs - 1.0) < 0.003);
    // Blocks of rows, which are drawn as a whole first, have the variance of the hypergeometric
    // distribution.
    double sum = 0.0, squares = 0.0;
    for (std::uint32_t seed = 0; seed < trees; ++seed) {
        PatchRows rows(seed, n, wanted);
        double first = 0.0;
        rows.visit_below(4096, [&](std::uint64_t) { ++first; });
        sum += first;
        squares += first * first;
    }
    const double mean = sum / double(trees), p = 4096.0 / double(n);
    const double theory = double(wanted) * p * (1 - p) * double(n - wanted) / double(n - 1);
    CHECK(std::fabs(mean - double(wanted) * p) < 5.0 * std::sqrt(theory / double(trees)));
    CHECK(squares / double(trees) - mean * mean == doctest::Approx(theory).epsilon(0.15));
}

TEST_CASE("numbers of draws with replacement have a binomial distribution, by chi-square") {
    struct Case {
        std::uint64_t special, other, wanted;
    };
    std::vector<double> weights;
    for (const auto [special, other, wanted] :
         {Case{1, 1, 3}, Case{4096, 1500, 70}, Case{1, 1000, 900}, Case{100000, 3, 2000}}) {
        CAPTURE(special);
        RandomStream stream(derive(8, special));
        const int draws = 40000;
        std::vector<double> counts(wanted + 1, 0.0);
        for (int i = 0; i < draws; ++i)
            ++counts.at(draw_binomial(special, other, wanted, stream, weights));
        const auto n = static_cast<double>(wanted);
        const double p = double(special) / double(special + other);
        double chi = 0.0, freedom = -1.0, expected = 0.0, found = 0.0;
        for (std::uint64_t x = 0; x <= wanted; ++x) {
            const auto k = static_cast<double>(x);
            expected +=
                draws * std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                                 k * std::log(p) + (n - k) * std::log1p(-p));
            found += counts[x];
            if (expected < 10.0) continue;
            chi += (found - expected) * (found - expected) / expected;
            freedom += 1.0;
            expected = found = 0.0;
        }
        CHECK(chi <= freedom + 5.0 * std::sqrt(2.0 * freedom) + 1e-9);
    }
    RandomStream stream(derive(8, 0));
    CHECK(draw_binomial(0, 5, 7, stream, weights) == 0);
    CHECK(draw_binomial(5, 0, 7, stream, weights) == 7);
}

TEST_CASE("with replacement, all draws are made, and rows are drawn as often as in a bootstrap") {
    const std::uint64_t n = 9000, wanted = 9000, trees = 400;
    std::vector<double> times(8, 0.0), per_row(n, 0.0);
    for (std::uint32_t seed = 0; seed < trees; ++seed) {
        std::vector<std::uint64_t> rows, pieces;
        PatchRows(seed, n, wanted, true).visit_below(n, [&](auto row) { rows.push_back(row); });
        REQUIRE(rows.size() == wanted);
        CHECK(std::ranges::is_sorted(rows));
        std::vector<std::size_t> count(n, 0);
        for (const auto row : rows) ++count.at(row);
        for (std::size_t i = 0; i < n; ++i) {
            ++times[std::min<std::size_t>(count[i], 7)];
            per_row[i] += static_cast<double>(count[i]);
        }
        PatchRows again(seed, n, wanted, true);
        for (std::uint64_t end = 0; end < n + 777; end += 777)
            again.visit_below(end, [&](auto row) { pieces.push_back(row); });
        CHECK(pieces == rows);
    }
    double factorial = 1.0;
    for (std::size_t k = 0; k < 4; ++k) {  // Poisson with mean one, nearly
        if (k > 0) factorial *= static_cast<double>(k);
        const double share = times[k] / double(n * trees);
        CHECK(share == doctest::Approx(std::exp(-1.0) / factorial).epsilon(0.01));
    }
    double chi = 0.0;
    for (const double c : per_row) chi += (c - double(trees)) * (c - double(trees)) / double(trees);
    CHECK(std::fabs(chi - double(n)) < 5.0 * std::sqrt(2.0 * double(n)));
}

TEST_CASE("patches of groups and of strata") {
    SamplingPlan plan;
    plan.n_rows = 3000;
    plan.n_draws = 40;
    plan.subsample = plan.patches = true;
    for (std::size_t i = 0; i < plan.n_rows; ++i)
        plan.groups.push_back(static_cast<RowId>(i * 7 % 100));
    plan.prepare();
    const auto groups = all_rows(6, 100, 40);
    std::vector<RowId> expected;
    for (std::size_t i = 0; i < plan.n_rows; ++i)
        if (std::ranges::binary_search(groups, std::uint64_t{plan.groups[i]}))
            expected.push_back(static_cast<RowId>(i));
    CHECK(draw_rows(plan, 6) == expected);

    plan.strata = plan.groups;
    plan.groups.clear();
    plan.stratum_draws.assign(100, 0);
    plan.stratum_draws[0] = 30;
    plan.stratum_draws[1] = 1;
    plan.prepare();
    std::vector<std::size_t> drawn(100, 0);
    for (const RowId row : draw_rows(plan, 6)) ++drawn[plan.strata[row]];
    CHECK(drawn == plan.stratum_draws);
    plan.stratum_draws[99] = 3000;
    CHECK_THROWS_AS(plan.prepare(), std::invalid_argument);
    plan.stratum_draws.resize(3);
    CHECK_THROWS_AS(plan.prepare(), std::invalid_argument);
}

TEST_CASE("the work follows the rows drawn, not those of the table") {
    const auto rows = all_rows(5, std::uint64_t{1} << 50, 100);
    CHECK(rows.size() == 100);
    CHECK(rows.back() > std::uint64_t{1} << 48);
    CHECK_THROWS_AS(PatchRows(0, 10, 11), std::invalid_argument);
    CHECK_THROWS_AS(PatchRows(0, std::uint64_t{1} << 53, 1), std::invalid_argument);
}

TEST_CASE("the patches of a sampling plan are these rows, whatever the weights") {
    SamplingPlan plan;
    plan.n_rows = 200000;
    plan.n_draws = 150;
    plan.subsample = plan.patches = true;
    plan.weights.assign(plan.n_rows, 1.0);
    for (std::size_t i = 0; i < plan.n_rows; i += 2) plan.weights[i] = 0.0;
    plan.prepare();
    const auto rows = draw_rows(plan, 4);
    const auto expected = all_rows(4, plan.n_rows, plan.n_draws);
    CHECK(std::ranges::equal(rows, expected));
    const auto subset = learning_subset(plan, Target{}, 4);
    CHECK(subset.rows.size() ==
          static_cast<std::size_t>(std::ranges::count_if(rows, [](RowId r) { return r % 2; })));
}

}  // namespace
}  // namespace silvics
