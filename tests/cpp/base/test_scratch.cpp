#include <numeric>

#include "base/scratch.hpp"
#include "doctest/doctest.h"
#include "support/allocation_failure.hpp"

namespace silvics {
namespace {

TEST_CASE("scratch room grows when asked for more, and stays where it is when not") {
    Scratch<int> scratch;
    CHECK(scratch.data() == nullptr);
    int* const first = scratch.take(100);
    CHECK(first == scratch.data());
    std::iota(first, first + 100, 0);
    for (const std::size_t n : {1U, 50U, 100U, 0U}) {
        CHECK(scratch.take(n) == first);  // with what was written there
        for (std::size_t i = 0; i < 100; ++i) CHECK(scratch[i] == static_cast<int>(i));
    }
    int* const larger = scratch.take(100000);
    std::iota(larger, larger + 100000, 0);
    CHECK(scratch.take(99999) == larger);
    CHECK(scratch[99999] == 99999);
}

TEST_CASE("scratch room that grows step by step is seldom moved") {
    Scratch<char> scratch;
    int moves = 0;
    const char* at = nullptr;
    for (std::size_t n = 1; n <= 100000; ++n)
        if (const char* now = scratch.take(n); now != at) {
            at = now;
            ++moves;
        }
    CHECK(moves < 50);
}

TEST_CASE("cleared room is zero as far as asked for") {
    Scratch<double> scratch;
    double* const room = scratch.take(10);
    std::fill_n(room, 10, 3.0);
    CHECK(scratch.cleared(6) == room);
    for (std::size_t i = 0; i < 10; ++i) CHECK(room[i] == (i < 6 ? 0.0 : 3.0));
}

TEST_CASE("swapped room keeps its content and its size") {
    Scratch<int> small, large;
    *small.take(1) = 5;
    int* const room = large.take(1000);
    room[999] = 7;
    small.swap(large);
    CHECK(large[0] == 5);
    CHECK(small.take(1000) == room);
    CHECK(small[999] == 7);
    large.take(1000)[999] = 8;  // the small one must grow for it
    CHECK(small[999] == 7);
}

TEST_CASE("room that cannot be had can be asked for again") {
    Scratch<int> scratch;
    scratch.take(10);
    {
        const test::FailAllocation fail(1, test::Refusal::once);
        CHECK_THROWS_AS(scratch.take(1000), std::bad_alloc);
    }
    scratch.take(10)[9] = 1;  // what there was is gone, and not written to
    scratch.take(1000)[999] = 2;
    CHECK(scratch[999] == 2);
}

}  // namespace
}  // namespace silvics
