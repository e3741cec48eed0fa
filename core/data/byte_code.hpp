// Codes of columns of whole numbers whose range is below 256: the code is the difference to the
// smallest value. The matrix is read row by row, as most matrices are stored, which is as fast as
// memory allows.
#pragma once

#include <cstddef>
#include <vector>

#include "base/view.hpp"
#include "data/table.hpp"

namespace silvics {

// Codes such columns and places them in the table; returns which columns they are. `most` is the
// largest number of codes that a column may have.
std::vector<bool> code_bytes(const MatrixView& X, std::size_t most, Table& table, ThreadTeam& team);

}  // namespace silvics
