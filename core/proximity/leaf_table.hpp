// The leaves of rows, as numbers in depth-first order, for a block of rows at a time.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "predictor/leaf_membership.hpp"

namespace silvics {

enum class RowPart : std::uint8_t { in_bag, out_of_bag, all };

inline std::span<const RowId> rows_of(const TreeMembership& tree, std::size_t leaf, RowPart part) {
    switch (part) {
        case RowPart::in_bag:
            return tree.in_bag(leaf);
        case RowPart::out_of_bag:
            return tree.out_of_bag(leaf);
        case RowPart::all:
            break;
    }
    return tree.all(leaf);
}

// The leaves of consecutive rows in all trees.
struct LeafTable {
    // The row is not in the part of the tree that was asked for.
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    std::size_t first = 0, size = 0, n_trees = 0;
    std::vector<std::uint32_t> leaves;  // size x n_trees

    std::span<const std::uint32_t> row(std::size_t i) const {
        return std::span(leaves).subspan(i * n_trees, n_trees);
    }
    // Reads the leaves of `n` rows of X, from row `begin` on.
    void read(const Predictor& predictor, const Matrix& X, std::size_t begin, std::size_t n,
              ThreadTeam& team);
    // Reads those of training rows, in the trees where they are in the given part.
    void read(const LeafMembership& membership, RowPart part, std::size_t begin, std::size_t n,
              ThreadTeam& team);

private:
    void resize(std::size_t begin, std::size_t n, std::size_t trees);
};

// The number of rows of a table of at most 64 MiB.
inline std::size_t rows_of_table(std::size_t n_trees) {
    constexpr std::size_t kMaxLeaves = std::size_t{1} << 24;
    return std::max<std::size_t>(kMaxLeaves / std::max<std::size_t>(n_trees, 1), 1);
}

// Any rows by leaf; they are all in one part, with weight one.
LeafMembership rows_by_leaf(const Predictor& predictor, const Matrix& X, ThreadTeam& team);

}  // namespace silvics
