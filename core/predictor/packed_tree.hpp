// A tree of a packed forest, and one step of a traversal: from a node to the child of a sample.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "predictor/packed_forest.hpp"

namespace silvics {

// A leaf: its content, and its position, which is the parent and the index of the child.
struct PackedLeaf {
    std::uint32_t content = 0;
    Place parent = 0;
    std::uint32_t which = 0;
};

class PackedTree {
public:
    PackedTree(const PackedForest& forest, std::size_t m);

    const TreeShape& shape() const { return *shape_; }
    const PackedNode* nodes() const { return nodes_.data(); }
    std::size_t n_places() const { return nodes_.size(); }
    static constexpr Place kRoot = 0;

    struct Step {
        Child to;
        std::uint32_t which;
    };

    // The child of node t that a sample goes to. `kOrdered`: no value of the sample is missing and
    // all rules are thresholds, so that a comparison decides every step.
    template <bool kOrdered>
    Step next(Place t, const double* sample) const {
        return next<kOrdered>(nodes_[t], sample);
    }
    template <bool kOrdered>
    Step next(const PackedNode& node, const double* sample) const {
        return next_of<kOrdered>(node, [sample](FeatureId f) { return sample[f]; });
    }
    // The same for a sample whose values are computed by a function of the variable.
    template <bool kOrdered, class ValueOf>
    Step next_of(const PackedNode& node, ValueOf&& value_of) const {
        const double x = value_of(node.feature());
        if constexpr (!kOrdered)
            if (!(x <= node.threshold()) && !(x > node.threshold()))
                return next_unordered(node, value_of);
        const auto which = static_cast<std::uint32_t>(!(x <= node.threshold()));
        return {node.child(which), which};
    }

    // The children of a node of any kind.
    std::uint32_t n_children(Place t) const;
    Child child(Place t, std::uint32_t which) const {
        const PackedNode& node = nodes_[t];
        if (shape_->records && node.rule().is_record())
            return Child(record_of(node).children()[which]);
        return node.child(which);
    }
    // visit(leaf, share) for all leaves that a sample reaches if it goes to both children of every
    // node whose value is missing, half of it to each.
    template <class Visit>
    void both_children(const double* sample, Visit&& visit) const {
        struct PartialPath {
            Child at;
            Place parent;
            std::uint32_t which;
            double share;
        };
        std::vector<PartialPath> paths{{Child::inner(kRoot), kRoot, 0, 1.0}};
        while (!paths.empty()) {
            PartialPath path = paths.back();
            paths.pop_back();
            while (!path.at.leaf()) {
                const Place t = path.at.place();
                Step step = next<false>(t, sample);
                if (missing_at(t, sample)) {
                    path.share /= 2;
                    paths.push_back({child(t, 1), t, 1, path.share});
                    step = {child(t, 0), 0};
                }
                path = {step.to, t, step.which, path.share};
            }
            visit(PackedLeaf{path.at.content(), path.parent, path.which}, path.share);
        }
    }

    // Whether the value that an inner node tests is missing, and has no child of its own.
    bool missing_at(Place t, const double* sample) const;

    BranchRecord record_of(const PackedNode& node) const {
        return BranchRecord(branches_.data() + node.rule().record_offset());
    }
    std::span<const std::uint32_t> level_sets() const { return sets_; }
    std::span<const std::uint32_t> branches() const { return branches_; }

private:
    template <class ValueOf>
    [[gnu::noinline]] Step next_unordered(const PackedNode& node, const ValueOf& value_of) const {
        const SplitRule rule = node.rule();
        if (rule.is_record()) {
            const BranchRecord record = record_of(node);
            const std::uint32_t which =
                record.child_of(record.value(node.feature(), value_of), sets_);
            return {Child(record.children()[which]), which};
        }
        const double x = value_of(node.feature());
        const bool first = rule.is_threshold()
                               ? node.missing_first()
                               : level_goes_left(rule.levels(), node.missing_first(), x, sets_);
        const auto which = static_cast<std::uint32_t>(!first);
        return {node.child(which), which};
    }
    std::span<const PackedNode> nodes_;
    std::span<const std::uint32_t> sets_, branches_;
    const TreeShape* shape_;
};

// The numbers that nodes have in the stored tree: in depth-first order, in which the first child
// follows its parent. Or the numbers of leaves among leaves, in the same order; an inner node then
// has the number of the first leaf below.
class NodeNumbers {
public:
    explicit NodeNumbers(const PackedTree& tree) : NodeNumbers(tree, 1) {}
    static NodeNumbers of_nodes(const PackedTree& tree) { return NodeNumbers(tree); }
    static NodeNumbers of_leaves(const PackedTree& tree) { return NodeNumbers(tree, 0); }

    // The first child follows its parent.
    NodeId of(Place t) const { return children_[2 * t] - step_; }
    NodeId of(const PackedTree& tree, PackedLeaf leaf) const {
        return child(tree, leaf.parent, leaf.which);
    }
    NodeId child(const PackedTree& tree, Place t, std::uint32_t child) const;
    // visit(node) for all nodes on the path from the root to a leaf, in this order.
    template <class Visit>
    void for_path(const PackedTree& tree, NodeId leaf, Visit&& visit) const {
        for (Place t = PackedTree::kRoot;;) {
            if (of(t) == leaf) return visit(leaf);  // the root is a leaf
            visit(of(t));
            // All nodes of a child's subtree have smaller numbers than the next child, so the
            // child whose subtree contains the leaf is found by bisection.
            std::uint32_t k = 0, n = tree.n_children(t);
            while (n > 1) {
                const std::uint32_t half = n / 2;
                if (child(tree, t, k + half) <= leaf) k += half;
                n -= half;
            }
            const Child to = tree.child(t, k);
            if (to.leaf()) return visit(leaf);
            t = to.place();
        }
    }

private:
    // `step`: what an inner node adds to the numbers below.
    NodeNumbers(const PackedTree& tree, NodeId step);
    static std::size_t at_record(const PackedTree& tree, Place t);

    NodeId step_;
    std::vector<NodeId> children_;    // numbers of the first and second child of each inner node
    std::vector<NodeId> of_records_;  // numbers of children, at their offsets in the records
};

// A leaf and its number among the nodes of the tree.
struct NumberedLeaf {
    NodeId id = 0;
    PackedLeaf leaf;
};
// All leaves of a tree, by ascending node number.
std::vector<NumberedLeaf> numbered_leaves(const PackedTree& tree);

}  // namespace silvics
