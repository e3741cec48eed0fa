#include <numeric>

#include "base/scratch.hpp"
#include "doctest/doctest.h"
#include "support/allocation_failure.hpp"

namespace silvics {
namespace {

TEST_CASE("scratch buffer grows when asked for more, and stays where it is when not") {
    Scratch<int> scratch;
    CHECK(scratch.data() == nullptr);
    int* const first = scratch.ensure(100);
    CHECK(first == scratch.data());
    std::iota(first, first + 100, 0);
    for (const std::size_t n : {1U, 50U, 100U, 0U}) {
        CHECK(scratch.ensure(n) == first);  // with what was written there
        for (std::size_t i = 0; i < 100; ++i) CHECK(scratch[i] == static_cast<int>(i));
    }
    int* const larger = scratch.ensure(100000);
    std::iota(larger, larger + 100000, 0);
    CHECK(scratch.ensure(99999) == larger);
    CHECK(scratch[99999] == 99999);
}

TEST_CASE("scratch buffer that grows step by step is seldom moved") {
    Scratch<char> scratch;
    int moves = 0;
    const char* at = nullptr;
    for (std::size_t n = 1; n <= 100000; ++n)
        if (const char* now = scratch.ensure(n); now != at) {
            at = now;
            ++moves;
        }
    CHECK(moves < 50);
}

TEST_CASE("cleared buffer is zero as far as asked for") {
    Scratch<double> scratch;
    double* const buffer = scratch.ensure(10);
    std::fill_n(buffer, 10, 3.0);
    CHECK(scratch.cleared(6) == buffer);
    for (std::size_t i = 0; i < 10; ++i) CHECK(buffer[i] == (i < 6 ? 0.0 : 3.0));
}

TEST_CASE("swapped buffer keeps its content and its size") {
    Scratch<int> small, large;
    *small.ensure(1) = 5;
    int* const buffer = large.ensure(1000);
    buffer[999] = 7;
    small.swap(large);
    CHECK(large[0] == 5);
    CHECK(small.ensure(1000) == buffer);
    CHECK(small[999] == 7);
    large.ensure(1000)[999] = 8;  // the small one must grow for it
    CHECK(small[999] == 7);
}

TEST_CASE("buffer that cannot be had can be asked for again") {
    Scratch<int> scratch;
    scratch.ensure(10);
    {
        const test::FailAllocation fail(1, test::Refusal::once);
        CHECK_THROWS_AS(scratch.ensure(1000), std::bad_alloc);
    }
    scratch.ensure(10)[9] = 1;  // what there was is gone, and not written to
    scratch.ensure(1000)[999] = 2;
    CHECK(scratch[999] == 2);
}

}  // namespace
}  // namespace silvics
