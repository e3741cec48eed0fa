// When a node becomes a leaf (thesis 3.5, a to f). The splitter obeys the rules on the children.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include "splitter/splitter.hpp"

namespace silvics {

struct StoppingRule {
    std::size_t max_depth = std::numeric_limits<std::size_t>::max();
    std::size_t min_samples_split = 2;
    double min_impurity_decrease = 0.0;
    std::size_t max_leaf_nodes = std::numeric_limits<std::size_t>::max();
    std::size_t max_splits = std::numeric_limits<std::size_t>::max();
    double min_impurity_split = 0.0;  // nodes of no more impurity are leaves; in the user's units
    double max_majority = 1.0;        // nodes are leaves if a class of each output has this share
    bool split_pure = false;          // also splits nodes of one output value, and of one sample

    // Decides before the search for a split.
    bool stops(const NodeStats& node, std::size_t depth, const SearchRules& rules) const {
        if (depth >= max_depth || node.n < min_samples_split) return true;
        if (split_pure && rules.min_samples_leaf <= 1) return false;
        return (node.homogeneous && !split_pure) || node.n < 2 * rules.min_samples_leaf ||
               node.weight < 2 * rules.min_weight_leaf;
    }
    // Decides after the search, by p(t) times the decrease of impurity. A split without a decrease
    // is accepted unless min_impurity_decrease forbids it: otherwise XOR would never be learned.
    // The decrease times two to the exponent is in the user's units.
    bool rejects(double weighted_decrease, int exponent = 0) const {
        return min_impurity_decrease > 0.0 &&
               !(std::ldexp(weighted_decrease, exponent) >= min_impurity_decrease);
    }
    bool limits_leaves() const {
        constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
        return max_leaf_nodes != kNoLimit || max_splits != kNoLimit;
    }
    // Whether nodes that are not pure may be leaves because they are pure enough.
    bool judges_purity() const { return min_impurity_split > 0.0 || max_majority < 1.0; }
    // Whether a node of this impurity times two to the exponent is pure enough to be a leaf.
    bool pure_enough(double impurity, int exponent) const {
        return !(std::ldexp(impurity, exponent) > min_impurity_split);
    }
};

}  // namespace silvics
