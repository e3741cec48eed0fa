// A tree while it grows: nodes in the order in which they were appended, and values where they may
// be needed. The functions at the end make finished trees from it.
#pragma once

#include <optional>
#include <vector>

#include "data/target.hpp"
#include "splitter/split.hpp"
#include "tree/compact_leaves.hpp"
#include "tree/detailed_tree.hpp"
#include "tree/level_rule.hpp"
#include "tree/tree.hpp"

namespace silvics {

struct GrowingNode {
    SplitRule rule = kLeaf;
    std::int32_t feature = kLeaf;
    NodeId first = 0, second = 0;  // its children, unless it has a record
    std::uint32_t n = 0;
    std::uint32_t value = 0;  // kPureBit | class, or the number of a row of values
    MissingSide missing = MissingSide::unseen;
    double weight = 0.0, impurity = 0.0;
    double weighted_decrease = 0.0;  // p(t) times the decrease; of inner nodes
};

struct GrowingTree {
    std::vector<GrowingNode> nodes;
    std::vector<double> values;  // rows of the target's width
    // For each category split with a pending rule: the numbers of levels that go left and right,
    // then these levels. The rule has the offset.
    std::vector<Level> levels;
    // The records of splits that are not binary. Until a child is appended, the record has the
    // number of samples of the child in the place of its number.
    std::vector<std::uint32_t> records;
    bool both_children = false;  // of the finished tree
    bool depth_first = false;    // whether the nodes are in depth-first order already

    BranchRecord record_at(std::size_t offset) const {
        return BranchRecord(records.data() + offset);
    }
};

// Appends the levels that go left and right to `levels`. Returns the pending rule.
LevelRule keep_levels(std::vector<Level>& levels, std::span<const Level> left,
                      std::span<const Level> right);
// Appends the record of a node, with the numbers of samples of its children. Returns its rule.
SplitRule keep_record(GrowingTree& growing, const Branching& branching,
                      std::span<const std::size_t> sizes);
// Where the record begins that a rule refers to, if it does.
std::optional<std::size_t> record_of(SplitRule rule);
inline std::optional<std::size_t> record_of(const GrowingNode& node) {
    return record_of(node.rule);
}
// Adds offsets to the numbers of nodes, levels and records that a node refers to: those of its
// subtree have moved behind those of another tree.
struct Shift {
    std::size_t nodes = 0, levels = 0, records = 0;
};
void shift(GrowingNode& node, std::vector<std::uint32_t>& records, const Shift& by);

// The finished tree has its nodes in depth-first order. With `per_node` every node stores what it
// predicts; otherwise only leaves store values, which are class weights.
Tree finish_tree(GrowingTree growing, const Target& target, std::size_t n_features, bool per_node);
// The same with the decreases and the class weights of all nodes, which must have values.
DetailedTree finish_detailed(GrowingTree growing, const Target& target, std::size_t n_features,
                             bool per_node, int impurity_exponent);
// The same tree in compact form, from the leaves alone, for one output and whole weights; nothing
// if inner nodes do not follow from the leaves. Puts the nodes of `growing` in depth-first order.
std::optional<CompactTree> finish_leaves(GrowingTree& growing, const Target& target,
                                         std::size_t n_features, CompactionRule rule,
                                         int impurity_exponent);

// A tree that grows depth first in compact form: nodes as the finished tree will have them.
struct CompactGrowth {
    PooledArray<Node> nodes;
    CompactLeaves leaves;
    std::vector<Level> levels;  // as in a GrowingTree
    std::uint32_t max_depth = 0;
};
CompactTree finish_compact(CompactGrowth growth, const Target& target, std::size_t n_features,
                           CompactionRule rule, int impurity_exponent);
// The same tree in full, where leaves with means do not suffice. Inner nodes have sizes and
// weights, but no impurity and no value.
GrowingTree expanded_growth(const CompactGrowth& growth);

}  // namespace silvics
