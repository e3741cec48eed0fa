#include "tree/tree.hpp"

#include <algorithm>

namespace silvics {
namespace {

// Adds the class weights of a leaf.
void add_leaf_weights(const Tree& tree, NodeId leaf, std::span<double> sum) {
    const Node& node = tree.nodes[leaf];
    if (node.pure()) {
        sum[node.pure_class()] += tree.weighted_n_node_samples[leaf];
        return;
    }
    const double* weights = tree.leaf_weights.data() + node.weights_row() * sum.size();
    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += weights[c];
}

void divide(std::span<double> value, double weight) {
    for (double& v : value) v /= weight;
}

void copy_row(const std::vector<double>& rows, std::size_t number, std::span<double> row) {
    std::ranges::copy(std::span(rows).subspan(number * row.size(), row.size()), row.begin());
}

}  // namespace

double Tree::write_leaf_row(NodeId leaf, std::span<double> row) const {
    if (has_node_values()) return copy_row(node_values, leaf, row), 1.0;
    copy_row(leaf_weights, nodes[leaf].weights_row(), row);
    return weighted_n_node_samples[leaf];
}

void Tree::write_class_weights(NodeId t, std::span<double> weights) const {
    std::ranges::fill(weights, 0.0);
    NodeId end = t + 1;  // of the subtree, as far as the second children seen reach
    for (NodeId u = t; u < end; ++u) {
        if (nodes[u].leaf())
            add_leaf_weights(*this, u, weights);
        else
            end = std::max(end, nodes[u].second() + 1);
    }
}

void Tree::write_value(NodeId t, std::span<double> value) const {
    if (has_node_values()) return copy_row(node_values, t, value);
    write_class_weights(t, value);
    divide(value, weighted_n_node_samples[t]);
}

std::vector<double> Tree::all_values() const {
    if (has_node_values()) return node_values;
    const std::size_t width = value_width();
    std::vector<double> values(nodes.size() * width, 0.0);
    const auto of = [&](NodeId t) { return std::span(values).subspan(t * width, width); };
    for (NodeId t = static_cast<NodeId>(nodes.size()); t-- > 0;) {
        if (nodes[t].leaf()) {
            add_leaf_weights(*this, t, of(t));
            continue;
        }
        const auto first = of(t + 1), second = of(nodes[t].second()), sum = of(t);
        for (std::size_t c = 0; c < width; ++c) sum[c] = first[c] + second[c];
    }
    for (NodeId t = 0; t < nodes.size(); ++t) divide(of(t), weighted_n_node_samples[t]);
    return values;
}

std::size_t Tree::memory_bytes() const {
    const auto bytes = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
    return array_bytes() + bytes(n_node_samples) + bytes(weighted_n_node_samples) +
           bytes(impurity) + bytes(leaf_weights) + bytes(node_values);
}

}  // namespace silvics
