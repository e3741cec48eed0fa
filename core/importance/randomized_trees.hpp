// Importances of randomized trees grown on a distribution (sections 6.4.2, 6.4.3 and 7.2.3): their
// expectation over all trees, by recursion over nodes, or their mean over some trees.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/thread_team.hpp"
#include "importance/distribution.hpp"

namespace silvics {

enum class TreeSplits {
    multiway,    // a child for each level; each variable once on a branch (Definition 6.1)
    random_cut,  // Extra-Trees: a cut uniform between the least and the largest value
    best_cut,
};

struct RandomizedTrees {
    TreeSplits splits = TreeSplits::multiway;
    std::size_t n_drawn = 1;      // K
    std::size_t depth = 0;        // of the deepest test is less than this
    bool constants_count = true;  // among the K; multiway: they are used up as others are
    // Where several variables are parts of one, K = 1 and splits are multiway: the one that each is
    // part of. One of those is drawn first, and then one of its parts; they are what is told of.
    std::vector<std::uint32_t> part_of;
    bool wants_hidden = false;
    std::size_t most_in_context = 64;  // variables of a set that is told of
};

// Throws std::invalid_argument where they cannot be grown on the distribution.
void check(const RandomizedTrees& trees, const Distribution& distribution);

// What a set of other variables above a test of `variable` comes to.
struct ContextSum {
    std::uint32_t variable;
    std::vector<std::uint64_t> set;  // bits
    double weight, decrease;
};

struct TreeImportances {
    std::vector<double> by_degree;            // [variable * p + degree]
    std::vector<std::vector<double>> by_cut;  // of each gap between levels, or of each part
    std::vector<double> hidden;               // [(j * p) + i]: decreases of j that i took
    std::vector<ContextSum> contexts;
    std::vector<double> of_trees;  // [tree * p + variable], of sampled ones
};

// Nothing if more than `max_work` rows and nodes would be looked at.
std::optional<TreeImportances> expected_importances(const Distribution& distribution,
                                                    const RandomizedTrees& trees,
                                                    std::uint64_t max_work, ThreadTeam& team);

TreeImportances sampled_importances(const Distribution& distribution, const RandomizedTrees& trees,
                                    std::uint64_t seed, std::size_t n_trees, ThreadTeam& team);

}  // namespace silvics
