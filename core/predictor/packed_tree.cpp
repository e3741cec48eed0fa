#include "predictor/packed_tree.hpp"

#include <cmath>

namespace silvics {
PackedTree::PackedTree(const PackedForest& forest, std::size_t m)
    : nodes_(part_of(forest.nodes, forest.first_node, m)),
      sets_(part_of(forest.level_sets, forest.first_set, m)),
      branches_(part_of(forest.branches, forest.first_branch, m)),
      shape_(&forest.shapes[m]) {}

std::uint32_t PackedTree::n_children(Place t) const {
    const PackedNode& node = nodes_[t];
    if (shape_->records && node.rule().is_record()) return record_of(node).n_children();
    return shape_->n_nodes == 1 ? 1 : 2;
}

bool PackedTree::missing_at(Place t, const double* sample) const {
    const PackedNode& node = nodes_[t];
    if (shape_->n_nodes == 1) return false;
    if (node.rule().is_record()) {  // in a multiway split, missing values have their own child
        const BranchRecord record = record_of(node);
        return record.n_terms() > 0 &&
               std::isnan(record.value(node.feature(), [&](FeatureId f) { return sample[f]; }));
    }
    const double x = sample[node.feature()];
    return std::isnan(x) || (!node.rule().is_threshold() && x < 0.0 && x != kUnknownLevel);
}

NodeNumbers::NodeNumbers(const PackedTree& tree, NodeId step)
    : step_(step), children_(2 * tree.n_places(), step), of_records_(tree.branches().size()) {
    if (tree.shape().n_nodes == 1) return;
    std::vector<NodeId> sizes(tree.n_places(), step);  // how many numbers each subtree has
    const auto size = [&](Child child) { return child.leaf() ? 1 : sizes[child.place()]; };
    for (auto t = static_cast<Place>(tree.n_places()); t-- > 0;)
        for (std::uint32_t k = 0; k < tree.n_children(t); ++k) sizes[t] += size(tree.child(t, k));
    for (Place t = 0; t < tree.n_places(); ++t) {
        NodeId id = children_[2 * t];
        for (std::uint32_t k = 0; k < tree.n_children(t); ++k) {
            const Child child = tree.child(t, k);
            if (!child.leaf()) children_[2 * child.place()] = id + step;
            if (tree.nodes()[t].rule().is_record())
                of_records_[at_record(tree, t) + k] = id;
            else if (k == 1)
                children_[2 * t + 1] = id;
            id += size(child);
        }
    }
}

std::size_t NodeNumbers::at_record(const PackedTree& tree, Place t) {
    return BranchRecord::child_offset(tree.nodes()[t].rule().record_offset(), 0);
}

NodeId NodeNumbers::child(const PackedTree& tree, Place t, std::uint32_t child) const {
    if (tree.shape().n_nodes == 1) return 0;
    if (tree.shape().records && tree.nodes()[t].rule().is_record())
        return of_records_[at_record(tree, t) + child];
    return children_[2 * t + child];
}

std::vector<NumberedLeaf> numbered_leaves(const PackedTree& tree) {
    const NodeNumbers nodes(tree), numbers = NodeNumbers::of_leaves(tree);
    std::vector<NumberedLeaf> leaves(tree.shape().n_leaves);
    for (Place t = 0; t < tree.n_places(); ++t)
        for (std::uint32_t k = 0; k < tree.n_children(t); ++k)
            if (const Child child = tree.child(t, k); child.leaf())
                leaves[numbers.child(tree, t, k)] = {nodes.child(tree, t, k),
                                                     {child.content(), t, k}};
    return leaves;
}

}  // namespace silvics
