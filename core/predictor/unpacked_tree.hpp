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

// What an unpacked tree has in place of a node: the node itself, what is in place of one of its
// children, or an end of paths, from which they can go on to the children of the node.
enum class InPlace : std::uint8_t { first_child, second_child, node, end };
// All nodes are unpacked as they are.
struct AllNodes {
    InPlace operator()(Place, std::uint32_t) const { return InPlace::node; }
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
    // The same with something else in place of some nodes: in_place(t, at) for each packed node t,
    // in their order, and its number `at` in the unpacked tree. What cannot be reached any more has
    // number 0.
    template <class Choose>
    void unpack(const PackedTree& tree, Choose&& in_place);

    // The numbers of the root, and of the first child of a packed node.
    static constexpr std::uint32_t kRoot = 1;
    static std::size_t first_child_of(std::size_t t) { return 2 * t + 2; }
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
                    const std::uint32_t to = next<kMissing>(nodes[at[k]], samples[k]);
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

    // For callers that begin at other nodes than the root, or take the steps themselves.
    const T* sample(const RowBlock& block, const T* values, std::size_t i) const {
        return values + block.width * i;
    }
    // Takes a number of steps of all paths. Those that have reached a leaf stay there.
    template <bool kMissing, std::size_t kSteps>
    [[gnu::always_inline]] void advance(Paths<kMissing>& paths) const {
        constexpr std::size_t kPaths = Paths<kMissing>::kSize;
        const UnpackedNode<T>* const nodes = nodes_.data();
        std::uint32_t at[kPaths];  // local copies, as in down()
        const T* samples[kPaths];
#pragma GCC unroll 16
        for (std::size_t k = 0; k < kPaths; ++k) {
            at[k] = paths.at[k];
            samples[k] = paths.samples[k];
        }
        for (std::size_t step = 0; step < kSteps; ++step)
#pragma GCC unroll 16
            for (std::size_t k = 0; k < kPaths; ++k)
                at[k] = next<kMissing>(nodes[at[k]], samples[k]);
#pragma GCC unroll 16
        for (std::size_t k = 0; k < kPaths; ++k) paths.at[k] = at[k];
    }
    // No path waits for a step on its way, as in unpacked_levels.hpp.
    static constexpr bool waits(std::uint32_t) { return false; }
    static constexpr std::uint32_t step(std::uint32_t at, const double*) { return at; }
    const UnpackedNode<T>& node(std::uint32_t at) const { return nodes_[at]; }
    bool ended(std::uint32_t at) const { return nodes_[at].first_child() == at; }
    PackedLeaf leaf(std::uint32_t at) const { return {nodes_[at].content(), at / 2 - 1, at & 1}; }

private:
    template <bool kMissing>
    [[gnu::always_inline]] static std::uint32_t next(const UnpackedNode<T>& node, const T* sample) {
        const T x = sample[node.feature()];
        std::uint32_t second = x > node.threshold;
        if constexpr (kMissing) second |= std::uint32_t{x != x} & node.missing_second();
        return node.first_child() + second;
    }

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

template <class T>
template <class Choose>
void UnpackedTree<T>::unpack(const PackedTree& tree, Choose&& in_place) {
    const auto n = static_cast<std::uint32_t>(tree.n_places());
    nodes_.resize(std::max(nodes_.size(), first_child_of(n)));
    at_.resize(std::max(at_.size(), n + std::size_t{1}));
    UnpackedNode<T>* const nodes = nodes_.data();
    std::uint32_t* const at = at_.data();
    const FeatureId no_feature = n_features_;
    at[PackedTree::kRoot] = kRoot;
    for (Place t = 0; t < n; ++t) {
        const PackedNode& node = tree.nodes()[t];
        const std::uint32_t here = at[t];
        const InPlace what = in_place(t, here);
        if (what < InPlace::node) {
            const auto which = static_cast<std::uint32_t>(what);
            const Child kept = node.child(which);
            nodes[here] = UnpackedNode<T>::leaf(kept.content(), here, no_feature);
            at[std::min(node.child(1 - which).bits(), n)] = 0;
            at[std::min(kept.bits(), n)] = here;
            continue;
        }
        auto child = static_cast<std::uint32_t>(first_child_of(t));
        T threshold;
        if constexpr (std::is_same_v<T, float>)
            threshold = rounded_down(node.threshold());
        else
            threshold = node.threshold();
        nodes[here] =
            what == InPlace::end
                ? UnpackedNode<T>::leaf(0, here, no_feature)
                : UnpackedNode<T>(threshold, child, node.missing_first() ? 0U : 1U, node.feature());
        // Whether a child is a leaf is unpredictable, so there is no branch: every child is written
        // as a leaf, and overwritten later if it is an inner node. `at` of leaves goes to an extra
        // last element.
        for (std::uint32_t which = 0; which < 2; ++which, ++child) {
            const std::uint32_t bits = node.child(which).bits();
            nodes[child] = UnpackedNode<T>::leaf(Child(bits).content(), child, no_feature);
            at[std::min(bits, n)] = child;
        }
    }
}

extern template class UnpackedTree<float>;
extern template class UnpackedTree<double>;

}  // namespace silvics
