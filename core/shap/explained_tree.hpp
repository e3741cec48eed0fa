// A tree in the form from which Shapley values are computed: its edges, in the order of nodes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "predictor/packed_tree.hpp"
#include "predictor/predictor.hpp"

namespace silvics {

// The edge from a node's parent to the node.
struct Edge {
    std::uint32_t variable = 0;  // that the parent tests: its place among those of the tree
    std::uint32_t which = 0;     // of the parent's children
    std::uint32_t depth = 0;     // of the node
    NodeId previous = 0;         // the last node above whose edge tests the same variable, or zero
    NodeId end = 1;              // one past the last node below
    // The part of the training weight that passes this edge, of that in the parent; and that
    // passes all edges of this variable on the path, as a product.
    double ratio = 1.0, share = 1.0;
};

class ExplainedTree {
public:
    // `cover`: the training weight of every node; without it, all children have the same.
    // Throws std::invalid_argument if a split compares a combination of variables.
    ExplainedTree(const Predictor& predictor, std::size_t m, std::span<const double> cover);

    std::size_t n_nodes() const { return edges_.size(); }
    const Edge& edge(NodeId t) const { return edges_[t]; }
    bool leaf(NodeId t) const { return places_[t] < 0; }

    // The variables that the tree tests, ascending.
    std::span<const FeatureId> variables() const { return variables_; }
    std::uint32_t max_depth() const { return max_depth_; }
    // The largest number of variables on a path.
    std::size_t max_path_variables() const { return max_path_variables_; }

    // visit(column, value) for what a leaf predicts, without zeros.
    template <class Visit>
    void for_values(NodeId leaf, Visit&& visit) const {
        const auto number = static_cast<std::size_t>(-1 - places_[leaf]);
        for (std::size_t i = starts_[number]; i < starts_[number + 1]; ++i)
            visit(columns_[i], values_[i]);
    }
    // The prediction without any variable: the mean of the leaves by their training weights.
    std::span<const double> mean() const { return mean_; }

    // The variable that an inner node tests: its place among those of the tree.
    std::uint32_t variable(NodeId t) const { return edges_[t + 1].variable; }
    // The threshold of a plain split; NaN at other nodes.
    double threshold(NodeId t) const { return thresholds_[t]; }
    // The child that a sample goes to, or kBoth.
    static constexpr std::uint32_t kBoth = ~std::uint32_t{0};
    std::uint32_t child_of(NodeId t, const double* sample) const {
        const double x = sample[variables_[variable(t)]];
        // Which side it is cannot be predicted, so there is no branch on it.
        const bool first = x <= thresholds_[t], second = x > thresholds_[t];
        if (first | second) return second;
        const auto place = static_cast<Place>(places_[t]);
        if (both_children_ && tree_->missing_at(place, sample)) return kBoth;
        return tree_->next<false>(place, sample).which;
    }
    // Whether child_of may return kBoth.
    bool both_children() const { return both_children_; }

private:
    void number_edges(std::span<const double> cover);
    void link_edges();
    void keep_values(const Predictor& predictor);

    const PackedTree* tree_;
    bool both_children_;
    std::vector<Edge> edges_;
    std::vector<std::int64_t> places_;  // of inner nodes; -1 - the number of a leaf
    std::vector<double> thresholds_;
    std::vector<FeatureId> variables_;
    std::vector<PackedLeaf> leaves_;
    std::vector<std::size_t> starts_;  // of the values of each leaf
    std::vector<std::uint32_t> columns_;
    std::vector<double> values_, mean_;
    std::uint32_t max_depth_ = 0;
    std::size_t max_path_variables_ = 0;
};

// The variable that an inner node tests. Throws std::invalid_argument for a combination.
FeatureId tested_variable(const PackedTree& tree, Place t);

}  // namespace silvics
