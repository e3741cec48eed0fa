#include <bit>
#include <set>

#include "base/hash.hpp"
#include "doctest/doctest.h"

namespace silvics {
namespace {

TEST_CASE("scatter is the finalizer of SplitMix64") {
    // The first numbers of SplitMix64 with seed 0 (Vigna's reference implementation).
    constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15ULL;
    CHECK(scatter(kStep) == 0xE220A8397B1DCDAFULL);
    CHECK(scatter(2 * kStep) == 0x6E789E6AA1B965F4ULL);
    CHECK(scatter(0) == 0);
}

TEST_CASE(
    "a change of any bit changes about half of the bits, and different inputs stay different") {
    std::set<std::uint64_t> seen;
    for (std::uint64_t z = 1; z < 2000; ++z) seen.insert(scatter(z));
    CHECK(seen.size() == 1999);
    for (int bit = 0; bit < 64; ++bit) {
        int changed = 0;
        for (std::uint64_t z = 1; z <= 200; ++z)
            changed += std::popcount(scatter(z) ^ scatter(z ^ std::uint64_t{1} << bit));
        CHECK(changed > 200 * 28);
        CHECK(changed < 200 * 36);
    }
}

}  // namespace
}  // namespace silvics
