#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <stdexcept>

#include "doctest/doctest.h"
#include "importance/subset_impurities.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

enum class Weighting { whole, fractional, huge };

struct Made {
    std::vector<std::uint32_t> levels;
    std::vector<double> statistics;
    Distribution d;

    Made() = default;
    Made(Made&&) = default;  // what the spans see moves along
};

// Rows at random; every third one is like the one before it.
Made made(test::Rng& rng, std::size_t n_rows, const std::vector<std::uint32_t>& n_levels,
          Impurity impurity, std::size_t width, Weighting weighting = Weighting::whole) {
    Made m;
    for (const std::uint32_t n : n_levels)
        for (std::size_t r = 0; r < n_rows; ++r)
            m.levels.push_back(r % 3 == 2 ? m.levels.back()
                                          : static_cast<std::uint32_t>(test::pick(rng, n)));
    for (std::size_t r = 0; r < n_rows; ++r) {
        const auto weight = [&]() -> double {
            if (weighting == Weighting::fractional) return test::pick_real(rng, 0.1, 2.0);
            return static_cast<double>(test::pick(rng, 4)) *
                   (weighting == Weighting::huge ? 1e9 : 1.0);
        };
        if (impurity == Impurity::variance) {
            const double w = weight() + 0.5, y = test::pick_real(rng, -2.0, 2.0);
            m.statistics.insert(m.statistics.end(), {w, w * y, w * y * y});
        } else {
            for (std::size_t c = 0; c < width; ++c)
                m.statistics.push_back(test::pick(rng, 2) == 0 ? 0.0 : weight());
        }
    }
    if (std::ranges::all_of(m.statistics, [](double w) { return w == 0.0; }))
        m.statistics[0] = 1.0;  // distributions without any weight are refused
    m.d = {.n_rows = n_rows,
           .n_variables = n_levels.size(),
           .levels = m.levels,
           .n_levels = n_levels,
           .statistics = m.statistics,
           .width = impurity == Impurity::variance ? 3 : width,
           .values = {},
           .impurity = impurity};
    return m;
}

double weighted_impurity(Impurity impurity, const std::vector<double>& s) {
    if (impurity == Impurity::variance) return s[0] > 0.0 ? s[2] - s[1] * s[1] / s[0] : 0.0;
    double whole = 0.0, sum = 0.0;
    for (const double w : s) whole += w;
    for (const double w : s)
        if (w > 0.0)
            sum += impurity == Impurity::gini ? w * (1.0 - w / whole) : -w * std::log2(w / whole);
    return sum;
}

// Rows grouped by their levels of the variables in a set.
double grouped(const Distribution& d, std::size_t set) {
    std::map<std::vector<std::uint32_t>, std::vector<double>> groups;
    for (std::size_t r = 0; r < d.n_rows; ++r) {
        std::vector<std::uint32_t> key;
        for (std::size_t j = 0; j < d.n_variables; ++j)
            if ((set >> j & 1) != 0) key.push_back(d.levels[j * d.n_rows + r]);
        auto& sums = groups[key];
        sums.resize(d.width, 0.0);
        for (std::size_t c = 0; c < d.width; ++c) sums[c] += d.statistics[r * d.width + c];
    }
    double sum = 0.0;
    for (const auto& [key, sums] : groups) sum += weighted_impurity(d.impurity, sums);
    return sum;
}

std::vector<double> impurities(const Distribution& d, std::size_t max_size,
                               std::size_t n_threads = 1) {
    ThreadTeam team(n_threads, nullptr);
    return subset_impurities(d, max_size, team);
}

void check_all_sets(const Distribution& d, std::size_t max_size) {
    const std::vector<double> got = impurities(d, max_size);
    REQUIRE(got.size() == std::size_t{1} << d.n_variables);
    double scale = 1.0;  // of what is rounded
    for (const double v : d.statistics) scale += std::abs(v);
    for (std::size_t set = 0; set < got.size(); ++set) {
        CAPTURE(set);
        if (static_cast<std::size_t>(std::popcount(set)) > max_size)
            CHECK(std::isnan(got[set]));
        else
            CHECK(std::abs(got[set] - grouped(d, set)) <= 1e-12 * scale);
    }
}

template <class Call>
void for_kinds(Call&& call) {
    for (std::size_t width = 1; width <= 4; ++width)
        for (const Impurity impurity : {Impurity::entropy, Impurity::gini})
            for (const Weighting weighting :
                 {Weighting::whole, Weighting::fractional, Weighting::huge})
                call(impurity, width, weighting);
    call(Impurity::variance, 3, Weighting::fractional);
}

TEST_CASE("impurities given sets of variables are those of groups of rows: full tables") {
    test::Rng rng(190);
    for_kinds([&](Impurity impurity, std::size_t width, Weighting weighting) {
        for (const std::vector<std::uint32_t>& n_levels :
             {std::vector<std::uint32_t>{2}, {3, 2}, {1, 2, 3}, {2, 2, 2, 2, 2}, {2, 3, 1, 7}}) {
            CAPTURE(n_levels.size());
            check_all_sets(made(rng, 150, n_levels, impurity, width, weighting).d, n_levels.size());
        }
    });
}

TEST_CASE("impurities given sets of variables are those of groups of rows: few rows") {
    test::Rng rng(191);
    for_kinds([&](Impurity impurity, std::size_t width, Weighting weighting) {
        for (std::size_t p = 1; p <= 6; ++p) {
            CAPTURE(p);
            const std::vector<std::uint32_t> n_levels(p, 300);
            check_all_sets(made(rng, 12, n_levels, impurity, width, weighting).d, p);
        }
    });
}

TEST_CASE("impurities given sets of variables are those of groups of rows: levels of all kinds") {
    test::Rng rng(192);
    const std::uint32_t kinds[] = {1, 2, 3, 7, 300};
    for_kinds([&](Impurity impurity, std::size_t width, Weighting weighting) {
        for (int repeat = 0; repeat < 4; ++repeat) {
            std::vector<std::uint32_t> n_levels(1 + test::pick(rng, 7));
            for (auto& n : n_levels) n = kinds[test::pick(rng, 5)];
            const std::size_t n_rows = 1 + test::pick(rng, 60);
            CAPTURE(n_levels.size());
            CAPTURE(n_rows);
            const std::size_t max_size = test::pick(rng, n_levels.size() + 2);
            check_all_sets(made(rng, n_rows, n_levels, impurity, width, weighting).d, max_size);
        }
    });
}

TEST_CASE("impurities given sets of ten variables, with and without room for all of their levels") {
    test::Rng rng(193);
    for (const Impurity impurity : {Impurity::entropy, Impurity::variance})
        for (const std::vector<std::uint32_t>& n_levels :
             {std::vector<std::uint32_t>(10, 2), std::vector<std::uint32_t>(10, 300),
              std::vector<std::uint32_t>{2, 300, 3, 1, 2, 7, 300, 2, 2, 3}})
            check_all_sets(made(rng, 40, n_levels, impurity, 2, Weighting::whole).d, 10);
}

TEST_CASE("levels that no row has change nothing") {
    test::Rng rng(194);
    Made m = made(rng, 60, {2, 3, 2, 2}, Impurity::entropy, 2);
    const auto expected = impurities(m.d, 4);
    m.d.n_levels = {9, 1000000, 2, 4};
    check_all_sets(m.d, 4);
    const auto got = impurities(m.d, 4);
    for (std::size_t set = 0; set < expected.size(); ++set)
        CHECK(got[set] == doctest::Approx(expected[set]).epsilon(1e-12));
}

TEST_CASE("sets larger than the limit are NaN") {
    test::Rng rng(195);
    for (const std::uint32_t n : {2U, 50U}) {
        const Made m = made(rng, 30, std::vector<std::uint32_t>(8, n), Impurity::gini, 3);
        for (std::size_t max_size = 0; max_size <= 9; ++max_size) check_all_sets(m.d, max_size);
    }
}

TEST_CASE("where Y is pure nothing is left of it") {
    test::Rng rng(196);
    for (const Impurity impurity : {Impurity::entropy, Impurity::gini, Impurity::variance})
        for (const std::uint32_t n : {2U, 300U}) {
            Made m = made(rng, 25, std::vector<std::uint32_t>(7, n), impurity, 3);
            for (std::size_t r = 0; r < 25; ++r) {
                const double w = static_cast<double>(1 + r % 4);
                const std::vector<double> moments = {w, 3.0 * w, 9.0 * w};
                for (std::size_t c = 0; c < 3; ++c)
                    m.statistics[3 * r + c] = impurity == Impurity::variance ? moments[c]
                                              : c == 1                       ? w
                                                                             : 0.0;
            }
            for (const double v : impurities(m.d, 7)) CHECK(std::abs(v) <= 1e-12);
        }
}

TEST_CASE("if all rows are the same, or there is one, no variable is informative") {
    test::Rng rng(197);
    for_kinds([&](Impurity impurity, std::size_t width, Weighting weighting) {
        for (const std::size_t n_rows : {1U, 20U}) {
            Made m = made(rng, n_rows, {2, 1, 300, 7, 2, 3, 300}, impurity, width, weighting);
            for (std::size_t j = 0; j < 7; ++j)
                for (std::size_t r = 1; r < n_rows; ++r)
                    m.levels[j * n_rows + r] = m.levels[j * n_rows];
            if (m.statistics[0] == 0.0) m.statistics[0] = 1.0;  // a weight there must be
            const WeightedImpurity impurity_of(m.d);
            double whole = 0.0;
            for (std::size_t r = 0; r < n_rows; ++r)
                whole += impurity_of.weight(m.d.statistics_of(r));
            for (const double v : impurities(m.d, 7))
                CHECK(std::abs(v - grouped(m.d, 0)) <= 1e-13 * whole + 1e-12 * std::abs(v));
        }
    });
}

TEST_CASE("the impurity given a set does not depend on the order of rows") {
    test::Rng rng(198);
    const Made m = made(rng, 40, {3, 300, 2, 7}, Impurity::entropy, 2);
    Made turned = made(rng, 40, {3, 300, 2, 7}, Impurity::entropy, 2);
    for (std::size_t r = 0; r < 40; ++r) {
        for (std::size_t j = 0; j < 4; ++j) turned.levels[j * 40 + r] = m.levels[j * 40 + 39 - r];
        for (std::size_t c = 0; c < 2; ++c)
            turned.statistics[2 * r + c] = m.statistics[2 * (39 - r) + c];
    }
    CHECK(impurities(m.d, 4) == impurities(turned.d, 4));  // of counts: sums are exact
}

TEST_CASE("numbers of threads give the same bits") {
    test::Rng rng(199);
    for_kinds([&](Impurity impurity, std::size_t width, Weighting weighting) {
        const Made m = made(rng, 50, {2, 300, 2, 3, 7, 2, 1, 2}, impurity, width, weighting);
        const auto one = impurities(m.d, 5, 1), three = impurities(m.d, 5, 3);
        REQUIRE(one.size() == three.size());
        for (std::size_t set = 0; set < one.size(); ++set)
            CHECK(std::bit_cast<std::uint64_t>(one[set]) ==
                  std::bit_cast<std::uint64_t>(three[set]));
    });
}

TEST_CASE("too many variables, and a wrong distribution, are refused") {
    test::Rng rng(200);
    const std::vector<std::uint32_t> n_levels(kMaxVariablesOfLattice + 1, 2);
    const Made many = made(rng, 5, n_levels, Impurity::entropy, 2);
    CHECK_THROWS_WITH_AS(impurities(many.d, 1), "too many variables for all their sets",
                         std::invalid_argument);
    Made wrong = made(rng, 5, {2, 2}, Impurity::entropy, 2);
    wrong.levels[3] = 2;
    CHECK_THROWS_AS(impurities(wrong.d, 1), std::invalid_argument);
}

TEST_CASE("a monitor that asks to stop ends the work on sets") {
    struct Stopper : Monitor {
        bool poll(std::size_t, std::size_t) override { return false; }
    };
    test::Rng rng(201);
    for (const std::uint32_t n : {2U, 50U}) {  // seconds of work
        const Made m = made(rng, 20000, std::vector<std::uint32_t>(18, n), Impurity::entropy, 2);
        Stopper stopper;
        ThreadTeam team(2, &stopper);
        CHECK_THROWS_AS(subset_impurities(m.d, 18, team), Interrupted);
    }
}

}  // namespace
}  // namespace silvics
