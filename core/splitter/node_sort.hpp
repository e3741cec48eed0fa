// Sorting a node's samples by one variable. A key is code << 32 | position: sorting keys
// sorts by code and keeps row order among equals, whatever the algorithm.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/stop.hpp"
#include "base/types.hpp"

namespace silvics {

inline Code code_of(std::uint64_t key) { return static_cast<Code>(key >> 32); }

inline void insertion_sort(std::uint64_t* keys, std::size_t n) {
    for (std::size_t i = 1; i < n; ++i) {
        const std::uint64_t key = keys[i];
        std::size_t j = i;
        for (; j > 0 && keys[j - 1] > key; --j) keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

// `keys` come in row order with codes in [low, high]. The count of digits adapts to the
// range of codes, so that few distinct values cost few passes (the O(NH) of thesis 5.3.4).
inline void sort_keys(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& scratch,
                      Code low, Code high, const StopFlag& stop) {
    const std::size_t n = keys.size();
    if (n <= 32) return insertion_sort(keys.data(), n);
    if (low == high) return;  // in row order already
    if (n <= 256) return std::sort(keys.begin(), keys.end());
    const int bits = std::bit_width(high - low);
    const int passes = (bits + 9) / 10;
    const int digit_bits = (bits + passes - 1) / passes;
    const std::size_t buckets = std::size_t{1} << digit_bits;
    scratch.resize(n);
    std::array<std::uint32_t, 1024> starts;
    for (int pass = 0; pass < passes; ++pass) {
        const auto digit = [&, shift = pass * digit_bits](std::uint64_t key) {
            return static_cast<std::size_t>((code_of(key) - low) >> shift) & (buckets - 1);
        };
        std::fill_n(starts.begin(), buckets, 0U);
        for (const std::uint64_t key : keys) ++starts[digit(key)];
        std::uint32_t start = 0;
        for (std::size_t b = 0; b < buckets; ++b) start += std::exchange(starts[b], start);
        in_blocks(n, stop, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) scratch[starts[digit(keys[i])]++] = keys[i];
        });
        keys.swap(scratch);
    }
}

}  // namespace silvics
