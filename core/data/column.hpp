// How one variable is stored while growing: as codes of one or two bytes.
//
// Codes stand in the order of the values. Where a column has more values than there are codes,
// several values share one, and the caller's own matrix says which is the larger: it is looked
// at only where that matters.
//
// A variant, visited once per (node, variable) in splitter/gather.hpp and nowhere else.
// A new kind of storage (categories, sparse) is a new alternative here and a new branch
// there; the scans see codes only.
#pragma once

#include <cstdint>
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

struct NumericColumn {
    CodeView codes;    // of each row; or none, where values do (Table::values_below)
    CodeView by_rows;  // the same for small nodes, where the table has both
    std::size_t n_codes = 0;
    // What a code stands for: one value, values that a search may part, or a bin that it may not.
    enum class Kind : std::uint8_t { one_value, several_values, bin } kind = Kind::one_value;
    ColumnView values;  // the caller's

    const CodeView& view(std::size_t n_samples) const {
        return by_rows.data != nullptr && n_samples < kByRows ? by_rows : codes;
    }
    static constexpr std::size_t kByRows = 1024;  // samples of a node below which rows do better

    // The smallest value of every 2^knot_shift codes, by which a threshold finds its codes.
    std::vector<double> knots;
    int knot_shift = 0;
    // Whether the value of a code is its knot: no need to look into the caller's matrix.
    bool knots_tell() const {
        return knot_shift == 0 && kind == Kind::one_value && codes.data != nullptr;
    }
};

using Column = std::variant<NumericColumn>;

}  // namespace silvics
