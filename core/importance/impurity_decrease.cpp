#include "importance/impurity_decrease.hpp"

#include <cmath>
#include <numeric>

#include "tree/compact.hpp"

namespace silvics {
namespace {

// A combination's decrease belongs to its variables by their shares in it.
void share_out(const Tree& tree, const Node& node, double decrease,
               std::vector<double>& importance) {
    const auto feature = static_cast<std::size_t>(node.feature);
    if (!tree.has_record(node) || tree.record(node).n_terms() == 0) {
        importance[feature] += decrease;
        return;
    }
    const BranchRecord record = tree.record(node);
    for (std::uint32_t i = 0; i < record.n_terms(); ++i) {
        const Term term = record.term(i);
        importance[term.feature] += decrease * static_cast<double>(term.share);
    }
}

}  // namespace

std::vector<double> impurity_decrease(const Tree& kept, bool normalize) {
    const Tree tree = expand(kept);
    std::vector<double> importance(tree.n_features, 0.0);
    const auto mass = [&](NodeId t) { return tree.weighted_n_node_samples[t] * tree.impurity[t]; };
    for (NodeId t = 0; t < tree.nodes.size(); ++t)
        if (const Node& node = tree.nodes[t]; !node.leaf()) {
            double decrease = mass(t);
            tree.for_children(t, [&](NodeId child) { decrease -= mass(child); });
            share_out(tree, node, decrease, importance);
        }
    if (normalize) {
        const double whole = std::accumulate(importance.begin(), importance.end(), 0.0);
        if (whole > 0.0)
            for (double& value : importance) value /= whole;
    } else {
        for (double& value : importance)
            value = std::ldexp(value / tree.weighted_n_node_samples[0], tree.impurity_exponent);
    }
    return importance;
}

}  // namespace silvics
