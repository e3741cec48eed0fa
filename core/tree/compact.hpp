// Conversion between plain and compact trees.
#pragma once

#include <optional>
#include <vector>

#include "tree/stored_tree.hpp"

namespace silvics {

// The statistics of the leaves of a tree, in the order of nodes.
struct Leaves {
    std::vector<NodeId> ids;
    std::vector<std::uint32_t> n;
    std::vector<double> weight, impurity;
    std::vector<double> mean;           // of one real output
    std::vector<double> class_weights;  // rows of the leaves that are not pure
};

// The compact tree of these nodes with these leaves.
CompactTree compact_tree(TreeBase nodes, const Leaves& leaves, CompactionRule rule);
// The tree in a quarter of the bytes, if by this rule the statistics of its inner nodes follow from
// those of its leaves, up to rounding.
std::optional<CompactTree> compact(const Tree& tree, CompactionRule rule);
// The compact tree if there is one, and otherwise the plain tree.
StoredTree stored(Tree tree, CompactionRule rule);

// The statistics of all nodes, computed from those of the leaves.
Tree expand(const CompactTree& tree);
// A copy of a plain tree, or an expanded compact one.
Tree expand(const StoredTree& tree);

}  // namespace silvics
