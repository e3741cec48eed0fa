// The plain way of one sample down a tree (Algorithm 3.1).
#pragma once

#include <cmath>

#include "tree/goes_left.hpp"
#include "tree/tree_base.hpp"

namespace silvics::test {

inline bool goes_left(const TreeBase& tree, const Node& node, double x) {
    if (!node.rule().is_threshold())
        return level_goes_left(node.rule().levels(), node.missing_left(), x, tree.level_sets);
    return std::isnan(x) ? node.missing_left() : x <= node.rule().threshold();
}

// What a node compares; NaN if it is missing.
inline double compared(const TreeBase& tree, const Node& node, const double* sample) {
    const auto level = [](double x) { return x < 0.0 && x != kUnknownLevel ? NAN : x; };
    const double x = sample[node.feature];
    if (!tree.has_record(node)) return !node.rule().is_threshold() ? level(x) : x;
    const BranchRecord record = tree.record(node);
    if (record.test() != Branching::Test::thresholds) return level(x);
    if (record.n_terms() == 0) return x;
    double sum = 0.0;
    for (std::size_t i = 0; i < record.n_terms(); ++i)
        sum += record.term(i).coefficient * sample[record.term(i).feature];
    return sum;
}

// The number of the child that a value goes to, by looking at one cut after the other.
inline std::uint32_t branch_of(const TreeBase& tree, const BranchRecord& record, double x) {
    if (std::isnan(x)) return record.missing_child();
    if (record.some_missing() &&
        level_goes_left(record.missing_levels(), false, x, tree.level_sets))
        return record.missing_child();
    std::uint32_t k = 0;
    if (record.test() == Branching::Test::thresholds) {
        while (k < record.n_cuts() && x > record.threshold(k)) ++k;
        return k;
    }
    if (record.test() == Branching::Test::subset) {
        return level_goes_left(record.subset(), false, x, tree.level_sets) ? 0 : 1;
    }
    while (k < record.n_cuts() && static_cast<double>(record.levels()[k]) != x) ++k;
    return k < record.n_cuts() ? k : record.other_child();
}

inline NodeId next_node(const TreeBase& tree, NodeId t, const double* sample) {
    const Node& node = tree.nodes[t];
    if (!tree.has_record(node))
        return goes_left(tree, node, sample[node.feature]) ? t + 1 : node.second();
    const BranchRecord record = tree.record(node);
    return record.children()[branch_of(tree, record, compared(tree, node, sample))];
}

// visit(t) for every node on the way, the leaf last; returns the leaf.
template <class Visit>
NodeId descend(const TreeBase& tree, const double* sample, Visit&& visit) {
    NodeId t = 0;
    visit(t);
    while (!tree.nodes[t].leaf()) {
        t = next_node(tree, t, sample);
        visit(t);
    }
    return t;
}

inline NodeId descend(const TreeBase& tree, const double* sample) {
    return descend(tree, sample, [](NodeId) {});
}

// visit(t, share) for every node that some of the sample comes to: where a split in two does not
// know the value, half goes either way. A node of other children has one for missing values.
template <class Visit>
void descend_both(const TreeBase& tree, const double* sample, Visit&& visit, NodeId t = 0,
                  double share = 1.0) {
    visit(t, share);
    const Node& node = tree.nodes[t];
    if (node.leaf()) return;
    const bool in_two =
        !tree.has_record(node) || (tree.record(node).test() == Branching::Test::thresholds &&
                                   tree.record(node).n_terms() > 0);
    if (!in_two || !std::isnan(compared(tree, node, sample)))
        return descend_both(tree, sample, visit, next_node(tree, t, sample), share);
    tree.for_children(t,
                      [&](NodeId child) { descend_both(tree, sample, visit, child, share / 2); });
}

}  // namespace silvics::test
