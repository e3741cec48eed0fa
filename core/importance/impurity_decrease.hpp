// Mean decrease of impurity (equation 6.2), of one tree.
#pragma once

#include <vector>

#include "importance/distribution.hpp"
#include "tree/stored_tree.hpp"

namespace silvics {

// Sum of p(t) times the decrease over the nodes that split on each variable; `normalize`
// makes them sum to one where they are not all zero. Nodes of fewer samples than `min_samples` do
// not count: what they tell is mostly noise (section 7.2.2).
std::vector<double> impurity_decrease(const StoredTree& tree, bool normalize,
                                      std::size_t min_samples = 0);

// The same, not normalized, by class or output: variables x value width. The parts of Gini's index
// and the entropy are those of their sums over classes; outputs are averaged, so parts add up.
std::vector<double> impurity_decrease_by_output(const StoredTree& tree, Impurity impurity,
                                                std::size_t min_samples = 0);

// Of a plain tree: weight times the decrease of impurity at an inner node, in the tree's units.
inline double decrease_at(const Tree& tree, NodeId t) {
    const auto mass = [&](NodeId i) { return tree.weighted_n_node_samples[i] * tree.impurity[i]; };
    double decrease = mass(t);
    tree.for_children(t, [&](NodeId child) { decrease -= mass(child); });
    return decrease;
}

// The parent of each node; the root's is itself.
inline std::vector<NodeId> parents_of(const TreeBase& tree) {
    std::vector<NodeId> parents(tree.nodes.size(), 0);
    for (NodeId t = 0; t < tree.nodes.size(); ++t)
        if (!tree.nodes[t].leaf()) tree.for_children(t, [&](NodeId child) { parents[child] = t; });
    return parents;
}

// visit(variable, share) for the variables that an inner node tests: one, or those of a
// combination by their shares in it.
template <class Visit>
void for_variables(const TreeBase& tree, const Node& node, Visit&& visit) {
    if (!tree.has_record(node) || tree.record(node).n_terms() == 0) {
        visit(static_cast<std::uint32_t>(node.feature), 1.0);
        return;
    }
    const BranchRecord record = tree.record(node);
    for (std::uint32_t i = 0; i < record.n_terms(); ++i)
        visit(record.term(i).feature, static_cast<double>(record.term(i).share));
}

}  // namespace silvics
