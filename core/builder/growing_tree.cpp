#include "builder/growing_tree.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "tree/compact.hpp"

namespace silvics {
namespace {

void set_depth_first(std::vector<GrowingNode>& nodes) {
    struct Pending {
        NodeId id;
        NodeId parent;  // whose second child this is; itself for others
    };
    std::vector<GrowingNode> ordered;
    ordered.reserve(nodes.size());
    std::vector<Pending> stack{{0, 0}};
    while (!stack.empty()) {
        const auto [id, parent] = stack.back();
        stack.pop_back();
        const auto at = static_cast<NodeId>(ordered.size());
        if (parent != at) ordered[parent].second = at;
        ordered.push_back(nodes[id]);
        if (nodes[id].feature < 0) continue;
        ordered[at].first = at + 1;
        stack.push_back({nodes[id].second, at});
        stack.push_back({nodes[id].first, at + 1});
    }
    nodes = std::move(ordered);
}

// Of nodes in depth-first order.
std::uint32_t depth_of(const std::vector<GrowingNode>& nodes) {
    std::uint32_t depth = 0, deepest = 0;
    std::vector<std::uint32_t> waiting;  // depths of the second children to come
    for (const GrowingNode& node : nodes) {
        deepest = std::max(deepest, depth);
        if (node.feature >= 0) {
            waiting.push_back(++depth);
        } else if (!waiting.empty()) {
            depth = waiting.back();
            waiting.pop_back();
        }
    }
    return deepest;
}

// An inner node of the finished tree: levels that were not seen at the node go to the heavier
// child, and so do missing values if there were none.
Node inner_node(const GrowingTree& growing, const GrowingNode& from, Tree& tree) {
    const auto weight = [&](NodeId t) { return growing.nodes[t].weight; };
    const bool heavier_left = weight(from.first) > weight(from.second);
    Node node{from.threshold, from.feature, 0};
    node.set_second(from.second, from.missing == MissingSide::unseen
                                     ? heavier_left
                                     : from.missing == MissingSide::left);
    if (!node.category()) return node;
    LevelRule rule(from.threshold);
    if (rule.form() == LevelRule::Form::coin) {
        rule = {rule.form(), rule.content(), heavier_left};
    } else {
        const auto at = static_cast<std::size_t>(rule.content());
        const std::size_t n_left = growing.levels[at], n_right = growing.levels[at + 1];
        const auto levels = std::span(growing.levels).subspan(at + 2, n_left + n_right);
        rule = LevelRule::of(levels.first(n_left), levels.last(n_right), heavier_left,
                             tree.level_sets);
    }
    node.threshold = rule.in_place();
    return node;
}

// Sizes and nodes alone. Leaves with class weights are numbered, unless they are pure.
Tree nodes_of(GrowingTree& growing, const Target& target, std::size_t n_features, bool per_node) {
    if (!growing.depth_first) set_depth_first(growing.nodes);
    growing.depth_first = true;
    Tree tree;
    tree.n_features = n_features;
    tree.n_outputs = target.n_outputs;
    tree.n_classes = target.n_classes;
    tree.max_depth = depth_of(growing.nodes);
    tree.nodes.resize(growing.nodes.size());
    std::size_t row = 0;
    for (std::size_t t = 0; t < growing.nodes.size(); ++t) {
        const GrowingNode& from = growing.nodes[t];
        Node& node = tree.nodes[t];
        if (from.feature >= 0) {
            node = inner_node(growing, from, tree);
            continue;
        }
        if (per_node)
            node.link = 0;
        else if (from.value & kPureBit)
            node.link = from.value;
        else
            node.link = checked_id(row++, kMaxIds, "impure leaves");
    }
    return tree;
}

std::span<const double> value_of(const GrowingTree& growing, const GrowingNode& node,
                                 std::size_t width) {
    return std::span(growing.values).subspan(node.value * width, width);
}

void append(std::vector<double>& values, std::span<const double> value) {
    values.insert(values.end(), value.begin(), value.end());
}

}  // namespace

double keep_levels(GrowingTree& growing, std::span<const Level> left,
                   std::span<const Level> right) {
    const std::size_t at = growing.levels.size();
    growing.levels.push_back(static_cast<Level>(left.size()));
    growing.levels.push_back(static_cast<Level>(right.size()));
    growing.levels.insert(growing.levels.end(), left.begin(), left.end());
    growing.levels.insert(growing.levels.end(), right.begin(), right.end());
    return LevelRule(LevelRule::Form::apart, at, false).in_place();
}

void shift_levels(GrowingNode& node, std::size_t by) {
    if (!std::isnan(node.threshold)) return;
    const LevelRule rule(node.threshold);
    if (rule.form() == LevelRule::Form::apart)
        node.threshold = LevelRule(rule.form(), rule.content() + by, false).in_place();
}

Tree finish_tree(GrowingTree growing, const Target& target, std::size_t n_features, bool per_node) {
    Tree tree = nodes_of(growing, target, n_features, per_node);
    const std::size_t n = growing.nodes.size(), width = target.value_width();
    tree.n_node_samples.reserve(n);
    tree.weighted_n_node_samples.reserve(n);
    tree.impurity.reserve(n);
    if (per_node) tree.node_values.reserve(n * width);
    for (const GrowingNode& from : growing.nodes) {
        tree.n_node_samples.push_back(from.n);
        tree.weighted_n_node_samples.push_back(from.weight);
        tree.impurity.push_back(from.impurity);
        if (per_node)
            append(tree.node_values, value_of(growing, from, width));
        else if (from.feature < 0 && (from.value & kPureBit) == 0)
            append(tree.leaf_weights, value_of(growing, from, width));
    }
    tree.leaf_weights.shrink_to_fit();
    return tree;
}

std::optional<Tree> finish_leaves(GrowingTree& growing, const Target& target,
                                  std::size_t n_features, Derivation derivation,
                                  int impurity_exponent) {
    const bool classes = target.classification();
    const std::size_t n = growing.nodes.size() / 2 + 1, width = target.value_width();
    Tree tree = nodes_of(growing, target, n_features, !classes);
    tree.impurity_exponent = impurity_exponent;
    Leaves leaves;
    leaves.ids.resize(n);
    leaves.n.resize(n);
    leaves.weight.resize(n);
    leaves.impurity.resize(n);
    if (!classes) leaves.value.resize(n);
    std::size_t at = 0;
    for (std::size_t t = 0; t < growing.nodes.size(); ++t) {
        const GrowingNode& from = growing.nodes[t];
        if (from.feature >= 0) continue;
        leaves.ids[at] = static_cast<NodeId>(t);
        leaves.n[at] = from.n;
        leaves.weight[at] = from.weight;
        leaves.impurity[at] = from.impurity;
        if (!classes)
            leaves.value[at] = growing.values[from.value];
        else if ((from.value & kPureBit) == 0)
            append(leaves.class_weights, value_of(growing, from, width));
        ++at;
    }
    return compact_exactly(tree, leaves, derivation);
}

}  // namespace silvics
