#include "doctest/doctest.h"
#include "splitter/node_sort.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

// Keys in row order with codes in [low, high], both ends present.
std::vector<std::uint64_t> random_keys(test::Rng& rng, std::size_t n, Code low, Code high) {
    std::vector<std::uint64_t> keys(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t code = i == 0   ? high
                                   : i == 1 ? low
                                            : low + test::pick(rng, std::size_t{high} - low + 1);
        keys[i] = code << 32 | i;
    }
    return keys;
}

TEST_CASE("keys are sorted at every size and over every range of codes") {
    test::Rng rng(60);
    const StopFlag stop;
    std::vector<std::uint64_t> scratch;
    for (const std::size_t n : {2U, 3U, 31U, 32U, 33U, 255U, 256U, 257U, 1000U, 5000U})
        for (const Code range : {1U, 2U, 3U, 255U, 1023U, 1024U, 1025U, 65535U, 1U << 20,
                                 (1U << 20) + 1, 1U << 30, 0x7FFFFFFFU, 0xFFFFFFFFU})
            for (const Code low : {0U, 1U, 77777U}) {
                if (low > ~range) continue;
                CAPTURE(n);
                CAPTURE(range);
                auto keys = random_keys(rng, n, low, low + range);
                auto sorted = keys;
                std::ranges::sort(sorted);
                sort_keys(keys, scratch, low, low + range, stop);
                CHECK(keys == sorted);
            }
}

TEST_CASE("no keys and one key are sorted") {
    const StopFlag stop;
    std::vector<std::uint64_t> none, one = {5}, scratch;
    sort_keys(none, scratch, 0, 0, stop);
    sort_keys(one, scratch, 0, 0, stop);
    CHECK(none.empty());
    CHECK(one == std::vector<std::uint64_t>{5});
}

TEST_CASE("insertion sort sorts what is reversed") {
    std::vector<std::uint64_t> keys = {9, 8, 7, 3, 3, 2, 1, 0};
    insertion_sort(keys.data(), keys.size());
    CHECK(std::ranges::is_sorted(keys));
}

TEST_CASE("the code of a key is its upper half") {
    CHECK(code_of(0xFFFFFFFF00000001ULL) == 0xFFFFFFFFU);
    CHECK(code_of(0x00000007FFFFFFFFULL) == 7);
}

TEST_CASE("a long sort feels a stop request") {
    test::Rng rng(61);
    StopFlag stop;
    stop.request();
    auto keys = random_keys(rng, 1000, 0, 5000);
    std::vector<std::uint64_t> scratch;
    CHECK_THROWS_AS(sort_keys(keys, scratch, 0, 5000, stop), Interrupted);
}

}  // namespace
}  // namespace silvics
