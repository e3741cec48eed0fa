// How one variable is stored while growing: as codes of one or two bytes.
//
// Codes stand in the order of the values. Where a column has more values than there are codes,
// several values share one, and the caller's own matrix says which is the larger: it is looked
// at only where that matters. A missing value has the code above all others; a level of a
// category is its own code.
//
// Columns that are plain, dense numbers of which none is missing, are most of all columns and are
// searched by faster code. splitter/gather.hpp reads columns of every kind; scans see codes.
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

// The codes of one column, wherever the table keeps them.
struct CodeView {
    const std::byte* data = nullptr;
    std::size_t stride = 0;  // in codes: from one row to the next
    bool wide = false;       // two bytes each, or one

    // f(codes) with a pointer of their type; that of row i is codes[i * stride].
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
    CodeView codes;           // of each row; or none, where values do (Table::values_below)
    CodeView by_rows;         // the same for small nodes, where the table has both
    std::size_t n_codes = 0;  // of values that are not missing; levels of a category
    // What a code stands for: one value, values that a search may part, a bin that it may not, or
    // a level, which has no order.
    enum class Kind : std::uint8_t { one_value, several_values, bin, category };
    Kind kind = Kind::one_value;
    bool plain = true;         // dense numbers, none missing
    bool has_missing = false;  // some are missing: their code is n_codes
    ColumnView values;  // the caller's; of a category, the levels: negative or NaN is missing

    // Of a sparse column, codes and values are those of the cells that are stored.
    bool sparse = false;
    std::span<const RowId> cells;  // their rows, ascending
    Code zero = 0;                 // the code of the others

    double value(std::size_t row) const {
        if (!sparse) return values[row];
        const auto at = std::ranges::lower_bound(cells, row);
        const bool stored = at != cells.end() && *at == row;
        return stored ? values[static_cast<std::size_t>(at - cells.begin())] : 0.0;
    }
    // Of a category: what the caller's number stands for, n_codes if it is missing.
    Code level_of(double number) const {
        const bool known = number >= 0.0 && number < static_cast<double>(n_codes);
        return static_cast<Code>(known ? number : static_cast<double>(n_codes));
    }

    const CodeView& view(std::size_t n_samples) const {
        return by_rows.data != nullptr && n_samples < kByRows ? by_rows : codes;
    }
    static constexpr std::size_t kByRows = 4096;  // samples of a node below which rows do better

    // The smallest value of every 2^knot_shift codes, by which a threshold finds its codes.
    std::vector<double> knots;
    int knot_shift = 0;
    // Whether the value of a code is its knot: no need to look into the caller's matrix.
    bool knots_are_values() const {
        return knot_shift == 0 && kind == Kind::one_value && codes.data != nullptr;
    }
};

}  // namespace silvics
