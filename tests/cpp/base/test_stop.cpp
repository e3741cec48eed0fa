#include <vector>

#include "base/stop.hpp"
#include "doctest/doctest.h"

namespace silvics {
namespace {

TEST_CASE("in_blocks visits every index once, in order") {
    const StopFlag stop;
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, kStopBlock - 1, kStopBlock,
                                kStopBlock + 1, 3 * kStopBlock + 5}) {
        CAPTURE(n);
        std::size_t reached = 0, largest = 0;
        in_blocks(n, stop, [&](std::size_t begin, std::size_t end) {
            CHECK(begin == reached);
            CHECK(begin < end);
            largest = std::max(largest, end - begin);
            reached = end;
        });
        CHECK(reached == n);
        CHECK(largest <= kStopBlock);
    }
}

TEST_CASE("a stop request is felt at the next block") {
    StopFlag stop;
    std::size_t blocks = 0;
    CHECK_THROWS_AS(in_blocks(5 * kStopBlock, stop,
                              [&](std::size_t, std::size_t) {
                                  if (++blocks == 2) stop.request();
                              }),
                    Interrupted);
    CHECK(blocks == 2);
}

TEST_CASE("check throws only once a stop is requested") {
    StopFlag stop;
    CHECK_NOTHROW(stop.check());
    stop.request();
    CHECK(stop.requested());
    CHECK_THROWS_WITH_AS(stop.check(), "interrupted", Interrupted);
}

}  // namespace
}  // namespace silvics
