// A forest in the form that predicts, in 19 bytes for each inner node; leaves take no memory.
//
// For each child a node has the place of an inner node, or the content of a leaf: a class, a row of
// class shares, the number of the leaf. So a path ends at its last inner node. The nodes of the
// largest subtrees, which most paths visit, stand first; then each remaining subtree by itself, its
// heavier part first.
//
// All of it is numbers in flat arrays, in memory of the process or mapped from a file.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "base/thread_team.hpp"
#include "forest/forest.hpp"
#include "tree/tree_base.hpp"

namespace silvics {

using Place = std::uint32_t;  // of an inner node in its packed tree

// A child: the place of an inner node, or the content of a leaf.
class Child {
public:
    static Child leaf(std::uint32_t content) { return Child(content | kLeafBit); }
    static Child inner(Place place) { return Child(place); }
    Child() = default;
    explicit Child(std::uint32_t bits) : bits_(bits) {}

    bool leaf() const { return (bits_ & kLeafBit) != 0; }
    Place place() const { return bits_; }
    std::uint32_t content() const { return bits_ & ~kLeafBit; }
    std::uint32_t bits() const { return bits_; }

private:
    static constexpr std::uint32_t kLeafBit = std::uint32_t{1} << 31;
    std::uint32_t bits_ = 0;
};

// Bytes, since words of 32 or 64 bits would leave some unused: the variable and whether missing
// values go to the first child (24 bits), both children (32 bits each), the split rule.
class PackedNode {
public:
    static constexpr std::size_t kBytes = 19;
    static constexpr std::size_t kMaxFeature = (std::size_t{1} << 23) - 1;

    PackedNode() = default;
    PackedNode(SplitRule rule, FeatureId feature, bool missing_first, Child first, Child second) {
        const std::uint32_t head = feature | (missing_first ? kMissingFirst : 0);
        put(0, head);  // its fourth byte is overwritten
        put(3, first.bits());
        put(7, second.bits());
        put(11, rule.stored());
    }

    FeatureId feature() const { return get<std::uint32_t>(0) & kMaxFeature; }
    bool missing_first() const { return (get<std::uint32_t>(0) & kMissingFirst) != 0; }
    Child child(std::uint32_t which) const { return Child(get<std::uint32_t>(3 + 4 * which)); }
    SplitRule rule() const { return SplitRule::from_stored(get<double>(11)); }
    // Of a split by a threshold. Nothing compares with the NaN of other rules.
    double threshold() const { return rule().threshold(); }
    bool operator==(const PackedNode&) const = default;

    // The only node of a tree that is a single leaf: every sample goes to its first child. The
    // second child is never visited.
    static PackedNode of_one_leaf(Child leaf) {
        return {std::numeric_limits<double>::infinity(), 0, true, leaf, Child::inner(0)};
    }

    void set_child(std::uint32_t which, Child child) { put(3 + 4 * which, child.bits()); }

private:
    static constexpr std::uint32_t kMissingFirst = std::uint32_t{1} << 23;

    template <class T>
    T get(std::size_t at) const {
        T value;
        std::memcpy(&value, bytes_ + at, sizeof(T));
        return value;
    }
    template <class T>
    void put(std::size_t at, T value) {
        std::memcpy(bytes_ + at, &value, sizeof(T));
    }

    unsigned char bytes_[kBytes] = {};
};
static_assert(sizeof(PackedNode) == PackedNode::kBytes && alignof(PackedNode) == 1);
static_assert(std::endian::native == std::endian::little);

// Numbers in as few bytes as they need.
using Numbers = std::variant<std::span<const std::uint8_t>, std::span<const std::uint16_t>,
                             std::span<const std::uint32_t>, std::span<const double>>;
std::size_t size_of(const Numbers& numbers);
inline double at(const Numbers& numbers, std::size_t i) {
    return std::visit([i](auto some) { return static_cast<double>(some[i]); }, numbers);
}

// What such numbers lie in.
class NumberStore {
public:
    // `whole`: all of them are whole numbers below 2^32.
    Numbers put(std::vector<double> numbers, bool whole);

private:
    std::vector<std::uint8_t> bytes_;
    std::vector<std::uint16_t> shorts_;
    std::vector<std::uint32_t> words_;
    std::vector<double> doubles_;
};

struct TreeShape {
    std::size_t n_nodes = 1, n_leaves = 1, first_leaf = 0;  // among those of the forest
    std::uint32_t depth = 0;
    bool ruled = false;    // whether any node has another rule than a threshold
    bool records = false;  // whether any node has a record
};

struct PackedForest {
    std::size_t n_features = 0, n_outputs = 1;
    std::vector<std::uint32_t> n_classes;  // per output; empty for regression
    bool both_children = false;

    std::span<const std::uint64_t> first_node;  // of each tree, and one more
    std::span<const PackedNode> nodes;
    // What leaves predict. One output that is a number: that of each leaf of each tree, by its own
    // number. Otherwise a leaf has a class, or beyond n_pure() a row: of whole class weights, of
    // shares, of means.
    Numbers values;
    // Of the trees, one after the other; where none has any, nothing.
    std::span<const std::uint64_t> first_set, first_branch;
    std::span<const std::uint32_t> level_sets, branches;

    std::vector<TreeShape> shapes;       // follow from the nodes
    std::shared_ptr<const void> memory;  // that holds the arrays

    std::size_t n_trees() const { return first_node.size() - 1; }
    std::size_t value_width() const;
    bool one_number() const { return n_classes.empty() && n_outputs == 1; }
    std::size_t n_pure() const { return n_classes.size() == 1 ? n_classes[0] : 0; }
    std::size_t n_rows() const { return size_of(values) / value_width(); }
};

// Trees of one kind, packed.
PackedForest pack(std::span<const SharedTree> trees);

// The part of a table that is of tree m; `first` tells where those of each begin, and one more.
template <class T>
std::span<const T> part_of(std::span<const T> all, std::span<const std::uint64_t> first,
                           std::size_t m) {
    return first.empty() ? all.first(0) : all.subspan(first[m], first[m + 1] - first[m]);
}

// What every check of a forest says.
inline void require_of_forest(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(std::string("not a valid forest: ") + what);
}
// Throws std::invalid_argument unless these are the places where the parts of trees begin, and one
// more, of a table of this size; or nothing of nothing.
void check_parts(std::span<const std::uint64_t> first, std::size_t n_trees, std::size_t size);
// Finds the shapes. Throws std::invalid_argument unless every number is in range and every node
// has one parent before it: what passes can be traversed without checks.
void check_packed(PackedForest& forest, ThreadTeam& team);
inline void check_packed(PackedForest& forest) {
    ThreadTeam alone;
    check_packed(forest, alone);
}

}  // namespace silvics
