#include "dependence/grid_traversal.hpp"

#include <algorithm>

#include "shap/explained_tree.hpp"

namespace silvics {

void GridTraversal::begin(const PackedTree& tree, const ColumnBlock& rows) {
    tree_ = &tree;
    rows_ = &rows;
    nodes_.clear();
    for (std::size_t l = 0; l <= axes_.size(); ++l) {
        const std::size_t size = l == 0 ? rows.size : axes_[l - 1].points.size();
        items_[l].resize(size);
        std::iota(items_[l].begin(), items_[l].end(), 0U);
        share_[l].assign(size, 1.0);
    }
}

GridTraversal::Ranges GridTraversal::ranges_of_all() const {
    Ranges ranges{};
    for (std::size_t l = 0; l <= axes_.size(); ++l) ranges[l].end = items_[l].size();
    return ranges;
}

GridTraversal::Parts GridTraversal::parts(const Ranges& ranges) const {
    Parts found;
    for (std::size_t l = 0; l <= axes_.size(); ++l)
        found[l] = {std::span(items_[l]).subspan(ranges[l].begin, ranges[l].end - ranges[l].begin),
                    share_[l]};
    return found;
}

void GridTraversal::open(Place at, const Ranges& ranges) {
    Node node;
    node.at = at;
    node.ranges = ranges;
    node.variable = tested_variable(*tree_, at);
    for (std::size_t a = 0; a < axes_.size(); ++a)
        if (axes_[a].variable == node.variable) node.list = static_cast<std::uint32_t>(a + 1);
    node.n_children = tree_->n_children(at);
    node.rest = node.middle = ranges[node.list].begin;
    nodes_.push_back(node);
}

bool GridTraversal::next_child(Node& node) {
    if (node.started) {
        if (both_children_)
            scale_both(node, 2.0);
        else
            node.rest = node.middle;
        ++node.which;
    }
    node.started = true;
    if (node.which == node.n_children) return false;
    if (both_children_) {
        divide(node);
        scale_both(node, 0.5);
    } else if (node.which + 1 == node.n_children) {
        node.middle = node.ranges[node.list].end;
    } else {
        divide(node);
    }
    return true;
}

void GridTraversal::divide(Node& node) {
    const PackedNode& split = tree_->nodes()[node.at];
    const double threshold = split.threshold();
    const double* const values = values_of(node);
    std::uint32_t* const items = items_[node.list].data();
    std::size_t middle = node.rest;
    for (std::size_t i = node.rest; i < node.ranges[node.list].end; ++i) {
        const std::uint32_t item = items[i], other = items[middle];
        const bool low = values[item] <= threshold, high = values[item] > threshold;
        bool belongs = low == (node.which == 0);
        if (!(low | high)) {
            const std::uint32_t child = child_of(node, item);
            belongs = child == node.which || child == kBoth;
        }
        // Which side it is cannot be predicted, so there is no branch on it.
        items[middle] = belongs ? item : other;
        items[i] = belongs ? other : item;
        middle += belongs;
    }
    node.middle = middle;
}

// Items that go to both children of a node have half of their share below it.
void GridTraversal::scale_both(const Node& node, double factor) {
    for (std::size_t i = node.rest; i < node.middle; ++i) {
        const std::uint32_t item = items_[node.list][i];
        if (child_of(node, item) == kBoth) share_[node.list][item] *= factor;
    }
}

std::uint32_t GridTraversal::child_of(const Node& node, std::uint32_t item) {
    const double x = values_of(node)[item];
    if (both_children_) {
        sample_.resize(std::max<std::size_t>(sample_.size(), node.variable + 1));
        sample_[node.variable] = x;
        if (tree_->missing_at(node.at, sample_.data())) return kBoth;
    }
    return tree_->next_of<false>(tree_->nodes()[node.at], [x](FeatureId) { return x; }).which;
}

const double* GridTraversal::values_of(const Node& node) const {
    return node.list == 0 ? rows_->column(node.variable) : axes_[node.list - 1].points.data();
}

}  // namespace silvics
