// A tree with what its inner nodes had when they grew, and the trees that would have grown under
// stricter limits. Random streams are keyed by the path of a node, so that these trees are the same
// up to nodes that are leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "tree/stored_tree.hpp"

namespace silvics {

struct DetailedTree {
    std::shared_ptr<const StoredTree> tree;  // plain
    // By node: p(t) times the decrease of impurity, in the unit of impurities; 0 at leaves.
    std::vector<double> decrease;
    // In a tree without node values, rows of class weights for all nodes.
    std::vector<double> class_weights;
    CompactionRule compaction = CompactionRule::none;  // of trees of this growth

    const Tree& plain() const { return *tree->plain(); }
    // Writes what a node predicts, before shrinkage.
    void write_value(NodeId t, std::span<double> value) const;
    std::size_t memory_bytes() const {
        return tree->memory_bytes() + 8 * (decrease.capacity() + class_weights.capacity());
    }
};

// Limits of growth, and a shrinkage of values that can be applied to a grown tree.
struct TreeLimits {
    static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

    std::size_t max_depth = kNone;
    std::size_t min_samples_split = 0;
    double min_impurity_decrease = 0.0;
    std::size_t max_leaf_nodes = kNone;  // of growth that is best first
    // Hierarchical shrinkage (Agarwal et al. 2022): the change of value from a node of weight w to
    // its child is divided by 1 + shrinkage / w.
    double shrinkage = 0.0;
};

// For each node of the tree, whether it becomes a leaf under these limits while its ancestors are
// split. Leaves of the tree are not marked.
std::vector<char> cut_by(const DetailedTree& tree, const TreeLimits& limits);
// The same for at most 64 limits: for each node, a bit for each of them.
std::vector<std::uint64_t> cuts_by(const DetailedTree& tree, std::span<const TreeLimits> limits);

// The part of the change of value, from a node of this weight to its children, that shrinkage
// keeps.
inline double kept_by_shrinkage(double shrinkage, double weight) {
    return 1.0 / (1.0 + shrinkage / weight);
}
// What the nodes predict, rows of value_width(), after shrinkage.
std::vector<double> shrunken_values(const Tree& tree, double shrinkage);

// The tree as it would have grown under the limits.
StoredTree collapse(const DetailedTree& tree, const TreeLimits& limits);

}  // namespace silvics
