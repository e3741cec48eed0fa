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
#include "predictor/unpacked_tree.hpp"

namespace silvics {

class UnpackedLevels {
public:
    using Value = std::uint64_t;

    // Whether tree m can be unpacked, and `n_samples` samples save more time than unpacking takes.
    static bool pays(const PackedForest& forest, std::size_t m, std::size_t n_samples);

    // Trees are unpacked for the samples of this block.
    explicit UnpackedLevels(const LevelBlock& block) : block_(block) {}
    // Replaces the tree by another one in the same memory, which is still in the cache.
    void unpack(const PackedTree& tree) { unpack(tree, AllNodes()); }
    // The same with something else in place of some nodes, as in unpacked_tree.hpp.
    template <class Choose>
    void unpack(const PackedTree& tree, Choose&& in_place);

    // end(i, leaf) for the given samples. `rows` and `values` are those of the block.
    template <class End>
    void down(const RowBlock& rows, const Value* values, std::span<const std::uint32_t> samples,
              End&& end) const {
        rows.whole ? descend<false>(rows, values, samples, end)
                   : descend<true>(rows, values, samples, end);
    }

    // For callers that begin at other nodes than the root.
    static constexpr std::uint32_t kRoot = 1;
    static std::size_t first_child_of(std::size_t t) { return 2 * t + 2; }
    // Paths that advance together.
    template <bool kMissing>
    struct Paths {
        static constexpr std::size_t kSize = 8;
        std::array<std::uint32_t, kSize> at;
        std::array<const Value*, kSize> samples;
    };
    const Value* sample(const RowBlock&, const Value* values, std::size_t i) const {
        return values + block_.width() * i;
    }
    // Takes a number of steps of all paths. Those that have reached a leaf stay there, and those
    // that wait for a step.
    template <bool kMissing, std::size_t kSteps>
    [[gnu::always_inline]] void advance(Paths<kMissing>& paths) const {
        constexpr std::size_t kPaths = Paths<kMissing>::kSize;
        const UnpackedNode* const nodes = nodes_.data();
        std::uint32_t at[kPaths];  // a local copy, so that it stays in registers
#pragma GCC unroll 16
        for (std::size_t k = 0; k < kPaths; ++k) at[k] = paths.at[k];
        for (std::size_t step = 0; step < kSteps; ++step)
#pragma GCC unroll 16
            for (std::size_t k = 0; k < kPaths; ++k)
                at[k] = next<kMissing>(nodes[at[k]], paths.samples[k]);
#pragma GCC unroll 16
        for (std::size_t k = 0; k < kPaths; ++k) paths.at[k] = at[k];
    }
    bool ended(std::uint32_t at) const { return nodes_[at].first_child == at; }
    // Whether a path that has ended at a node waits there for a step.
    bool waits(std::uint32_t at) const {
        return some_wait_ && (nodes_[at].bound & kWaiting) != 0 && nodes_[at].mask == 0;
    }
    // The child that a sample goes to from a node where it waits.
    std::uint32_t step(std::uint32_t at, const double* sample) const {
        const auto t = static_cast<Place>(nodes_[at].bound);
        return static_cast<std::uint32_t>(first_child_of(t)) +
               packed_->next<false>(t, sample).which;
    }
    PackedLeaf leaf(std::uint32_t at) const {
        return {static_cast<std::uint32_t>(nodes_[at].bound), at / 2 - 1, at & 1};
    }

private:
    struct UnpackedNode {
        std::uint64_t mask, bound;  // of a leaf: no bit, and its content
        std::uint32_t first_child;
        std::uint32_t place;  // of the value; the highest bit: missing values go to the first child
    };
    static constexpr std::uint32_t kMissingFirst = std::uint32_t{1} << 31;
    static constexpr std::uint64_t kWaiting = std::uint64_t{1} << 32;

    UnpackedNode unpacked(const PackedTree& tree, Place t, std::uint32_t at);

    template <bool kMissing>
    [[gnu::always_inline]] static std::uint32_t next(const UnpackedNode& node,
                                                     const Value* sample) {
        const Value x = sample[kMissing ? node.place & ~kMissingFirst : node.place];
        std::uint32_t second = (x & node.mask) > node.bound;
        if constexpr (kMissing)
            second &= ~(std::uint32_t{x == LevelBlock::kMissingKey} & (node.place >> 31));
        return node.first_child + second;
    }

    // Moves all paths from their current nodes to leaves, or to nodes where they wait.
    template <bool kMissing>
    [[gnu::always_inline]] void down(Paths<kMissing>& paths) const {
        constexpr std::size_t kPaths = Paths<kMissing>::kSize;
        const UnpackedNode* const nodes = nodes_.data();
        // A local copy, so that it stays in registers.
        std::uint32_t at[kPaths];
#pragma GCC unroll 16
        for (std::size_t k = 0; k < kPaths; ++k) at[k] = paths.at[k];
        constexpr std::size_t kSteps = 2;  // between two checks whether all paths have ended
        for (std::uint32_t moved = 1; moved != 0;) {
            moved = 0;
            for (std::size_t step = 0; step < kSteps; ++step)
#pragma GCC unroll 16
                for (std::size_t k = 0; k < kPaths; ++k) {
                    const std::uint32_t to = next<kMissing>(nodes[at[k]], paths.samples[k]);
                    if (step == kSteps - 1) moved |= to ^ at[k];
                    at[k] = to;
                }
        }
#pragma GCC unroll 16
        for (std::size_t k = 0; k < kPaths; ++k) paths.at[k] = at[k];
    }

    template <bool kMissing, class End>
    void descend(const RowBlock& rows, const Value* values, std::span<const std::uint32_t> samples,
                 End& end) const {
        Paths<kMissing> paths;
        constexpr std::size_t kPaths = paths.kSize;
        for (std::size_t begin = 0; begin < samples.size(); begin += kPaths) {
            const auto batch = samples.subspan(begin, std::min(kPaths, samples.size() - begin));
            for (std::size_t k = 0; k < kPaths; ++k) {
                paths.at[k] = kRoot;
                paths.samples[k] = sample(rows, values, batch[std::min(k, batch.size() - 1)]);
            }
            do down<kMissing>(paths);
            while (some_wait_ && lead_on(paths.at, rows, batch));
            for (std::size_t k = 0; k < batch.size(); ++k) end(batch[k], leaf(paths.at[k]));
        }
    }

    // Takes the steps of all paths that wait; returns false if there are none.
    bool lead_on(std::span<std::uint32_t> at, const RowBlock& rows,
                 std::span<const std::uint32_t> batch) const;

    const LevelBlock& block_;
    std::vector<UnpackedNode> nodes_;
    std::vector<std::uint32_t> at_;  // while unpacking: the new number of each packed node
    const PackedTree* packed_ = nullptr;
    bool some_wait_ = false;
};

template <class Choose>
void UnpackedLevels::unpack(const PackedTree& tree, Choose&& in_place) {
    const auto n = static_cast<std::uint32_t>(tree.n_places());
    packed_ = &tree;
    some_wait_ = false;
    nodes_.resize(std::max(nodes_.size(), first_child_of(n)));
    at_.resize(std::max(at_.size(), n + std::size_t{1}));
    at_[PackedTree::kRoot] = kRoot;
    for (Place t = 0; t < n; ++t) {
        const std::uint32_t here = at_[t];
        const PackedNode& node = tree.nodes()[t];
        const InPlace what = in_place(t, here);
        if (what < InPlace::node) {
            const auto which = static_cast<std::uint32_t>(what);
            const Child kept = node.child(which);
            nodes_[here] = {0, kept.content(), here, 0};
            at_[std::min(node.child(1 - which).bits(), n)] = 0;
            at_[std::min(kept.bits(), n)] = here;
            continue;
        }
        nodes_[here] = what == InPlace::end ? UnpackedNode{0, 0, here, 0} : unpacked(tree, t, here);
        // Every child is written as a leaf, and overwritten later if it is an inner node: this
        // needs no unpredictable branch. `at_` of leaves goes to an extra last element.
        for (std::uint32_t which = 0; which < 2; ++which) {
            const auto child = static_cast<std::uint32_t>(first_child_of(t)) + which;
            const std::uint32_t bits = node.child(which).bits();
            nodes_[child] = {0, Child(bits).content(), child, 0};
            at_[std::min(bits, n)] = child;
        }
    }
}

}  // namespace silvics
