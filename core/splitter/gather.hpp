// Where storage ends: the only place that looks inside a column. What leaves here is codes.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/stop.hpp"
#include "data/column.hpp"
#include "splitter/split.hpp"

namespace silvics {

struct CodeRange {
    Code low = ~Code{0}, high = 0;
    bool constant() const { return low >= high; }
    std::size_t size() const { return std::size_t{high} - low + 1; }
};

enum class CodeKind { searched, ranks };  // bins where the column has them, or always ranks

// codes[i] of rows[i], and their range.
inline CodeRange gather_codes(const Column& column, CodeKind kind, std::span<const RowId> rows,
                              std::vector<Code>& codes, const StopFlag& stop) {
    codes.resize(rows.size());
    CodeRange range;
    std::visit(
        [&](const NumericColumn& numeric) {
            const bool bins = kind == CodeKind::searched && numeric.binned();
            std::visit(
                [&](const auto& of_row) {
                    in_blocks(rows.size(), stop, [&](std::size_t begin, std::size_t end) {
                        Code low = range.low, high = range.high;
                        for (std::size_t i = begin; i < end; ++i) {
                            const Code code = of_row[rows[i]];
                            codes[i] = code;
                            low = code < low ? code : low;
                            high = code > high ? code : high;
                        }
                        range = {low, high};
                    });
                },
                bins ? numeric.bins : numeric.ranks);
        },
        column);
    return range;
}

// The middle of a gap; its lower end where that rounds to the upper one or overflows.
inline double middle_of_gap(double a, double b) {
    const double v = a + (b - a) / 2;
    return v < b ? v : a;
}

// A cut between two searched codes becomes a threshold in the middle of the gap that the
// node's own samples leave there.
inline void place_cut(const Column& column, std::span<const RowId> rows, Code left, Code right,
                      Split& split) {
    const auto& numeric = std::get<NumericColumn>(column);
    if (numeric.binned()) {
        const Code border = numeric.last_ranks[left];
        left = 0;
        right = ~Code{0};
        std::visit(
            [&](const auto& of_row) {
                for (const RowId row : rows) {
                    const Code rank = of_row[row];
                    if (rank <= border)
                        left = rank > left ? rank : left;
                    else
                        right = rank < right ? rank : right;
                }
            },
            numeric.ranks);
    }
    split.last_left = left;
    split.threshold = middle_of_gap(numeric.values[left], numeric.values[right]);
}

// Rows of the left child first, both sides in row order. Returns the size of the left side.
inline std::size_t partition_rows(const Column& column, const Split& split, std::span<RowId> rows,
                                  std::vector<RowId>& scratch, const StopFlag& stop) {
    scratch.resize(rows.size());
    std::size_t left = 0, right = 0;
    std::visit(
        [&](const auto& of_row) {
            in_blocks(rows.size(), stop, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) {  // both written, one kept
                    const RowId row = rows[i];
                    const bool goes_left = of_row[row] <= split.last_left;
                    rows[left] = row;
                    scratch[right] = row;
                    left += goes_left;
                    right += !goes_left;
                }
            });
        },
        std::get<NumericColumn>(column).ranks);
    std::copy_n(scratch.begin(), right, rows.begin() + static_cast<std::ptrdiff_t>(left));
    return left;
}

}  // namespace silvics
