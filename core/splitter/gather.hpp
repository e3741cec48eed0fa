// Reads the samples of a node as codes or values from columns of every kind. Small nodes, sparse
// columns and levels have separate, faster readers.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <utility>
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
    const Column& column;
    std::span<const RowId> rows;
    const std::uint16_t* codes;  // codes of the rows
    CodeRange range;
    double missing = kInfinity;  // the value that stands for missing ones: one end of the order

    std::size_t size() const { return rows.size(); }
    double value(Position i) const {
        const double v = column.value(rows[i]);
        return v == v ? v : missing;
    }
    // Whether samples of one code may have different values, which a cut may separate.
    bool parts_codes() const { return column.kind == Column::Kind::several_values; }
    // Whether all samples have one value. Samples of one code may still have several values.
    bool constant() const {
        if (!range.constant()) return false;
        if (!parts_codes()) return true;
        const double first = value(0);
        for (std::size_t i = 1; i < size(); ++i)
            if (value(static_cast<Position>(i)) != first) return false;
        return true;
    }
};

inline CodeRange range_of(const std::uint16_t* codes, std::size_t n) {
    std::uint16_t low, high;
    kernels().code_range(codes, n, &low, &high);
    return {low, high};
}

// Calls put(i, cell) for every i whose row has a cell in a sparse column; rows are ascending. The
// shorter list is looked up in the longer one, unless merging both is less work.
template <class Put>
void for_cells(const Column& column, std::span<const RowId> rows, Put&& put) {
    const auto cells = column.cells;
    if (cells.empty() || rows.empty()) return;
    const auto look_up = [](std::span<const RowId> fewer, std::span<const RowId> more,
                            auto&& both) {
        auto from = more.begin();
        for (std::size_t i = 0; i < fewer.size() && from != more.end(); ++i) {
            from = std::lower_bound(from, more.end(), fewer[i]);
            if (from != more.end() && *from == fewer[i])
                both(i, static_cast<std::size_t>(from - more.begin()));
        }
    };
    const auto steps = [](std::size_t n) { return static_cast<std::size_t>(std::bit_width(n)); };
    if (rows.size() * steps(cells.size()) < cells.size()) return look_up(rows, cells, put);
    if (cells.size() * steps(rows.size()) < rows.size())
        return look_up(cells, rows, [&](std::size_t cell, std::size_t i) { put(i, cell); });
    for (std::size_t i = 0, k = 0; i < rows.size() && k < cells.size();) {
        if (rows[i] == cells[k]) put(i, k);
        const bool row_first = rows[i] <= cells[k], cell_first = cells[k] <= rows[i];
        i += row_first;
        k += cell_first;
    }
}

// Gathers the codes of a sparse column; returns false, without codes, if no row has a cell.
inline bool gather_sparse(const Column& column, std::span<const RowId> rows, CodeBuffer& codes) {
    bool any = false;
    column.codes.visit([&](const auto* from) {
        for_cells(column, rows, [&](std::size_t i, std::size_t cell) {
            if (!std::exchange(any, true))
                std::fill_n(codes.ensure(rows.size()), rows.size(),
                            static_cast<std::uint16_t>(column.zero));
            codes[i] = from[cell];
        });
    });
    return any;
}

// Gathers the codes of several variables for the same rows, in blocks of rows, so that variables
// share the cache lines that one of them loaded.
inline void gather_codes(std::span<const Column* const> columns, std::span<const RowId> rows,
                         std::span<CodeBuffer> codes, const StopFlag& stop) {
    constexpr std::size_t kBlock = 256;
    for (std::size_t k = 0; k < columns.size(); ++k) codes[k].ensure(rows.size());
    in_blocks(rows.size(), stop, [&](std::size_t first, std::size_t last) {
        for (std::size_t begin = first; begin < last; begin += kBlock) {
            const std::size_t end = std::min(last, begin + kBlock);
            for (std::size_t k = 0; k < columns.size(); ++k) {
                const CodeView& view = columns[k]->view(rows.size());
                std::uint16_t* out = codes[k].data();
                view.visit([&]<class T>(const T* from) {
                    const auto gather = [&] {
                        if constexpr (sizeof(T) == 1)
                            return kernels().gather_bytes;
                        else
                            return kernels().gather_words;
                    }();
                    gather(from, view.stride, rows.data() + begin, end - begin, out + begin);
                });
            }
        }
    });
}

// Gathers the levels of a category; n_codes stands for a missing one.
inline void gather_levels(const Column& column, std::span<const RowId> rows, Code* levels) {
    const CodeView& view = column.view(rows.size());
    if (view.data != nullptr)
        view.visit([&](const auto* from) {
            for (std::size_t i = 0; i < rows.size(); ++i) levels[i] = from[rows[i] * view.stride];
        });
    else
        for (std::size_t i = 0; i < rows.size(); ++i)
            levels[i] = column.level_of(column.values[rows[i]]);
}

template <std::size_t N>
void load_values(const ColumnView& view, std::span<const RowId, N> rows, double* into) {
    visit_scalar(view.type, [&]<class T>(std::type_identity<T>) {
        for (std::size_t i = 0; i < rows.size(); ++i) into[i] = load_as_double<T>(view.at(rows[i]));
    });
}

// Reads the values of some rows of a plain column.
template <std::size_t N>
const double* read_values(const Column& column, std::span<const RowId, N> rows, double* into) {
    if (column.codes_have_values()) {  // codes take less memory than the caller's values
        const CodeView& codes = column.view(rows.size());
        codes.visit([&](const auto* from) {
            for (std::size_t i = 0; i < rows.size(); ++i)
                into[i] = column.code_values[from[rows[i] * codes.stride]];
        });
        return into;
    }
    load_values(column.values, rows, into);
    return into;
}

// The same, with the smallest and the largest value; there must be at least one row.
inline void read_values_in_range(const Column& column, std::span<const RowId> rows, double* into,
                                 double* low, double* high) {
    const ColumnView& from = column.values;
    const bool by_codes = column.codes_have_values();
    if (!by_codes && from.type == Scalar::f32) {
        kernels().read_floats(from.data, from.stride, rows.data(), rows.size(), into, low, high);
    } else if (!by_codes && from.type == Scalar::f64) {
        kernels().read_doubles(from.data, from.stride, rows.data(), rows.size(), into, low, high);
    } else {
        read_values(column, rows, into);
        kernels().value_range(into, rows.size(), low, high);
    }
}

// Reads the values of some rows of any column of numbers; missing ones are NaN.
inline double* read_any_values(const Column& column, std::span<const RowId> rows, double* into) {
    if (column.sparse) {
        std::fill_n(into, rows.size(), 0.0);
        for_cells(column, rows,
                  [&](std::size_t i, std::size_t cell) { into[i] = column.values[cell]; });
    } else {
        load_values(column.values, rows, into);
    }
    return into;
}

// The smallest and the largest value of the samples of one code.
inline std::pair<double, double> values_of_code(const NodeColumn& node, Code code,
                                                Scratch<Position>& places) {
    const Column& column = node.column;
    const bool one = column.kind == Column::Kind::one_value;
    if (column.codes_have_values()) return {column.code_values[code], column.code_values[code]};
    const std::size_t n =
        kernels().find_codes(node.codes, node.size(), code, 1, places.ensure(node.size() + 1));
    double low = node.value(places[0]), high = low;
    for (std::size_t i = 1; i < n && !one; ++i) {
        const double value = node.value(places[i]);
        low = std::min(low, value);
        high = std::max(high, value);
    }
    return {low, high};
}

// The sides of the codes of a column for a threshold: codes below surely_left go left, codes from
// surely_right on go right, and samples of the codes between are compared by value.
struct CodeSides {
    Code surely_left = 0, surely_right = 0;

    // The samples whose values must be compared.
    std::span<const Position> unsure(const NodeColumn& node, Scratch<Position>& places) const {
        if (surely_left == surely_right) return {};
        Position* const found = places.ensure(node.size() + 1);
        return {found, kernels().find_codes(node.codes, node.size(), surely_left,
                                            surely_right - surely_left, found)};
    }
};

inline CodeSides sides_of_threshold(const Column& column, double threshold) {
    const auto above =
        std::ranges::upper_bound(column.code_values, threshold) - column.code_values.begin();
    const auto end = static_cast<Code>(above) << column.code_value_shift;
    if (above == 0) return {0, 0};
    if (column.codes_have_values()) return {end, end};
    return {static_cast<Code>(above - 1) << column.code_value_shift, end};
}

// The middle of a gap; its lower end if the middle rounds to the upper end or overflows.
inline double middle_of_gap(double a, double b) {
    const double v = a + (b - a) / 2;
    return v < b ? v : a;
}

// The codes of the node's samples next to a cut.
inline std::pair<Code, Code> codes_at_cut(const NodeColumn& node, const Cut& cut) {
    std::uint16_t below = static_cast<std::uint16_t>(cut.below);
    std::uint16_t above = static_cast<std::uint16_t>(cut.border);
    if (cut.below == Cut::kUnknown)
        kernels().codes_around(node.codes, node.size(), above, &below, &above);
    return {below, above};
}

// The threshold of a cut: the middle of the gap between the node's samples.
inline double threshold_of_cut(const NodeColumn& node, const Cut& cut, Scratch<Position>& places) {
    const Column& column = node.column;
    if (cut.at_left != cut.at_right && column.kind != Column::Kind::bin) {
        const auto value = [&](Position at) {
            return column.codes_have_values() ? column.code_values[node.codes[at]] : node.value(at);
        };
        return middle_of_gap(value(cut.at_left), value(cut.at_right));
    }
    const auto [below, above] = codes_at_cut(node, cut);
    if (column.codes_have_values())
        return middle_of_gap(column.code_values[below], column.code_values[above]);
    // No sample has a code between these two: all that are found are next to the gap.
    const std::size_t n = kernels().find_codes(node.codes, node.size(), below, above - below + 1,
                                               places.ensure(node.size() + 1));
    double low = -kInfinity, high = kInfinity;
    const bool one = column.kind == Column::Kind::one_value;  // two samples suffice
    const auto widen = [&](std::size_t k, double v) {
        const bool left = node.codes[places[k]] == below;
        low = left && v > low ? v : low;
        high = !left && v < high ? v : high;
    };
    if (one || !column.plain)
        for (std::size_t k = 0; k < n && !(one && low > -kInfinity && high < kInfinity); ++k)
            widen(k, node.value(places[k]));
    else
        visit_scalar(column.values.type, [&]<class T>(std::type_identity<T>) {
            for (std::size_t k = 0; k < n; ++k)
                widen(k, load_as_double<T>(column.values.at(node.rows[places[k]])));
        });
    return middle_of_gap(low, high);
}

// The cut between two samples that are neighbours in the order of the variable.
inline Cut cut_between(const NodeColumn& node, double score, Position left, Position right) {
    const Code border = node.codes[right];
    return {score, border, node.codes[left] == border, left, right, 0.0, node.codes[left]};
}

inline CodeSides sides_of_cut(const Cut& cut) {
    return {cut.border, cut.within ? cut.border + 1 : cut.border};
}

// Writes one or zero to goes_left[i]; returns how many samples go left.
inline std::size_t mark_sides(const NodeColumn& node, const CodeSides& sides, double threshold,
                              Scratch<std::uint8_t>& goes_left, Scratch<Position>& places) {
    std::size_t n_left = kernels().mark_below(node.codes, node.size(), sides.surely_left,
                                              goes_left.ensure(node.size()));
    for (const Position i : sides.unsure(node, places)) {
        goes_left[i] = node.value(i) <= threshold;
        n_left += goes_left[i];
    }
    return n_left;
}

}  // namespace silvics
