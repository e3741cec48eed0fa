// A grown tree: the arrays of Table 5.2, compact and immutable.
//
// Nodes stand in depth-first order, the first child right after its parent, so one link per
// node suffices. A threshold node is 16 bytes; kinds of split that need more keep it in side
// tables. Class weights are stored at leaves only (a pure leaf is a class number): those of
// an inner node are the sums over its leaves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace silvics {

inline constexpr std::int32_t kLeaf = -2;  // scikit-learn's mark, in `feature` and `threshold`

struct Node {
    double threshold = kLeaf;
    std::int32_t feature = kLeaf;
    // Inner node: its second child. Leaf with class weights: kPureBit | class, or the number of
    // its row in leaf_weights.
    std::uint32_t link = 0;

    bool leaf() const { return feature < 0; }
};

inline constexpr std::uint32_t kPureBit = std::uint32_t{1} << 31;

struct Tree {
    std::size_t n_features = 0, n_outputs = 1;
    std::vector<std::uint32_t> n_classes;  // per output; empty for regression
    std::uint32_t max_depth = 0;

    std::vector<Node> nodes;
    std::vector<std::uint32_t> n_node_samples;
    std::vector<double> weighted_n_node_samples;
    // In units that squares of very large or small outputs fit into; times two to the
    // impurity_exponent, the user's.
    std::vector<double> impurity;
    int impurity_exponent = 0;
    std::vector<std::uint8_t> missing_go_to_left;  // empty: no node has seen a missing value

    // One of the two: class weights of impure leaves, or what each node predicts.
    std::vector<double> leaf_weights;
    std::vector<double> node_values;

    bool classification() const { return !n_classes.empty(); }
    std::size_t value_width() const;  // class weights of all outputs, or one number per output
    std::size_t n_leaves() const;

    // Weight of every class at a node, where leaves keep them.
    void write_class_weights(NodeId t, std::span<double> weights) const;
    // What a node predicts: class shares or means. Inner nodes too, in any layout.
    void write_value(NodeId t, std::span<double> value) const;
    // What all nodes predict, rows of value_width().
    std::vector<double> all_values() const;
    // One past the last node below t.
    std::vector<NodeId> subtree_ends() const;
    std::vector<std::uint32_t> depths() const;
    std::size_t memory_bytes() const;
};

// Throws std::invalid_argument unless every index of the tree is in range, every node has one
// parent before it, and the arrays fit together. What passes can be walked without checks.
void check_tree(const Tree& tree);

}  // namespace silvics
