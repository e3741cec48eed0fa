// One column of a sparse matrix into codes, in time proportional to its stored cells.
#pragma once

#include <vector>

#include "base/stop.hpp"
#include "data/coder.hpp"
#include "data/matrix.hpp"

namespace silvics {

struct SparseColumn {
    CodedColumn coded;                 // codes of the cells
    std::vector<RowId> cells;          // rows of the cells
    std::vector<std::uint32_t> order;  // the cells by value, missing ones last
};

SparseColumn sparse_code(const Matrix& X, std::size_t column, const BinRule& rule,
                         const StopFlag& stop);

}  // namespace silvics
