#include "tree/detailed_tree.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

#include "tree/compact.hpp"
#include "tree/cut_tree.hpp"

namespace silvics {
namespace {

// Keeps the nodes that growth that is best first would split: those of the largest decrease, the
// leftmost among equals, until there are enough leaves.
void limit_leaves(const DetailedTree& tree, std::size_t max_leaf_nodes, std::vector<char>& cut) {
    const Tree& nodes = tree.plain();
    const auto later = [&](NodeId a, NodeId b) {
        return tree.decrease[a] != tree.decrease[b] ? tree.decrease[a] < tree.decrease[b] : a > b;
    };
    std::priority_queue<NodeId, std::vector<NodeId>, decltype(later)> open(later);
    const auto push = [&](NodeId t) {
        if (!nodes.nodes[t].leaf() && cut[t] == 0) open.push(t);
    };
    push(0);
    std::size_t n_leaves = 1;
    std::vector<NodeId> children;
    while (!open.empty()) {
        const NodeId t = open.top();
        open.pop();
        children.clear();
        nodes.for_children(t, [&](NodeId child) { children.push_back(child); });
        const std::size_t n_more = children.size() - 1;
        if (n_leaves >= max_leaf_nodes || n_more > max_leaf_nodes - n_leaves) {
            cut[t] = 1;
            continue;
        }
        n_leaves += n_more;
        std::ranges::for_each(children, push);
    }
}

}  // namespace

std::vector<char> cut_by(const DetailedTree& tree, const TreeLimits& limits) {
    const Tree& nodes = tree.plain();
    std::vector<char> cut(nodes.nodes.size(), 0);
    const std::vector<std::uint32_t> depths =
        limits.max_depth == TreeLimits::kNone ? std::vector<std::uint32_t>() : nodes.depths();
    for (std::size_t t = 0; t < cut.size(); ++t) {
        if (nodes.nodes[t].leaf()) continue;
        const double decrease = std::ldexp(tree.decrease[t], nodes.impurity_exponent);
        cut[t] =
            (!depths.empty() && depths[t] >= limits.max_depth) ||
            nodes.n_node_samples[t] < limits.min_samples_split ||
            (limits.min_impurity_decrease > 0.0 && !(decrease >= limits.min_impurity_decrease));
    }
    if (limits.max_leaf_nodes != TreeLimits::kNone) limit_leaves(tree, limits.max_leaf_nodes, cut);
    return cut;
}

std::vector<double> shrunken_values(const Tree& tree, double shrinkage) {
    std::vector<double> values = tree.all_values();
    if (shrinkage <= 0.0) return values;
    const std::vector<double> own = values;
    const std::size_t width = tree.value_width();
    for (NodeId t = 0; t < tree.nodes.size(); ++t) {
        if (tree.nodes[t].leaf()) continue;
        const double share = 1.0 / (1.0 + shrinkage / tree.weighted_n_node_samples[t]);
        tree.for_children(t, [&](NodeId child) {
            for (std::size_t c = 0; c < width; ++c) {
                const std::size_t to = child * width + c, from = t * width + c;
                values[to] = values[from] + share * (own[to] - own[from]);
            }
        });
    }
    return values;
}

StoredTree collapse(const DetailedTree& tree, const TreeLimits& limits) {
    Tree cut = cut_tree(tree.plain(), cut_by(tree, limits), tree.class_weights);
    if (limits.shrinkage <= 0.0) return stored(std::move(cut), tree.compaction);
    cut.node_values = shrunken_values(cut, limits.shrinkage);
    cut.leaf_weights.clear();
    for (Node& node : cut.nodes)
        if (node.leaf()) node.link = 0;
    return cut;
}

}  // namespace silvics
