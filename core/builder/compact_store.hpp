// A store of nodes in the form in which a compact tree keeps them, so that no node is written
// twice. For trees whose inner nodes follow from their leaves, grown depth first by one thread with
// binary splits.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "builder/node_store.hpp"

namespace silvics {

class CompactStore {
public:
    // Has space for `capacity` nodes, in the pool if there is one. `weighted`: the weight of some
    // leaf may differ from its number of samples.
    CompactStore(PagePool* pool, std::size_t capacity, const Target& target, int impurity_exponent,
                 bool weighted)
        : pool_(pool),
          growth_{PooledArray<Node>(pool, capacity),
                  CompactLeaves(target.classification(), impurity_exponent, weighted),
                  {}},
          classification_(target.classification()),
          value_(target.value_width()) {}

    [[gnu::always_inline]] void append(OpenNode& node) {
        node.id = checked_id(growth_.nodes.size(), kMaxIds, "nodes per tree");
        if (node.child_index != 0) growth_.nodes[node.parent].link |= node.id;
        growth_.nodes.push_back({});
    }

    // The caller has not yet replaced the weight in `node`: it is the weight of the parent.
    [[gnu::always_inline]] void set_size(const OpenNode& node, std::size_t n, double weight) {
        if (node.child_index != 0) set_default_side(node, node.weight - weight > weight);
        last_.n = static_cast<std::uint32_t>(n);
        last_.weight = weight;
    }
    void set_impurity(const OpenNode&, double impurity) { last_.impurity = impurity; }
    void set_pure_class(const OpenNode&, ClassId only_class) {
        last_.value = kPureBit | only_class;
    }
    std::span<double> add_value(const OpenNode&) {
        last_.value = 0;
        return value_;
    }
    void set_leaf(const OpenNode& node) {
        growth_.max_depth = std::max(growth_.max_depth, node.depth);
        Node& leaf = growth_.nodes[node.id];
        if (!classification_)
            leaf = growth_.leaves.put_mean({last_.n, last_.weight, last_.impurity, value_[0]});
        else if (last_.value & kPureBit)
            leaf = growth_.leaves.put_class(last_.n, last_.weight, last_.value & ~kPureBit);
        else
            leaf = growth_.leaves.put_classes(last_.n, last_.weight, value_);
    }
    void set_sole_leaf(const OpenNode& node, const SoleSample& sole) {
        growth_.max_depth = std::max(growth_.max_depth, node.depth);
        growth_.nodes[node.id] = classification_
                                     ? growth_.leaves.put_class(1, sole.weight, sole.only_class)
                                     : growth_.leaves.put_mean({1, sole.weight, 0.0, sole.value});
    }

    SplitRule encode_rule(const Split& split) {
        if (split.by_levels) return keep_levels(growth_.levels, split.left, split.right);
        return SplitRule::from_stored(split.threshold);
    }
    void set_split(const OpenNode& node) {
        const bool left = node.missing == MissingSide::left;
        growth_.nodes[node.id] = {node.rule, static_cast<std::int32_t>(node.feature),
                                  left ? Node::kMissingLeftBit : 0};
    }

    std::optional<CompactTree> finish_from_leaves(const Target& target, std::size_t n_features,
                                                  CompactionRule rule, int impurity_exponent);
    // The same tree in full, where its leaves do not suffice. Inner nodes have sizes and weights,
    // but no impurity and no value.
    GrowingTree take_growing() &&;

private:
    // What a parent has not seen (a missing value, a level) goes to its heavier child. This is
    // known when its second child has its weight; `node` still holds the split of the parent.
    [[gnu::always_inline]] void set_default_side(const OpenNode& node, bool heavier_left) {
        Node& parent = growth_.nodes[node.parent];
        if (heavier_left && node.missing == MissingSide::unseen)
            parent.link |= Node::kMissingLeftBit;
        if (!node.rule.is_threshold())
            parent.set_rule(node.rule.levels().sending_others(heavier_left));
    }

    PagePool* pool_;
    CompactGrowth growth_;
    bool classification_;
    // Size, weight, impurity and value of the node appended last: only a leaf will store them.
    GrowingNode last_;
    std::vector<double> value_;
};

static_assert(NodeStore<CompactStore> && !BranchStore<CompactStore>);

}  // namespace silvics
