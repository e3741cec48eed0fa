// Which columns of predictions have values below each node of a tree: most nodes deep in a tree
// have leaves of a few classes only.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "shap/explained_tree.hpp"

namespace silvics {

// A few columns at a time.
class ColumnsBelow {
public:
    static constexpr std::size_t kColumns = 8;

    void prepare(const ExplainedTree& tree, std::span<const std::uint8_t> skipped,
                 std::size_t first) {
        first_ = first;
        bits_.assign(tree.n_nodes(), 0);
        path_.assign(1, 0);  // the nodes above, by depth
        const auto leave = [&] {
            const std::uint8_t below = bits_[path_.back()];
            path_.pop_back();
            bits_[path_.back()] |= below;
        };
        for (NodeId t = 1; t < tree.n_nodes(); ++t) {
            while (path_.size() > tree.edge(t).depth) leave();
            path_.push_back(t);
            if (!tree.leaf(t)) continue;
            tree.for_values(t, [&](std::size_t column, double) {
                const std::size_t c = column - first;  // wraps around for columns before
                if (c < kColumns && !skipped[column])
                    bits_[t] |= static_cast<std::uint8_t>(1U << c);
            });
        }
        while (path_.size() > 1) leave();
    }

    bool any(NodeId t) const { return bits_[t] != 0; }
    std::uint8_t bits(NodeId t) const { return bits_[t]; }  // of the columns first() + c
    // visit(c) for the columns first() + c with values below a node.
    template <class Visit>
    void for_each(NodeId t, Visit&& visit) const {
        for (unsigned bits = bits_[t]; bits != 0; bits &= bits - 1)
            visit(static_cast<std::size_t>(std::countr_zero(bits)));
    }
    // visit(c, value) for these columns of a leaf.
    template <class Visit>
    void for_values(const ExplainedTree& tree, NodeId leaf, Visit&& visit) const {
        tree.for_values(leaf, [&](std::size_t column, double value) {
            const std::size_t c = column - first_;
            if (c < kColumns && (bits_[leaf] >> c & 1) != 0) visit(c, value);
        });
    }
    std::size_t first() const { return first_; }

private:
    std::size_t first_ = 0;
    std::vector<std::uint8_t> bits_;
    std::vector<NodeId> path_;
};

}  // namespace silvics
