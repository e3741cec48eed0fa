#include "builder/growth_mode.hpp"

namespace silvics {
namespace {

// Whether what a compact tree stores at leaves is likely to suffice. For real outputs it suffices
// if every leaf has one output value, which only fully grown trees can have.
bool can_grow_compact(const Target& target, const GrowthRules& rules) {
    const StoppingRule& stopping = rules.stopping;
    // With a limit on leaves, a node may become a leaf long after it was opened.
    if (stopping.limits_leaves()) return false;
    return target.classification() ||
           (rules.search.min_samples_leaf <= 1 && stopping.min_samples_split <= 2 &&
            stopping.max_depth >= kMaxRows && stopping.min_impurity_decrease == 0.0 &&
            stopping.min_impurity_split == 0.0);
}

ValueStorage value_storage(const GrowthMode& mode, const GrowthRules& rules) {
    if (rules.search.keeps_values()) return ValueStorage::before_search;
    // With a limit on leaves, an open node may still become a leaf.
    if (rules.stopping.limits_leaves() || rules.detailed) return ValueStorage::all_nodes;
    return mode.values_at_inner_nodes && !mode.inner_nodes_from_leaves ? ValueStorage::all_nodes
                                                                       : ValueStorage::leaves;
}

}  // namespace

GrowthMode choose_mode(const CriterionEntry& criterion, const Splitter& splitter,
                       const Target& target, const LearningSubset& subset, const GrowthRules& rules,
                       bool has_team) {
    const bool clips_values = !rules.search.monotonic.empty();
    GrowthMode mode;
    mode.fast_splitter = !rules.search.needs_general_splitter();
    // Medians, and values clipped to bounds, are not sums over the leaves.
    mode.values_at_inner_nodes =
        !target.classification() || clips_values || rules.search.keeps_values();
    mode.inner_nodes_from_leaves =
        !rules.detailed && criterion.compaction != CompactionRule::none &&
        splitter.sums_are_exact() && subset.unit == 1.0 && subset.whole_weights &&
        target.n_outputs == 1 && !clips_values && !rules.search.keeps_values();
    mode.shared = has_team && rules.shareable();
    mode.compact = mode.inner_nodes_from_leaves && !mode.shared && can_grow_compact(target, rules);
    mode.sole_samples = mode.fast_splitter && target.n_outputs == 1 && !clips_values &&
                        !rules.search.keeps_values() && rules.stopping.min_samples_split > 1;
    mode.impurity_before_search = !mode.inner_nodes_from_leaves || rules.stopping.limits_leaves() ||
                                  rules.stopping.min_impurity_decrease > 0.0;
    mode.values = value_storage(mode, rules);
    return mode;
}

}  // namespace silvics
