// The plain way of one sample down a tree (Algorithm 3.1).
#pragma once

#include "tree/goes_left.hpp"

namespace silvics::test {

inline bool goes_left(const Tree& tree, const Node& node, double x) {
    if (node.category())
        return level_goes_left(LevelRule(node.threshold), node.missing_left(), x, tree.level_sets);
    return std::isnan(x) ? node.missing_left() : x <= node.threshold;
}

// visit(t) for every node on the way, the leaf last; returns the leaf.
template <class Visit>
NodeId descend(const Tree& tree, const double* sample, Visit&& visit) {
    NodeId t = 0;
    visit(t);
    while (!tree.nodes[t].leaf()) {
        const Node& node = tree.nodes[t];
        t = goes_left(tree, node, sample[node.feature]) ? t + 1 : node.second();
        visit(t);
    }
    return t;
}

inline NodeId descend(const Tree& tree, const double* sample) {
    return descend(tree, sample, [](NodeId) {});
}

}  // namespace silvics::test
