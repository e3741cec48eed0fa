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
        if (is_ranked(node)) {
            alignas(64) std::uint32_t ranks[kMaxRanked];
            rank(node, ranks);
            for (std::size_t i = 0; i < n; ++i) order_[ranks[i]] = static_cast<Position>(i);
        } else {
            by_digits(node, stop);
        }
        cut_.ensure(n);
        n_ = n;
        n_sorted_ += n;
        bool equal = false;
        for (std::size_t k = 0; k + 1 < n; ++k) {
            cut_[k] = node.codes[order_[k]] != node.codes[order_[k + 1]];
            equal |= !cut_[k];
        }
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

    // Radix sort from the least significant digit. The digits adapt to the range of codes, so that
    // few distinct values cost one pass (the O(NH) of thesis 5.3.4).
    void by_digits(const NodeColumn& node, const StopFlag& stop) {
        const std::size_t n = node.size();
        const int bits = std::bit_width(node.range.high - node.range.low);
        const int passes = bits <= 10 ? 1 : 2, digit_bits = (bits + passes - 1) / passes;
        const std::size_t buckets = std::size_t{1} << digit_bits;
        scratch_.ensure(n);
        starts_.resize(buckets);
        for (int pass = 0; pass < passes; ++pass) {
            const auto digit = [&, shift = pass * digit_bits](Position i) {
                return static_cast<std::size_t>((node.codes[i] - node.range.low) >> shift) &
                       (buckets - 1);
            };
            std::ranges::fill(starts_, 0U);
            for (std::size_t i = 0; i < n; ++i) ++starts_[digit(static_cast<Position>(i))];
            std::uint32_t start = 0;
            for (auto& s : starts_) start += std::exchange(s, start);
            in_blocks(n, stop, [&](std::size_t begin, std::size_t end) {
                for (std::size_t k = begin; k < end; ++k) {
                    const Position i = pass == 0 ? static_cast<Position>(k) : order_[k];
                    scratch_[starts_[digit(i)]++] = i;
                }
            });
            order_.swap(scratch_);
        }
    }

    Scratch<Position> order_, scratch_;
    Scratch<std::uint8_t> cut_;
    std::size_t n_ = 0;
    std::uint64_t n_sorted_ = 0;
    std::vector<std::uint32_t> starts_;
};

}  // namespace silvics
