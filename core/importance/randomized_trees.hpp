// Importances of randomized trees grown on a distribution (sections 6.4.2, 6.4.3 and 7.2.3): their
// expectation over all trees, by recursion over nodes, or their mean over sampled trees.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/thread_team.hpp"
#include "importance/distribution.hpp"

namespace silvics {

enum class TreeSplits {
    multiway,    // a child for each level; each variable once on a branch (Definition 6.1)
    random_cut,  // Extra-Trees: a cut drawn uniformly between the least and largest value
    best_cut,
};

struct RandomizedTrees {
    TreeSplits splits = TreeSplits::multiway;
    std::size_t n_drawn = 1;      // K
    std::size_t depth = 0;        // maximum depth of the trees
    bool constants_count = true;  // among the K, for binary splits
    // The whole that each variable is part of; empty if there are no parts. One whole is drawn
    // first, and then one of its parts. Results are reported by whole. Parts need K = 1 and
    // multiway splits.
    std::vector<std::uint32_t> part_of;
    bool wants_hidden = false;
    std::size_t most_in_context = 64;  // contexts of more variables are not reported
};

// Throws std::invalid_argument unless such trees can be grown on the distribution.
void check(const RandomizedTrees& trees, const Distribution& distribution);

// Sums over the tests of `variable` below tests of exactly the variables in `set`.
struct ContextSum {
    std::uint32_t variable;
    std::vector<std::uint64_t> set;  // bits
    double weight, decrease;
};

struct TreeImportances {
    std::vector<double> by_degree;            // [variable * p + degree]
    std::vector<std::vector<double>> by_cut;  // by gap between levels, or by part
    std::vector<double> hidden;  // [j * p + i]: decreases of j at nodes where i was chosen
    std::vector<ContextSum> contexts;
    std::vector<double> of_trees;  // [tree * p + variable], of sampled trees
};

// Empty if more than `max_work` rows and nodes would be visited.
std::optional<TreeImportances> expected_importances(const Distribution& distribution,
                                                    const RandomizedTrees& trees,
                                                    std::uint64_t max_work, ThreadTeam& team);

TreeImportances sampled_importances(const Distribution& distribution, const RandomizedTrees& trees,
                                    std::uint64_t seed, std::size_t n_trees, ThreadTeam& team);

}  // namespace silvics
