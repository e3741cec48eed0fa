#include "importance/impurity_decrease.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tree/compact.hpp"

namespace silvics {

std::vector<double> impurity_decrease(const StoredTree& stored, bool normalize,
                                      std::size_t min_samples) {
    const Tree tree = expand(stored);
    std::vector<double> importance(tree.n_features, 0.0);
    for (NodeId t = 0; t < tree.nodes.size(); ++t)
        if (const Node& node = tree.nodes[t];
            !node.leaf() && tree.n_node_samples[t] >= min_samples) {
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

std::vector<double> impurity_decrease_by_output(const StoredTree& stored, Impurity impurity,
                                                std::size_t min_samples) {
    const Tree tree = expand(stored);
    const std::size_t w = tree.value_width();
    const std::vector<double> values = tree.all_values();
    const double whole = tree.weighted_n_node_samples[0] *
                         static_cast<double>(std::max<std::size_t>(tree.n_outputs, 1));
    // Weight times impurity. For the variance, only the part that differs between the node and its
    // children is computed.
    const auto mass = [&](NodeId t, std::size_t k, double from) {
        const double y = values[t * w + k], weight = tree.weighted_n_node_samples[t];
        switch (impurity) {
            case Impurity::entropy:
                return y > 0.0 ? -weight * y * std::log2(y) : 0.0;
            case Impurity::gini:
                return weight * y * (1.0 - y);
            default:
                return -weight * (y - from) * (y - from);
        }
    };
    std::vector<double> importance(tree.n_features * w, 0.0);
    for (NodeId t = 0; t < tree.nodes.size(); ++t) {
        const Node& node = tree.nodes[t];
        if (node.leaf() || tree.n_node_samples[t] < min_samples) continue;
        for (std::size_t k = 0; k < w; ++k) {
            const double from = values[t * w + k];
            double decrease = mass(t, k, from);
            tree.for_children(t, [&](NodeId child) { decrease -= mass(child, k, from); });
            for_variables(tree, node, [&](std::uint32_t variable, double share) {
                importance[variable * w + k] += decrease * share / whole;
            });
        }
    }
    return importance;
}

}  // namespace silvics
