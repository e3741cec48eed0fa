#include "importance/impurity_decrease.hpp"

#include <cmath>
#include <numeric>

#include "tree/compact.hpp"

namespace silvics {

std::vector<double> impurity_decrease(const Tree& kept, bool normalize) {
    const Tree tree = expand(kept);
    std::vector<double> importance(tree.n_features, 0.0);
    for (NodeId t = 0; t < tree.nodes.size(); ++t)
        if (const Node& node = tree.nodes[t]; !node.leaf()) {
            const double decrease = decrease_at(tree, t);
            for_variables(tree, node, [&](std::uint32_t variable, double share) {
                importance[variable] += decrease * share;
            });
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
