// Mean decrease of impurity (equation 6.2), of one tree.
#pragma once

#include <vector>

#include "tree/tree.hpp"

namespace silvics {

// Sum of p(t) times the decrease over the nodes that split on each variable; `normalize`
// makes them sum to one where they are not all zero.
std::vector<double> impurity_decrease(const Tree& tree, bool normalize);

// Of a plain tree: weight times the decrease of impurity at an inner node, in the tree's units.
inline double decrease_at(const Tree& tree, NodeId t) {
    const auto mass = [&](NodeId i) { return tree.weighted_n_node_samples[i] * tree.impurity[i]; };
    double decrease = mass(t);
    tree.for_children(t, [&](NodeId child) { decrease -= mass(child); });
    return decrease;
}

// visit(variable, share) for the variables that an inner node tests: one, or those of a
// combination by their shares in it.
template <class Visit>
void for_variables(const Tree& tree, const Node& node, Visit&& visit) {
    if (!tree.has_record(node) || tree.record(node).n_terms() == 0) {
        visit(static_cast<std::uint32_t>(node.feature), 1.0);
        return;
    }
    const BranchRecord record = tree.record(node);
    for (std::uint32_t i = 0; i < record.n_terms(); ++i)
        visit(record.term(i).feature, static_cast<double>(record.term(i).share));
}

}  // namespace silvics
