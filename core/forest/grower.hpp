// Grows the trees of a forest: one thread per tree, or several threads on each of the last trees.
#pragma once

#include <cstdint>
#include <vector>

#include "base/thread_team.hpp"
#include "builder/growth_rules.hpp"
#include "forest/forest.hpp"
#include "sampling/learning_subset.hpp"
#include "splitter/make_splitter.hpp"
#include "tree/detailed_tree.hpp"

namespace silvics {

struct ForestPlan {
    const CriterionEntry& criterion;
    GrowthRules rules;
    SamplingPlan sampling;
    std::vector<std::uint32_t> seeds;  // one for each tree
};

struct GrownTrees {
    std::vector<SharedTree> trees;  // for the first seeds of the plan, or for all of them
    std::vector<Work> work;         // for each of these trees
    // With rules.detailed, the same trees with what their inner nodes had; otherwise null.
    std::vector<std::shared_ptr<const DetailedTree>> detailed;
    bool complete = true;  // false after a stop request
};

// How many trees, the last ones, are better grown one after another by all threads together than
// by one thread each while other threads are idle.
std::size_t n_shared(std::size_t n_trees, std::size_t n_threads);

// The trees do not depend on the size of the team. After a stop request, the trees before the first
// unfinished one are returned: those that a plan with fewer seeds would have given.
GrownTrees grow_forest(const Table& table, const Target& target, const ForestPlan& plan,
                       ThreadTeam& team);

// What one tree is grown on: a table, its outputs, and the rows that are used of them.
struct Patch {
    const Table* table;
    const Target* target;
    const SamplingPlan* sampling;
};

// Grows one tree for each patch and seed of the plan, on different tables; the sampling of the plan
// is not used.
GrownTrees grow_patches(const std::vector<Patch>& patches, const ForestPlan& plan,
                        ThreadTeam& team);

}  // namespace silvics
