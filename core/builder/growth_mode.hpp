// Choices that hold for a whole tree and are made once, before it grows.
#pragma once

#include <cstdint>

#include "builder/growth_rules.hpp"
#include "splitter/make_splitter.hpp"

namespace silvics {

// Which nodes store their value while the tree grows, and when it is computed.
enum class ValueStorage : std::uint8_t {
    leaves,         // at nodes that turn out to be leaves
    all_nodes,      // at every node, after the search for its split
    before_search,  // at every node, before the search: it may copy samples to another place
};

struct GrowthMode {
    // The fast splitter finds the splits: every split has two children, neither of them is empty,
    // and every sample goes to one of them.
    bool fast_splitter = true;
    // The finished tree stores what every node predicts. Otherwise only leaves store class weights,
    // and the class weights of an inner node are the sums over its leaves.
    bool values_at_inner_nodes = false;
    // Impurity and value of inner nodes follow exactly from the leaves, so they are not stored
    // while the tree grows. Only the fast splitter allows this.
    bool inner_nodes_from_leaves = false;
    // The tree grows in a CompactStore, depth first and on one thread. Implies
    // inner_nodes_from_leaves.
    bool compact = false;
    // Several threads grow the tree.
    bool shared = false;
    // A node of one sample is a leaf, which a SoleSampleReader reads in one call if the splitter
    // has one. Implies inner_nodes_from_leaves.
    bool sole_samples = false;
    // The impurity is computed before the search, at every node: a split that is found and then
    // rejected changes the order of the samples and with it the rounding of the sum.
    bool impurity_before_search = true;
    ValueStorage values = ValueStorage::leaves;
};

GrowthMode choose_mode(const CriterionEntry& criterion, const Splitter& splitter,
                       const Target& target, const LearningSubset& subset, const GrowthRules& rules,
                       bool has_team);

}  // namespace silvics
