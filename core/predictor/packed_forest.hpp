// A forest in the form that predicts, in 19 bytes for each inner node; leaves take no memory.
//
// For each child, a node stores the place of an inner node or the content of a leaf: a class, the
// number of a row of values, or the number of the leaf. A path therefore ends at its last inner
// node. The roots of the largest subtrees, which most paths visit, come first. The remaining
// subtrees follow one by one, in depth-first order, with the larger child first.
//
// The numbers lie in flat arrays, in memory of the process or mapped from a file.
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

using Place = std::uint32_t;  // the position of an inner node in its packed tree

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

// A node is stored as bytes, because a struct would have padding: the variable and whether missing
// values go to the first child (24 bits), both children (32 bits each), and the split rule (64
// bits).
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
    // The threshold of the split. Other rules are NaN here, and all comparisons with NaN are false.
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

// Numbers in the narrowest type that holds them.
using Numbers = std::variant<std::span<const std::uint8_t>, std::span<const std::uint16_t>,
                             std::span<const std::uint32_t>, std::span<const double>>;
std::size_t size_of(const Numbers& numbers);
inline double at(const Numbers& numbers, std::size_t i) {
    return std::visit([i](auto values) { return static_cast<double>(values[i]); }, numbers);
}

// Owns the memory of such numbers.
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
    std::size_t n_nodes = 1, n_leaves = 1;
    std::size_t first_leaf = 0;  // the number of leaves of the trees before
    std::uint32_t depth = 0;
    bool ruled = false;    // whether some node has a rule that is not a threshold
    bool records = false;  // whether some node has a record
};

struct PackedForest {
    std::size_t n_features = 0, n_outputs = 1;
    std::vector<std::uint32_t> n_classes;  // per output; empty for regression
    bool both_children = false;

    std::span<const std::uint64_t> first_node;  // for each tree, then the total number
    std::span<const PackedNode> nodes;
    // What leaves predict. With one real output (one_number()), there is one number for each leaf
    // of each tree. Otherwise there is a table of rows: whole class weights, class shares or means.
    // The content of a leaf is a class if it is less than n_pure(), and n_pure() plus a row
    // otherwise.
    Numbers values;
    // The level sets and branch records of all trees, and where those of each tree begin. They are
    // empty if no tree has any.
    std::span<const std::uint64_t> first_set, first_branch;
    std::span<const std::uint32_t> level_sets, branches;

    std::vector<TreeShape> shapes;       // derived from the nodes
    std::shared_ptr<const void> memory;  // owns the arrays

    std::size_t n_trees() const { return first_node.size() - 1; }
    std::size_t value_width() const;
    bool one_number() const { return n_classes.empty() && n_outputs == 1; }
    std::size_t n_pure() const { return n_classes.size() == 1 ? n_classes[0] : 0; }
    std::size_t n_rows() const { return size_of(values) / value_width(); }
};

// Packs trees, which must agree in their variables, outputs and classes. The team shares the trees;
// the forest is the same for any size of the team.
PackedForest pack(std::span<const SharedTree> trees, ThreadTeam& team);
inline PackedForest pack(std::span<const SharedTree> trees) {
    ThreadTeam alone;
    return pack(trees, alone);
}

// The part of an array that belongs to tree m. `first` has the start of each tree's part, and the
// size of the array as its last element.
template <class T>
std::span<const T> part_of(std::span<const T> all, std::span<const std::uint64_t> first,
                           std::size_t m) {
    return first.empty() ? all.first(0) : all.subspan(first[m], first[m + 1] - first[m]);
}

// Throws std::invalid_argument with a message that names the invalid part.
inline void require_of_forest(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(std::string("not a valid forest: ") + what);
}
// Throws std::invalid_argument unless `first` holds the starts of the trees' parts of an array of
// this size, and then the size. It must be empty if the array is.
void check_parts(std::span<const std::uint64_t> first, std::size_t n_trees, std::size_t size);
// Computes the shapes. Throws std::invalid_argument unless every number is in range and every node
// has one parent before it. A forest that passes can be traversed without further checks.
void check_packed(PackedForest& forest, ThreadTeam& team);
inline void check_packed(PackedForest& forest) {
    ThreadTeam alone;
    check_packed(forest, alone);
}

}  // namespace silvics
