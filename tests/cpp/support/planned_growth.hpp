// A tree as a plan, and the calls by which a builder would store it.
#pragma once

#include <algorithm>
#include <vector>

#include "builder/node_store.hpp"
#include "support/problem.hpp"

namespace silvics::test {

struct PlannedNode {
    std::size_t left = 0, right = 0;  // 0: a leaf
    Split split;
    std::vector<Level> levels;  // the first half goes left, if the split is on a category
    std::uint32_t n = 0;
    double weight = 0.0, impurity = 0.0;
    std::vector<double> value;  // class weights, or a mean; of leaves

    // The split, with the levels that go to each side.
    Split split_by_levels() const {
        Split with_levels = split;
        const auto all = std::span<const Level>(levels);
        with_levels.left = all.first(all.size() / 2);
        with_levels.right = all.subspan(all.size() / 2);
        return with_levels;
    }
    bool pure() const {
        return std::ranges::count_if(value, [](double w) { return w != 0.0; }) == 1;
    }
    ClassId only_class() const {
        return static_cast<ClassId>(std::ranges::max_element(value) - value.begin());
    }
};

struct PlannedGrowth {
    Target target;
    bool weighted = false;  // leaves of weight 2n + 1, otherwise n
    std::vector<PlannedNode> nodes;
};

// A leaf of one sample, of several in one class or with one output, or of several classes.
inline void plan_leaf(Rng& rng, const PlannedGrowth& growth, PlannedNode& leaf) {
    leaf.n = static_cast<std::uint32_t>(1 + pick(rng, 3));
    leaf.weight = growth.weighted ? 2.0 * leaf.n + 1.0 : leaf.n;
    if (!growth.target.classification()) {
        leaf.value = {pick_real(rng, -5.0, 5.0)};
        return;
    }
    leaf.value.assign(growth.target.value_width(), 0.0);
    leaf.value[pick(rng, leaf.value.size())] += leaf.weight - (leaf.n > 1 ? 1.0 : 0.0);
    if (leaf.n > 1) leaf.value[pick(rng, leaf.value.size())] += 1.0;
    if (!leaf.pure()) leaf.impurity = 0.25;
}

inline void plan_split(Rng& rng, PlannedNode& node) {
    node.split.feature = static_cast<FeatureId>(pick(rng, 4));
    node.split.missing = static_cast<MissingSide>(pick(rng, 3));
    node.split.threshold = pick_real(rng, -1.0, 1.0);
    node.split.by_levels = pick(rng, 3) == 0;
    if (!node.split.by_levels) return;
    const bool far = pick(rng, 2) == 0;
    for (Level level = 0; level < 6; ++level) node.levels.push_back(level * (far ? 9000 : 1));
    std::ranges::shuffle(node.levels, rng);
}

// Sizes and weights of inner nodes are the sums over their children, which come after them.
inline void sum_over_children(PlannedGrowth& growth) {
    for (std::size_t t = growth.nodes.size(); t-- > 0;) {
        PlannedNode& node = growth.nodes[t];
        if (node.left == 0) continue;
        node.n = growth.nodes[node.left].n + growth.nodes[node.right].n;
        node.weight = growth.nodes[node.left].weight + growth.nodes[node.right].weight;
    }
}

inline PlannedGrowth planned_growth(Rng& rng, Target target, std::size_t n_splits, bool weighted) {
    PlannedGrowth growth{std::move(target), weighted, std::vector<PlannedNode>(1)};
    std::vector<std::size_t> leaves{0};
    for (; n_splits > 0; --n_splits) {
        std::swap(leaves[pick(rng, leaves.size())], leaves.back());
        const std::size_t t = leaves.back(), next = growth.nodes.size();
        leaves.pop_back();
        plan_split(rng, growth.nodes[t]);
        growth.nodes[t].left = next;
        growth.nodes[t].right = next + 1;
        growth.nodes.resize(next + 2);
        leaves.insert(leaves.end(), {next, next + 1});
    }
    for (PlannedNode& node : growth.nodes)
        if (node.left == 0) plan_leaf(rng, growth, node);
    sum_over_children(growth);
    return growth;
}

template <NodeStore Store>
void store_split(Store& store, OpenNode& node, const PlannedNode& from) {
    const Split split = from.split_by_levels();
    node.feature = split.feature;
    node.missing = split.missing;
    node.rule = store.encode_rule(split);
    store.set_split(node);
}

template <NodeStore Store>
void store_leaf(Store& store, const OpenNode& node, const PlannedNode& leaf, bool classes) {
    if (leaf.n == 1)
        return store.set_sole_leaf(
            node, {.weight = leaf.weight, .value = leaf.value[0], .only_class = leaf.only_class()});
    store.set_impurity(node, leaf.impurity);
    if (classes && leaf.pure())
        store.set_pure_class(node, leaf.only_class());
    else
        std::ranges::copy(leaf.value, store.add_value(node).begin());
    store.set_leaf(node);
}

// Depth first, with open nodes as a builder has them.
template <NodeStore Store>
void store_all(Store& store, const PlannedGrowth& growth) {
    struct Pending {
        std::size_t planned;
        OpenNode node;
    };
    std::vector<Pending> stack{{0, {}}};
    while (!stack.empty()) {
        auto [t, node] = stack.back();
        stack.pop_back();
        const PlannedNode& from = growth.nodes[t];
        store.append(node);
        store.set_size(node, from.n, from.weight);
        node.weight = from.weight;
        if (from.left == 0) {
            store_leaf(store, node, from, growth.target.classification());
            continue;
        }
        store_split(store, node, from);
        node.parent = node.id;
        ++node.depth;
        node.child_index = 1;
        stack.push_back({from.right, node});
        node.child_index = 0;
        stack.push_back({from.left, node});
    }
}

}  // namespace silvics::test
