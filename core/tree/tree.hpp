// A grown tree: the arrays of Table 5.2, compact and immutable.
//
// Nodes stand in depth-first order, the first child right after its parent, so one link per
// node suffices. A threshold node is 16 bytes; a category node has its rule in the place of the
// threshold (level_rule.hpp), and a large set of levels in a side table; nodes with other than two
// children, or a combination of variables, have a record there (branches.hpp). Class weights are
// stored at leaves only (a pure leaf is a class number): those of an inner node are the sums over
// its leaves. A tree with records or leaves without samples keeps the value of every node.
//
// There are two layouts. A plain tree tells samples, weight and impurity of every node. A compact
// one tells them of leaves, most of it inside the node, where an inner one has its threshold; what
// inner nodes have is derived. Walking is the same for both; who asks more, asks expand().
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/page_pool.hpp"
#include "base/types.hpp"
#include "tree/branches.hpp"

namespace silvics {

inline constexpr std::int32_t kOblique = -3;  // how a combination is told to users
inline constexpr std::int32_t kLeaf = -2;     // scikit-learn's mark, in `feature` and `threshold`

// How the impurity of an inner node follows from the leaves below it.
enum class Derivation : std::uint8_t { none, gini, entropy, misclassification, variance };

struct LeafCounts {
    std::uint32_t n = 0, weight = 0;
};
// Whether a weight can be kept there.
inline bool is_count(double x) {
    return x >= 0.0 && x < 0x1.0p32 && x == static_cast<double>(static_cast<std::uint32_t>(x));
}

struct Node {
    // Leaf of a compact tree: its value, or its LeafCounts, or its weight where that is not whole.
    double threshold = kLeaf;
    std::int32_t feature = kLeaf;
    // Inner node: its second child, and kMissingLeftBit if missing values go to the first. Leaf
    // with class weights: kPureBit | class, or the number of its row of class weights. Leaf with a
    // value, compact: its n_node_samples.
    std::uint32_t link = 0;

    static constexpr std::uint32_t kMissingLeftBit = std::uint32_t{1} << 31;

    bool leaf() const { return feature < 0; }
    // Of inner nodes.
    NodeId second() const { return link & ~kMissingLeftBit; }
    bool missing_left() const { return (link & kMissingLeftBit) != 0; }
    void set_second(NodeId child, bool missing_left) {
        link = child | (missing_left ? kMissingLeftBit : 0);
    }
    // Whether another rule than a threshold says where samples go.
    bool category() const { return std::isnan(threshold); }
    LeafCounts counts() const { return std::bit_cast<LeafCounts>(threshold); }
};

inline constexpr std::uint32_t kPureBit = std::uint32_t{1} << 31;

// What a leaf of a compact tree keeps; impurity and value only where they are not of classes.
struct LeafStats {
    std::uint32_t n = 0;
    double weight = 0.0, impurity = 0.0, value = 0.0;
};

// Whole numbers, two bytes each where all of them fit.
struct Counts {
    std::vector<std::uint16_t> narrow;
    std::vector<std::uint32_t> wide;

    bool operator==(const Counts&) const = default;
    std::size_t size() const { return narrow.size() + wide.size(); }
    bool empty() const { return size() == 0; }
    std::uint32_t operator[](std::size_t i) const { return wide.empty() ? narrow[i] : wide[i]; }
    void push_back(std::uint32_t count) {
        if (wide.empty() && count < 1 << 16)
            narrow.push_back(static_cast<std::uint16_t>(count));
        else
            push_wide(count);
    }
    void shrink_to_fit() {
        narrow.shrink_to_fit();
        wide.shrink_to_fit();
    }

private:
    void push_wide(std::uint32_t count) {
        if (wide.empty()) wide.assign(narrow.begin(), narrow.end());
        narrow = std::vector<std::uint16_t>();
        wide.push_back(count);
    }
};

// Powers of two in which sums and squares over leaves stay far from overflow.
struct LeafScales {
    double weight = 1.0, output = 1.0;
    // The unit of variances is that of outputs, squared.
    static LeafScales of_impurities(int exponent) {
        return {.output = std::ldexp(1.0, -exponent / 2)};
    }
    bool suit(const LeafStats& leaf) const {
        const double w = leaf.weight * weight, value = leaf.value * output;
        return leaf.n > 0 && w >= 1e-100 && w <= 1e100 && leaf.impurity >= 0.0 &&
               leaf.impurity <= 1e120 && std::fabs(value) <= 1e60;
    }
};

struct Tree {
    std::size_t n_features = 0, n_outputs = 1;
    std::vector<std::uint32_t> n_classes;  // per output; empty for regression
    std::uint32_t max_depth = 0;

    Derivation derivation = Derivation::none;  // none: a plain tree

    PooledArray<Node> nodes;
    // Of each node. Compact: of each leaf, and only what is not in its node, not zero, not equal.
    std::vector<std::uint32_t> n_node_samples;
    std::vector<double> weighted_n_node_samples;
    // In units that squares of very large or small outputs fit into; times two to the
    // impurity_exponent, the user's.
    std::vector<double> impurity;
    int impurity_exponent = 0;
    std::vector<std::uint32_t> level_sets;  // of category nodes that keep theirs apart
    std::vector<std::uint32_t> branches;    // records of nodes of other kinds
    // Samples whose value is missing go to both children, with half their weight.
    bool both_children = false;

    // One of the two: class weights of impure leaves, or what each node predicts.
    std::vector<double> leaf_weights;
    std::vector<double> node_values;
    // Compact, where weights are whole: instead of leaf_weights, or of weighted_n_node_samples.
    Counts whole_weights;

    // The record of a node that has one.
    bool has_record(const Node& node) const {
        return node.category() && !branches.empty() &&
               LevelRule(node.threshold).form() == LevelRule::Form::record;
    }
    BranchRecord record(const Node& node) const {
        return BranchRecord(branches.data() + LevelRule(node.threshold).content());
    }
    std::span<NodeId> children_of(const Node& node) {
        const std::size_t at = LevelRule(node.threshold).content() + BranchRecord::kHead;
        return std::span(branches).subspan(at, record(node).n_children());
    }
    // visit(child) for the children of an inner node, in their order.
    template <class Visit>
    void for_children(NodeId t, Visit&& visit) const {
        const Node& node = nodes[t];
        if (has_record(node)) {
            for (const NodeId child : record(node).children()) visit(child);
        } else {
            visit(t + 1);
            visit(node.second());
        }
    }
    NodeId last_child(NodeId t) const {
        const Node& node = nodes[t];
        return has_record(node) ? record(node).children().back() : node.second();
    }

    bool compact() const { return derivation != Derivation::none; }
    bool classification() const { return !n_classes.empty(); }
    // Of a compact tree of classes: whether its leaves keep LeafCounts.
    bool counts_in_leaves() const { return n_node_samples.empty(); }
    // Of a compact tree: leaf t, the `number`-th.
    LeafStats leaf_stats(NodeId t, std::size_t number) const {
        const Node& node = nodes[t];
        if (classification() && counts_in_leaves())
            return {.n = node.counts().n, .weight = static_cast<double>(node.counts().weight)};
        if (classification()) return {.n = n_node_samples[number], .weight = node.threshold};
        LeafStats leaf{.n = node.link, .weight = static_cast<double>(node.link)};
        if (!whole_weights.empty()) leaf.weight = whole_weights[number];
        if (!weighted_n_node_samples.empty()) leaf.weight = weighted_n_node_samples[number];
        if (!impurity.empty()) leaf.impurity = impurity[number];
        leaf.value = node.threshold;
        return leaf;
    }
    LeafScales leaf_scales() const;
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

// The sizes and units of a tree, and its sets of levels; without nodes.
Tree header_of(const Tree& tree);

// A tree of combinations of variables, one for each of its own, as a tree of the variables: every
// node has the combination that it compares. One variable with coefficient one stays itself.
Tree on_combinations(const Tree& tree, const std::vector<std::vector<Term>>& combinations,
                     std::size_t n_features);

// Throws std::invalid_argument unless every index of the tree is in range, every node has one
// parent before it, and the arrays fit together. What passes can be traversed without checks.
void check_tree(const Tree& tree);

}  // namespace silvics
