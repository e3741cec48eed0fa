// The coded table: everything about X that growing needs.
#pragma once

#include <cstddef>
#include <vector>

#include "base/large_buffer.hpp"
#include "data/column.hpp"
#include "data/matrix.hpp"

namespace silvics {

class ThreadTeam;

struct BinRule {
    enum class Widths { equal_frequency, equal_width };

    std::size_t max_bins = 0;  // 0: exact, every distinct value its own code
    Widths widths = Widths::equal_frequency;
};

// Codes of one size stand together. In a narrow table, row by row: what a small node needs of a
// row is then in one or two lines of the cache, and the rows of a whole branch stay there. In a
// wide one, column by column: a row would be read for the sake of few of its codes. Where codes
// are of one byte, a wide table has both: small nodes still do better by rows.
inline constexpr std::size_t kNarrow = 128;  // bytes of a row worth reading for a few of them

struct Table {
    std::size_t n_rows = 0;
    std::vector<Column> columns;
    std::vector<LargeBuffer> buffers;       // the codes that columns view: of many, or
    std::vector<CodeArray> arrays;          // of one each
    std::vector<std::vector<RowId>> cells;  // and the rows of sparse ones
    // Nodes of fewer samples do better to look at the values themselves, where any cut will do.
    std::size_t values_below = 0;

    std::size_t n_features() const { return columns.size(); }
};

// Codes every column of X, the columns shared out over the team.
Table code_table(const Matrix& X, const BinRule& rule, ThreadTeam& team);

// For random cuts, which need the values at both ends of a node and no others' order: values next
// to each other in the caller's matrix are not coded at all; nor are any, unless sparse, of which
// few will be looked at.
Table table_of_values(const Matrix& X, ThreadTeam& team, bool rarely_read = false);

}  // namespace silvics
