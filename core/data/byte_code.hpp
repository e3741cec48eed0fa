// Columns of whole numbers less than 256 apart: a code is what a value is above the least one.
// They are read row by row, as they lie in most matrices: the memory's own pace.
#pragma once

#include <cstddef>
#include <vector>

#include "base/view.hpp"
#include "data/table.hpp"

namespace silvics {

// Codes and places the columns that are so; tells which are. `most` is how many codes a column may
// have.
std::vector<bool> code_bytes(const MatrixView& X, std::size_t most, Table& table, ThreadTeam& team);

}  // namespace silvics
