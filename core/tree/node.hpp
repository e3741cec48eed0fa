// A node of a stored tree, in 16 bytes.
//
// Nodes are in depth-first order, the first child right after its parent, so that one link per node
// is enough. The payload and the link have a meaning that depends on the kind of node:
//
//   node                                     payload       link
//   inner node                               SplitRule     second child, side of missing values
//   leaf of a plain tree with class weights  kLeaf         class of a pure leaf, or weights row
//   leaf of a plain tree with node values    kLeaf         0
//   compact leaf, whole class weights        LeafCounts    class of a pure leaf, or weights row
//   compact leaf, other class weights        weight        class of a pure leaf, or weights row
//   compact leaf with a mean                 mean          number of samples
#pragma once

#include <bit>
#include <cstdint>

#include "base/types.hpp"
#include "tree/split_rule.hpp"

namespace silvics {

inline constexpr std::int32_t kOblique = -3;  // the feature of a combination, for users
inline constexpr std::int32_t kLeaf = -2;     // scikit-learn's mark, in `feature` and `threshold`
inline constexpr std::uint32_t kPureBit = std::uint32_t{1} << 31;

struct LeafCounts {
    std::uint32_t n = 0, weight = 0;
};
// Whether a weight is a whole number that fits into LeafCounts.
inline bool is_count(double x) {
    return x >= 0.0 && x < 0x1.0p32 && x == static_cast<double>(static_cast<std::uint32_t>(x));
}

class Node {
public:
    static constexpr std::uint32_t kMissingLeftBit = std::uint32_t{1} << 31;

    // A leaf of a plain tree.
    Node() = default;
    // An inner node.
    Node(SplitRule rule, std::int32_t f, std::uint32_t second)
        : payload_(rule.stored()), feature(f), link(second) {}
    // A leaf of a plain tree with class weights.
    static Node plain_leaf(std::uint32_t link) { return Node(kLeaf, kLeaf, link); }
    // Leaves of compact trees.
    static Node leaf_of_counts(LeafCounts counts, std::uint32_t link) {
        return Node(std::bit_cast<double>(counts), kLeaf, link);
    }
    static Node leaf_of_mean(double mean, std::uint32_t n) { return Node(mean, kLeaf, n); }
    // From the bytes that payload() returned, for pickles and digests.
    static Node from_stored(double payload, std::int32_t feature, std::uint32_t link) {
        return Node(payload, feature, link);
    }
    double payload() const { return payload_; }

    bool leaf() const { return feature < 0; }

    // ---- inner nodes
    SplitRule rule() const { return SplitRule::from_stored(payload_); }
    void set_rule(SplitRule rule) { payload_ = rule.stored(); }
    NodeId second() const { return link & ~kMissingLeftBit; }
    bool missing_left() const { return (link & kMissingLeftBit) != 0; }
    void set_second(NodeId child, bool missing_left) {
        link = child | (missing_left ? kMissingLeftBit : 0);
    }

    // ---- leaves with class weights
    bool pure() const { return (link & kPureBit) != 0; }
    ClassId pure_class() const { return link & ~kPureBit; }
    std::size_t weights_row() const { return link; }
    // ---- leaves of compact trees
    LeafCounts counts() const { return std::bit_cast<LeafCounts>(payload_); }
    double weight() const { return payload_; }
    double mean() const { return payload_; }
    std::uint32_t n_samples() const { return link; }
    void set_counts(LeafCounts counts) { payload_ = std::bit_cast<double>(counts); }
    void set_weight(double weight) { payload_ = weight; }
    void set_mean(double mean, std::uint32_t n) {
        payload_ = mean;
        link = n;
    }

private:
    double payload_ = kLeaf;

public:
    std::int32_t feature = kLeaf;
    std::uint32_t link = 0;
};
static_assert(sizeof(Node) == 16);

}  // namespace silvics
