// Many ways down trees at once (Algorithm 3.1). Everything that walks trees walks here.
//
// A step waits for memory: for the node, then for the sample's value. So many ways go down side
// by side, a step each in turn: the samples of a block down one tree, or one sample down many
// trees.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "predictor/packed_tree.hpp"
#include "predictor/row_blocks.hpp"

namespace silvics {

// Ways down trees, up to kMost at once, and where they are.
class Walk {
public:
    static constexpr std::size_t kMost = 256;

    // Some samples of a block down one tree; they are at(i) afterwards.
    void down(const PackedTree& tree, bool ordered, const RowBlock& block,
              std::span<const std::uint32_t> some) {
        for (const std::uint32_t i : some) at_[i] = PackedTree::kRoot;
        std::ranges::copy(some, open_.begin());
        advance(
            some.size(), ordered, [&](std::uint32_t) -> const PackedTree& { return tree; },
            [&](std::uint32_t i) { return block.row(i); });
    }

    // One sample down some trees; it is at(m) of each.
    void down(std::span<const PackedTree> trees, bool ordered, const double* sample) {
        for (std::uint32_t m = 0; m < trees.size(); ++m) {
            at_[m] = PackedTree::kRoot;
            open_[m] = m;
        }
        advance(
            trees.size(), ordered, [&](std::uint32_t m) -> const PackedTree& { return trees[m]; },
            [&](std::uint32_t) { return sample; });
    }

    Place at(std::size_t i) const { return at_[i]; }

private:
    template <class... Of>
    void advance(std::size_t n, bool ordered, Of&&... of) {
        if (ordered)
            advance<true>(n, of...);
        else
            advance<false>(n, of...);
    }

    // A step of each way that is open, until none is.
    template <bool kOrdered, class TreeOf, class SampleOf>
    void advance(std::size_t n, TreeOf& tree_of, SampleOf& sample_of) {
        while (n > 0) {
            std::size_t still = 0;
            for (std::size_t k = 0; k < n; ++k) {
                const std::uint32_t i = open_[k];
                const PackedTree& tree = tree_of(i);
                const Place t = at_[i], next = tree.next<kOrdered>(t, sample_of(i));
                // It comes while the other ways take their steps.
                __builtin_prefetch(tree.nodes() + next);
                at_[i] = next;
                open_[still] = i;
                still += next != t;
            }
            n = still;
        }
    }

    std::array<Place, kMost> at_;
    std::array<std::uint32_t, kMost> open_;
};

}  // namespace silvics
