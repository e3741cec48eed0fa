#include <string>

#include "base/types.hpp"
#include "doctest/doctest.h"

namespace silvics {
namespace {

TEST_CASE("checked_id keeps every number up to the limit") {
    CHECK(checked_id(0, 10, "rows") == 0);
    CHECK(checked_id(10, 10, "rows") == 10);
    CHECK(checked_id(kMaxRows, kMaxRows, "rows") == 4294967294U);
}

TEST_CASE("checked_id refuses a number above the limit, and the message has what and how many") {
    CHECK_THROWS_WITH_AS(checked_id(11, 10, "rows"), "silvics holds at most 10 rows, got 11",
                         std::length_error);
}

TEST_CASE("checked_id looks at the number before it is narrowed") {
    CHECK_THROWS_AS(checked_id((std::size_t{1} << 32) + 1, kMaxRows, "rows"), std::length_error);
}

TEST_CASE("a product of sizes is exact, or an error") {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    CHECK(checked_product(0, most) == 0);
    CHECK(checked_product(most, 0) == 0);
    CHECK(checked_product(3, 5) == 15);
    CHECK(checked_product(most >> 6, 1) == most >> 6);
    CHECK_THROWS_AS(checked_product(most, 1), std::bad_alloc);
    CHECK_THROWS_AS(checked_product(std::size_t{1} << 50, 1 << 14), std::bad_alloc);  // wraps to 0
}

}  // namespace
}  // namespace silvics
