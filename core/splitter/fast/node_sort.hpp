// Sorts the samples of a node by one variable.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/kernels.hpp"
#include "base/stop.hpp"
#include "base/types.hpp"
#include "splitter/gather.hpp"

namespace silvics {

class NodeSort {
public:
    // The positions of the samples by code, in row order among equals; samples of one code are
    // sorted by value if it has several.
    std::span<const Position> sort(const NodeColumn& node, const StopFlag& stop) {
        const std::size_t n = node.size();
        order_.ensure(n);
        cut_.ensure(n);
        bool equal = false;
        if (is_ranked(node)) {
            alignas(64) std::uint32_t ranks[kMaxRanked];
            rank(node, ranks);
            for (std::size_t i = 0; i < n; ++i) order_[ranks[i]] = static_cast<Position>(i);
            for (std::size_t k = 0; k + 1 < n; ++k) {
                cut_[k] = node.codes[order_[k]] != node.codes[order_[k + 1]];
                equal |= !cut_[k];
            }
        } else if (n <= std::size_t{1} << 16) {
            equal = by_digits(node, short_keys_, stop);
        } else {
            equal = by_digits(node, long_keys_, stop);
        }
        n_ = n;
        n_sorted_ += n;
        cut_[n - 1] = 0;
        if (equal && node.parts_codes())
            sort_within_codes(node, {order_.data(), n}, {cut_.data(), n});
        return {order_.data(), n};
    }

    // Nodes of at most kMaxRanked samples are ranked by comparing all pairs, unless a radix sort
    // needs few buckets. At most kAlwaysRanked samples are always ranked.
    static constexpr std::size_t kMaxRanked = 64;
    static bool is_ranked(const NodeColumn& node) {
        constexpr std::size_t kAlwaysRanked = 12;
        const std::size_t n = node.size();
        return n <= kMaxRanked && (n <= kAlwaysRanked || node.range.size() > 2 * n);
    }
    // The rank of a sample is the number of samples before it. The comparisons are branch-free.
    static void rank(const NodeColumn& node, std::uint32_t* ranks) {
        alignas(64) std::uint32_t keys[kMaxRanked];
        const std::size_t n = node.size(), padded = (n + 7) / 8 * 8;
        for (std::size_t i = 0; i < n; ++i)
            keys[i] =
                static_cast<std::uint32_t>(node.codes[i]) << 8 | static_cast<std::uint32_t>(i);
        for (std::size_t i = n; i < padded; ++i) keys[i] = 0x7FFFFFFF;
        kernels().rank_keys(keys, n, padded, ranks);
    }

    // The number of samples sorted so far.
    std::uint64_t n_sorted() const { return n_sorted_; }

    // Whether a cut may lie right after each of the sorted samples.
    std::span<const std::uint8_t> cuts() const { return {cut_.data(), n_}; }

private:
    // Sorts the samples of one code by value, and marks the cuts between them.
    static void sort_within_codes(const NodeColumn& node, std::span<Position> order,
                                  std::span<std::uint8_t> cut) {
        const auto code = [&](std::size_t k) { return node.codes[order[k]]; };
        for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
            for (end = begin + 1; end < order.size() && code(end) == code(begin);) ++end;
            if (end - begin == 1) continue;
            const auto run = order.subspan(begin, end - begin);
            // Equal values stay in row order.
            std::ranges::sort(run, {}, [&](Position i) { return std::pair(node.value(i), i); });
            for (std::size_t k = begin; k + 1 < end; ++k)
                cut[k] = node.value(order[k]) != node.value(order[k + 1]);
        }
    }

    template <class Key>
    struct Keys {
        Scratch<Key> keys, sorted;
    };

    // Radix sort from the least significant digit. The digits adapt to the range of codes, so that
    // few distinct values cost one pass (the O(NH) of thesis 5.3.4). A key has the code in its
    // upper half and the position in its lower half, so that every pass reads memory in order.
    // Returns whether some codes are equal.
    template <class Key>
    bool by_digits(const NodeColumn& node, Keys<Key>& memory, const StopFlag& stop) {
        constexpr int kShift = 4 * sizeof(Key);
        const std::size_t n = node.size();
        const int bits = std::bit_width(node.range.high - node.range.low);
        const int passes = bits <= 10 ? 1 : 2, digit_bits = (bits + passes - 1) / passes;
        const std::size_t buckets = std::size_t{1} << digit_bits, mask = buckets - 1;
        starts_.assign(2 * buckets, 0U);
        std::uint32_t *const low = starts_.data(), *const high = low + buckets;
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t code = node.codes[i] - node.range.low;
            ++low[code & mask];
            ++high[code >> digit_bits];  // all zero if there is one pass
        }
        std::uint32_t start = 0, above = 0;
        for (std::size_t b = 0; b < buckets; ++b) {
            start += std::exchange(low[b], start);
            above += std::exchange(high[b], above);
        }
        Key* const keys = memory.keys.ensure(n);
        Key* sorted = memory.sorted.ensure(n);
        in_blocks(n, stop, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t code = node.codes[i] - node.range.low;
                sorted[low[code & mask]++] =
                    static_cast<Key>(static_cast<Key>(code) << kShift | static_cast<Key>(i));
            }
        });
        if (passes == 2) {
            in_blocks(n, stop, [&](std::size_t begin, std::size_t end) {
                for (std::size_t k = begin; k < end; ++k)
                    keys[high[sorted[k] >> (kShift + digit_bits)]++] = sorted[k];
            });
            sorted = keys;
        }
        bool equal = false;
        constexpr Key kPosition = (Key{1} << kShift) - 1;
        order_[n - 1] = static_cast<Position>(sorted[n - 1] & kPosition);
        for (std::size_t k = 0; k + 1 < n; ++k) {
            order_[k] = static_cast<Position>(sorted[k] & kPosition);
            const bool differ = ((sorted[k] ^ sorted[k + 1]) >> kShift) != 0;
            cut_[k] = differ ? 1 : 0;
            equal |= !differ;
        }
        return equal;
    }

    Scratch<Position> order_;
    Keys<std::uint32_t> short_keys_;
    Keys<std::uint64_t> long_keys_;
    Scratch<std::uint8_t> cut_;
    std::size_t n_ = 0;
    std::uint64_t n_sorted_ = 0;
    std::vector<std::uint32_t> starts_;
};

}  // namespace silvics
