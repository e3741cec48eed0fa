#include "predictor/packed_tree.hpp"

#include <algorithm>
#include <cmath>

namespace silvics {
namespace {

constexpr Place kHot = 2048;  // nodes that stay in the first-level cache

}  // namespace

PackedTree::PackedTree(const Tree& tree, PackedNode* nodes)
    : tree_(&tree), nodes_(nodes), forms_(tree.nodes.size() + 1, NodeForm::of_leaf()) {
    const bool pure_leaves = tree.node_values.empty() && tree.derivation != Derivation::variance;
    const std::vector<NodeId> ends = tree.subtree_ends();
    struct Waiting {
        NodeId id;
        Place place;
    };
    std::vector<Waiting> waiting{{0, kRoot}};  // no node is first, so that a leaf has one before it
    Place next = kRoot + 1;
    // Few of all ways pass a small subtree.
    const auto lighter = [&](const Waiting& a, const Waiting& b) {
        return ends[a.id] - a.id < ends[b.id] - b.id;
    };
    while (!waiting.empty()) {
        if (next < kHot) std::ranges::pop_heap(waiting, lighter);
        const auto [id, place] = waiting.back();
        waiting.pop_back();
        const Node& node = tree.nodes[id];
        if (node.leaf()) {
            const bool pure = pure_leaves && (node.link & kPureBit) != 0;
            const std::uint32_t only = pure ? node.link & ~kPureBit : PackedLeaf::kNotPure;
            const PackedLeaf leaf(id, std::min(only, PackedLeaf::kNotPure));
            nodes[place] = {leaf.in_place(), 0, place - 1};
            continue;
        }
        nodes[place] = {node.threshold, static_cast<std::uint32_t>(node.feature), next};
        if (tree.has_record(node)) {
            forms_[place] = NodeForm::of_record();
            has_categories_ = true;
            for (const NodeId child : tree.record(node).children()) {
                waiting.push_back({child, next++});
                if (next < kHot) std::ranges::push_heap(waiting, lighter);
            }
            continue;
        }
        forms_[place] = NodeForm(node.category(), node.missing_left());
        has_categories_ |= node.category();
        const Waiting first{id + 1, next}, second{node.second(), next + 1};
        next += 2;
        const bool swapped = lighter(second, first);
        for (const Waiting& child : {swapped ? second : first, swapped ? first : second}) {
            waiting.push_back(child);  // the heavier is the next
            if (next < kHot) std::ranges::push_heap(waiting, lighter);
        }
    }
}

bool PackedTree::missing_at(Place t, const double* sample) const {
    const PackedNode& node = nodes_[t];
    // A missing value has a way of its own in a multiway split.
    if (forms_[t].record() &&
        BranchRecord(tree_->branches.data() + LevelRule(node.threshold).content()).n_terms() == 0)
        return false;
    if (forms_[t].record())
        return std::isnan(BranchRecord(tree_->branches.data() + LevelRule(node.threshold).content())
                              .value(node.feature, [&](FeatureId f) { return sample[f]; }));
    const double x = sample[node.feature];
    return std::isnan(x) || (forms_[t].category() && x < 0.0 && x != kUnknownLevel);
}

Place PackedTree::next_unordered(Place t, const double* sample) const {
    const PackedNode& node = nodes_[t];
    const NodeForm form = forms_[t];
    if (form.leaf()) return t;
    if (form.record()) {
        const BranchRecord record(tree_->branches.data() + LevelRule(node.threshold).content());
        const double value = record.value(node.feature, [&](FeatureId f) { return sample[f]; });
        return node.first + record.child_of(value, tree_->level_sets);
    }
    const double x = sample[node.feature];
    const bool left = form.category() ? level_goes_left(LevelRule(node.threshold),
                                                        form.missing_left(), x, tree_->level_sets)
                                      : form.missing_left();
    return node.first + static_cast<Place>(!left);
}

}  // namespace silvics
