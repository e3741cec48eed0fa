// A compact stored tree: the statistics of the leaves only, most of them inside the nodes. Those of
// inner nodes follow from the leaves; expand() computes them (compact.hpp).
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/counts.hpp"
#include "tree/tree_base.hpp"

namespace silvics {

// How the impurity of an inner node follows from the leaves below it. `none` marks criteria whose
// trees are stored plain; a compact tree never has it.
enum class CompactionRule : std::uint8_t { none, gini, entropy, misclassification, variance };

// The statistics of a leaf; impurity and mean are 0 in trees with class weights.
struct LeafStats {
    std::uint32_t n = 0;
    double weight = 0.0, impurity = 0.0, mean = 0.0;
};

// Powers of two in which sums and squares over leaves stay far from overflow.
struct LeafScales {
    double weight = 1.0, output = 1.0;
    // The unit of variances is that of outputs, squared.
    static LeafScales of_impurities(int exponent) {
        return {.output = std::ldexp(1.0, -exponent / 2)};
    }
    bool suit(const LeafStats& leaf) const {
        const double w = leaf.weight * weight, mean = leaf.mean * output;
        return leaf.n > 0 && w >= 1e-100 && w <= 1e100 && leaf.impurity >= 0.0 &&
               leaf.impurity <= 1e120 && std::fabs(mean) <= 1e60;
    }
};

struct CompactTree : TreeBase {
    CompactTree() = default;
    CompactTree(TreeBase base, CompactionRule by) : TreeBase(std::move(base)), rule(by) {}

    CompactionRule rule = CompactionRule::none;

    // Class weights, in rows for the leaves that are not pure. Where all weights of the tree are
    // whole, `whole_weights` has the rows and the nodes have LeafCounts. Otherwise `leaf_weights`
    // has the rows, the nodes have the weights of leaves, and `n_leaf_samples` their samples.
    std::vector<double> leaf_weights;
    std::vector<std::uint32_t> n_leaf_samples;
    // Means: the nodes have mean and number of samples. Weights of leaves are equal to the number
    // of samples, or else in `whole_weights` or in `weighted_n_leaf_samples`. Impurities of leaves
    // are zero if there are none.
    std::vector<double> weighted_n_leaf_samples;
    std::vector<double> leaf_impurity;

    Counts whole_weights;

    // Whether leaves with class weights have LeafCounts.
    bool counts_in_leaves() const { return n_leaf_samples.empty(); }
    // The statistics of node `leaf`, which is the leaf with this number, in the order of nodes.
    LeafStats leaf_stats(NodeId leaf, std::size_t number) const {
        const Node& node = nodes[leaf];
        if (classification() && counts_in_leaves())
            return {.n = node.counts().n, .weight = static_cast<double>(node.counts().weight)};
        if (classification()) return {.n = n_leaf_samples[number], .weight = node.weight()};
        const std::uint32_t n = node.n_samples();
        LeafStats stats{.n = n, .weight = static_cast<double>(n)};
        if (!whole_weights.empty()) stats.weight = whole_weights[number];
        if (!weighted_n_leaf_samples.empty()) stats.weight = weighted_n_leaf_samples[number];
        if (!leaf_impurity.empty()) stats.impurity = leaf_impurity[number];
        stats.mean = node.mean();
        return stats;
    }
    LeafScales leaf_scales() const;
    // Entry i of the rows of class weights.
    double class_weight(std::size_t i) const {
        return counts_in_leaves() ? whole_weights[i] : leaf_weights[i];
    }

    // ---- leaves: a plain Tree has the same functions
    bool has_node_values() const { return false; }
    bool pure(const Node& leaf) const { return leaf.pure(); }
    // What a leaf of one real output predicts.
    double leaf_mean(NodeId leaf) const { return nodes[leaf].mean(); }
    // Writes the class weights of a leaf that is not pure; returns their sum for one output.
    double write_leaf_row(NodeId leaf, std::span<double> row) const;

    std::size_t memory_bytes() const;  // of the arrays
};

}  // namespace silvics
