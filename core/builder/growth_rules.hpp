// The rules by which a tree grows: the search for splits, stopping, the order of growth, pruning.
#pragma once

#include <cstddef>
#include <vector>

#include "builder/frontier.hpp"
#include "builder/stopping_rule.hpp"
#include "splitter/search_rules.hpp"

namespace silvics {

struct GrowthRules {
    SearchRules search;
    StoppingRule stopping;
    Growth growth = Growth::depth_first;
    double min_weight_fraction_leaf = 0.0;  // a fraction of the weight of the tree's rows
    double ccp_alpha = 0.0;
    std::vector<FeatureId> columns;   // the columns that trees may use, ascending; empty: all
    std::size_t columns_of_tree = 0;  // of these, how many each tree draws for itself; 0: all
    bool detailed = false;            // keeps the statistics of inner nodes: see DetailedTree

    // Whether several threads may grow one tree.
    bool shareable() const {
        return !stopping.limits_leaves() && search.missing != MissingRule::both && !search.honest &&
               !search.limits_interactions();
    }
};

}  // namespace silvics
