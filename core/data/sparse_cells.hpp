// The stored cells of all columns of a sparse matrix, by column and by row.
//
// A search reads the cells of a column in the order of their values. A small node reads the cells
// of its rows instead, and finds in them which columns are not constant.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "base/stop.hpp"
#include "base/types.hpp"
#include "data/column.hpp"

namespace silvics {

// Numbers of two bytes if all are below 65,536, and of four bytes otherwise.
class IndexArray {
public:
    IndexArray() = default;
    IndexArray(std::size_t size, std::size_t limit) {
        if (limit > 0x10000)
            numbers_.emplace<1>(size);
        else
            numbers_.emplace<0>(size);
    }
    // Calls f with a typed pointer to the numbers.
    template <class F>
    decltype(auto) visit(F&& f) {
        return std::visit([&](auto& numbers) -> decltype(auto) { return f(numbers.data()); },
                          numbers_);
    }
    template <class F>
    decltype(auto) visit(F&& f) const {
        return std::visit([&](const auto& numbers) -> decltype(auto) { return f(numbers.data()); },
                          numbers_);
    }
    std::uint32_t operator[](std::size_t i) const {
        return visit([&](const auto* numbers) { return std::uint32_t{numbers[i]}; });
    }

private:
    std::variant<std::vector<std::uint16_t>, std::vector<std::uint32_t>> numbers_;
};

struct SparseCells {
    // What searches read of a column, in half a cache line.
    struct Head {
        std::size_t begin = 0;             // its first cell
        const std::byte* codes = nullptr;  // of its cells, of one or two bytes
        std::uint32_t n_cells = 0;
        Code zero = 0, missing = 0;  // the codes of rows without a cell, and of missing values
        bool wide = false, has_missing = false, several_values = false;
    };
    std::vector<Head> heads;
    std::vector<RowId> rows;  // of the cells of each column, ascending
    ColumnView values;        // of the same cells, in the caller's matrix
    IndexArray by_value;      // the cells of each column by value, missing last: their numbers
    std::vector<std::size_t> row_starts;  // the same cells by row
    IndexArray columns;                   // their columns, ascending in each row
    IndexArray numbers;                   // their numbers in the column

    std::size_t n_cells() const { return rows.size(); }
    std::span<const RowId> rows_of(std::size_t column) const {
        return std::span(rows).subspan(heads[column].begin, heads[column].n_cells);
    }
    // Calls f with a typed pointer to the codes of a column.
    template <class F>
    static decltype(auto) visit_codes(const Head& head, F&& f) {
        return CodeView{head.codes, 1, head.wide}.visit(f);
    }

    // Fills what is kept by row from what is kept by column.
    void index_rows(std::size_t n_rows, const StopFlag& stop);
};

}  // namespace silvics
