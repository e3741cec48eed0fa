#include "builder/growing_tree.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include "tree/compact_leaves.hpp"

namespace silvics {
namespace {

// Puts the nodes in depth-first order, every first child right after its parent.
void set_depth_first(GrowingTree& growing) {
    std::vector<GrowingNode>& nodes = growing.nodes;
    struct Pending {
        NodeId id;
        NodeId parent;         // the node whose second child this is; otherwise the node itself
        std::size_t slot = 0;  // one plus its place in the parent's record; 0 without a record
    };
    std::vector<GrowingNode> ordered;
    ordered.reserve(nodes.size());
    std::vector<Pending> stack{{0, 0}};
    while (!stack.empty()) {
        const auto [id, parent, slot] = stack.back();
        stack.pop_back();
        const auto at = static_cast<NodeId>(ordered.size());
        if (slot != 0)
            growing.records[slot - 1] = at;
        else if (parent != at)
            ordered[parent].second = at;
        ordered.push_back(nodes[id]);
        if (nodes[id].feature < 0) continue;
        if (const auto record = record_of(nodes[id])) {
            const auto children = BranchRecord::children_at(growing.records, *record);
            for (std::size_t k = children.size(); k-- > 0;)
                stack.push_back({children[k], at, BranchRecord::child_offset(*record, k) + 1});
            continue;
        }
        ordered[at].first = at + 1;
        stack.push_back({nodes[id].second, at});
        stack.push_back({nodes[id].first, at + 1});
    }
    nodes = std::move(ordered);
}

// The depths of nodes that come in depth-first order.
class DepthFirst {
public:
    explicit DepthFirst(const GrowingTree& growing) : growing_(growing) {}

    void pass_inner(const GrowingNode& node) {
        ++depth_;
        if (growing_.records.empty()) return waiting_.push_back(depth_);
        const auto record = record_of(node);
        const std::size_t n = record ? growing_.record_at(*record).n_children() : 2;
        waiting_.insert(waiting_.end(), n - 1, depth_);
    }
    void pass_leaf() {
        deepest_ = std::max(deepest_, depth_);
        if (waiting_.empty()) return;
        depth_ = waiting_.back();
        waiting_.pop_back();
    }
    std::uint32_t deepest() const { return deepest_; }

private:
    const GrowingTree& growing_;
    std::uint32_t depth_ = 0, deepest_ = 0;
    std::vector<std::uint32_t> waiting_;  // depths of children that are still to come
};

// The rule of levels of the finished tree, from a pending one or from coins.
LevelRule finished_rule(std::span<const Level> kept, LevelRule rule, bool others_left,
                        TreeBase& tree) {
    if (rule.form() == LevelRule::Form::coin) return rule.sending_others(others_left);
    const auto at = static_cast<std::size_t>(rule.content());
    const std::size_t n_left = kept[at], n_right = kept[at + 1];
    const auto levels = kept.subspan(at + 2, n_left + n_right);
    return LevelRule::of(levels.first(n_left), levels.last(n_right), others_left, tree.level_sets);
}

// Missing values and levels that the node has not seen go to its heaviest child.
Node node_of_record(const GrowingTree& growing, const GrowingNode& from, std::size_t at,
                    TreeBase& tree) {
    const BranchRecord record = growing.record_at(at);
    const auto children = record.children();
    const auto weight = [&](NodeId t) { return growing.nodes[t].weight; };
    const auto heaviest = static_cast<std::uint32_t>(
        std::ranges::max_element(children, {}, weight) - children.begin());
    const std::size_t begin = tree.branches.size();
    const auto words = record.words();
    tree.branches.insert(tree.branches.end(), words.begin(), words.end());
    BranchRecord::set_unseen(tree.branches, begin, heaviest);
    if (record.test() == Branching::Test::subset) {
        const bool heavier_left = weight(children[0]) > weight(children[1]);
        BranchRecord::set_subset(
            tree.branches, begin,
            finished_rule(growing.levels, record.subset(), heavier_left, tree));
    }
    Node node(SplitRule::record(begin), from.feature, 0);
    node.set_second(children.size() > 1 ? children[1] : children[0], false);
    return node;
}

// An inner node of the finished tree. Levels that it has not seen go to the heavier child, and so
// do missing values if it has not seen any.
Node inner_node(const GrowingTree& growing, const GrowingNode& from, TreeBase& tree) {
    if (!growing.records.empty())
        if (const auto record = record_of(from))
            return node_of_record(growing, from, *record, tree);
    const auto weight = [&](NodeId t) { return growing.nodes[t].weight; };
    const bool heavier_left = weight(from.first) > weight(from.second);
    Node node(from.rule, from.feature, 0);
    node.set_second(from.second, from.missing == MissingSide::unseen
                                     ? heavier_left
                                     : from.missing == MissingSide::left);
    if (from.rule.is_levels())
        node.set_rule(finished_rule(growing.levels, from.rule.levels(), heavier_left, tree));
    return node;
}

TreeBase header(const Target& target, std::size_t n_features) {
    TreeBase tree;
    tree.n_features = n_features;
    tree.n_outputs = target.n_outputs;
    tree.n_classes = target.n_classes;
    return tree;
}

// A tree with its shape and its nodes; leaf(node) gives the leaves. This is a single pass, because
// the branch on whether a node is a leaf is unpredictable.
template <class Leaf>
TreeBase nodes_of(GrowingTree& growing, const Target& target, std::size_t n_features, Leaf&& leaf) {
    if (!growing.depth_first) set_depth_first(growing);
    growing.depth_first = true;
    TreeBase tree = header(target, n_features);
    tree.nodes.reserve(growing.nodes.size());
    DepthFirst depths(growing);
    for (const GrowingNode& from : growing.nodes) {
        if (from.feature >= 0) {
            tree.nodes.push_back(inner_node(growing, from, tree));
            depths.pass_inner(from);
        } else {
            tree.nodes.push_back(leaf(from));
            depths.pass_leaf();
        }
    }
    tree.max_depth = depths.deepest();
    tree.both_children = growing.both_children;
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

LevelRule keep_levels(std::vector<Level>& levels, std::span<const Level> left,
                      std::span<const Level> right) {
    const std::size_t at = levels.size();
    levels.push_back(static_cast<Level>(left.size()));
    levels.push_back(static_cast<Level>(right.size()));
    levels.insert(levels.end(), left.begin(), left.end());
    levels.insert(levels.end(), right.begin(), right.end());
    return LevelRule::pending(at);
}

SplitRule keep_record(GrowingTree& growing, const Branching& branching,
                      std::span<const std::size_t> sizes) {
    const std::size_t at = BranchRecord::append(branching, growing.records);
    const auto children = BranchRecord::children_at(growing.records, at);
    for (std::size_t k = 0; k < sizes.size(); ++k)
        children[k] = static_cast<std::uint32_t>(sizes[k]);
    return SplitRule::record(at);
}

std::optional<std::size_t> record_of(SplitRule rule) {
    if (!rule.is_record()) return std::nullopt;
    return rule.record_offset();
}

void shift(GrowingNode& node, std::vector<std::uint32_t>& records, const Shift& by) {
    const auto shift_levels = [&](LevelRule rule) {
        return rule.form() == LevelRule::Form::pending
                   ? LevelRule::pending(static_cast<std::size_t>(rule.content()) + by.levels)
                   : rule;
    };
    node.first += static_cast<NodeId>(by.nodes);
    node.second += static_cast<NodeId>(by.nodes);
    if (const auto at = record_of(node)) {
        const BranchRecord record(records.data() + *at);
        for (NodeId& child : BranchRecord::children_at(records, *at))
            child += static_cast<NodeId>(by.nodes);
        if (record.test() == Branching::Test::subset)
            BranchRecord::set_subset(records, *at, shift_levels(record.subset()));
        node.rule = SplitRule::record(*at + by.records);
    } else if (node.rule.is_levels()) {
        node.rule = shift_levels(node.rule.levels());
    }
}

Tree finish_tree(GrowingTree growing, const Target& target, std::size_t n_features, bool per_node) {
    // The link of an impure leaf is its row of class weights; pure leaves have no row.
    std::size_t row = 0;
    Tree tree(nodes_of(growing, target, n_features, [&](const GrowingNode& from) {
        if (per_node) return Node();
        return Node::plain_leaf(
            from.value & kPureBit ? from.value : checked_id(row++, kMaxIds, "impure leaves"));
    }));
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

DetailedTree finish_detailed(GrowingTree growing, const Target& target, std::size_t n_features,
                             bool per_node, int impurity_exponent) {
    if (!growing.depth_first) set_depth_first(growing);
    growing.depth_first = true;
    DetailedTree detailed;
    const std::size_t width = target.value_width();
    for (const GrowingNode& node : growing.nodes) {
        detailed.decrease.push_back(node.weighted_decrease);
        if (per_node) continue;
        if ((node.value & kPureBit) == 0) {
            append(detailed.class_weights, value_of(growing, node, width));
            continue;
        }
        detailed.class_weights.resize(detailed.class_weights.size() + width, 0.0);
        std::span(detailed.class_weights).last(width)[node.value & ~kPureBit] = node.weight;
    }
    Tree tree = finish_tree(std::move(growing), target, n_features, per_node);
    tree.impurity_exponent = impurity_exponent;
    detailed.tree = std::make_shared<const StoredTree>(std::move(tree));
    return detailed;
}

std::optional<CompactTree> finish_leaves(GrowingTree& growing, const Target& target,
                                         std::size_t n_features, CompactionRule rule,
                                         int impurity_exponent) {
    const std::size_t width = target.value_width();
    CompactLeaves leaves(target.classification(), impurity_exponent, true);
    TreeBase nodes = nodes_of(growing, target, n_features, [&](const GrowingNode& from) {
        if (!target.classification())
            return leaves.put_mean(
                {from.n, from.weight, from.impurity, growing.values[from.value]});
        if (from.value & kPureBit)
            return leaves.put_class(from.n, from.weight, from.value & ~kPureBit);
        return leaves.put_classes(from.n, from.weight, value_of(growing, from, width));
    });
    if (!leaves.exact()) return std::nullopt;
    CompactTree tree(std::move(nodes), rule);
    tree.impurity_exponent = impurity_exponent;
    std::move(leaves).finish(tree);
    return tree;
}

CompactTree finish_compact(CompactGrowth growth, const Target& target, std::size_t n_features,
                           CompactionRule rule, int impurity_exponent) {
    CompactTree tree(header(target, n_features), rule);
    tree.max_depth = growth.max_depth;
    tree.impurity_exponent = impurity_exponent;
    tree.nodes = std::move(growth.nodes);
    std::move(growth.leaves).finish(tree);
    if (growth.levels.empty()) return tree;
    for (Node& node : tree.nodes) {
        if (node.leaf() || !node.rule().is_levels()) continue;
        const LevelRule levels = node.rule().levels();
        node.set_rule(finished_rule(growth.levels, levels, levels.others_left(), tree));
    }
    return tree;
}

GrowingTree expanded_growth(const CompactGrowth& growth) {
    GrowingTree growing;
    growing.depth_first = true;
    growing.nodes.resize(growth.nodes.size());
    growing.values.resize(growth.leaves.size());
    std::size_t number = growth.leaves.size();
    for (NodeId t = static_cast<NodeId>(growth.nodes.size()); t-- > 0;) {
        const Node& from = growth.nodes[t];
        GrowingNode& node = growing.nodes[t];
        if (from.leaf()) {
            const LeafStats leaf = growth.leaves.mean(from, --number);
            node.n = leaf.n;
            node.weight = leaf.weight;
            node.impurity = leaf.impurity;
            node.value = static_cast<std::uint32_t>(number);
            growing.values[number] = leaf.mean;
            continue;
        }
        node.rule = from.rule();
        node.feature = from.feature;
        node.first = t + 1;
        node.second = from.second();
        node.missing = from.missing_left() ? MissingSide::left : MissingSide::right;
        const GrowingNode &first = growing.nodes[node.first], &second = growing.nodes[node.second];
        node.n = first.n + second.n;
        node.weight = first.weight + second.weight;
    }
    growing.levels = growth.levels;
    return growing;
}

}  // namespace silvics
