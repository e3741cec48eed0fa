// A tree laid out for many samples: leaves are nodes too, and the two children of a node are
// adjacent.
//
// A step has no branch and few instructions, and a path that has reached a leaf stays there. Eight
// to twelve samples therefore descend at once, each in its own register. If all values of the
// samples are exact in single precision, thresholds are rounded down to single precision: the same
// values exceed them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "predictor/packed_tree.hpp"
#include "predictor/row_blocks.hpp"

namespace silvics {

// The largest number in single precision that does not exceed x.
inline float rounded_down(double x) {
    const auto nearest = static_cast<float>(x);
    const auto bits = std::bit_cast<std::int32_t>(nearest);
    // The next smaller number has bits less one, or plus one if it is negative. The direction of
    // rounding is unpredictable, so there is no branch.
    const std::int32_t above = static_cast<double>(nearest) > x ? 1 : 0;
    return std::bit_cast<float>(bits - ((bits >> 31) | 1) * above);
}

// The values of a block in single precision, and one more element; empty if a value is not exact in
// single precision.
std::vector<float> exact_floats(const RowBlock& block);

// A node: a threshold and a link. The link packs the number of the first child, the side of missing
// values, and the variable. A leaf is a node whose threshold is NaN with the content in its low
// bits, whose first child is itself, and whose variable is one beyond the last.
template <class T>
struct UnpackedNode {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    // The number of bits below the child in a link; the highest of them is the side of missing
    // values. It is a compile-time constant, so that no step needs a register for it.
    static constexpr unsigned kShift = sizeof(T) == 4 ? 13 : 32;
    static constexpr std::size_t kMaxFeature = (std::size_t{1} << (kShift - 1)) - 1;
    static constexpr std::size_t kMaxNodes = std::size_t{1} << (8 * sizeof(T) - kShift);

    UnpackedNode() = default;
    UnpackedNode(T at, std::uint32_t child, std::uint32_t missing_second, FeatureId f)
        : threshold(at), link(Bits{child} << kShift | Bits{missing_second} << (kShift - 1) | f) {}
    static UnpackedNode leaf(std::uint32_t content, std::uint32_t at, FeatureId no_feature) {
        return {std::bit_cast<T>((content & kContents) | kNotANumber), at, 0, no_feature};
    }

    std::uint32_t first_child() const { return static_cast<std::uint32_t>(link >> kShift); }
    std::uint32_t missing_second() const {
        return static_cast<std::uint32_t>(link >> (kShift - 1)) & 1;
    }
    std::size_t feature() const { return link & kMaxFeature; }
    std::uint32_t content() const {
        return static_cast<std::uint32_t>(std::bit_cast<Bits>(threshold) & kContents);
    }

    static constexpr Bits kContents = sizeof(T) == 4 ? 0x003fffff : 0xffffffff;

    T threshold;
    Bits link;

private:
    static constexpr Bits kNotANumber = std::bit_cast<Bits>(std::numeric_limits<T>::quiet_NaN());
};

// `T`: the type of the thresholds and of the samples' values. Leaves compare the value after a
// sample's last, to no effect, so it must be readable.
template <class T>
class UnpackedTree {
public:
    using Value = T;

    // Whether tree m can be unpacked, and `n_samples` samples save more time than unpacking takes.
    static bool pays(const PackedForest& forest, std::size_t m, std::size_t n_samples);

    explicit UnpackedTree(std::size_t n_features)
        : n_features_(static_cast<FeatureId>(n_features)) {}
    // Replaces the tree by another one in the same memory, which is still in the cache.
    void unpack(const PackedTree& tree);

    static constexpr std::uint32_t kRoot = 1;
    // Paths that advance together. The number is the one that was fastest in measurements.
    // `kMissing`: some values may be missing.
    template <bool kMissing>
    struct Paths {
        static constexpr std::size_t kSize = sizeof(T) == 4 && !kMissing ? 12 : 8;
        std::array<std::uint32_t, kSize> at;
        std::array<const T*, kSize> samples;
    };
    // Moves all paths from their current nodes to their leaves.
    template <bool kMissing>
    [[gnu::always_inline]] void down(Paths<kMissing>& paths) const {
        constexpr std::size_t kPaths = Paths<kMissing>::kSize;
        const UnpackedNode<T>* const nodes = nodes_.data();
        // Local copies, so that they stay in registers.
        std::uint32_t at[kPaths];
        const T* samples[kPaths];
#pragma GCC unroll 16
        for (std::size_t k = 0; k < kPaths; ++k) {
            at[k] = paths.at[k];
            samples[k] = paths.samples[k];
        }
        constexpr std::size_t kSteps = 2;  // between two checks whether all paths have ended
        for (std::uint32_t moved = 1; moved != 0;) {
            moved = 0;
            for (std::size_t step = 0; step < kSteps; ++step)
#pragma GCC unroll 16
                for (std::size_t k = 0; k < kPaths; ++k) {
                    const UnpackedNode<T>& node = nodes[at[k]];
                    const T x = samples[k][node.feature()];
                    std::uint32_t second = x > node.threshold;
                    if constexpr (kMissing) second |= std::uint32_t{x != x} & node.missing_second();
                    const std::uint32_t to = node.first_child() + second;
                    if (step == kSteps - 1) moved |= to ^ at[k];
                    at[k] = to;
                }
        }
#pragma GCC unroll 16
        for (std::size_t k = 0; k < kPaths; ++k) paths.at[k] = at[k];
    }

    // end(i, leaf) for the given samples of a block. `values`: the values of the block as T.
    template <class End>
    void down(const RowBlock& block, const T* values, std::span<const std::uint32_t> samples,
              End&& end) const {
        block.whole ? down<false>(block, values, samples, end)
                    : down<true>(block, values, samples, end);
    }

    // For callers that take the steps themselves.
    const UnpackedNode<T>& node(std::uint32_t at) const { return nodes_[at]; }
    bool ended(std::uint32_t at) const { return nodes_[at].first_child() == at; }
    PackedLeaf leaf(std::uint32_t at) const { return {nodes_[at].content(), at / 2 - 1, at & 1}; }

private:
    static std::size_t first_child_of(std::size_t t) { return 2 * t + 2; }

    template <bool kMissing, class End>
    void down(const RowBlock& block, const T* values, std::span<const std::uint32_t> samples,
              End& end) const {
        Paths<kMissing> paths;
        for (std::size_t begin = 0; begin < samples.size(); begin += paths.kSize) {
            const auto batch =
                samples.subspan(begin, std::min(paths.kSize, samples.size() - begin));
            for (std::size_t k = 0; k < paths.kSize; ++k) {
                paths.at[k] = kRoot;
                paths.samples[k] = values + block.width * batch[std::min(k, batch.size() - 1)];
            }
            down<kMissing>(paths);
            for (std::size_t k = 0; k < batch.size(); ++k) end(batch[k], leaf(paths.at[k]));
        }
    }

    std::vector<UnpackedNode<T>> nodes_;
    std::vector<std::uint32_t> at_;  // while unpacking: the new number of each packed node
    FeatureId n_features_;
};

extern template class UnpackedTree<float>;
extern template class UnpackedTree<double>;

}  // namespace silvics
