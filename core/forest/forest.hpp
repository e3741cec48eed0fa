// A forest: trees grown from one seed, shared with whoever holds one of them.
#pragma once

#include <memory>
#include <vector>

#include "base/thread_team.hpp"
#include "builder/builder.hpp"
#include "sampling/learning_subset.hpp"
#include "tree/stored_tree.hpp"

namespace silvics {

using SharedTree = std::shared_ptr<const StoredTree>;

struct ForestPlan {
    const CriterionEntry& criterion;
    GrowthRules rules;
    SamplingPlan sampling;
    std::vector<std::uint32_t> seeds;  // of the trees to grow
};

struct GrownTrees {
    std::vector<SharedTree> trees;  // the first so many of the plan
    std::vector<Work> work;         // of each of them
    bool complete = true;           // false after a stop request
};

// How many of the trees, the last ones, are better grown by all threads together, one by one, than
// each by a thread of its own while others have nothing to do.
std::size_t n_shared(std::size_t n_trees, std::size_t n_threads);

// The same trees for any size of team. After a stop request, those before the first
// unfinished one: what a plan of that many seeds would have given.
GrownTrees grow_forest(const Table& table, const Target& target, const ForestPlan& plan,
                       ThreadTeam& team);

}  // namespace silvics
