// The way of one sample down a tree (Algorithm 3.1). Everything that walks trees walks here.
#pragma once

#include "tree/tree.hpp"

namespace silvics {

// visit(t) for every node on the way, the leaf last; returns the leaf.
template <class Visit>
NodeId descend(const Node* nodes, const double* sample, Visit&& visit) {
    NodeId t = 0;
    visit(t);
    while (!nodes[t].leaf()) {
        t = sample[nodes[t].feature] <= nodes[t].threshold ? t + 1 : nodes[t].link;
        visit(t);
    }
    return t;
}

inline NodeId descend(const Node* nodes, const double* sample) {
    return descend(nodes, sample, [](NodeId) {});
}

}  // namespace silvics
