// A tree while it grows: nodes in the order made, values where they may be needed.
#pragma once

#include <optional>
#include <vector>

#include "data/target.hpp"
#include "splitter/split.hpp"
#include "tree/compact_leaves.hpp"
#include "tree/level_rule.hpp"
#include "tree/tree.hpp"

namespace silvics {

struct GrowingNode {
    SplitRule rule = kLeaf;
    std::int32_t feature = kLeaf;
    NodeId first = 0, second = 0;    // children, unless it has a record
    std::uint32_t n = 0, value = 0;  // kPureBit | class, or a row of values
    MissingSide missing = MissingSide::unseen;
    double weight = 0.0, impurity = 0.0;
};

struct GrowingTree {
    std::vector<GrowingNode> nodes;
    std::vector<double> values;  // rows of the target's width
    // For each category split with a pending rule: the numbers of levels that go left and right,
    // then these levels. The rule has the offset.
    std::vector<Level> levels;
    // The records of nodes that are not a split in two. Until the children of a node are made, its
    // record has their numbers of samples in their place.
    std::vector<std::uint32_t> records;
    bool both_children = false;  // for the finished tree
    bool depth_first = false;    // whether the nodes stand in that order already

    BranchRecord record_at(std::size_t offset) const {
        return BranchRecord(records.data() + offset);
    }
};

// Stores the levels that go left and right; returns the pending rule.
LevelRule keep_levels(GrowingTree& growing, std::span<const Level> left,
                      std::span<const Level> right);
// Stores a record, with the numbers of samples of its children.
SplitRule keep_record(GrowingTree& growing, const Branching& branching,
                      std::span<const std::size_t> sizes);
// Where the record of a node begins, if it has one.
std::optional<std::size_t> record_of(const GrowingNode& node);
// What was kept of a node now stands so much further on.
struct Shift {
    std::size_t nodes = 0, levels = 0, records = 0;
};
void shift(GrowingNode& node, std::vector<std::uint32_t>& records, const Shift& by);

// The finished tree has its nodes in depth-first order. `per_node` keeps the value of every node,
// as what it predicts; otherwise only leaves keep theirs, as class weights.
Tree finish_tree(GrowingTree growing, const Target& target, std::size_t n_features, bool per_node);
// The same from what the leaves of one output and whole weights have alone, where that tells all
// there is of inner nodes; growing is set in depth-first order.
std::optional<CompactTree> finish_leaves(GrowingTree& growing, const Target& target,
                                         std::size_t n_features, CompactionRule rule,
                                         int impurity_exponent);

// A tree whose leaves tell all there is, while it grows depth first: its nodes as they will be, so
// that none of them is kept twice.
struct CompactGrowth {
    PooledArray<Node> nodes;
    CompactLeaves leaves;
    std::vector<Level> levels;  // as in a GrowingTree
    std::uint32_t max_depth = 0;
};
CompactTree finish_compact(CompactGrowth growth, const Target& target, std::size_t n_features,
                           CompactionRule rule, int impurity_exponent);
// What is known of its nodes, where its leaves are means that do not tell all.
GrowingTree expanded_growth(const CompactGrowth& growth);

}  // namespace silvics
