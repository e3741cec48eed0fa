// A tree laid out for many samples: leaves are nodes too, and the two children of a node are
// adjacent.
//
// A step has no branch and few instructions, and a path that has reached a leaf stays there. Eight
// to twelve samples therefore descend at once, each in its own register. If all values of the
// samples are exact in single precision, thresholds are rounded down to single precision: the same
// values exceed them.
//
// A rule of levels is stored as the bits of a NaN in double precision, which are compared with the
// masks of the samples (level_block.hpp). Rules for which the bits do not suffice are nodes where
// all paths wait, until a step in the packed tree leads them on.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "predictor/level_block.hpp"
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
    // A rule of levels: the bits of what goes left, and the place of the masks.
    static UnpackedNode levels(std::uint64_t bits, std::uint32_t child, FeatureId masks)
        requires(sizeof(T) == 8)
    {
        return {std::bit_cast<T>(bits | kLevels), child, 0, masks};
    }
    // Stays at itself, as a leaf does, whose content is a place in the packed tree.
    static UnpackedNode waiting(Place place, std::uint32_t at, FeatureId no_feature)
        requires(sizeof(T) == 8)
    {
        return {std::bit_cast<T>(kNotANumber | kWaiting | place), at, 0, no_feature};
    }

    std::uint32_t first_child() const { return static_cast<std::uint32_t>(link >> kShift); }
    std::uint32_t missing_second() const {
        return static_cast<std::uint32_t>(link >> (kShift - 1)) & 1;
    }
    std::size_t feature() const { return link & kMaxFeature; }
    std::uint32_t content() const {
        return static_cast<std::uint32_t>(std::bit_cast<Bits>(threshold) & kContents);
    }

    Bits bits() const { return std::bit_cast<Bits>(threshold); }
    bool waits() const { return bits() >> 32 == (kNotANumber | kWaiting) >> 32; }

    static constexpr Bits kContents = sizeof(T) == 4 ? 0x003fffff : 0xffffffff;
    // The sign of a NaN marks rules of levels: no other node has bits of this size.
    static constexpr std::uint64_t kLevels = std::uint64_t{0xfff8} << 48;

    T threshold;
    Bits link;

private:
    static constexpr std::uint64_t kWaiting = std::uint64_t{1} << 32;
    static constexpr Bits kNotANumber = std::bit_cast<Bits>(std::numeric_limits<T>::quiet_NaN());
};

// `T`: the type of the thresholds and of the samples' values. Leaves compare the value after a
// sample's last, to no effect, so it must be readable.
template <class T>
class UnpackedTree {
public:
    // Whether tree m can be unpacked, and `n_samples` samples save more time than unpacking takes.
    // `levels`: whether the samples have masks of levels.
    static bool pays(const PackedForest& forest, std::size_t m, std::size_t n_samples,
                     bool levels = false);

    // Trees that test levels need the masks of a block, and are unpacked for it.
    explicit UnpackedTree(std::size_t n_features, const LevelBlock* levels = nullptr)
        : n_features_(static_cast<FeatureId>(n_features)), levels_(levels) {}
    bool has_levels() const { return levels_ != nullptr; }
    // Replaces the tree by another one in the same memory, which is still in the cache.
    void unpack(const PackedTree& tree);

    static constexpr std::uint32_t kRoot = 1;
    // Paths that advance together. The number is the one that was fastest in measurements.
    // `kMissing`: some values may be missing. `kLevels`: some nodes test levels.
    template <bool kMissing>
    struct Paths {
        static constexpr std::size_t kSize = sizeof(T) == 4 && !kMissing ? 12 : 8;
        std::array<std::uint32_t, kSize> at;
        std::array<const T*, kSize> samples;
    };
    // Moves all paths from their current nodes to their leaves.
    template <bool kMissing, bool kLevels = false>
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
                    if constexpr (kLevels)
                        second |=
                            std::uint32_t{node.bits() >= UnpackedNode<T>::kLevels} &
                            std::uint32_t{(std::bit_cast<std::uint64_t>(x) & node.bits()) == 0};
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
        if constexpr (sizeof(T) == 8)
            if (ruled_ != nullptr)
                return block.whole ? descend<false, true>(block, values, samples, end)
                                   : descend<true, true>(block, values, samples, end);
        block.whole ? descend<false, false>(block, values, samples, end)
                    : descend<true, false>(block, values, samples, end);
    }

    // For callers that take the steps themselves.
    const UnpackedNode<T>& node(std::uint32_t at) const { return nodes_[at]; }
    bool ended(std::uint32_t at) const { return nodes_[at].first_child() == at; }
    PackedLeaf leaf(std::uint32_t at) const { return {nodes_[at].content(), at / 2 - 1, at & 1}; }

private:
    static std::size_t first_child_of(std::size_t t) { return 2 * t + 2; }

    template <bool kMissing, bool kLevels, class End>
    void descend(const RowBlock& block, const T* values, std::span<const std::uint32_t> samples,
                 End& end) const {
        Paths<kMissing> paths;
        for (std::size_t begin = 0; begin < samples.size(); begin += paths.kSize) {
            const auto batch =
                samples.subspan(begin, std::min(paths.kSize, samples.size() - begin));
            for (std::size_t k = 0; k < paths.kSize; ++k) {
                paths.at[k] = kRoot;
                paths.samples[k] = values + block.width * batch[std::min(k, batch.size() - 1)];
            }
            down<kMissing, kLevels>(paths);
            if constexpr (kLevels)
                while (lead_on(paths)) down<kMissing, kLevels>(paths);
            for (std::size_t k = 0; k < batch.size(); ++k) end(batch[k], leaf(paths.at[k]));
        }
    }

    // Takes the step of all paths that wait in the packed tree; returns false if none waits.
    template <class AnyPaths>
    bool lead_on(AnyPaths& paths) const {
        if (!some_wait_) return false;
        bool any = false;
        for (std::size_t k = 0; k < paths.at.size(); ++k) {
            const UnpackedNode<T>& node = nodes_[paths.at[k]];
            if (!node.waits()) continue;
            any = true;
            const Place t = node.content();
            paths.at[k] = static_cast<std::uint32_t>(first_child_of(t)) +
                          ruled_->next<false>(t, paths.samples[k]).which;
        }
        return any;
    }
    template <bool kLevels>
    void unpack_nodes(const PackedTree& tree);

    std::vector<UnpackedNode<T>> nodes_;
    std::vector<std::uint32_t> at_;  // while unpacking: the new number of each packed node
    FeatureId n_features_;
    const LevelBlock* levels_;
    const PackedTree* ruled_ = nullptr;  // the packed tree, if it tests levels
    bool some_wait_ = false;
};

extern template class UnpackedTree<float>;
extern template class UnpackedTree<double>;

}  // namespace silvics
