#include "tree/tree_base.hpp"

#include <algorithm>
#include <numeric>

namespace silvics {

std::size_t TreeBase::value_width() const {
    return classification() ? std::accumulate(n_classes.begin(), n_classes.end(), std::size_t{0})
                            : n_outputs;
}

std::size_t TreeBase::n_leaves() const {
    return static_cast<std::size_t>(std::ranges::count_if(nodes, &Node::leaf));
}

std::vector<NodeId> TreeBase::subtree_ends() const {
    std::vector<NodeId> ends(nodes.size());
    for (NodeId t = static_cast<NodeId>(nodes.size()); t-- > 0;)
        ends[t] = nodes[t].leaf() ? t + 1 : ends[last_child(t)];
    return ends;
}

std::vector<std::uint32_t> TreeBase::depths() const {
    std::vector<std::uint32_t> depth(nodes.size(), 0);
    for (NodeId t = 0; t < nodes.size(); ++t)
        if (!nodes[t].leaf()) for_children(t, [&](NodeId child) { depth[child] = depth[t] + 1; });
    return depth;
}

std::size_t TreeBase::array_bytes() const {
    const auto bytes = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
    return bytes(n_classes) + bytes(nodes) + bytes(level_sets) + bytes(branches);
}

TreeBase header_of(const TreeBase& tree) {
    TreeBase header;
    header.n_features = tree.n_features;
    header.n_outputs = tree.n_outputs;
    header.n_classes = tree.n_classes;
    header.max_depth = tree.max_depth;
    header.impurity_exponent = tree.impurity_exponent;
    header.level_sets = tree.level_sets;
    header.both_children = tree.both_children;
    return header;
}

}  // namespace silvics
