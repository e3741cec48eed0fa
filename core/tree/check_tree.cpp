#include "tree/check_tree.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace silvics {
namespace {

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(std::string("not a valid tree: ") + what);
}

void check_pure(const TreeBase& tree, const Node& leaf) {
    require(tree.n_outputs == 1 && leaf.pure_class() < tree.n_classes[0], "class of a leaf");
}

// The statistics of nodes and the values of a plain tree.
void check_plain(const Tree& tree) {
    const std::size_t n = tree.nodes.size(), width = tree.value_width();
    require(tree.n_node_samples.size() == n && tree.weighted_n_node_samples.size() == n &&
                tree.impurity.size() == n,
            "length of an array");
    const bool per_node = tree.has_node_values();
    require(per_node ? tree.node_values.size() / width == n &&
                           tree.node_values.size() % width == 0 && tree.leaf_weights.empty()
                     : tree.classification(),
            "values");
    require(std::ranges::all_of(tree.node_values, [](double v) { return std::isfinite(v); }),
            "value of a node");
    require(tree.leaf_weights.size() % width == 0, "leaf weights");
    const std::size_t rows = tree.leaf_weights.size() / width;
    std::size_t row = 0;
    for (NodeId t = 0; t < n; ++t) {
        const double weight = tree.weighted_n_node_samples[t];
        const Node& node = tree.nodes[t];
        const bool may_be_empty = per_node && node.leaf() && t > 0;
        require((may_be_empty ? weight >= 0.0 : weight > 0.0) && std::isfinite(weight),
                "weight of a node");
        require(std::isfinite(tree.impurity[t]), "impurity of a node");
        if (!node.leaf() || per_node) continue;
        if (node.pure())
            check_pure(tree, node);
        else
            require(node.weights_row() == row++, "weights of a leaf");
    }
    require(row == rows, "leaf weights");
}

// A row of class weights adds up to the weight of the leaf for each output.
void check_row(const CompactTree& tree, std::size_t at, double leaf_weight) {
    for (const ClassId n_classes : tree.n_classes) {
        double sum = 0.0;
        for (ClassId c = 0; c < n_classes; ++c) {
            const double weight = tree.class_weight(at++);
            require(weight >= 0.0, "weights of a leaf");
            sum += weight;
        }
        require(std::fabs(sum - leaf_weight) <= 1e-6 * leaf_weight, "weights of a leaf");
    }
}

// The lengths of the arrays of a compact tree.
void check_lengths(const CompactTree& tree) {
    const std::size_t leaves = tree.n_leaves(), width = tree.value_width();
    const auto none_or_one_each = [&](const auto& array) {
        return array.empty() || array.size() == leaves;
    };
    const Counts& whole = tree.whole_weights;
    require(whole.narrow.empty() || whole.wide.empty(), "whole weights");
    require(none_or_one_each(tree.n_leaf_samples) &&
                none_or_one_each(tree.weighted_n_leaf_samples) &&
                none_or_one_each(tree.leaf_impurity),
            "length of an array");
    if (tree.classification()) {
        require(tree.weighted_n_leaf_samples.empty() && tree.leaf_impurity.empty(),
                "length of an array");
        require((tree.counts_in_leaves() ? tree.leaf_weights.empty() : whole.empty()) &&
                    (tree.leaf_weights.size() + whole.size()) % width == 0,
                "leaf weights");
    } else {
        require(tree.n_leaf_samples.empty() && tree.leaf_weights.empty(), "length of an array");
        require(none_or_one_each(whole) && (whole.empty() || tree.weighted_n_leaf_samples.empty()),
                "whole weights");
    }
}

// The statistics of leaves and the class weights of a compact tree.
void check_compact(const CompactTree& tree) {
    const bool classes = tree.classification();
    require(tree.rule != CompactionRule::none && tree.rule <= CompactionRule::variance &&
                classes == (tree.rule != CompactionRule::variance),
            "derivation");
    require(classes || tree.n_outputs == 1, "values");
    check_lengths(tree);
    const LeafScales scales = tree.leaf_scales();
    if (!classes)
        require(tree.impurity_exponent % 2 == 0 && scales.output > 0.0, "unit of impurities");
    const std::size_t width = tree.value_width();
    const std::size_t rows =
        classes ? (tree.leaf_weights.size() + tree.whole_weights.size()) / width : 0;
    std::size_t number = 0, row = 0, samples = 0;
    for (NodeId t = 0; t < tree.nodes.size(); ++t) {
        const Node& node = tree.nodes[t];
        if (!node.leaf()) continue;
        const LeafStats leaf = tree.leaf_stats(t, number++);
        require(scales.suit(leaf), "numbers of a leaf");
        samples += leaf.n;
        if (!classes) continue;
        if (node.pure()) {
            check_pure(tree, node);
            continue;
        }
        require(node.weights_row() == row && row < rows, "weights of a leaf");
        check_row(tree, width * row++, leaf.weight);
    }
    require(row == rows, "leaf weights");
    require(samples <= kMaxRows, "number of samples");
}

void check_sizes(const TreeBase& tree) {
    require(!tree.nodes.empty() && tree.nodes.size() <= kMaxIds, "number of nodes");
    require(tree.n_features > 0 && tree.n_features <= kMaxIds, "number of variables");
    require(tree.n_outputs > 0, "number of outputs");
    require(!tree.classification() || tree.n_classes.size() == tree.n_outputs,
            "numbers of classes");
    require(std::ranges::all_of(tree.n_classes, [](auto c) { return c > 0 && c < kPureBit; }),
            "a number of classes");
    require(tree.value_width() <= kMaxIds, "number of classes");
    require(tree.impurity_exponent >= -4096 && tree.impurity_exponent <= 4096,
            "unit of impurities");
}

// The rule of an inner node. `records_end`: where the record of the next node that has one begins.
void check_rule(const TreeBase& tree, const Node& node, std::size_t& records_end) {
    require(static_cast<std::size_t>(node.feature) < tree.n_features, "variable of a split");
    // An infinite threshold separates missing values from all others.
    if (!tree.has_record(node)) {
        require(node.rule().is_threshold() || node.rule().levels().valid(tree.level_sets),
                "threshold of a split");
        return;
    }
    require(node.rule().record_offset() == records_end && records_end < tree.branches.size(),
            "order of records");
    require(BranchRecord::valid(std::span(tree.branches).subspan(records_end), tree.n_features,
                                tree.level_sets),
            "record of a split");
    const BranchRecord record = tree.record(node);
    require(!tree.both_children || record.n_terms() == 0 || record.n_children() == 2,
            "children of a node");
    const auto children = record.children();
    require(node.second() == children[children.size() > 1 ? 1 : 0], "record of a split");
    records_end += record.size();
}

// Depth-first order: each node is the first child of the node before it, or the next child of the
// innermost inner node that still waits for one.
void check_nodes(const TreeBase& tree) {
    struct Waiting {
        NodeId child;
        std::uint32_t depth;
    };
    std::vector<Waiting> waiting;
    std::uint32_t deepest = 0;
    std::size_t records_end = 0;  // records are in the order of their nodes
    for (NodeId t = 0; t < tree.nodes.size(); ++t) {
        std::uint32_t depth = 0;
        if (t > 0) {
            require(!waiting.empty() && waiting.back().child == t, "order of nodes");
            depth = waiting.back().depth;
            waiting.pop_back();
        }
        deepest = std::max(deepest, depth);
        const Node& node = tree.nodes[t];
        if (node.leaf()) {
            require(node.feature == kLeaf, "kind of a node");
            continue;
        }
        check_rule(tree, node, records_end);
        const std::size_t first = waiting.size();
        tree.for_children(t, [&](NodeId child) { waiting.push_back({child, depth + 1}); });
        require(waiting[first].child == t + 1, "order of nodes");
        std::reverse(waiting.begin() + static_cast<std::ptrdiff_t>(first), waiting.end());
    }
    require(waiting.empty(), "an inner node without all its children");
    require(records_end == tree.branches.size(), "records of no node");
    require(deepest == tree.max_depth, "depth");
}

}  // namespace

void check_tree(const Tree& tree) {
    check_sizes(tree);
    check_nodes(tree);
    require(tree.branches.empty() || tree.has_node_values(), "values of branches");
    check_plain(tree);
}

void check_tree(const CompactTree& tree) {
    check_sizes(tree);
    check_nodes(tree);
    require(tree.branches.empty(), "values of branches");
    check_compact(tree);
}

void check_tree(const StoredTree& tree) {
    tree.visit([](const auto& form) { check_tree(form); });
}

}  // namespace silvics
