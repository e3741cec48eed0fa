// Background rows in one tree, and what traversals read of its nodes side by side.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "predictor/row_blocks.hpp"
#include "shap/explained_tree.hpp"

namespace silvics {

// A set of background rows.
struct RowSet {
    static constexpr std::size_t kRows = 128, kWords = kRows / 64;
    std::array<std::uint64_t, kWords> words{};

    void add(std::size_t i) { add_if(i, true); }
    void add_if(std::size_t i, bool belongs) { words[i / 64] |= std::uint64_t{belongs} << i % 64; }
    bool has(std::size_t i) const { return (words[i / 64] >> i % 64 & 1) != 0; }
    bool empty() const { return (words[0] | words[1]) == 0; }
    bool at_most(int n) const { return std::popcount(words[0]) + std::popcount(words[1]) <= n; }
    RowSet operator&(const RowSet& other) const {
        return {{words[0] & other.words[0], words[1] & other.words[1]}};
    }
    RowSet operator|(const RowSet& other) const {
        return {{words[0] | other.words[0], words[1] | other.words[1]}};
    }
    RowSet without(const RowSet& other) const {
        return {{words[0] & ~other.words[0], words[1] & ~other.words[1]}};
    }
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t w = 0; w < kWords; ++w)
            for (std::uint64_t bits = words[w]; bits != 0; bits &= bits - 1)
                visit(64 * w + static_cast<std::size_t>(std::countr_zero(bits)));
    }
};

// Integers in the order of the numbers that they stand for: they take fewer cycles to compare.
using OrderKey = std::int64_t;
inline constexpr OrderKey kNoOrder = std::numeric_limits<OrderKey>::max();  // NaN

inline OrderKey order_key(double x) {
    if (x != x) return kNoOrder;
    const auto bits = std::bit_cast<OrderKey>(x + 0.0);  // there is one zero
    return bits >= 0 ? bits : bits ^ std::numeric_limits<OrderKey>::max();
}

// A node for traversals with a single background row.
struct PairNode {
    // Of the threshold of a plain split, or kNoOrder; of a leaf, the bits of its value if there is
    // one column.
    OrderKey key = 0;
    NodeId second = 0;  // the second child; zero in a leaf
    // The variable that the node tests: its place among those of the tree and of the path.
    std::uint32_t variable : 26 = 0, place : 6 = 0;

    static constexpr std::size_t kMostVariables = std::size_t{1} << 26;
    static constexpr std::size_t kMostOnPath = std::size_t{1} << 6;

    bool leaf() const { return second == 0; }
    double value() const { return std::bit_cast<double>(key); }
};

// When the rows of a set are better followed one by one, as measured in decision 51. In smaller
// trees, subtrees with few rows are too small; and tests of categories are faster as sets.
struct FollowingRule {
    int most_rows = 12;
    std::size_t fewest_nodes = 2000;   // of the tree
    std::size_t nodes_per_other = 16;  // with a test of something else than a threshold

    bool holds(const ExplainedTree& tree, std::size_t n_others) const {
        return tree.n_nodes() >= fewest_nodes && n_others <= tree.n_nodes() / nodes_per_other &&
               tree.max_path_variables() <= PairNode::kMostOnPath &&
               tree.variables().size() <= PairNode::kMostVariables;
    }
};

// Up to RowSet::kRows background rows, which are read later, in one tree.
struct TreeBackground {
    struct Node {
        double threshold = 0.0;  // of a plain split; the value of a leaf, if there is one column
        NodeId second = 0;       // the second child; zero in a leaf
        std::uint32_t variable = 0;  // that the node tests: its place among those of the tree
        RowSet passing;  // the rows that pass all edges of the variable of its edge on the path

        bool leaf() const { return second == 0; }
    };

    RowBlock rows;
    RowSet all;
    std::vector<Node> nodes;
    // Without them, no row is followed alone.
    std::vector<PairNode> pair_nodes;
    int most_followed = 0;  // rows of a set

    TreeBackground(const ExplainedTree& tree, const RowBlock& block,
                   std::span<const std::uint8_t> skipped, const FollowingRule& rule = {});

private:
    void find_children(const ExplainedTree& tree, NodeId t, std::vector<RowSet>& children) const;
    void add_pair_nodes(const ExplainedTree& tree);
};

}  // namespace silvics
