#include <algorithm>
#include <cmath>
#include <set>

#include "doctest/doctest.h"
#include "splitter/column_ranges.hpp"
#include "splitter/other_columns.hpp"

namespace silvics {
namespace {

// Numbers with ties, some missing; a category; a column of nothing.
test::OtherTable some_table(test::Rng& rng, std::size_t n, bool sparse = false) {
    test::Matrix X = test::random_matrix(rng, n, 4, 0);
    for (std::size_t i = 0; i < n; ++i) {
        double* row = X.values.data() + i * 4;
        row[1] = std::floor(row[1] * 6.0);
        if (test::pick(rng, 4) == 0) row[0] = sparse ? 0.0 : NAN;
        if (sparse && test::pick(rng, 2) == 0) row[1] = 0.0;
        row[2] = sparse ? 0.0 : static_cast<double>(test::pick(rng, 5));
        row[3] = sparse ? 2.0 : NAN;
    }
    if (sparse) return test::sparse_table(std::move(X));
    return test::other_table(std::move(X), {-1, -1, 5, -1});
}

std::vector<double> known_values(const test::Matrix& X, std::size_t j) {
    std::vector<double> values;
    for (std::size_t i = 0; i < X.rows; ++i)
        if (!std::isnan(X.row(i)[j])) values.push_back(X.row(i)[j]);
    std::ranges::sort(values);
    return values;
}

TEST_CASE("ranges are from the least value to the largest, whatever is missing") {
    test::Rng rng(480);
    for (const bool sparse : {false, true})
        for (const std::size_t threads : {1U, 3U}) {
            const auto made = some_table(rng, 50, sparse);
            ThreadTeam team(threads, nullptr);
            const auto ranges = column_ranges(made.table(), team);
            REQUIRE(ranges.size() == 4);
            for (const std::size_t j : {0U, 1U}) {
                const auto values = known_values(*made.X, j);
                CHECK(ranges[j] == std::pair(values.front(), values.back()));
            }
            CHECK(ranges[2] == std::pair(0.0, 0.0));
            CHECK(ranges[3] == (sparse ? std::pair(2.0, 2.0) : std::pair(0.0, 0.0)));
        }
}

TEST_CASE("edges part each value from the next where there are few") {
    test::Rng rng(481);
    for (const bool sparse : {false, true}) {
        const auto made = some_table(rng, 80, sparse);
        ThreadTeam team(2, nullptr);
        const auto values = known_values(*made.X, 1);
        const std::set<double> distinct(values.begin(), values.end());
        const auto edges = column_edges(made.table(), distinct.size(), team);
        REQUIRE(edges.size() == 4);
        REQUIRE(edges[1].size() == distinct.size() - 1);
        std::size_t k = 0;
        for (auto at = distinct.begin(); std::next(at) != distinct.end(); ++at, ++k)
            CHECK(edges[1][k] == doctest::Approx((*at + *std::next(at)) / 2));
        if (!sparse) CHECK(edges[2].empty());
        CHECK(edges[3].empty());
    }
}

TEST_CASE("edges make groups of about equally many rows where there are many values") {
    test::Rng rng(482);
    for (const std::size_t most : {2U, 5U, 10U})
        for (const std::size_t n : {30U, 200U}) {
            const auto made = some_table(rng, n);
            ThreadTeam team(1, nullptr);
            const auto edges = column_edges(made.table(), most, team)[0];
            const auto values = known_values(*made.X, 0);
            CHECK(edges.size() == most - 1);
            CHECK(std::ranges::is_sorted(edges, std::ranges::less_equal{}));
            std::vector<double> counts(edges.size() + 1, 0.0);
            for (const double x : values)
                ++counts[static_cast<std::size_t>(std::ranges::lower_bound(edges, x) -
                                                  edges.begin())];
            const double even = static_cast<double>(values.size()) / static_cast<double>(most);
            for (const double count : counts) CHECK(std::fabs(count - even) <= 1.0);
        }
}

TEST_CASE("equal values are in one group, however many they are") {
    std::vector<double> column(100, 5.0);
    for (std::size_t i = 0; i < 20; ++i) column[i] = static_cast<double>(i) / 4.0;
    const test::Matrix X = test::column_of(column);
    ThreadTeam team(1, nullptr);
    for (const std::size_t most : {2U, 3U, 5U, 19U}) {
        const auto edges = column_edges(test::coded(X), most, team)[0];
        CHECK(edges.size() < most);
        CHECK(std::ranges::is_sorted(edges, std::ranges::less_equal{}));
        for (const double edge : edges) CHECK(std::ranges::count(column, edge) == 0);
        if (!edges.empty()) CHECK(edges.back() < 5.0);
    }
}

}  // namespace
}  // namespace silvics
