// A tree as samples walk it: what a step needs, in 16 bytes, and no branch to take.
//
// The children of a node stand side by side, so that the comparison's result is added to the
// place of the first. A leaf is its own second child: its threshold is a NaN, to which nothing
// compares, with the leaf's number in the tree and, if it is pure, its class. First stand the
// nodes that most ways pass, those of the largest subtrees; then each remaining subtree by itself,
// its heavier part first.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "tree/tree.hpp"

namespace silvics {

using Place = std::uint32_t;  // of a node in a packed tree

struct PackedNode {
    double threshold;  // of a category: its rule; of a leaf: a PackedLeaf
    std::uint32_t feature;
    Place first;  // child, the other follows it; of a leaf: the place before its own
};

class PackedLeaf {
public:
    static constexpr std::uint32_t kNotPure = 0xFFFF;  // nor are classes beyond it told here

    explicit PackedLeaf(const PackedNode& node)
        : bits_(std::bit_cast<std::uint64_t>(node.threshold)) {}
    PackedLeaf(NodeId id, std::uint32_t only_class)
        : bits_(kNaN | std::uint64_t{only_class} << 32 | id) {}

    double in_place() const { return std::bit_cast<double>(bits_); }
    NodeId id() const { return static_cast<NodeId>(bits_); }
    std::uint32_t only_class() const { return bits_ >> 32 & 0xFFFF; }

private:
    static constexpr std::uint64_t kNaN = std::uint64_t{0x7FF8} << 48;
    std::uint64_t bits_;
};

// What a step needs to know where a comparison says nothing.
class NodeForm {
public:
    NodeForm(bool category, bool missing_left) : bits_(category << 1 | missing_left) {}
    static NodeForm of_leaf() { return NodeForm(kLeafBit); }
    static NodeForm of_record() { return NodeForm(kRecordBit); }

    bool leaf() const { return bits_ == kLeafBit; }
    bool record() const { return bits_ == kRecordBit; }
    bool category() const { return (bits_ & 2) != 0; }
    bool missing_left() const { return (bits_ & 1) != 0; }

private:
    static constexpr std::uint8_t kLeafBit = 4, kRecordBit = 8;
    explicit NodeForm(std::uint8_t bits) : bits_(bits) {}

    std::uint8_t bits_;
};

class PackedTree {
public:
    // Writes the nodes there; as many as the tree has, and one.
    PackedTree(const Tree& tree, PackedNode* nodes);

    const Tree& tree() const { return *tree_; }
    const PackedNode* nodes() const { return nodes_; }
    bool has_categories() const { return has_categories_; }
    // Where all ways begin.
    static constexpr Place kRoot = 1;
    PackedLeaf leaf(Place t) const { return PackedLeaf(nodes_[t]); }

    // The next place on a sample's way; a leaf is its own. `kOrdered`: every comparison says
    // something, since no value is missing and no variable a category.
    template <bool kOrdered>
    Place next(Place t, const double* sample) const {
        const PackedNode& node = nodes_[t];
        const double x = sample[node.feature];
        if constexpr (!kOrdered)
            if (!(x <= node.threshold) && !(x > node.threshold)) return next_unordered(t, sample);
        return node.first + static_cast<Place>(!(x <= node.threshold));
    }

    // The ends of all the ways of a sample that goes both ways where its value is missing:
    // visit(leaf, share of the sample).
    template <class Visit>
    void both_ways(const double* sample, Visit&& visit) const {
        struct Way {
            Place at;
            double share;
        };
        std::vector<Way> ways{{kRoot, 1.0}};
        while (!ways.empty()) {
            auto [t, share] = ways.back();
            ways.pop_back();
            for (Place to; (to = next<false>(t, sample)) != t; t = to) {
                if (!missing_at(t, sample)) continue;
                share /= 2;
                to = nodes_[t].first;
                ways.push_back({to + 1, share});
            }
            visit(leaf(t), share);
        }
    }

private:
    Place next_unordered(Place t, const double* sample) const;
    // Whether an inner node compares a value that is missing.
    bool missing_at(Place t, const double* sample) const;

    const Tree* tree_;
    const PackedNode* nodes_;
    std::vector<NodeForm> forms_;
    bool has_categories_ = false;
};

}  // namespace silvics
