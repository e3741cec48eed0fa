#include <cstdint>
#include <vector>

#include "doctest/doctest.h"
#include "proximity/row_sums.hpp"

namespace silvics {
namespace {

TEST_CASE_TEMPLATE("sums of columns in the order in which they were added to", Sum, double,
                   std::uint16_t) {
    RowSums<Sum> sums;
    for (int again = 0; again < 2; ++again) {
        sums.resize(4);
        const std::vector<RowId> first{2, 0}, second{0, 3, 2, 1};
        sums.add(first, [](std::size_t k) { return static_cast<Sum>(k + 1); });
        sums.add(second, [](std::size_t) { return Sum{1}; });
        CHECK(std::vector<RowId>(sums.columns().begin(), sums.columns().end()) ==
              std::vector<RowId>{2, 0, 3, 1});
        std::vector<double> values(4);
        const auto taken = sums.take(values);
        CHECK(std::vector<RowId>(taken.begin(), taken.end()) == std::vector<RowId>{2, 0, 3, 1});
        CHECK(values == std::vector<double>{2.0, 3.0, 1.0, 1.0});
        CHECK(sums.columns().empty());
    }
}

TEST_CASE("a value of zero does not list its column") {
    RowSums<double> sums;
    sums.resize(2);
    const std::vector<RowId> columns{1, 0, 1};
    sums.add(columns, [](std::size_t k) { return k == 2 ? 0.5 : 0.0; });
    std::vector<double> values;
    const auto taken = sums.take(values);
    REQUIRE(taken.size() == 1);
    CHECK(taken[0] == 1);
    CHECK(values[0] == 0.5);
}

}  // namespace
}  // namespace silvics
