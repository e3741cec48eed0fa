// The way of one sample down a tree (Algorithm 3.1). Everything that walks trees walks here.
#pragma once

#include "tree/level_rule.hpp"
#include "tree/tree.hpp"

namespace silvics {

// A level that the trees have not seen, and that is not to be taken for a missing one.
inline constexpr double kUnknownLevel = -2.0;

// Where a comparison says nothing: of a missing value, or at a category node.
inline bool goes_left_unordered(const Tree& tree, const Node& node, double x) {
    if (!node.category()) return node.missing_left();
    const LevelRule rule(node.threshold);
    if (x >= 0.0 && x < 0x1.0p32) return rule.goes_left(static_cast<Level>(x), tree.level_sets);
    return x == kUnknownLevel ? rule.others_left() : node.missing_left();
}

inline bool goes_left(const Tree& tree, const Node& node, double x) {
    if (x <= node.threshold) return true;
    return !(x > node.threshold) && goes_left_unordered(tree, node, x);
}

// visit(t) for every node on the way, the leaf last; returns the leaf.
template <class Visit>
NodeId descend(const Tree& tree, const double* sample, Visit&& visit) {
    const Node* const nodes = tree.nodes.data();
    NodeId t = 0;
    visit(t);
    while (!nodes[t].leaf()) {
        const Node& node = nodes[t];
        t = goes_left(tree, node, sample[node.feature]) ? t + 1 : node.second();
        visit(t);
    }
    return t;
}

inline NodeId descend(const Tree& tree, const double* sample) {
    return descend(tree, sample, [](NodeId) {});
}

}  // namespace silvics
