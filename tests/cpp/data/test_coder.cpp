#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "data/rank_code.hpp"
#include "doctest/doctest.h"
#include "support/problem.hpp"

namespace silvics {
namespace {

using Kind = Column::Kind;
using Widths = BinRule::Widths;

CodedColumn binned(const std::vector<double>& values, std::size_t max_bins, Widths widths) {
    const StopFlag stop;
    return rank_code(values, {}, {max_bins, widths}, stop);
}

std::vector<double> counting(std::size_t n, double step = 1.0) {
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<double>(i) * step;
    return values;
}

std::map<Code, std::size_t> rows_per_bin(const CodedColumn& coded, std::size_t n) {
    std::map<Code, std::size_t> rows;
    for (std::size_t i = 0; i < n; ++i) ++rows[test::code_at(coded.codes, i)];
    return rows;
}

// Bins are runs of values, numbered in order, none empty, and not more than asked for.
void check_bins(const std::vector<double>& values, std::size_t max_bins, Widths widths) {
    const auto [column, codes] = binned(values, max_bins, widths);
    REQUIRE(column.kind == Kind::bin);
    CHECK(column.n_codes >= 2);
    CHECK(column.n_codes <= max_bins);
    std::map<double, std::set<Code>> bins_of_value;
    for (std::size_t i = 0; i < values.size(); ++i)
        bins_of_value[values[i]].insert(test::code_at(codes, i));
    bool right = true;
    std::vector<double> least;  // value of each bin
    for (const auto& [value, bins] : bins_of_value) {
        right &= bins.size() == 1;
        const std::size_t bin = *bins.begin();
        if (bin == least.size()) least.push_back(value);
        right &= bin + 1 == least.size();
    }
    CHECK(right);
    CHECK(least.size() == column.n_codes);
    REQUIRE(column.code_value_shift == 0);
    CHECK(column.code_values == least);
}

TEST_CASE("bins are runs of values") {
    test::Rng rng(3);
    std::function<double(std::size_t)> value;
    SUBCASE("uniform") {
        value = [&](std::size_t) { return test::pick_real(rng, -5.0, 5.0); };
    }
    SUBCASE("heavy-tailed") {
        value = [&](std::size_t) { return std::cauchy_distribution<double>()(rng); };
    }
    SUBCASE("one value in most rows") {
        value = [](std::size_t i) { return i < 305 ? static_cast<double>(i) : 150.0; };
    }
    SUBCASE("one value in most rows, not whole") {
        value = [](std::size_t i) { return i < 305 ? static_cast<double>(i) / 4 : 37.5; };
    }
    for (const Widths widths : {Widths::equal_frequency, Widths::equal_width})
        for (const std::size_t max_bins : {2U, 3U, 7U, 64U, 255U, 256U, 300U})
            for (const std::size_t n : {400U, 1500U}) {
                CAPTURE(max_bins);
                std::vector<double> values(n);
                for (std::size_t i = 0; i < n; ++i) values[i] = value(i);
                check_bins(values, max_bins, widths);
            }
}

TEST_CASE(
    "a value goes into the bin where the middle of its rows, or its place in the range, lies") {
    test::Rng rng(7);
    for (int repeat = 0; repeat < 40; ++repeat) {
        const std::size_t n = 100 + test::pick(rng, 900), max_bins = 2 + test::pick(rng, 40);
        std::vector<double> values(n);
        for (double& v : values)  // whole or not, some of them in many rows
            v = std::floor(std::exp(test::pick_real(rng, 0.0, 5.0))) / (repeat % 2 == 0 ? 1 : 4);
        std::map<double, std::size_t> rows;
        for (const double v : values) ++rows[v];
        if (rows.size() <= max_bins) continue;
        for (const Widths widths : {Widths::equal_frequency, Widths::equal_width}) {
            const auto [column, codes] = binned(values, max_bins, widths);
            std::map<double, Code> expected;
            std::size_t before = 0;
            double last_slot = -1.0;
            Code bin = 0;
            const double low = rows.begin()->first, high = rows.rbegin()->first;
            for (const auto& [v, count] : rows) {
                // Of the first and the last of its rows, counted from zero.
                const double middle = static_cast<double>(before + before + count - 1) / 2;
                const double place = widths == Widths::equal_frequency
                                         ? middle / static_cast<double>(n)
                                         : (v - low) / (high - low);
                const double slot = std::min(std::floor(place * static_cast<double>(max_bins)),
                                             static_cast<double>(max_bins - 1));
                if (before > 0 && slot != last_slot) ++bin;
                last_slot = slot;
                expected[v] = bin;
                before += count;
            }
            bool right = true;
            for (std::size_t i = 0; i < n; ++i)
                right &= test::code_at(codes, i) == expected[values[i]];
            CHECK(right);
            CHECK(column.n_codes == bin + std::size_t{1});
        }
    }
}

TEST_CASE("bins of equal frequency hold as many rows each, where there are no ties") {
    for (const double step : {1.0, 0.5}) {  // counted and sorted
        const auto rows =
            rows_per_bin(binned(counting(1000, step), 10, Widths::equal_frequency), 1000);
        CHECK(rows.size() == 10);
        for (const auto& [bin, count] : rows) CHECK(count == 100);
    }
}

TEST_CASE("bins of equal frequency count rows, not values") {
    // Half of the rows share one value: it takes half of the bins' rows, and the others are few.
    for (const double step : {1.0, 0.5}) {
        std::vector<double> values = counting(1000, step);
        std::fill_n(values.begin(), 500, 0.0);
        const auto rows = rows_per_bin(binned(values, 10, Widths::equal_frequency), 1000);
        CHECK(rows.at(0) == 500);
        for (const auto& [bin, count] : rows)
            if (bin != 0) CHECK(count <= 100);
    }
}

TEST_CASE("bins of equal width divide the range") {
    for (const double step : {1.0, 0.5}) {
        std::vector<double> values = counting(1000, step);
        values.back() = 9990.0 * step;  // an outlier: the rest falls into the first bin of ten
        const auto rows = rows_per_bin(binned(values, 10, Widths::equal_width), 1000);
        CHECK(rows == std::map<Code, std::size_t>{{0, 999}, {1, 1}});
    }
}

TEST_CASE("bins of equal width survive a range that overflows and one that underflows") {
    const double top = std::numeric_limits<double>::max(),
                 tiny = std::numeric_limits<double>::denorm_min();
    check_bins({-top, -top / 2, 0.0, top / 2, top}, 4, Widths::equal_width);
    check_bins({0.0, tiny, 2 * tiny}, 2, Widths::equal_width);
}

TEST_CASE("a column with no more distinct values than bins keeps a code for each") {
    for (const Widths widths : {Widths::equal_frequency, Widths::equal_width})
        for (const double step : {1.0, 0.5}) {
            const CodedColumn exact = binned(counting(64, step), 64, widths);
            CHECK(exact.column.kind == Kind::one_value);
            for (Code i = 0; i < 64; ++i) CHECK(test::code_at(exact.codes, i) == i);
            CHECK(binned(counting(65, step), 64, widths).column.kind == Kind::bin);
        }
}

TEST_CASE("bins take the smallest type that holds them") {
    CHECK(binned(counting(70000), 256, Widths::equal_frequency).codes.index() == 0);
    CHECK(binned(counting(70000), 257, Widths::equal_frequency).codes.index() == 1);
}

TEST_CASE("bins up to as many as there are codes, of more values than codes") {
    const auto [column, codes] = binned(counting(70000), kMaxCodes, Widths::equal_frequency);
    CHECK(column.kind == Kind::bin);
    CHECK(column.n_codes <= kMaxCodes);
    CHECK(column.n_codes > kMaxCodes / 2);
    bool right = true;
    for (std::size_t i = 1; i < 70000; ++i)
        right &= test::code_at(codes, i) - test::code_at(codes, i - 1) <= 1;
    CHECK(right);
}

}  // namespace
}  // namespace silvics
