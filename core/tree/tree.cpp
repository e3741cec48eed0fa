#include "tree/tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "tree/compact.hpp"
#include "tree/level_rule.hpp"

namespace silvics {
namespace {

// Adds the class weights of a leaf.
void add_leaf_weights(const Tree& tree, NodeId leaf, std::span<double> sum) {
    const std::uint32_t link = tree.nodes[leaf].link;
    if (link & kPureBit) {
        sum[link & ~kPureBit] += tree.weighted_n_node_samples[leaf];
        return;
    }
    const double* weights = tree.leaf_weights.data() + std::size_t{link} * sum.size();
    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += weights[c];
}

void divide(std::span<double> value, double weight) {
    for (double& v : value) v /= weight;
}

}  // namespace

std::size_t Tree::value_width() const {
    return classification() ? std::accumulate(n_classes.begin(), n_classes.end(), std::size_t{0})
                            : n_outputs;
}

std::size_t Tree::n_leaves() const {
    return static_cast<std::size_t>(std::ranges::count_if(nodes, &Node::leaf));
}

LeafScales Tree::leaf_scales() const {
    LeafScales scales = LeafScales::of_impurities(impurity_exponent);
    double largest = 0.0;  // of weights that are not whole
    if (!classification())
        for (const double w : weighted_n_node_samples) largest = std::max(largest, w);
    else if (!counts_in_leaves())
        for (const Node& node : nodes)
            if (node.leaf()) largest = std::max(largest, node.threshold);
    if (largest > 0.0)
        scales.weight = std::ldexp(1.0, -std::clamp(std::ilogb(largest), -1000, 1000));
    return scales;
}

void Tree::write_class_weights(NodeId t, std::span<double> weights) const {
    if (compact()) return expand(*this).write_class_weights(t, weights);
    std::ranges::fill(weights, 0.0);
    NodeId end = t + 1;  // of the subtree, as far as the second children seen reach
    for (NodeId u = t; u < end; ++u) {
        if (nodes[u].leaf())
            add_leaf_weights(*this, u, weights);
        else
            end = std::max(end, nodes[u].second() + 1);
    }
}

void Tree::write_value(NodeId t, std::span<double> value) const {
    if (compact()) return expand(*this).write_value(t, value);
    if (node_values.empty()) {
        write_class_weights(t, value);
        divide(value, weighted_n_node_samples[t]);
    } else {
        std::copy_n(node_values.begin() + static_cast<std::ptrdiff_t>(t * value.size()),
                    value.size(), value.begin());
    }
}

std::vector<double> Tree::all_values() const {
    if (compact()) return expand(*this).all_values();
    if (!node_values.empty()) return node_values;
    const std::size_t width = value_width();
    std::vector<double> values(nodes.size() * width, 0.0);
    const auto of = [&](NodeId t) { return std::span(values).subspan(t * width, width); };
    for (NodeId t = static_cast<NodeId>(nodes.size()); t-- > 0;) {
        if (nodes[t].leaf()) {
            add_leaf_weights(*this, t, of(t));
            continue;
        }
        const auto first = of(t + 1), second = of(nodes[t].second()), sum = of(t);
        for (std::size_t c = 0; c < width; ++c) sum[c] = first[c] + second[c];
    }
    for (NodeId t = 0; t < nodes.size(); ++t) divide(of(t), weighted_n_node_samples[t]);
    return values;
}

std::vector<NodeId> Tree::subtree_ends() const {
    std::vector<NodeId> ends(nodes.size());
    for (NodeId t = static_cast<NodeId>(nodes.size()); t-- > 0;)
        ends[t] = nodes[t].leaf() ? t + 1 : ends[last_child(t)];
    return ends;
}

std::vector<std::uint32_t> Tree::depths() const {
    std::vector<std::uint32_t> depth(nodes.size(), 0);
    for (NodeId t = 0; t < nodes.size(); ++t)
        if (!nodes[t].leaf()) for_children(t, [&](NodeId child) { depth[child] = depth[t] + 1; });
    return depth;
}

std::size_t Tree::memory_bytes() const {
    const auto bytes = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
    return sizeof(Tree) + bytes(n_classes) + bytes(nodes) + bytes(n_node_samples) +
           bytes(weighted_n_node_samples) + bytes(impurity) + bytes(level_sets) + bytes(branches) +
           bytes(leaf_weights) + bytes(node_values) + bytes(whole_weights.narrow) +
           bytes(whole_weights.wide);
}

Tree header_of(const Tree& tree) {
    Tree header;
    header.n_features = tree.n_features;
    header.n_outputs = tree.n_outputs;
    header.n_classes = tree.n_classes;
    header.max_depth = tree.max_depth;
    header.impurity_exponent = tree.impurity_exponent;
    header.level_sets = tree.level_sets;
    header.branches = tree.branches;
    header.both_children = tree.both_children;
    return header;
}

Tree on_combinations(const Tree& tree, const std::vector<std::vector<Term>>& combinations,
                     std::size_t n_features) {
    if (combinations.size() != tree.n_features)
        throw std::invalid_argument("one combination for each variable of the tree is needed");
    if (!tree.branches.empty())
        throw std::invalid_argument("a tree of plain splits in two is needed");
    Tree turned = expand(tree);
    if (turned.node_values.empty()) {  // class weights of leaves become shares of every node
        turned.node_values = tree.all_values();
        turned.leaf_weights.clear();
        for (Node& node : turned.nodes)
            if (node.leaf()) node.link = 0;
    }
    turned.n_features = n_features;
    for (NodeId t = 0; t < turned.nodes.size(); ++t) {
        Node& node = turned.nodes[t];
        if (node.leaf()) continue;
        const auto& terms = combinations[static_cast<std::size_t>(node.feature)];
        if (terms.empty()) throw std::invalid_argument("a combination of nothing");
        node.feature = static_cast<std::int32_t>(terms[0].feature);
        if (terms.size() == 1 && terms[0].coefficient == 1.0) continue;
        if (node.category()) throw std::invalid_argument("a category has no combination");
        Branching branching;
        branching.missing_child = node.missing_left() ? 0 : 1;
        branching.other_child = branching.missing_child;
        branching.terms = terms;
        branching.thresholds = {node.threshold};
        const std::size_t at = BranchRecord::append(branching, turned.branches);
        turned.branches[at + BranchRecord::kHead] = t + 1;
        turned.branches[at + BranchRecord::kHead + 1] = node.second();
        node.threshold = LevelRule(LevelRule::Form::record, at, false).in_place();
    }
    check_tree(turned);
    return turned;
}

namespace {

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(std::string("not a valid tree: ") + what);
}

// What each node of a plain tree keeps.
void check_plain(const Tree& tree) {
    const std::size_t n = tree.nodes.size(), width = tree.value_width();
    require(tree.n_node_samples.size() == n && tree.weighted_n_node_samples.size() == n &&
                tree.impurity.size() == n,
            "length of an array");
    require(tree.whole_weights.empty(), "whole weights");
    const bool per_node = !tree.node_values.empty();
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
        if (node.link & kPureBit)
            require(tree.n_outputs == 1 && (node.link & ~kPureBit) < tree.n_classes[0],
                    "class of a leaf");
        else
            require(node.link == row++, "weights of a leaf");
    }
    require(row == rows, "leaf weights");
}

// A row of class weights has the leaf's weight once for each output.
template <class Weights>
void check_row(const Tree& tree, const Weights& weights, std::size_t at, double leaf_weight) {
    for (const ClassId n_classes : tree.n_classes) {
        double sum = 0.0;
        for (ClassId c = 0; c < n_classes; ++c) {
            const double weight = weights[at++];
            require(weight >= 0.0, "weights of a leaf");
            sum += weight;
        }
        require(std::fabs(sum - leaf_weight) <= 1e-6 * leaf_weight, "weights of a leaf");
    }
}

// What each leaf of a compact tree keeps: each array is empty, or has all that is asked of it.
void check_compact(const Tree& tree) {
    const std::size_t leaves = tree.n_leaves(), width = tree.value_width();
    const auto none_or_one_each = [&](const auto& array) {
        return array.empty() || array.size() == leaves;
    };
    const bool classes = tree.classification(), counts = classes && tree.counts_in_leaves();
    require(tree.derivation <= Derivation::variance &&
                classes == (tree.derivation != Derivation::variance),
            "derivation");
    require(tree.whole_weights.narrow.empty() || tree.whole_weights.wide.empty(), "whole weights");
    require(tree.node_values.empty() && (classes || tree.n_outputs == 1), "values");
    require(none_or_one_each(tree.n_node_samples) &&
                none_or_one_each(tree.weighted_n_node_samples) && none_or_one_each(tree.impurity),
            "length of an array");
    if (classes) {
        require(tree.weighted_n_node_samples.empty() && tree.impurity.empty(),
                "length of an array");
        require((counts ? tree.leaf_weights.empty() : tree.whole_weights.empty()) &&
                    (tree.leaf_weights.size() + tree.whole_weights.size()) % width == 0,
                "leaf weights");
    } else {
        require(tree.n_node_samples.empty() && tree.leaf_weights.empty(), "length of an array");
        require(none_or_one_each(tree.whole_weights) &&
                    (tree.whole_weights.empty() || tree.weighted_n_node_samples.empty()),
                "whole weights");
        require(tree.impurity_exponent % 2 == 0 && tree.leaf_scales().output > 0.0,
                "unit of impurities");
    }
    const std::size_t rows =
        classes ? (tree.leaf_weights.size() + tree.whole_weights.size()) / width : 0;
    const LeafScales scales = tree.leaf_scales();
    std::size_t number = 0, row = 0, samples = 0;
    for (NodeId t = 0; t < tree.nodes.size(); ++t) {
        const Node& node = tree.nodes[t];
        if (!node.leaf()) continue;
        const LeafStats leaf = tree.leaf_stats(t, number++);
        require(scales.suit(leaf), "numbers of a leaf");
        samples += leaf.n;
        if (!classes) continue;
        if (node.link & kPureBit) {
            require(tree.n_outputs == 1 && (node.link & ~kPureBit) < tree.n_classes[0],
                    "class of a leaf");
            continue;
        }
        require(node.link == row && row < rows, "weights of a leaf");
        const std::size_t first = width * row++;
        if (counts)
            check_row(tree, tree.whole_weights, first, leaf.weight);
        else
            check_row(tree, tree.leaf_weights, first, leaf.weight);
    }
    require(row == rows, "leaf weights");
    require(samples <= kMaxRows, "number of samples");
}

}  // namespace

void check_tree(const Tree& tree) {
    const std::size_t n = tree.nodes.size();
    require(n > 0 && n <= kMaxIds, "number of nodes");
    require(tree.n_features > 0 && tree.n_features <= kMaxIds, "number of variables");
    require(tree.n_outputs > 0, "number of outputs");
    require(!tree.classification() || tree.n_classes.size() == tree.n_outputs,
            "numbers of classes");
    require(std::ranges::all_of(tree.n_classes, [](auto c) { return c > 0 && c < kPureBit; }),
            "a number of classes");
    require(tree.value_width() <= kMaxIds, "number of classes");
    require(tree.impurity_exponent >= -4096 && tree.impurity_exponent <= 4096,
            "unit of impurities");

    // Depth-first order: reading on, each node is the first child of the one before it, or the
    // next child of the innermost inner node that still waits for one.
    struct Waiting {
        NodeId child;
        std::uint32_t depth;
    };
    std::vector<Waiting> waiting;
    std::uint32_t deepest = 0;
    std::size_t records_end = 0;  // records stand in the order of their nodes
    for (NodeId t = 0; t < n; ++t) {
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
        require(static_cast<std::size_t>(node.feature) < tree.n_features, "variable of a split");
        // Infinity parts missing values from all others.
        if (tree.has_record(node)) {
            const LevelRule rule(node.threshold);
            require(rule.content() == records_end && records_end < tree.branches.size(),
                    "order of records");
            require(BranchRecord::valid(std::span(tree.branches).subspan(records_end),
                                        tree.n_features, tree.level_sets),
                    "record of a split");
            require(!tree.both_children || tree.record(node).n_terms() == 0 ||
                        tree.record(node).n_children() == 2,
                    "ways of a node");
            const auto children = tree.record(node).children();
            require(node.second() == children[children.size() > 1 ? 1 : 0], "record of a split");
            records_end += tree.record(node).size();
        } else {
            require(!node.category() || LevelRule(node.threshold).valid(tree.level_sets),
                    "threshold of a split");
        }
        const std::size_t first = waiting.size();
        tree.for_children(t, [&](NodeId child) { waiting.push_back({child, depth + 1}); });
        require(waiting[first].child == t + 1, "order of nodes");
        std::reverse(waiting.begin() + static_cast<std::ptrdiff_t>(first), waiting.end());
    }
    require(waiting.empty(), "an inner node without all its children");
    require(records_end == tree.branches.size(), "records of no node");
    require(tree.branches.empty() || !tree.node_values.empty(), "values of branches");
    require(deepest == tree.max_depth, "depth");
    tree.compact() ? check_compact(tree) : check_plain(tree);
}

}  // namespace silvics
