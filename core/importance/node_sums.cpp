#include "importance/node_sums.hpp"

#include "importance/impurity_decrease.hpp"

namespace silvics {
namespace {

// Adds the sums of leaves to all their ancestors. Children come after their parents.
void add_up(const Tree& tree, std::span<const NodeId> parents, std::size_t width,
            std::vector<double>& sums) {
    for (std::size_t t = tree.nodes.size(); t-- > 1;)
        for (std::size_t k = 0; k < width; ++k) sums[parents[t] * width + k] += sums[t * width + k];
}

}  // namespace

NodeSums node_sums(const Tree& tree, std::span<const std::int64_t> leaves, std::size_t stride,
                   const Target& target, const LearningSubset& subset,
                   const std::vector<bool>& held_out, std::span<const double> held_out_weights) {
    const std::size_t size = tree.nodes.size(), w = target.value_width();
    NodeSums sums;
    sums.width = w;
    for (auto* sum : {&sums.drawn, &sums.held_out, &sums.n, &sums.ww}) sum->assign(size, 0.0);
    for (auto* sum : {&sums.drawn_y, &sums.held_out_y, &sums.y, &sums.yy})
        sum->assign(size * w, 0.0);
    for (const RowId row : subset.rows) {
        const auto t = static_cast<std::size_t>(leaves[row * stride]);
        const double weight = subset.weight(row);
        sums.drawn[t] += weight;
        sums.ww[t] += weight * weight;
        sums.n[t] += 1.0;
        for_outputs(target, row, [&](std::size_t k, double y) {
            sums.drawn_y[t * w + k] += weight * y;
            sums.y[t * w + k] += y;
            sums.yy[t * w + k] += y * y;
        });
    }
    for (std::size_t row = 0; row < held_out.size(); ++row) {
        if (!held_out[row]) continue;
        const auto t = static_cast<std::size_t>(leaves[row * stride]);
        const double weight = held_out_weights.empty() ? 1.0 : held_out_weights[row];
        sums.held_out[t] += weight;
        for_outputs(target, row,
                    [&](std::size_t k, double y) { sums.held_out_y[t * w + k] += weight * y; });
    }
    const std::vector<NodeId> parents = parents_of(tree);
    for (auto* sum : {&sums.drawn, &sums.held_out, &sums.n, &sums.ww})
        add_up(tree, parents, 1, *sum);
    for (auto* sum : {&sums.drawn_y, &sums.held_out_y, &sums.y, &sums.yy})
        add_up(tree, parents, w, *sum);
    return sums;
}

void take_stored_sums(const Tree& tree, const Target& target, NodeSums& sums) {
    const std::size_t w = sums.width;
    const std::vector<double> values = tree.all_values();
    for (NodeId t = 0; t < tree.nodes.size(); ++t) {
        const double weight = tree.weighted_n_node_samples[t];
        sums.drawn[t] = weight;
        sums.n[t] = static_cast<double>(tree.n_node_samples[t]);
        for (std::size_t k = 0; k < w; ++k) {
            const double value = values[t * w + k];
            sums.drawn_y[t * w + k] =
                weight * (target.classification() ? value : target.scaled(k, value));
        }
    }
}

}  // namespace silvics
