#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "doctest/doctest.h"
#include "proximity/nearest.hpp"

namespace silvics {
namespace {

TEST_CASE("the largest values are those of a full sort, the first column of ties") {
    Nearest nearest;
    for (const std::size_t size : {0U, 1U, 7U, 255U, 256U, 5000U}) {
        std::vector<RowId> columns(size);
        std::vector<double> values(size);
        for (std::size_t k = 0; k < size; ++k) {
            columns[k] = static_cast<RowId>((k * 7919) % 5003);
            values[k] = static_cast<double>((k * k * 31 + 7) % 97);  // many ties
        }
        std::vector<std::size_t> order(size);
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
            return values[a] != values[b] ? values[a] > values[b] : columns[a] < columns[b];
        });
        for (const std::size_t n : {0U, 1U, 50U, 300U, 9000U}) {
            const auto found = nearest.of(columns, values, n);
            REQUIRE(found.size() == std::min(n, size));
            for (std::size_t k = 0; k < found.size(); ++k) {
                CHECK(found[k].column == columns[order[k]]);
                CHECK(found[k].value == values[order[k]]);
            }
        }
    }
}

TEST_CASE("numbers take the place of columns, and the first of them that of ties") {
    const std::vector<RowId> columns{0, 1, 2, 3}, numbers{9, 4, 6, 5};
    const std::vector<double> values{1.0, 1.0, 3.0, 1.0};
    Nearest nearest;
    const auto found = nearest.of(columns, values, 3, 2.0, numbers);
    REQUIRE(found.size() == 3);
    CHECK(found[0].column == 6);
    CHECK(found[0].value == 1.5);
    CHECK(found[1].column == 4);
    CHECK(found[2].column == 5);
}

TEST_CASE("values that are equal after the division are ties") {
    // The two smallest are one unit in the last place apart, at the end of a bucket.
    const std::vector<double> values{5.0, std::nextafter(4.0, 0.0), 4.0};
    const std::vector<RowId> columns{7, 1, 2};
    Nearest nearest;
    for (double divisor = 1.0; divisor < 200.0; ++divisor) {
        const double below = values[1] / divisor, above = values[2] / divisor;
        const auto found = nearest.of(columns, values, 2, divisor);
        REQUIRE(found.size() == 2);
        CHECK(found[0].column == 7);
        CHECK(found[0].value == 5.0 / divisor);
        CHECK(found[1].column == (below == above ? 1 : 2));
    }
}

TEST_CASE("values of any size are in order") {
    Nearest nearest;
    std::vector<RowId> columns(3000);
    std::iota(columns.begin(), columns.end(), 0U);
    for (const double base : {2.0, 1.001, 1e-3}) {
        std::vector<double> values(columns.size());
        for (std::size_t k = 0; k < values.size(); ++k)  // down to subnormal numbers and zeros
            values[k] = std::pow(base, -static_cast<double>((k * 1117) % 3000));
        std::vector<double> sorted = values;
        std::ranges::sort(sorted, std::greater{});
        for (const std::size_t n : {1U, 40U, 256U, 257U, 2999U, 3000U}) {
            const auto found = nearest.of(columns, values, n);
            REQUIRE(found.size() == n);
            for (std::size_t k = 0; k < n; ++k) {
                CHECK(found[k].value == sorted[k]);
                CHECK(found[k].value == values[found[k].column]);
            }
        }
    }
}

}  // namespace
}  // namespace silvics
