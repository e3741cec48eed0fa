// How one variable is stored while trees grow: as codes of one or two bytes.
//
// Codes are in the order of the values. Where a column has more values than there are codes,
// several values share a code, and they are compared in the matrix of the caller where their order
// matters. A missing value has the code above all others; a level of a category is its own code.
//
// Most columns are plain: dense numbers of which none is missing. They are searched by faster
// code. splitter/gather.hpp reads columns of every kind; scans see codes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include "base/types.hpp"
#include "base/view.hpp"

namespace silvics {

using CodeArray = std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>>;

// The codes of one column, in whichever array the table keeps them.
struct CodeView {
    const std::byte* data = nullptr;
    std::size_t stride = 0;  // in codes, from one row to the next
    bool wide = false;       // whether a code has two bytes, or one

    // Calls f with a typed pointer to the codes; the code of row i is codes[i * stride].
    template <class F>
    decltype(auto) visit(F&& f) const {
        return wide ? f(reinterpret_cast<const std::uint16_t*>(data))
                    : f(reinterpret_cast<const std::uint8_t*>(data));
    }
    Code operator[](std::size_t row) const {
        return visit([&](const auto* codes) { return Code{codes[row * stride]}; });
    }
};

struct Column {
    CodeView codes;    // of each row; null where values are used instead (Table::values_below)
    CodeView by_rows;  // the same codes for small nodes, where the table has both
    std::size_t n_codes =
        0;  // number of codes of values that are not missing; of a category, the number of levels
    // What a code stands for: one value; several values, which a cut may separate; a bin, which no
    // cut separates; or a level, which has no order.
    enum class Kind : std::uint8_t { one_value, several_values, bin, category };
    Kind kind = Kind::one_value;
    bool plain = true;         // dense numbers, none missing
    bool has_missing = false;  // whether some values are missing: their code is n_codes
    ColumnView values;  // in the caller's matrix; of a category, the levels, where negative or NaN
                        // is missing

    // In a sparse column, codes and values are those of the stored cells.
    bool sparse = false;
    std::span<const RowId> cells;  // the rows of the cells, ascending
    Code zero = 0;                 // the code of the rows that have no cell

    double value(std::size_t row) const {
        if (!sparse) return values[row];
        const auto at = std::ranges::lower_bound(cells, row);
        const bool stored = at != cells.end() && *at == row;
        return stored ? values[static_cast<std::size_t>(at - cells.begin())] : 0.0;
    }
    // The level that a number in the caller's matrix stands for; n_codes if it is missing.
    Code level_of(double number) const {
        const bool known = number >= 0.0 && number < static_cast<double>(n_codes);
        return static_cast<Code>(known ? number : static_cast<double>(n_codes));
    }

    const CodeView& view(std::size_t n_samples) const {
        return by_rows.data != nullptr && n_samples < kMinSamplesByColumn ? by_rows : codes;
    }
    static constexpr std::size_t kMinSamplesByColumn = 4096;  // larger nodes read codes by column

    // The smallest value of every 2^code_value_shift codes. A threshold is translated into codes
    // by them.
    std::vector<double> code_values;
    int code_value_shift = 0;
    // Whether code_values holds the value of every code, so that the matrix of the caller is not
    // needed.
    bool codes_have_values() const {
        return code_value_shift == 0 && kind == Kind::one_value && codes.data != nullptr;
    }
};

}  // namespace silvics
