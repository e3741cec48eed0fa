// Many samples down one tree, or one sample down many trees, a step of each in turn (Algorithm
// 3.1), so that their waits for memory overlap.
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
class Traversal {
public:
    static constexpr std::size_t kMost = 256;

    // `knowing`: whether leaf(i) tells which leaf it is, and not only what it has.
    explicit Traversal(bool knowing = false) : knowing_(knowing) {}

    // Some samples of a block down one tree; they are in leaf(i) afterwards.
    void down(const PackedTree& tree, bool ordered, const RowBlock& block,
              std::span<const std::uint32_t> some) {
        for (const std::uint32_t i : some) {
            at_[i] = PackedTree::kRoot;
            rows_[i] = block.row(i);
        }
        std::ranges::copy(some, open_.begin());
        advance(
            some.size(), ordered, [&](std::size_t) -> const PackedTree& { return tree; },
            [&](std::size_t i) { return rows_[i]; });
    }

    // One sample down some trees; it is in leaf(m) of each.
    void down(std::span<const PackedTree> trees, bool ordered, const double* sample) {
        for (std::uint32_t m = 0; m < trees.size(); ++m) {
            at_[m] = PackedTree::kRoot;
            open_[m] = m;
        }
        advance(
            trees.size(), ordered, [&](std::size_t m) -> const PackedTree& { return trees[m]; },
            [&](std::size_t) { return sample; });
    }

    PackedLeaf leaf(std::size_t i) const {
        const auto content = static_cast<std::uint32_t>(at_[i] / PackedNode::kBytes);
        return knowing_ ? PackedLeaf{content, parent_[i], which_[i]} : PackedLeaf{content};
    }

private:
    template <class... Of>
    void advance(std::size_t n, bool ordered, Of&&... of) {
        if (knowing_)
            ordered ? advance<true, true>(n, of...) : advance<false, true>(n, of...);
        else
            ordered ? advance<true, false>(n, of...) : advance<false, false>(n, of...);
    }

    // A step of each way that is open, until none is.
    template <bool kOrdered, bool kKnowing, class TreeOf, class SampleOf>
    void advance(std::size_t n, TreeOf& tree_of, SampleOf& sample_of) {
        while (n > 0) {
            std::size_t still = 0;
            for (std::size_t k = 0; k < n; ++k) {
                const std::size_t i = open_[k];
                const PackedTree& tree = tree_of(i);
                const char* const nodes = reinterpret_cast<const char*>(tree.nodes());
                const auto& node = *reinterpret_cast<const PackedNode*>(nodes + at_[i]);
                const auto [to, which] = tree.next<kOrdered>(node, sample_of(i));
                if constexpr (kKnowing) {
                    parent_[i] = static_cast<Place>(at_[i] / PackedNode::kBytes);
                    which_[i] = which;
                }
                // It comes while the other ways take their steps.
                const std::size_t next = std::size_t{to.content()} * PackedNode::kBytes;
                __builtin_prefetch(nodes + next);
                __builtin_prefetch(nodes + next + PackedNode::kBytes - 1);
                at_[i] = next;
                open_[still] = static_cast<std::uint32_t>(i);
                still += !to.leaf();
            }
            n = still;
        }
    }

    bool knowing_;
    std::array<std::size_t, kMost>
        at_;  // in bytes; of ways that have ended, as if leaves were nodes
    std::array<const double*, kMost> rows_;
    std::array<std::uint32_t, kMost> open_, parent_, which_;
};

}  // namespace silvics
