// A plain stored tree: the arrays of Table 5.2, with the statistics of every node.
//
// Class weights are stored for leaves only (a pure leaf has a class number); those of an inner node
// are the sums over its leaves. A tree with records or with leaves without samples stores the value
// of every node instead.
#pragma once

#include <span>
#include <vector>

#include "tree/tree_base.hpp"

namespace silvics {

struct Tree : TreeBase {
    Tree() = default;
    explicit Tree(TreeBase base) : TreeBase(std::move(base)) {}

    // One entry per node.
    std::vector<std::uint32_t> n_node_samples;
    std::vector<double> weighted_n_node_samples;
    std::vector<double> impurity;

    // One of the two: rows of class weights for the leaves that are not pure, or rows of what each
    // node predicts.
    std::vector<double> leaf_weights;
    std::vector<double> node_values;

    bool has_node_values() const { return !node_values.empty(); }

    // ---- leaves: a CompactTree has the same functions
    bool pure(const Node& leaf) const { return node_values.empty() && leaf.pure(); }
    // What a leaf of one real output predicts.
    double leaf_mean(NodeId leaf) const { return node_values[leaf]; }
    // Writes the class weights of a leaf that is not pure, or what a leaf predicts; returns the
    // weight that they are to be divided by.
    double write_leaf_row(NodeId leaf, std::span<double> row) const;

    // ---- any node
    // The weight of every class at a node, in a tree without node values.
    void write_class_weights(NodeId t, std::span<double> weights) const;
    // What a node predicts: class shares or means.
    void write_value(NodeId t, std::span<double> value) const;
    // What all nodes predict, rows of value_width().
    std::vector<double> all_values() const;

    std::size_t memory_bytes() const;  // of the arrays
};

}  // namespace silvics
