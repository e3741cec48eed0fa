// A tree laid out for many samples, as in unpacked_tree.hpp, that may test levels.
//
// Values are unsigned numbers in the same order, and levels are masks (level_block.hpp). A node
// keeps a mask and a bound, and a sample goes to the second child if the bits of its value in the
// mask exceed the bound. A threshold has all bits in its mask; a rule of levels has the levels that
// go right, and a bound of zero; a leaf has no bit, so that its paths stay. Rules for which the
// bits do not suffice are nodes where paths wait for a step in the packed tree.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "predictor/level_block.hpp"
#include "predictor/packed_tree.hpp"

namespace silvics {

class UnpackedLevels {
public:
    using Value = std::uint64_t;

    // Whether tree m can be unpacked, and `n_samples` samples save more time than unpacking takes.
    static bool pays(const PackedForest& forest, std::size_t m, std::size_t n_samples);

    // Trees are unpacked for the samples of this block.
    explicit UnpackedLevels(const LevelBlock& block) : block_(block) {}
    // Replaces the tree by another one in the same memory, which is still in the cache.
    void unpack(const PackedTree& tree);

    // end(i, leaf) for the given samples. `rows` and `values` are those of the block.
    template <class End>
    void down(const RowBlock& rows, const Value* values, std::span<const std::uint32_t> samples,
              End&& end) const {
        rows.whole ? descend<false>(rows, values, samples, end)
                   : descend<true>(rows, values, samples, end);
    }

private:
    struct UnpackedNode {
        std::uint64_t mask, bound;  // of a leaf: no bit, and its content
        std::uint32_t first_child;
        std::uint32_t place;  // of the value; the highest bit: missing values go to the first child
    };
    static constexpr std::uint32_t kMissingFirst = std::uint32_t{1} << 31;
    static constexpr std::uint64_t kWaiting = std::uint64_t{1} << 32;
    static constexpr std::uint32_t kRoot = 1;
    static constexpr std::size_t kPaths = 8;  // that advance together

    static std::size_t first_child_of(std::size_t t) { return 2 * t + 2; }
    UnpackedNode unpacked(const PackedTree& tree, Place t, std::uint32_t at);

    template <bool kMissing>
    [[gnu::always_inline]] void down(std::array<std::uint32_t, kPaths>& paths,
                                     const std::array<const Value*, kPaths>& values) const {
        const UnpackedNode* const nodes = nodes_.data();
        // A local copy, so that it stays in registers.
        std::uint32_t at[kPaths];
#pragma GCC unroll 16
        for (std::size_t k = 0; k < kPaths; ++k) at[k] = paths[k];
        constexpr std::size_t kSteps = 2;  // between two checks whether all paths have ended
        for (std::uint32_t moved = 1; moved != 0;) {
            moved = 0;
            for (std::size_t step = 0; step < kSteps; ++step)
#pragma GCC unroll 16
                for (std::size_t k = 0; k < kPaths; ++k) {
                    const UnpackedNode& node = nodes[at[k]];
                    const Value x = values[k][kMissing ? node.place & ~kMissingFirst : node.place];
                    std::uint32_t second = (x & node.mask) > node.bound;
                    if constexpr (kMissing)
                        second &=
                            ~(std::uint32_t{x == LevelBlock::kMissingKey} & (node.place >> 31));
                    const std::uint32_t to = node.first_child + second;
                    if (step == kSteps - 1) moved |= to ^ at[k];
                    at[k] = to;
                }
        }
#pragma GCC unroll 16
        for (std::size_t k = 0; k < kPaths; ++k) paths[k] = at[k];
    }

    template <bool kMissing, class End>
    void descend(const RowBlock& rows, const Value* values, std::span<const std::uint32_t> samples,
                 End& end) const {
        std::array<std::uint32_t, kPaths> paths;
        std::array<const Value*, kPaths> of;
        for (std::size_t begin = 0; begin < samples.size(); begin += kPaths) {
            const auto batch = samples.subspan(begin, std::min(kPaths, samples.size() - begin));
            for (std::size_t k = 0; k < kPaths; ++k) {
                paths[k] = kRoot;
                of[k] = values + block_.width() * batch[std::min(k, batch.size() - 1)];
            }
            do down<kMissing>(paths, of);
            while (some_wait_ && lead_on(paths, rows, batch));
            for (std::size_t k = 0; k < batch.size(); ++k) {
                const auto content = static_cast<std::uint32_t>(nodes_[paths[k]].bound);
                end(batch[k], PackedLeaf{content, paths[k] / 2 - 1, paths[k] & 1});
            }
        }
    }

    // Takes the steps of all paths that wait; returns false if there are none.
    bool lead_on(std::array<std::uint32_t, kPaths>& paths, const RowBlock& rows,
                 std::span<const std::uint32_t> batch) const;

    const LevelBlock& block_;
    std::vector<UnpackedNode> nodes_;
    std::vector<std::uint32_t> at_;  // while unpacking: the new number of each packed node
    const PackedTree* packed_ = nullptr;
    bool some_wait_ = false;
};

}  // namespace silvics
