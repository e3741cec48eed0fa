#include "builder/builder.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "builder/growing_tree.hpp"
#include "tree/prune.hpp"

namespace silvics {
namespace {

class Builder {
public:
    Builder(const CriterionEntry& criterion, const Table& table, const Target& target,
            LearningSubset subset, const GrowthRules& rules, const StopFlag& stop)
        : table_(table),
          target_(target),
          subset_(std::move(subset)),
          rules_(with_weight_of(rules, subset_)),
          stop_(stop),
          splitter_(criterion.make_splitter({table, target, subset_, rules_.search, stop, order_})),
          frontier_(rules.growth),
          constants_(table.n_features()),
          // Medians and values clipped to bounds cannot be summed up from the leaves.
          per_node_(!target.classification() || !rules.search.monotonic.empty()) {
        order_.rows = std::move(subset_.rows);
        subset_.weights = {};  // the samples carry theirs from here on
    }

    Tree build(std::uint32_t seed) {
        OpenNode root;
        root.end = order_.size();
        root.key = root_key(seed);
        if (auto node = open(std::move(root))) frontier_.push(std::move(*node));
        std::size_t n_leaves = 1;
        while (!frontier_.empty() && n_leaves < rules_.stopping.max_leaf_nodes) {
            stop_.check();
            split(frontier_.pop());
            ++n_leaves;
        }
        Tree tree = finish_tree(growing_, target_, table_.n_features(), per_node_);
        tree.impurity_exponent = splitter_->impurity_exponent();
        return tree;
    }

private:
    // A fraction of the tree's weight becomes a weight.
    static GrowthRules with_weight_of(GrowthRules rules, const LearningSubset& subset) {
        rules.search.min_weight_leaf = rules.min_weight_fraction_leaf * subset.whole;
        return rules;
    }

    // Makes the node; it is a leaf unless a split for it is found.
    std::optional<OpenNode> open(OpenNode node) {
        node.id = checked_id(growing_.nodes.size(), kMaxIds, "nodes per tree");
        const NodeSamples samples{node.begin, node.end - node.begin, node.key, node.bounds};
        const NodeFacts facts = splitter_->enter(samples);
        if (node.id == 0) root_weight_ = facts.weight;
        growing_.nodes.push_back({.n = static_cast<std::uint32_t>(facts.n),
                                  .weight = facts.weight * subset_.unit,
                                  .impurity = facts.impurity});
        const bool opened = find_split(node, samples, facts);
        // A node that stays open may yet end as a leaf where leaves are limited.
        if (!opened || per_node_ || rules_.stopping.limits_leaves()) keep_value(node, facts);
        return opened ? std::optional(std::move(node)) : std::nullopt;
    }

    bool find_split(OpenNode& node, const NodeSamples& samples, const NodeFacts& facts) {
        if (rules_.stopping.stops(facts, node.depth, rules_.search)) return false;
        constants_.load(node.constants);
        const auto split = splitter_->find_split(samples, constants_);
        // A matrix that changes under our hands may give a split of none.
        if (!split || split->n_left == 0 || split->n_left == facts.n) return false;
        node.weighted_decrease = facts.weight / root_weight_ * split->decrease;
        if (rules_.stopping.rejects(
                std::ldexp(node.weighted_decrease, splitter_->impurity_exponent())))
            return false;
        node.split = *split;
        node.constants = constants_.inherit();
        return true;
    }

    void keep_value(const OpenNode& node, const NodeFacts& facts) {
        GrowingNode& made = growing_.nodes[node.id];
        if (!per_node_ && target_.n_outputs == 1 && facts.homogeneous) {
            made.value = kPureBit | splitter_->only_class();
            return;
        }
        const std::size_t width = target_.value_width();
        made.value = checked_id(growing_.values.size() / width, kMaxIds, "values per tree");
        growing_.values.resize(growing_.values.size() + width);
        const auto value = std::span(growing_.values).last(width);
        splitter_->write_value(value);
        if (!target_.classification()) {
            if (!rules_.search.monotonic.empty())
                value[0] = std::clamp(value[0], node.bounds.lower, node.bounds.upper);
        } else if (!per_node_) {
            for (double& v : value) v *= subset_.unit;
        } else {  // shares of one or two classes; the constraint is on the second
            for (double& v : value) v /= facts.weight;
            if (width != 2) return;
            value[1] = std::clamp(value[1], node.bounds.lower, node.bounds.upper);
            value[0] = 1.0 - value[1];
        }
    }

    void split(const OpenNode& node) {
        const Split& split = node.split;
        OpenNode left = node, right = node;
        left.end = right.begin = node.begin + split.n_left;
        left.depth = right.depth = node.depth + 1;
        left.key = child_key(node.key, 0);
        right.key = child_key(node.key, 1);
        if (const int sign = rules_.search.monotonic_sign(split.feature); sign != 0) {
            (sign > 0 ? left : right).bounds.upper = split.middle;
            (sign > 0 ? right : left).bounds.lower = split.middle;
        }
        const NodeId first = static_cast<NodeId>(growing_.nodes.size()), second = first + 1;
        auto open_left = open(std::move(left)), open_right = open(std::move(right));
        frontier_.push(std::move(open_left), std::move(open_right));
        GrowingNode& made = growing_.nodes[node.id];
        made.feature = static_cast<std::int32_t>(split.feature);
        made.threshold = split.threshold;
        made.first = first;
        made.second = second;
    }

    const Table& table_;
    const Target& target_;
    LearningSubset subset_;
    const GrowthRules rules_;
    const StopFlag& stop_;
    SampleOrder order_;
    std::unique_ptr<Splitter> splitter_;
    Frontier frontier_;
    Constants constants_;
    bool per_node_;
    GrowingTree growing_;
    double root_weight_ = 0.0;
};

}  // namespace

Tree build_tree(const CriterionEntry& criterion, const Table& table, const Target& target,
                LearningSubset subset, const GrowthRules& rules, std::uint32_t seed,
                const StopFlag& stop) {
    if (subset.rows.empty()) throw std::invalid_argument("no row has a positive weight");
    Tree tree = Builder(criterion, table, target, std::move(subset), rules, stop).build(seed);
    return rules.ccp_alpha > 0.0 ? prune(tree, rules.ccp_alpha) : tree;
}

}  // namespace silvics
