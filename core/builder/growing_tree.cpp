#include "builder/growing_tree.hpp"

#include <algorithm>
#include <utility>

namespace silvics {
namespace {

void set_depth_first(std::vector<GrowingNode>& nodes) {
    struct Pending {
        NodeId id;
        NodeId parent;  // whose second child this is; itself for others
    };
    std::vector<GrowingNode> ordered;
    ordered.reserve(nodes.size());
    std::vector<Pending> stack{{0, 0}};
    while (!stack.empty()) {
        const auto [id, parent] = stack.back();
        stack.pop_back();
        const auto at = static_cast<NodeId>(ordered.size());
        if (parent != at) ordered[parent].second = at;
        ordered.push_back(nodes[id]);
        if (nodes[id].feature < 0) continue;
        ordered[at].first = at + 1;
        stack.push_back({nodes[id].second, at});
        stack.push_back({nodes[id].first, at + 1});
    }
    nodes = std::move(ordered);
}

// Of nodes in depth-first order.
std::uint32_t depth_of(const std::vector<GrowingNode>& nodes) {
    std::uint32_t depth = 0, deepest = 0;
    std::vector<std::uint32_t> waiting;  // depths of the second children to come
    for (const GrowingNode& node : nodes) {
        deepest = std::max(deepest, depth);
        if (node.feature >= 0) {
            waiting.push_back(++depth);
        } else if (!waiting.empty()) {
            depth = waiting.back();
            waiting.pop_back();
        }
    }
    return deepest;
}

}  // namespace

Tree finish_tree(GrowingTree growing, const Target& target, std::size_t n_features, bool per_node) {
    const std::size_t n = growing.nodes.size(), width = target.value_width();
    if (!growing.depth_first) set_depth_first(growing.nodes);
    Tree tree;
    tree.n_features = n_features;
    tree.n_outputs = target.n_outputs;
    tree.n_classes = target.n_classes;
    tree.max_depth = depth_of(growing.nodes);
    tree.nodes.resize(n);
    tree.n_node_samples.resize(n);
    tree.weighted_n_node_samples.resize(n);
    tree.impurity.resize(n);
    if (per_node) tree.node_values.resize(n * width);
    for (std::size_t t = 0; t < n; ++t) {
        const GrowingNode& from = growing.nodes[t];
        Node node{from.threshold, from.feature, from.second};
        const auto value = growing.values.begin() + static_cast<std::ptrdiff_t>(from.value * width);
        if (per_node)
            std::copy_n(value, width,
                        tree.node_values.begin() + static_cast<std::ptrdiff_t>(t * width));
        if (node.leaf() && per_node) {
            node.link = 0;
        } else if (node.leaf() && (from.value & kPureBit)) {
            node.link = from.value;
        } else if (node.leaf()) {
            node.link = checked_id(tree.leaf_weights.size() / width, kMaxIds, "impure leaves");
            tree.leaf_weights.insert(tree.leaf_weights.end(), value,
                                     value + static_cast<std::ptrdiff_t>(width));
        }
        tree.nodes[t] = node;
        tree.n_node_samples[t] = from.n;
        tree.weighted_n_node_samples[t] = from.weight;
        tree.impurity[t] = from.impurity;
    }
    tree.leaf_weights.shrink_to_fit();
    return tree;
}

}  // namespace silvics
