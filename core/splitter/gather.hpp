// Where storage ends: the only place that looks inside a column. What leaves here is codes.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/kernels.hpp"
#include "base/scratch.hpp"
#include "base/stop.hpp"
#include "data/column.hpp"
#include "splitter/split.hpp"

namespace silvics {

using CodeBuffer = Scratch<std::uint16_t>;

struct CodeRange {
    Code low = ~Code{0}, high = 0;
    bool constant() const { return low >= high; }
    std::size_t size() const { return std::size_t{high} - low + 1; }
};

// One variable at one node.
struct NodeColumn {
    const NumericColumn& column;
    std::span<const RowId> rows;
    const std::uint16_t* codes;  // of the rows
    CodeRange range;

    std::size_t size() const { return rows.size(); }
    double value(Position i) const { return column.values[rows[i]]; }
    // Whether samples of one code may have different values, which a cut may part.
    bool parts_codes() const { return column.kind == NumericColumn::Kind::several_values; }
};

inline CodeRange range_of(const std::uint16_t* codes, std::size_t n) {
    std::uint16_t low, high;
    kernels().code_range(codes, n, &low, &high);
    return {low, high};
}

// The codes of some variables for the same rows. Blocks of rows, so that what one variable
// brought into the cache is there for the next.
inline void gather_codes(std::span<const Column* const> columns, std::span<const RowId> rows,
                         std::span<CodeBuffer> codes, const StopFlag& stop) {
    constexpr std::size_t kBlock = 256;
    for (std::size_t k = 0; k < columns.size(); ++k) codes[k].take(rows.size());
    in_blocks(rows.size(), stop, [&](std::size_t first, std::size_t last) {
        for (std::size_t begin = first; begin < last; begin += kBlock) {
            const std::size_t end = std::min(last, begin + kBlock);
            for (std::size_t k = 0; k < columns.size(); ++k) {
                const CodeView& view = std::get<NumericColumn>(*columns[k]).view(rows.size());
                std::uint16_t* out = codes[k].data();
                view.visit([&](const auto* from) {
                    for (std::size_t i = begin; i < end; ++i) out[i] = from[rows[i] * view.stride];
                });
            }
        }
    });
}

// The values of some rows.
template <std::size_t N>
const double* read_values(const NumericColumn& column, std::span<const RowId, N> rows,
                          double* into) {
    if (column.knots_tell()) {  // codes are smaller than the caller's values
        const CodeView& codes = column.view(rows.size());
        codes.visit([&](const auto* from) {
            for (std::size_t i = 0; i < rows.size(); ++i)
                into[i] = column.knots[from[rows[i] * codes.stride]];
        });
        return into;
    }
    const ColumnView& view = column.values;
    visit_scalar(view.type, [&]<class T>(std::type_identity<T>) {
        for (std::size_t i = 0; i < rows.size(); ++i)
            into[i] =
                load_as_double<T>(view.data + static_cast<std::ptrdiff_t>(rows[i]) * view.stride);
    });
    return into;
}

// The values of the samples of one code: the least and the largest.
inline std::pair<double, double> values_of_code(const NodeColumn& node, Code code,
                                                Scratch<Position>& places) {
    const NumericColumn& column = node.column;
    const bool one = column.kind == NumericColumn::Kind::one_value;
    if (column.knots_tell()) return {column.knots[code], column.knots[code]};
    const std::size_t n =
        kernels().find_codes(node.codes, node.size(), code, 1, places.take(node.size() + 1));
    double low = node.value(places[0]), high = low;
    for (std::size_t i = 1; i < n && !one; ++i) {
        const double value = node.value(places[i]);
        low = std::min(low, value);
        high = std::max(high, value);
    }
    return {low, high};
}

// Which codes a threshold sends left: those below the first, none from the last on; samples of
// codes between are compared by value.
struct CodeSides {
    Code surely_left = 0, surely_right = 0;

    // The samples to compare.
    std::span<const Position> unsure(const NodeColumn& node, Scratch<Position>& places) const {
        if (surely_left == surely_right) return {};
        Position* const found = places.take(node.size() + 1);
        return {found, kernels().find_codes(node.codes, node.size(), surely_left,
                                            surely_right - surely_left, found)};
    }
};

inline CodeSides sides_of_threshold(const NumericColumn& column, double threshold) {
    const auto above = std::ranges::upper_bound(column.knots, threshold) - column.knots.begin();
    const auto end = static_cast<Code>(above) << column.knot_shift;
    if (above == 0) return {0, 0};
    if (column.knots_tell()) return {end, end};
    return {static_cast<Code>(above - 1) << column.knot_shift, end};
}

// The middle of a gap; its lower end where that rounds to the upper one or overflows.
inline double middle_of_gap(double a, double b) {
    const double v = a + (b - a) / 2;
    return v < b ? v : a;
}

// A cut becomes a threshold in the middle of the gap that the node's own samples leave there.
inline double threshold_of_cut(const NodeColumn& node, const Cut& cut, Scratch<Position>& places) {
    const NumericColumn& column = node.column;
    if (cut.at_left != cut.at_right && column.kind != NumericColumn::Kind::bin) {
        const auto value = [&](Position at) {
            return column.knots_tell() ? column.knots[node.codes[at]] : node.value(at);
        };
        return middle_of_gap(value(cut.at_left), value(cut.at_right));
    }
    std::uint16_t below = static_cast<std::uint16_t>(cut.below);
    std::uint16_t above = static_cast<std::uint16_t>(cut.border);
    if (cut.below == Cut::kUnknown)
        kernels().codes_around(node.codes, node.size(), above, &below, &above);
    return middle_of_gap(values_of_code(node, below, places).second,
                         values_of_code(node, above, places).first);
}

// The cut between two samples next to each other in the order of the variable.
inline Cut cut_between(const NodeColumn& node, double score, Position left, Position right) {
    const Code border = node.codes[right];
    return {score, border, node.codes[left] == border, left, right, 0.0, node.codes[left]};
}

inline CodeSides sides_of_cut(const Cut& cut) {
    return {cut.border, cut.within ? cut.border + 1 : cut.border};
}

// goes_left[i]: one or zero. Returns how many go.
inline std::size_t mark_sides(const NodeColumn& node, const CodeSides& sides, double threshold,
                              Scratch<std::uint8_t>& goes_left, Scratch<Position>& places) {
    std::size_t n_left = kernels().mark_below(node.codes, node.size(), sides.surely_left,
                                              goes_left.take(node.size()));
    for (const Position i : sides.unsure(node, places)) {
        goes_left[i] = node.value(i) <= threshold;
        n_left += goes_left[i];
    }
    return n_left;
}

}  // namespace silvics
