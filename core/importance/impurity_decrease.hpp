// Mean decrease of impurity (equation 6.2), of one tree.
#pragma once

#include <vector>

#include "importance/distribution.hpp"
#include "tree/stored_tree.hpp"

namespace silvics {

// The sum of p(t) times the decrease over the nodes that split on each variable. `normalize` scales
// the sums to add up to one unless all are zero. Nodes of fewer samples than `min_samples` are
// skipped, because their decreases are mostly noise (section 7.2.2).
std::vector<double> impurity_decrease(const StoredTree& tree, bool normalize,
                                      std::size_t min_samples = 0);

// The same, not normalized, by class or output: variables x value width. The part of a class is its
// term in the sum of the Gini index or the entropy. Outputs are averaged, so the parts add up to
// the whole.
std::vector<double> impurity_decrease_by_output(const StoredTree& tree, Impurity impurity,
                                                std::size_t min_samples = 0);

// Weight times the decrease of impurity at an inner node of a plain tree, in the tree's units.
inline double decrease_at(const Tree& tree, NodeId t) {
    const auto mass = [&](NodeId i) { return tree.weighted_n_node_samples[i] * tree.impurity[i]; };
    double decrease = mass(t);
    tree.for_children(t, [&](NodeId child) { decrease -= mass(child); });
    return decrease;
}

// The parent of each node; the root is its own parent.
inline std::vector<NodeId> parents_of(const TreeBase& tree) {
    std::vector<NodeId> parents(tree.nodes.size(), 0);
    for (NodeId t = 0; t < tree.nodes.size(); ++t)
        if (!tree.nodes[t].leaf()) tree.for_children(t, [&](NodeId child) { parents[child] = t; });
    return parents;
}

// visit(variable, share) for the variables that an inner node tests: one variable, or those of an
// oblique split with their shares.
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
