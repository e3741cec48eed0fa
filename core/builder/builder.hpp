// Greedy induction (Algorithm 3.2): one growing loop for every order of growth.
#pragma once

#include "builder/frontier.hpp"
#include "builder/stopping_rule.hpp"
#include "splitter/make_splitter.hpp"
#include "tree/stored_tree.hpp"

namespace silvics {

class ThreadTeam;

struct GrowthRules {
    SearchRules search;
    StoppingRule stopping;
    Growth growth = Growth::depth_first;
    double min_weight_fraction_leaf = 0.0;  // of the weight of the tree's rows
    double ccp_alpha = 0.0;
    std::size_t columns_of_tree = 0;  // that each tree draws for itself; 0: all
};

// `team` grows it together, if it is shareable. `work` is added up, if it is asked for. `pool` is
// the thread's, for the nodes of many trees.
StoredTree build_tree(const CriterionEntry& criterion, const Table& table, const Target& target,
                      LearningSubset subset, const GrowthRules& rules, std::uint32_t seed,
                      const StopFlag& stop, ThreadTeam* team = nullptr, Work* work = nullptr,
                      PagePool* pool = nullptr);

// Whether several threads may grow one tree.
bool shareable(const GrowthRules& rules);

}  // namespace silvics
