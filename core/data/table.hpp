// The coded table: everything about X that growing needs.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/large_buffer.hpp"
#include "data/column.hpp"
#include "data/matrix.hpp"
#include "data/sparse_cells.hpp"

namespace silvics {

class ThreadTeam;

struct BinRule {
    enum class Widths { equal_frequency, equal_width };

    std::size_t max_bins = 0;  // 0: exact, every distinct value its own code
    Widths widths = Widths::equal_frequency;
};

// Codes of one size are stored together. A narrow table stores them row by row: the codes that a
// small node needs of a row are then in one or two cache lines, and the rows of a whole branch
// stay in the cache. A wide table stores them column by column, since a whole row would be read
// for a few of its codes. A wide table of one-byte codes has both: small nodes are still faster by
// rows.
inline constexpr std::size_t kMaxNarrowRowBytes = 128;  // a row of more bytes is too wide

struct Table {
    std::size_t n_rows = 0;
    std::vector<Column> columns;
    std::vector<LargeBuffer> buffers;   // the codes that columns view, of many columns,
    std::vector<CodeArray> arrays;      // or of one column each
    std::optional<SparseCells> sparse;  // the cells of a sparse matrix, which has no other columns
    // Random cuts of nodes of fewer samples are drawn on the values instead of codes.
    std::size_t values_below = 0;

    std::size_t n_features() const { return columns.size(); }
};

// Codes every column of X; the columns are distributed over the team.
Table code_table(const Matrix& X, const BinRule& rule, ThreadTeam& team);

// A table for random cuts, which need only the smallest and the largest value of a node. Columns
// are not coded if the values of a row are next to each other in memory and the matrix fits the
// cache; nor, unless X is sparse, if few values will be read.
Table table_of_values(const Matrix& X, ThreadTeam& team, bool rarely_read = false);

}  // namespace silvics
