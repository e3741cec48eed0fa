// A store of nodes in full, for any order of growth, kind of split and number of threads.
#pragma once

#include <optional>
#include <span>
#include <utility>

#include "builder/node_store.hpp"

namespace silvics {

class FullStore {
public:
    // `growing` is empty, with its options set. The nodes' values are rows of `value_width`; with
    // `stores_predictions` they are what a node predicts, otherwise class weights.
    FullStore(GrowingTree growing, std::size_t value_width, bool stores_predictions)
        : growing_(std::move(growing)),
          width_(value_width),
          stores_predictions_(stores_predictions) {}

    void append(OpenNode& node) {
        node.id = checked_id(growing_.nodes.size(), kMaxIds, "nodes per tree");
        if (node.parent != OpenNode::kNoParent) link_to_parent(node);
        growing_.nodes.emplace_back();
    }

    void set_size(const OpenNode& node, std::size_t n, double weight) {
        GrowingNode& at = growing_.nodes[node.id];
        at.n = static_cast<std::uint32_t>(n);
        at.weight = weight;
    }
    void set_impurity(const OpenNode& node, double impurity) {
        growing_.nodes[node.id].impurity = impurity;
    }
    void set_pure_class(const OpenNode& node, ClassId only_class) {
        growing_.nodes[node.id].value = kPureBit | only_class;
    }
    std::span<double> add_value(const OpenNode& node) {
        std::vector<double>& values = growing_.values;
        growing_.nodes[node.id].value =
            checked_id(values.size() / width_, kMaxIds, "values per tree");
        values.resize(values.size() + width_);
        return std::span(values).last(width_);
    }
    void set_leaf(const OpenNode&) {}  // what set_size, set_impurity and add_value stored is enough
    void set_sole_leaf(const OpenNode& node, const SoleSample& sole) {
        if (stores_predictions_)
            add_value(node)[0] = sole.value;
        else
            set_pure_class(node, sole.only_class);
    }
    [[gnu::noinline]] void inherit_value(const OpenNode& node) {
        growing_.nodes[node.id].value = growing_.nodes[node.parent].value;
    }

    SplitRule encode_rule(const Split& split);
    void set_split(const OpenNode& node) {
        GrowingNode& at = growing_.nodes[node.id];
        at.feature = static_cast<std::int32_t>(node.feature);
        at.rule = node.rule;
        at.missing = node.missing;
        at.weighted_decrease = node.weighted_decrease;
    }
    std::span<const std::uint32_t> child_sizes(const OpenNode& node) const;

    // Adds a tree that grew from node `at` on, whose root takes the place of that node.
    void attach(NodeId at, GrowingTree subtree);

    std::optional<CompactTree> finish_from_leaves(const Target& target, std::size_t n_features,
                                                  CompactionRule rule, int impurity_exponent) {
        return finish_leaves(growing_, target, n_features, rule, impurity_exponent);
    }
    GrowingTree take_growing() && { return std::move(growing_); }

private:
    void link_to_parent(const OpenNode& node) {
        GrowingNode& parent = growing_.nodes[node.parent];
        if (!growing_.records.empty())
            if (const auto record = record_of(parent)) {
                BranchRecord::children_at(growing_.records, *record)[node.child_index] = node.id;
                return;
            }
        (node.child_index != 0 ? parent.second : parent.first) = node.id;
    }

    GrowingTree growing_;
    std::size_t width_;
    bool stores_predictions_;
};

static_assert(BranchStore<FullStore>);

}  // namespace silvics
