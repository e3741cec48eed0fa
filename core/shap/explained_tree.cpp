#include "shap/explained_tree.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "predictor/leaf_visits.hpp"

namespace silvics {

FeatureId tested_variable(const PackedTree& tree, Place t) {
    const PackedNode& node = tree.nodes()[t];
    if (!node.rule().is_record()) return node.feature();
    const BranchRecord record = tree.record_of(node);
    if (record.n_terms() == 0) return node.feature();
    if (record.n_terms() == 1) return record.term(0).feature;
    throw std::invalid_argument(
        "This forest has oblique splits, which compare weighted sums of variables: no part of such "
        "a split belongs to a single variable. Use a recipe whose splits test one variable each.");
}

ExplainedTree::ExplainedTree(const Predictor& predictor, std::size_t m,
                             std::span<const double> cover)
    : tree_(&predictor.tree(m)),
      both_children_(predictor.forest().both_children),
      edges_(tree_->shape().n_nodes),
      places_(edges_.size(), -1),
      thresholds_(edges_.size(), std::numeric_limits<double>::quiet_NaN()) {
    if (!cover.empty() && cover.size() != edges_.size())
        throw std::invalid_argument("a training weight is needed for every node");
    number_edges(cover);
    link_edges();
    keep_values(predictor);
}

void ExplainedTree::number_edges(std::span<const double> cover) {
    if (edges_.size() == 1) {
        leaves_.push_back({tree_->child(PackedTree::kRoot, 0).content(), PackedTree::kRoot, 0});
        return;
    }
    const NodeNumbers numbers(*tree_);
    for (Place t = 0; t < tree_->n_places(); ++t) {  // parents come first
        const NodeId id = numbers.of(t);
        const FeatureId variable = tested_variable(*tree_, t);
        const std::uint32_t n = tree_->n_children(t);
        variables_.push_back(variable);
        places_[id] = t;
        thresholds_[id] = tree_->nodes()[t].threshold();  // NaN stands for other rules
        double sum = 0.0;
        for (std::uint32_t k = 0; k < n && !cover.empty(); ++k)
            sum += cover[numbers.child(*tree_, t, k)];
        for (std::uint32_t k = 0; k < n; ++k) {
            const NodeId c = numbers.child(*tree_, t, k);
            Edge& edge = edges_[c];
            edge.variable = variable;
            edge.which = k;
            edge.depth = edges_[id].depth + 1;
            // Nothing is known of the children of a node without training weight.
            edge.ratio = sum > 0.0 ? cover[c] / sum : 1.0 / static_cast<double>(n);
        }
    }
    std::ranges::sort(variables_);
    variables_.erase(std::ranges::unique(variables_).begin(), variables_.end());
    for (const NumberedLeaf& leaf : numbered_leaves(*tree_)) {
        places_[leaf.id] = -1 - static_cast<std::int64_t>(leaves_.size());
        leaves_.push_back(leaf.leaf);
    }
}

void ExplainedTree::link_edges() {
    std::vector<NodeId> path{0};                     // the nodes above, by depth
    std::vector<NodeId> last(variables_.size(), 0);  // the last edge of each variable
    std::size_t n_variables = 0;                     // on the path
    const auto leave = [&](NodeId end) {
        Edge& edge = edges_[path.back()];
        edge.end = end;
        last[edge.variable] = edge.previous;
        n_variables -= edge.previous == 0;
        path.pop_back();
    };
    for (NodeId t = 1; t < edges_.size(); ++t) {
        Edge& edge = edges_[t];
        while (path.size() > edge.depth) leave(t);
        const auto at = std::ranges::lower_bound(variables_, edge.variable);
        edge.variable = static_cast<std::uint32_t>(at - variables_.begin());
        edge.previous = last[edge.variable];
        edge.share = edge.ratio * (edge.previous ? edges_[edge.previous].share : 1.0);
        last[edge.variable] = t;
        n_variables += edge.previous == 0;
        path.push_back(t);
        max_depth_ = std::max(max_depth_, edge.depth);
        max_path_variables_ = std::max(max_path_variables_, n_variables);
    }
    const auto n = static_cast<NodeId>(edges_.size());
    while (path.size() > 1) leave(n);
    edges_[0].end = n;
}

void ExplainedTree::keep_values(const Predictor& predictor) {
    std::vector<double> row(predictor.value_width());
    mean_.assign(row.size(), 0.0);
    starts_.assign(1, 0);
    std::vector<double> reach{1.0};  // the weight of the path to each node above
    predictor.with_leaves(*tree_, [&](auto&& add) {
        for (NodeId t = 0; t < edges_.size(); ++t) {
            const Edge& edge = edges_[t];
            reach.resize(edge.depth + 1);
            if (edge.depth > 0) reach[edge.depth] = reach[edge.depth - 1] * edge.ratio;
            if (!leaf(t)) continue;
            std::ranges::fill(row, 0.0);
            add(leaves_[starts_.size() - 1], std::span<double>(row));
            for (std::size_t c = 0; c < row.size(); ++c) {
                if (row[c] == 0.0) continue;
                columns_.push_back(static_cast<std::uint32_t>(c));
                values_.push_back(row[c]);
                mean_[c] += reach[edge.depth] * row[c];
            }
            starts_.push_back(columns_.size());
        }
    });
    leaves_ = {};
}

}  // namespace silvics
