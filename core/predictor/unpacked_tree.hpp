// A tree laid out for many samples: 8 bytes for each node, leaves too, two children side by side.
//
// A step has no branch and few instructions, and a way that has ended stays where it is, so that
// eight samples go down at once, each in a register of its own. Thresholds and values are rounded
// down to single precision. Which is larger is then known unless both have become the same: such
// doubts are told, and those samples are to walk the packed tree.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "predictor/packed_tree.hpp"
#include "predictor/row_blocks.hpp"

namespace silvics {

// The largest number of single precision that is not above x; zero has but one sign, so that equal
// numbers have equal bits.
inline float rounded_down(double x) {
    const float nearest = static_cast<float>(x);
    const auto bits = std::bit_cast<std::int32_t>(nearest);
    // The number below has the next smaller bits, or larger ones if it is negative. No branch could
    // foresee which way the nearest is.
    const std::int32_t above = static_cast<double>(nearest) > x ? 1 : 0;
    return std::bit_cast<float>(bits - ((bits >> 31) | 1) * above) + 0.0F;
}

// Rounds the samples of a block down, and tells it; they are in the memory that is returned.
std::vector<float> round_down(RowBlock& block);

struct UnpackedNode {
    float threshold;     // of a leaf not a number, and in it what the leaf has
    std::uint32_t link;  // the first child, of a leaf itself; where missing values go; the variable
};

class UnpackedTree {
public:
    static constexpr std::size_t kWays = 8;

    // Whether tree m can be unpacked, and so many samples gain more by it than it takes.
    static bool pays(const PackedForest& forest, std::size_t m, std::size_t n_samples);

    explicit UnpackedTree(std::size_t n_features)
        : shift_(static_cast<unsigned>(std::bit_width(n_features - 1)) + 1) {}
    // Another tree in its place, where the cache still has the memory.
    void unpack(const PackedTree& tree);

    // The samples of a block that is rounded: end(i, leaf) where it is known where sample i ends,
    // else doubt(i).
    template <class End, class Doubt>
    void down(const RowBlock& block, End&& end, Doubt&& doubt) const {
        if (block.whole)
            block.exact ? down<false, false>(block, end, doubt)
                        : down<false, true>(block, end, doubt);
        else
            block.exact ? down<true, false>(block, end, doubt)
                        : down<true, true>(block, end, doubt);
    }

private:
    static constexpr std::uint32_t kRoot = 1;
    // Of leaves, the first of so many numbers that are none; missing values are the one before.
    static constexpr std::uint32_t kFirstLeaf = 0x7fc00001, kMostContents = 0x003fffff;

    static std::size_t first_child(std::size_t t) { return 2 * t + 2; }

    template <bool kMissing, bool kRounded, class End, class Doubt>
    void down(const RowBlock& block, End& end, Doubt& doubt) const {
        const UnpackedNode* const nodes = nodes_.data();
        const unsigned shift = shift_;
        const std::uint32_t mask = (std::uint32_t{1} << (shift - 1)) - 1;
        for (std::size_t begin = 0; begin < block.size; begin += kWays) {
            std::uint32_t at[kWays];
            const float* rows[kWays];
#pragma GCC unroll 8
            for (std::size_t k = 0; k < kWays; ++k) {
                at[k] = kRoot;
                rows[k] = block.rounded + block.width * std::min(begin + k, block.size - 1);
            }
            bool same = false;
            for (std::uint32_t going = 1; going != 0;) {
                going = 0;
                for (std::size_t step = 0; step < kSteps; ++step)
#pragma GCC unroll 8
                    for (std::size_t k = 0; k < kWays; ++k) {
                        const auto [threshold, link] = nodes[at[k]];
                        const float x = rows[k][link & mask];
                        std::uint32_t second = x > threshold;
                        if constexpr (kMissing)
                            second |= std::uint32_t{x != x} & (link >> (shift - 1));
                        if constexpr (kRounded)
                            same |= std::bit_cast<std::uint32_t>(x) ==
                                    std::bit_cast<std::uint32_t>(threshold);
                        const std::uint32_t to = (link >> shift) + second;
                        if (step == kSteps - 1) going |= to ^ at[k];
                        at[k] = to;
                    }
            }
            // By themselves, so that the ways stay in registers before.
            std::array<std::uint32_t, kWays> ended;
#pragma GCC unroll 8
            for (std::size_t k = 0; k < kWays; ++k) ended[k] = at[k];
            const std::size_t n = std::min(kWays, block.size - begin);
            for (std::size_t k = 0; k < n; ++k) {
                const auto i = static_cast<std::uint32_t>(begin + k);
                if (same) {
                    doubt(i);
                    continue;
                }
                const auto content =
                    std::bit_cast<std::uint32_t>(nodes[ended[k]].threshold) - kFirstLeaf;
                end(i, PackedLeaf{content, ended[k] / 2 - 1, ended[k] & 1});
            }
        }
    }

    static constexpr std::size_t kNodesPerSample = 4;
    static constexpr std::size_t kSteps = 2;  // between two looks whether all ways have ended

    std::vector<UnpackedNode> nodes_;
    std::vector<std::uint32_t> at_;  // of the packed nodes, while they are unpacked
    unsigned shift_;
};

}  // namespace silvics
