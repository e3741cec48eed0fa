#include "builder/growing_tree.hpp"

#include <algorithm>

namespace silvics {

Tree finish_tree(const GrowingTree& growing, const Target& target, std::size_t n_features,
                 bool per_node) {
    const std::size_t n = growing.nodes.size(), width = target.value_width();
    Tree tree;
    tree.n_features = n_features;
    tree.n_outputs = target.n_outputs;
    tree.n_classes = target.n_classes;
    tree.nodes.reserve(n);
    tree.n_node_samples.reserve(n);
    tree.weighted_n_node_samples.reserve(n);
    tree.impurity.reserve(n);
    if (per_node) tree.node_values.reserve(n * width);

    struct Pending {
        NodeId id;
        NodeId parent;  // whose second child this is; itself for others
        std::uint32_t depth;
    };
    std::vector<Pending> stack{{0, 0, 0}};
    while (!stack.empty()) {
        const auto [id, parent, depth] = stack.back();
        stack.pop_back();
        const GrowingNode& from = growing.nodes[id];
        const NodeId at = static_cast<NodeId>(tree.nodes.size());
        if (parent != at) tree.nodes[parent].link = at;
        Node node{from.threshold, from.feature, 0};
        const auto append_value_to = [&](std::vector<double>& values) {
            const auto value =
                growing.values.begin() + static_cast<std::ptrdiff_t>(from.value * width);
            values.insert(values.end(), value, value + static_cast<std::ptrdiff_t>(width));
        };
        if (per_node) {
            append_value_to(tree.node_values);
        } else if (node.leaf() && (from.value & kPureBit)) {
            node.link = from.value;
        } else if (node.leaf()) {
            node.link = checked_id(tree.leaf_weights.size() / width, kMaxIds, "impure leaves");
            append_value_to(tree.leaf_weights);
        }
        tree.nodes.push_back(node);
        tree.n_node_samples.push_back(from.n);
        tree.weighted_n_node_samples.push_back(from.weight);
        tree.impurity.push_back(from.impurity);
        tree.max_depth = std::max(tree.max_depth, depth);
        if (node.leaf()) continue;
        stack.push_back({from.second, at, depth + 1});
        stack.push_back({from.first, at + 1, depth + 1});
    }
    tree.leaf_weights.shrink_to_fit();
    return tree;
}

}  // namespace silvics
