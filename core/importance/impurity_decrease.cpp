#include "importance/impurity_decrease.hpp"

#include <cmath>
#include <numeric>

#include "tree/compact.hpp"

namespace silvics {

std::vector<double> impurity_decrease(const Tree& kept, bool normalize) {
    const Tree tree = expand(kept);
    std::vector<double> importance(tree.n_features, 0.0);
    const auto mass = [&](NodeId t) { return tree.weighted_n_node_samples[t] * tree.impurity[t]; };
    for (NodeId t = 0; t < tree.nodes.size(); ++t)
        if (const Node& node = tree.nodes[t]; !node.leaf())
            importance[static_cast<std::size_t>(node.feature)] +=
                mass(t) - mass(t + 1) - mass(node.second());
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
