// Traversal of a tree by the rows of a sparse matrix, most of whose values are zero.
//
// All rows start on the path of a row of zeros. A row leaves a path only at a node that tests one
// of its stored values, and continues on the path of zeros that starts at the other child. Nodes on
// the path whose column has no stored cell are passed once for all rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/matrix.hpp"
#include "predictor/packed_tree.hpp"

namespace silvics {

struct StoredCell {
    std::uint32_t row;
    double value;
};

// The stored cells of some rows of a matrix compressed by rows, by column. Rows count from `first`.
class CellsByColumn {
public:
    CellsByColumn(const Matrix& X, std::size_t first, std::size_t size, bool as_float32);
    std::size_t n_rows() const { return n_rows_; }
    std::span<const StoredCell> of(FeatureId f) const {
        return {cells_.data() + starts_[f], starts_[f + std::size_t{1}] - starts_[f]};
    }

private:
    std::size_t n_rows_;
    std::vector<std::size_t> starts_;  // of each column, and one past the last
    std::vector<StoredCell> cells_;
};

// Whether the trees first .. last - 1 can be traversed in this way, and it takes fewer steps than
// row by row.
bool pays_to_follow_zeros(const PackedForest& forest, std::span<const PackedTree> trees,
                          const Matrix& X);

class ZeroPaths {
public:
    // end(i, leaf) for all rows, in order.
    template <class End>
    void down(const PackedTree& tree, const CellsByColumn& cells, End&& end) {
        follow(tree, cells);
        for (std::size_t i = 0; i < cells.n_rows(); ++i) end(i, leaves_[path_[i]]);
    }

private:
    void follow(const PackedTree& tree, const CellsByColumn& cells);

    std::vector<std::uint32_t> path_;  // of each row
    std::vector<PackedLeaf> leaves_;   // where each path ends
    std::vector<PackedLeaf> starts_;   // the child at which it starts, in the form of a leaf
};

}  // namespace silvics
