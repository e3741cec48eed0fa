// One column of levels of a category into codes: a level is its own code.
#pragma once

#include <span>

#include "base/view.hpp"
#include "data/coder.hpp"

namespace silvics {

// `read` is the content of the column, which the caller may have read together with its neighbours.
// The column has no codes if there are more levels than codes.
CodedColumn level_code(std::span<const double> read, const ColumnView& values,
                       std::size_t n_levels);

}  // namespace silvics
