#include <algorithm>
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

}  // namespace
}  // namespace silvics
