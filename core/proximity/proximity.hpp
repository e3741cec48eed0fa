// Proximities and kernels of a forest (thesis 4.4.3), row by row.
//
// A row of the matrix is the sum over the trees of what the rows in the same cell contribute. It is
// added up in a buffer with one element for each column, and given to a sink: a dense or sparse
// matrix, the nearest neighbours, or a product with other columns. The work is proportional to the
// number of rows met in the cells, and no matrix is kept unless it is asked for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "proximity/leaf_cells.hpp"
#include "proximity/leaf_table.hpp"

namespace silvics {

enum class ProximityKind : std::uint8_t {
    original,  // the share of trees in which both rows have the same cell (4.38)
    oob,       // the same over the trees in which both are out of bag
    gap,       // in-bag weight / weight of the cell, over the trees where the query is out of bag
    kernel,    // the same over all trees (4.42)
};

// The sums of one row, and the columns in which they are not zero.
struct RowSums {
    std::vector<double> sums;
    std::vector<RowId> touched;

    void add(RowId column, double value) {
        if (value == 0.0) return;  // it underflowed; the column would be listed twice
        if (sums[column] == 0.0) touched.push_back(column);
        sums[column] += value;
    }
    void clear();
};

struct SparseRows {
    std::vector<std::int64_t> starts;
    std::vector<std::int32_t> columns;
    std::vector<double> values;
};

class Proximity {
public:
    // `columns`: the training rows, or, for the original kind, any rows by leaf. `leaf_sizes`: the
    // number of in-bag rows of each leaf; if empty, those of `columns`.
    Proximity(const Predictor& predictor, const LeafMembership& columns, ProximityKind kind,
              std::span<const std::uint32_t> leaf_sizes, std::size_t min_samples,
              std::size_t max_depth, ThreadTeam& team);

    // The rows are those of X, or, if it is null, those of the columns.
    std::size_t n_rows(const Matrix* X) const { return X == nullptr ? columns_.n_rows : X->rows; }
    std::size_t n_columns() const { return columns_.n_rows; }

    void dense(const Matrix* X, std::span<double> out, ThreadTeam& team) const;
    SparseRows sparse(const Matrix* X, ThreadTeam& team) const;
    // The `n_neighbors` columns of the largest values, descending, the first of ties. A row with
    // fewer columns has -1 and zero in their place.
    void neighbors(const Matrix* X, std::size_t n_neighbors, std::span<std::int64_t> indices,
                   std::span<double> values, ThreadTeam& team) const;
    // The matrix times `factors` (columns x width). `squares`: with squared elements.
    // `without_diagonal`: without the product of a row with itself.
    void product(const Matrix* X, std::span<const double> factors, std::size_t width, bool squares,
                 bool without_diagonal, std::span<double> out, ThreadTeam& team) const;

    // Whether X has the leaves of the training rows, in the same order.
    bool has_rows(const Matrix& X, ThreadTeam& team) const;

private:
    RowPart query_part() const {
        return kind_ == ProximityKind::oob || kind_ == ProximityKind::gap ? RowPart::out_of_bag
                                                                          : RowPart::all;
    }
    void find_cell_weights(ThreadTeam& team);
    void mark_out_of_bag(ThreadTeam& team);
    // Calls begin(first, size) before each block of rows and use(row, sums) for each row, and
    // end() after each block.
    template <class Begin, class UseRow, class End>
    void for_rows(const Matrix* X, ThreadTeam& team, Begin&& begin, UseRow&& use, End&& end) const;
    template <class UseRow>
    void for_rows(const Matrix* X, ThreadTeam& team, UseRow&& use) const;
    void add_row(std::size_t row, std::span<const std::uint32_t> leaves, RowSums& out) const;
    std::size_t add_same_cell(std::span<const std::uint32_t> leaves, RowPart part,
                              RowSums& out) const;
    std::size_t add_weights(std::span<const std::uint32_t> leaves, RowSums& out) const;
    std::size_t n_both_out(std::size_t a, std::size_t b) const;

    const Predictor& predictor_;
    const LeafMembership& columns_;
    ProximityKind kind_;
    LeafNumbers numbers_;
    LeafCells cells_;
    std::vector<double> inverse_weights_;  // for each leaf, one over the weight of its cell
    std::vector<std::uint64_t> out_bits_;  // for each row, a bit for each tree: it is out of bag
    std::size_t n_words_ = 0;
};

}  // namespace silvics
