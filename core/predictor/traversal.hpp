// Traversal of packed trees (Algorithm 3.1) by many samples in one tree, or by one sample in many
// trees.
//
// A step waits for memory: for the node, then for the sample's value. Up to 256 paths therefore
// advance in turn, one step each, so that their waits overlap.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "predictor/packed_tree.hpp"
#include "predictor/row_blocks.hpp"

namespace silvics {

// Up to kMaxPaths paths that are traversed together, and the current node of each.
class Traversal {
public:
    static constexpr std::size_t kMaxPaths = 256;

    // `identify`: leaf(i) has the position of the leaf as well as its content.
    explicit Traversal(bool identify = false) : identify_(identify) {}

    // The given samples of a block descend one tree. Afterwards leaf(i) is the leaf of sample i.
    void down(const PackedTree& tree, bool ordered, const RowBlock& block,
              std::span<const std::uint32_t> samples) {
        for (const std::uint32_t i : samples) {
            at_[i] = PackedTree::kRoot;
            rows_[i] = block.row(i);
        }
        std::ranges::copy(samples, open_.begin());
        advance(
            samples.size(), ordered, [&](std::size_t) -> const PackedTree& { return tree; },
            [&](std::size_t i) { return rows_[i]; });
    }

    // One sample descends several trees. Afterwards leaf(m) is its leaf in trees[m].
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
        return identify_ ? PackedLeaf{content, parent_[i], which_[i]} : PackedLeaf{content};
    }

private:
    template <class... Lookups>
    void advance(std::size_t n, bool ordered, Lookups&&... lookups) {
        if (identify_)
            ordered ? advance<true, true>(n, lookups...) : advance<false, true>(n, lookups...);
        else
            ordered ? advance<true, false>(n, lookups...) : advance<false, false>(n, lookups...);
    }

    // One step of each open path in turn, until all paths have reached a leaf.
    template <bool kOrdered, bool kIdentify, class TreeOf, class SampleOf>
    void advance(std::size_t n, TreeOf& tree_of, SampleOf& sample_of) {
        while (n > 0) {
            std::size_t n_open = 0;
            for (std::size_t k = 0; k < n; ++k) {
                const std::size_t i = open_[k];
                const PackedTree& tree = tree_of(i);
                const char* const nodes = reinterpret_cast<const char*>(tree.nodes());
                const auto& node = *reinterpret_cast<const PackedNode*>(nodes + at_[i]);
                const auto [to, which] = tree.next<kOrdered>(node, sample_of(i));
                if constexpr (kIdentify) {
                    parent_[i] = static_cast<Place>(at_[i] / PackedNode::kBytes);
                    which_[i] = which;
                }
                // The next node is loaded while the other paths take their steps.
                const std::size_t next = std::size_t{to.content()} * PackedNode::kBytes;
                __builtin_prefetch(nodes + next);
                __builtin_prefetch(nodes + next + PackedNode::kBytes - 1);
                at_[i] = next;
                open_[n_open] = static_cast<std::uint32_t>(i);
                n_open += !to.leaf();
            }
            n = n_open;
        }
    }

    bool identify_;
    // The offset of each path's node in bytes; for a path that has ended, the content of its leaf
    // in place of the number of a node.
    std::array<std::size_t, kMaxPaths> at_;
    std::array<const double*, kMaxPaths> rows_;
    std::array<std::uint32_t, kMaxPaths> open_, parent_, which_;
};

}  // namespace silvics
