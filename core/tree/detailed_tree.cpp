#include "tree/detailed_tree.hpp"

#include <algorithm>
#include <cmath>

#include "tree/compact.hpp"
#include "tree/cut_tree.hpp"

namespace silvics {
namespace {

// Keeps the nodes that growth that is best first would split: those of the largest decrease, the
// leftmost among equals, until there are enough leaves. Sets the bit of the others.
void limit_leaves(const DetailedTree& tree, std::size_t max_leaf_nodes, std::uint64_t bit,
                  std::vector<std::uint64_t>& cuts) {
    const Tree& nodes = tree.plain();
    const auto later = [&](NodeId a, NodeId b) {
        return tree.decrease[a] != tree.decrease[b] ? tree.decrease[a] < tree.decrease[b] : a > b;
    };
    std::vector<NodeId> open;  // a heap
    const auto push = [&](NodeId t) {
        if (nodes.nodes[t].leaf() || (cuts[t] & bit) != 0) return;
        open.push_back(t);
        std::ranges::push_heap(open, later);
    };
    push(0);
    std::size_t n_leaves = 1;
    std::vector<NodeId> children;
    while (!open.empty() && n_leaves < max_leaf_nodes) {
        std::ranges::pop_heap(open, later);
        const NodeId t = open.back();
        open.pop_back();
        children.clear();
        nodes.for_children(t, [&](NodeId child) { children.push_back(child); });
        const std::size_t n_more = children.size() - 1;
        if (n_more > max_leaf_nodes - n_leaves) {
            cuts[t] |= bit;
            continue;
        }
        n_leaves += n_more;
        std::ranges::for_each(children, push);
    }
    for (const NodeId t : open) cuts[t] |= bit;
}

}  // namespace

void DetailedTree::write_value(NodeId t, std::span<double> value) const {
    const Tree& nodes = plain();
    if (nodes.has_node_values()) return nodes.write_value(t, value);
    const double weight = nodes.weighted_n_node_samples[t];
    const double* const weights = class_weights.data() + t * value.size();
    for (std::size_t c = 0; c < value.size(); ++c) value[c] = weights[c] / weight;
}

std::vector<std::uint64_t> cuts_by(const DetailedTree& tree, std::span<const TreeLimits> limits) {
    const Tree& nodes = tree.plain();
    const std::size_t n = nodes.nodes.size();
    std::vector<std::uint64_t> cuts(n, 0);
    std::vector<std::uint32_t> depths;
    std::vector<double> decreases;
    for (std::size_t s = 0; s < limits.size(); ++s) {
        const TreeLimits& of = limits[s];
        const auto cut = [&](std::size_t t, bool is_cut) {
            cuts[t] |= static_cast<std::uint64_t>(is_cut) << s;
        };
        if (of.max_depth != TreeLimits::kNone) {
            if (depths.empty()) depths = nodes.depths();
            for (std::size_t t = 0; t < n; ++t) cut(t, depths[t] >= of.max_depth);
        }
        if (of.min_samples_split > 0)
            for (std::size_t t = 0; t < n; ++t)
                cut(t, nodes.n_node_samples[t] < of.min_samples_split);
        if (of.min_impurity_decrease > 0.0) {
            for (std::size_t t = decreases.size(); t < n; ++t)
                decreases.push_back(std::ldexp(tree.decrease[t], nodes.impurity_exponent));
            for (std::size_t t = 0; t < n; ++t) cut(t, !(decreases[t] >= of.min_impurity_decrease));
        }
    }
    for (std::size_t t = 0; t < n; ++t)
        if (nodes.nodes[t].leaf()) cuts[t] = 0;
    for (std::size_t s = 0; s < limits.size(); ++s)
        if (limits[s].max_leaf_nodes != TreeLimits::kNone)
            limit_leaves(tree, limits[s].max_leaf_nodes, std::uint64_t{1} << s, cuts);
    return cuts;
}

std::vector<char> cut_by(const DetailedTree& tree, const TreeLimits& limits) {
    const std::vector<std::uint64_t> cuts = cuts_by(tree, {&limits, 1});
    return {cuts.begin(), cuts.end()};
}

std::vector<double> shrunken_values(const Tree& tree, double shrinkage) {
    std::vector<double> values = tree.all_values();
    if (shrinkage <= 0.0) return values;
    const std::vector<double> own = values;
    const std::size_t width = tree.value_width();
    for (NodeId t = 0; t < tree.nodes.size(); ++t) {
        if (tree.nodes[t].leaf()) continue;
        const double share = kept_by_shrinkage(shrinkage, tree.weighted_n_node_samples[t]);
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
