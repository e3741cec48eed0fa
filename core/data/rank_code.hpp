// One column of the caller's matrix into codes.
#pragma once

#include "base/stop.hpp"
#include "base/view.hpp"
#include "data/table.hpp"

namespace silvics {

NumericColumn rank_code(const MatrixView& X, std::size_t column, const BinRule& rule,
                        const StopFlag& stop);

}  // namespace silvics
