#include "tree/compact_tree.hpp"

#include <algorithm>

namespace silvics {

LeafScales CompactTree::leaf_scales() const {
    LeafScales scales = LeafScales::of_impurities(impurity_exponent);
    double largest = 0.0;  // of weights that are not whole
    if (!classification())
        for (const double w : weighted_n_leaf_samples) largest = std::max(largest, w);
    else if (!counts_in_leaves())
        for (const Node& node : nodes)
            if (node.leaf()) largest = std::max(largest, node.weight());
    if (largest > 0.0)
        scales.weight = std::ldexp(1.0, -std::clamp(std::ilogb(largest), -1000, 1000));
    return scales;
}

double CompactTree::write_leaf_row(NodeId leaf, std::span<double> row) const {
    const Node& node = nodes[leaf];
    const std::size_t first = node.weights_row() * row.size();
    for (std::size_t c = 0; c < row.size(); ++c) row[c] = class_weight(first + c);
    return counts_in_leaves() ? static_cast<double>(node.counts().weight) : node.weight();
}

std::size_t CompactTree::memory_bytes() const {
    const auto bytes = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
    return array_bytes() + bytes(leaf_weights) + bytes(n_leaf_samples) +
           bytes(weighted_n_leaf_samples) + bytes(leaf_impurity) + bytes(whole_weights.narrow) +
           bytes(whole_weights.wide);
}

}  // namespace silvics
