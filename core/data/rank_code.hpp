// One column of the caller's matrix into codes.
#pragma once

#include <span>
#include <variant>
#include <vector>

#include "base/stop.hpp"
#include "base/view.hpp"
#include "data/table.hpp"

namespace silvics {

inline constexpr const char* kInfinite =
    "Input X contains infinity or a value too large for dtype('float64').";

struct CodedColumn {
    Column column;    // whose codes have no place in a table yet
    CodeArray codes;  // of each row
};

// `read` is the column's content, which the caller may have read together with its neighbours.
CodedColumn rank_code(std::span<const double> read, const ColumnView& values, const BinRule& rule,
                      const StopFlag& stop);

// The same of a category, whose content is levels. No codes if they are too many.
CodedColumn level_code(std::span<const double> read, const ColumnView& values,
                       std::size_t n_levels);

}  // namespace silvics
