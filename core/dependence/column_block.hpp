// Rows column by column, as traversals read them that take all rows through one node at a time.
#pragma once

#include <cstddef>
#include <vector>

#include "predictor/row_blocks.hpp"

namespace silvics {

struct ColumnBlock {
    std::size_t first = 0, size = 0;
    std::vector<double> values;  // columns x rows

    const double* column(std::size_t f) const { return values.data() + f * size; }
};

// The rows of a block column by column.
inline ColumnBlock columns_of(const RowBlock& block) {
    ColumnBlock columns{block.first, block.size, std::vector<double>(block.size * block.width)};
    for (std::size_t f = 0; f < block.width; ++f)
        for (std::size_t i = 0; i < block.size; ++i)
            columns.values[f * block.size + i] = block.row(i)[f];
    return columns;
}

}  // namespace silvics
