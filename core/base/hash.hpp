// Mixing of bits for random streams, hash tables and checksums.
#pragma once

#include <cstdint>

namespace silvics {

// The finalizer of SplitMix64: a bijection that scatters every bit of its input.
constexpr std::uint64_t scatter(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

}  // namespace silvics
