// One column of a sparse matrix into codes, at the cost of the cells that it stores.
#pragma once

#include <vector>

#include "base/stop.hpp"
#include "data/matrix.hpp"
#include "data/rank_code.hpp"

namespace silvics {

struct SparseColumn {
    CodedColumn coded;         // codes of the cells
    std::vector<RowId> cells;  // their rows
};

SparseColumn sparse_code(const Matrix& X, std::size_t column, const BinRule& rule,
                         const StopFlag& stop);

}  // namespace silvics
