// The part that both forms of a stored tree have: sizes, nodes and splits. Readers that only
// traverse a tree need nothing else.
//
// A threshold split takes the 16 bytes of its node. A category split with many levels also has a
// level set, and a node with other than two children, or with a combination of variables, has a
// branch record (branches.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "base/page_pool.hpp"
#include "base/types.hpp"
#include "tree/branches.hpp"
#include "tree/node.hpp"

namespace silvics {

struct TreeBase {
    std::size_t n_features = 0, n_outputs = 1;
    std::vector<std::uint32_t> n_classes;  // per output; empty for regression
    std::uint32_t max_depth = 0;

    PooledArray<Node> nodes;  // in depth-first order
    // Impurities are stored in a unit that the squares of very large or small outputs fit into:
    // times two to this power, they are in the user's unit.
    int impurity_exponent = 0;
    std::vector<std::uint32_t> level_sets;  // of category splits that do not fit into their node
    std::vector<std::uint32_t> branches;    // records, in the order of their nodes
    // Samples whose value is missing go to both children, with half their weight.
    bool both_children = false;

    bool has_record(const Node& node) const { return !branches.empty() && node.rule().is_record(); }
    // The record of a node that has one.
    BranchRecord record(const Node& node) const {
        return BranchRecord(branches.data() + node.rule().record_offset());
    }
    // visit(child) for the children of an inner node, in their order.
    template <class Visit>
    void for_children(NodeId t, Visit&& visit) const {
        const Node& node = nodes[t];
        if (has_record(node)) {
            for (const NodeId child : record(node).children()) visit(child);
        } else {
            visit(t + 1);
            visit(node.second());
        }
    }
    NodeId last_child(NodeId t) const {
        const Node& node = nodes[t];
        return has_record(node) ? record(node).children().back() : node.second();
    }

    bool classification() const { return !n_classes.empty(); }
    // The number of class weights of all outputs, or of outputs.
    std::size_t value_width() const;
    std::size_t n_leaves() const;
    // For each node t, one past the last node below t.
    std::vector<NodeId> subtree_ends() const;
    std::vector<std::uint32_t> depths() const;

protected:
    // Bytes of the arrays, without those of the object itself.
    std::size_t array_bytes() const;
};

// The same tree without nodes and records.
TreeBase header_of(const TreeBase& tree);

}  // namespace silvics
