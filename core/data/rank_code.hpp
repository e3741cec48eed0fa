// One column of numbers into codes: the rank of a value among the distinct values, or its bin.
#pragma once

#include <span>

#include "base/stop.hpp"
#include "base/view.hpp"
#include "data/coder.hpp"

namespace silvics {

// `read` is the content of the column, which the caller may have read together with its
// neighbours.
CodedColumn rank_code(std::span<const double> read, const ColumnView& values, const BinRule& rule,
                      const StopFlag& stop);

}  // namespace silvics
