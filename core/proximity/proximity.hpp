// Proximities and kernels of a forest (thesis 4.4.3), row by row.
//
// A row of the matrix is the sum over the trees of what the rows in the same cell contribute. It is
// added up in a buffer with one element for each column, and given to a sink: a dense or sparse
// matrix, the nearest neighbours, or a product with other columns. The work is proportional to the
// number of rows met in the cells, and no matrix is kept unless it is asked for. Progress is the
// number of finished rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "proximity/leaf_cells.hpp"
#include "proximity/leaf_table.hpp"
#include "proximity/row_sums.hpp"

namespace silvics {

enum class ProximityKind : std::uint8_t {
    original,  // the share of trees in which both rows have the same cell (4.38)
    oob,       // the same over the trees in which both are out of bag
    gap,       // in-bag weight / weight of the cell, over the trees where the query is out of bag
    kernel,    // the same over all trees (4.42)
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
    void neighbors(const Matrix* X, std::size_t n_neighbors, std::span<std::int32_t> indices,
                   std::span<double> values, ThreadTeam& team) const;
    // From now on, at most this number of rows of a part of a leaf are met, or all if it is zero:
    // those whose numbers are closest to that of the row, or to one drawn for a row of X.
    void limit_leaves(std::size_t max_rows, ThreadTeam& team);
    // The number of rows met for all training rows together, without the limit.
    double work(ThreadTeam& team) const;
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
    // The elements of a row that are not zero.
    struct Row {
        std::span<const RowId> columns;
        std::span<const double> sums;
        double divisor = 1.0;  // of all sums
        double value(std::size_t k) const { return sums[k] / divisor; }
    };
    // Rows of one leaf that a row meets.
    struct Met {
        std::span<const RowId> rows;
        std::size_t position = 0;  // of the first of them among the rows of all trees
        double inverse = 1.0;      // of the weight of the cell, if it is stored
    };
    // Memory of a worker.
    struct Scratch {
        RowSums<double> sums;
        RowSums<std::uint16_t> counts;
        std::vector<Met> met;
        std::vector<double> values;
    };
    // Calls begin(first, size) before each block of rows, use(table, rows of the table, worker) for
    // some rows at a time, and end() after each block. `sorted`: in the order of the rows.
    template <class Begin, class UseRows, class End>
    void for_tasks(const Matrix* X, bool sorted, ThreadTeam& team, Begin&& begin, UseRows&& use,
                   End&& end) const;
    // The same with use(row, Row, worker) for each row. `sorted`: columns ascend, too.
    template <class Begin, class UseRow, class End>
    void for_rows(const Matrix* X, bool sorted, ThreadTeam& team, Begin&& begin, UseRow&& use,
                  End&& end) const;
    template <class UseRow>
    void for_rows(const Matrix* X, ThreadTeam& team, UseRow&& use) const;
    template <class Sum>
    Row row_of(std::size_t row, std::size_t number, std::span<const std::uint32_t> leaves,
               bool sorted, RowSums<Sum>& sums, Scratch& scratch, const StopFlag& stop) const;
    template <class Add>
    std::size_t for_met(std::size_t number, std::span<const std::uint32_t> leaves,
                        std::vector<Met>& met, Add&& add) const;
    void meet(std::span<const RowId> rows, std::size_t position, double inverse, std::size_t number,
              std::vector<Met>& met) const;
    void fetch_leaves(std::span<const std::uint32_t> leaves) const;
    bool weighted() const { return kind_ == ProximityKind::gap || kind_ == ProximityKind::kernel; }
    bool counted() const;
    std::size_t n_both_out(std::size_t a, std::size_t b) const;

    const Predictor& predictor_;
    const LeafMembership& columns_;
    ProximityKind kind_;
    LeafCells cells_;
    // For each leaf, one over the weight of its cell. It is empty if cells are small leaves, whose
    // weights are added up when they are met: many leaves would take much memory.
    std::vector<double> inverse_weights_;
    std::vector<std::uint64_t> out_bits_;  // for each row, a bit for each tree: it is out of bag
    std::size_t n_words_ = 0;
    std::size_t max_rows_ = 0;
    // The weights of all positions, and the bytes of each, to fetch them ahead.
    const std::byte* weights_ = nullptr;
    std::size_t bytes_of_weight_ = 0;
};

}  // namespace silvics
