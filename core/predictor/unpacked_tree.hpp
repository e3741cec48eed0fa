// A tree laid out for many samples: leaves are nodes like others, two children stand side by side.
//
// A step has no branch and few instructions, and a way that has ended stays where it is, so that
// eight to twelve samples go down at once, each in a register of its own. Where all values of the
// samples are numbers of single precision, thresholds are as well, rounded down: the same values
// are above them.
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

// The largest number of single precision that is not above x.
inline float rounded_down(double x) {
    const auto nearest = static_cast<float>(x);
    const auto bits = std::bit_cast<std::int32_t>(nearest);
    // The number below has the next smaller bits, or larger ones if it is negative. No branch could
    // foresee which way the nearest is.
    const std::int32_t above = static_cast<double>(nearest) > x ? 1 : 0;
    return std::bit_cast<float>(bits - ((bits >> 31) | 1) * above);
}

// The values of a block in single precision, and one more; nothing if that would change any.
std::vector<float> exact_floats(const RowBlock& block);

// The threshold of a leaf is not a number, and has in it what the leaf has. A link tells the first
// child, of a leaf itself; where missing values go; the variable, of a leaf the one after the last.
template <class T>
struct UnpackedNode {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    // Bits of a link that are not the child's, the first of them that of missing values: known when
    // compiled, so that no step needs a register for them.
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

// `T`: of the thresholds, and of the samples' values. What leaves compare, to no effect, is the
// value after a sample's last: there must be one.
template <class T>
class UnpackedTree {
public:
    // Whether a tree of the forest can be unpacked, and so many samples gain more by it than it
    // takes.
    static bool pays(const PackedForest& forest, std::size_t m, std::size_t n_samples);

    explicit UnpackedTree(std::size_t n_features)
        : n_features_(static_cast<FeatureId>(n_features)) {}
    // Another tree in its place, where the cache still has the memory.
    void unpack(const PackedTree& tree);

    static constexpr std::uint32_t kRoot = 1;
    // As many at once as were quickest. `kMissing`: some values may be.
    template <bool kMissing>
    struct Paths {
        static constexpr std::size_t kSize = sizeof(T) == 4 && !kMissing ? 12 : 8;
        std::array<std::uint32_t, kSize> at;
        std::array<const T*, kSize> samples;
    };
    // Ways from where they are to their leaves.
    template <bool kMissing>
    [[gnu::always_inline]] void down(Paths<kMissing>& paths) const {
        constexpr std::size_t kPaths = Paths<kMissing>::kSize;
        const UnpackedNode<T>* const nodes = nodes_.data();
        // By themselves, so that they are in registers.
        std::uint32_t at[kPaths];
        const T* samples[kPaths];
#pragma GCC unroll 16
        for (std::size_t k = 0; k < kPaths; ++k) {
            at[k] = paths.at[k];
            samples[k] = paths.samples[k];
        }
        constexpr std::size_t kSteps = 2;  // between two looks whether all have ended
        for (std::uint32_t going = 1; going != 0;) {
            going = 0;
            for (std::size_t step = 0; step < kSteps; ++step)
#pragma GCC unroll 16
                for (std::size_t k = 0; k < kPaths; ++k) {
                    const UnpackedNode<T>& node = nodes[at[k]];
                    const T x = samples[k][node.feature()];
                    std::uint32_t second = x > node.threshold;
                    if constexpr (kMissing) second |= std::uint32_t{x != x} & node.missing_second();
                    const std::uint32_t to = node.first_child() + second;
                    if (step == kSteps - 1) going |= to ^ at[k];
                    at[k] = to;
                }
        }
#pragma GCC unroll 16
        for (std::size_t k = 0; k < kPaths; ++k) paths.at[k] = at[k];
    }

    // Some samples of a block, which have these values: end(i, leaf).
    template <class End>
    void down(const RowBlock& block, const T* values, std::span<const std::uint32_t> some,
              End&& end) const {
        block.whole ? down<false>(block, values, some, end) : down<true>(block, values, some, end);
    }

    // A step by hand.
    const UnpackedNode<T>& node(std::uint32_t at) const { return nodes_[at]; }
    bool ended(std::uint32_t at) const { return nodes_[at].first_child() == at; }
    PackedLeaf leaf(std::uint32_t at) const { return {nodes_[at].content(), at / 2 - 1, at & 1}; }

private:
    static std::size_t first_child_of(std::size_t t) { return 2 * t + 2; }

    template <bool kMissing, class End>
    void down(const RowBlock& block, const T* values, std::span<const std::uint32_t> some,
              End& end) const {
        Paths<kMissing> paths;
        for (std::size_t begin = 0; begin < some.size(); begin += paths.kSize) {
            const auto these = some.subspan(begin, std::min(paths.kSize, some.size() - begin));
            for (std::size_t k = 0; k < paths.kSize; ++k) {
                paths.at[k] = kRoot;
                paths.samples[k] = values + block.width * these[std::min(k, these.size() - 1)];
            }
            down<kMissing>(paths);
            for (std::size_t k = 0; k < these.size(); ++k) end(these[k], leaf(paths.at[k]));
        }
    }

    std::vector<UnpackedNode<T>> nodes_;
    std::vector<std::uint32_t> at_;  // of the packed nodes, while they are unpacked
    FeatureId n_features_;
};

extern template class UnpackedTree<float>;
extern template class UnpackedTree<double>;

}  // namespace silvics
