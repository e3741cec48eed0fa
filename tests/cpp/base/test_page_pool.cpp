#include <cstdint>
#include <utility>
#include <vector>

#include "base/page_pool.hpp"
#include "doctest/doctest.h"
#include "support/allocation_failure.hpp"

namespace silvics {
namespace {

using Numbers = PooledArray<std::uint32_t>;

Numbers filled(PagePool* pool, std::size_t room, std::size_t n, std::uint32_t from) {
    Numbers made(pool, room);
    for (std::uint32_t i = 0; i < n; ++i) made.push_back(from + i);
    made.fit(pool);
    return made;
}

bool holds(const Numbers& array, std::size_t n, std::uint32_t from) {
    bool right = array.size() == n && array.capacity() == n;
    for (std::uint32_t i = 0; right && i < n; ++i) right = array[i] == from + i;
    return right;
}

TEST_CASE("arrays of a pool stand one after another, without the room that they did not use") {
    PagePool pool;
    const Numbers first = filled(&pool, 10000, 100, 7), second = filled(&pool, 10000, 50, 1000),
                  none = filled(&pool, 1000, 0, 0), third = filled(&pool, 16, 16, 5);
    CHECK(holds(first, 100, 7));
    CHECK(holds(second, 50, 1000));
    CHECK(none.empty());
    CHECK(holds(third, 16, 5));
    const auto bytes = [](const Numbers& to, const Numbers& from) {
        return 4 * (to.data() - from.data());
    };
    CHECK(bytes(second, first) == 448);  // lines of 64 bytes
    CHECK(bytes(third, second) == 256);
}

TEST_CASE("arrays outlive their pool and each other, whatever the sizes and what was expected") {
    std::vector<Numbers> kept;
    {
        PagePool pool;
        std::uint32_t from = 0;
        for (const std::size_t n : {100U, 3000000U, 200000U, 12000000U, 5U, 700000U, 700000U}) {
            pool.expect(kept.size() % 3 * 20);
            kept.push_back(filled(&pool, n + n / 2, n, from += 17));
        }
    }
    kept.erase(kept.begin() + 1);
    kept.erase(kept.begin() + 2);
    CHECK(holds(kept[0], 100, 17));
    CHECK(holds(kept[1], 200000, 51));
    CHECK(holds(kept[2], 5, 85));
    CHECK(holds(kept[3], 700000, 102));
    CHECK(holds(kept[4], 700000, 119));
}

TEST_CASE("an array grows beyond the room it was given, and leaves its neighbours alone") {
    PagePool pool;
    Numbers first = filled(&pool, 8, 8, 1);
    const Numbers second = filled(&pool, 8, 8, 100);
    for (std::uint32_t i = 8; i < 1000; ++i) first.push_back(1 + i);
    CHECK(first.size() == 1000);
    CHECK(first[999] == 1000);
    CHECK(holds(second, 8, 100));
}

TEST_CASE("a pooled array does what a vector does") {
    for (const bool pooled : {false, true}) {
        CAPTURE(pooled);
        PagePool pool;
        Numbers array = filled(pooled ? &pool : nullptr, 40, 20, 3);
        CHECK(holds(array, 20, 3));
        const Numbers copy = array;
        CHECK(copy.data() != array.data());
        array[0] = 99;
        array.back() = 98;
        CHECK(holds(copy, 20, 3));
        Numbers moved = std::move(array);
        CHECK(array.empty());
        CHECK(moved[0] == 99);
        moved.pop_back();
        CHECK(moved.size() == 19);
        CHECK(moved.back() == 21);
        moved.resize(30);
        CHECK(moved[18] == 21);
        CHECK(moved[19] == 0);
        CHECK(moved[29] == 0);
        moved = copy;
        CHECK(std::vector(moved.begin(), moved.end()) == std::vector(copy.begin(), copy.end()));
        moved = {4, 5};
        CHECK(moved.size() == 2);
        CHECK(moved[1] == 5);
        moved.clear();
        CHECK(moved.empty());
        array.push_back(1);
        CHECK(array.size() == 1);
    }
}

TEST_CASE("an array that cannot grow keeps what it has") {
    Numbers array = filled(nullptr, 8, 8, 1);
    {
        const test::FailAllocation fail(1, test::Refusal::once);
        CHECK_THROWS_AS(array.push_back(9), std::bad_alloc);
        CHECK(test::an_allocation_was_refused());
    }
    CHECK(holds(array, 8, 1));
}

}  // namespace
}  // namespace silvics
