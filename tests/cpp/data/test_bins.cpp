#include <algorithm>
#include <functional>
#include <limits>
#include <map>

#include "data/rank_code.hpp"
#include "doctest/doctest.h"
#include "support/problem.hpp"

namespace silvics {
namespace {

using Widths = BinRule::Widths;

NumericColumn binned(const std::vector<double>& values, std::size_t max_bins, Widths widths) {
    const StopFlag stop;
    return rank_code(test::column_of(values).view(), 0, {max_bins, widths}, stop);
}

std::vector<double> counting(std::size_t n) {
    std::vector<double> values(n);
    std::iota(values.begin(), values.end(), 0.0);
    return values;
}

std::map<Code, std::size_t> rows_per_bin(const NumericColumn& column, std::size_t n) {
    std::map<Code, std::size_t> rows;
    for (std::size_t i = 0; i < n; ++i) ++rows[test::code_at(column.bins, i)];
    return rows;
}

// Bins are runs of ranks, numbered in order, none empty, and not more than asked for.
void check_bins(const std::vector<double>& values, std::size_t max_bins, Widths widths) {
    const NumericColumn column = binned(values, max_bins, widths);
    REQUIRE(column.binned());
    CHECK(column.last_ranks.size() >= 2);
    CHECK(column.last_ranks.size() <= max_bins);
    CHECK(std::ranges::is_sorted(column.last_ranks, std::less_equal{}));
    CHECK(column.last_ranks.back() + 1 == column.values.size());
    bool right = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Code rank = test::code_at(column.ranks, i), bin = test::code_at(column.bins, i);
        right &= rank <= column.last_ranks[bin] && (bin == 0 || rank > column.last_ranks[bin - 1]);
    }
    CHECK(right);
}

TEST_CASE("bins are runs of ranks") {
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
    for (const Widths widths : {Widths::equal_frequency, Widths::equal_width})
        for (const std::size_t max_bins : {2U, 3U, 7U, 64U, 255U, 256U, 300U})
            for (const std::size_t n : {400U, 1500U}) {
                CAPTURE(max_bins);
                std::vector<double> values(n);
                for (std::size_t i = 0; i < n; ++i) values[i] = value(i);
                check_bins(values, max_bins, widths);
            }
}

TEST_CASE("bins of equal frequency hold as many rows each, where there are no ties") {
    const auto rows = rows_per_bin(binned(counting(1000), 10, Widths::equal_frequency), 1000);
    CHECK(rows.size() == 10);
    for (const auto& [bin, count] : rows) CHECK(count == 100);
}

TEST_CASE("bins of equal frequency count rows, not values") {
    // Half of the rows share one value: it takes half of the bins' rows, and the others are few.
    std::vector<double> values = counting(1000);
    std::fill_n(values.begin(), 500, 0.0);
    const NumericColumn column = binned(values, 10, Widths::equal_frequency);
    const auto rows = rows_per_bin(column, 1000);
    CHECK(rows.at(0) == 500);
    for (const auto& [bin, count] : rows)
        if (bin != 0) CHECK(count <= 100);
}

TEST_CASE("bins of equal width divide the range") {
    std::vector<double> values = counting(1000);
    values.back() = 9990.0;  // an outlier: the rest falls into the first bin of ten
    const NumericColumn column = binned(values, 10, Widths::equal_width);
    CHECK(column.last_ranks == std::vector<Code>{998, 999});
}

TEST_CASE("bins of equal width survive a range that overflows and one that underflows") {
    const double top = std::numeric_limits<double>::max(),
                 tiny = std::numeric_limits<double>::denorm_min();
    check_bins({-top, -top / 2, 0.0, top / 2, top}, 4, Widths::equal_width);
    check_bins({0.0, tiny, 2 * tiny}, 2, Widths::equal_width);
}

TEST_CASE("a column with no more distinct values than bins keeps its ranks alone") {
    for (const Widths widths : {Widths::equal_frequency, Widths::equal_width}) {
        CHECK_FALSE(binned(counting(64), 64, widths).binned());
        CHECK(binned(counting(65), 64, widths).binned());
    }
}

TEST_CASE("bins take the smallest type that holds them") {
    CHECK(binned(counting(70000), 256, Widths::equal_frequency).bins.index() == 0);
    CHECK(binned(counting(70000), 257, Widths::equal_frequency).bins.index() == 1);
    CHECK(binned(counting(70000), 256, Widths::equal_frequency).ranks.index() == 2);
}

}  // namespace
}  // namespace silvics
