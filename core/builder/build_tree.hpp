// Grows one tree: the entry point of this folder. builder.hpp has the growing loop.
#pragma once

#include <optional>

#include "builder/growth_rules.hpp"
#include "splitter/make_splitter.hpp"
#include "tree/detailed_tree.hpp"

namespace silvics {

class ThreadTeam;

// What a tree is grown from, and with which threads and memory.
struct BuildContext {
    const CriterionEntry& criterion;
    const Table& table;
    const Target& target;
    const GrowthRules& rules;
    const StopFlag& stop;
    ThreadTeam* team = nullptr;  // several threads for this tree, if the rules are shareable
    PagePool* pool = nullptr;    // memory of the calling thread for the nodes of its trees
};

struct BuiltTree {
    StoredTree tree;
    Work work;
    // With rules.detailed, in place of `tree`.
    std::optional<DetailedTree> detailed;
};

BuiltTree build_tree(const BuildContext& context, LearningSubset subset, std::uint32_t seed);

}  // namespace silvics
