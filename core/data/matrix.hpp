// The caller's X, which is never copied: blocks of columns side by side, each of one type, or a
// sparse matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/view.hpp"

namespace silvics {

// A matrix compressed by columns, to grow trees from, or by rows, to predict. The places in a line
// are ascending and unique.
struct SparseView {
    bool by_columns = true;
    ColumnView starts;  // first cell of each line, and one past the last
    ColumnView places;  // row or column of each cell
    ColumnView values;
};

struct Matrix {
    std::size_t rows = 0, cols = 0;
    std::vector<MatrixView> blocks;
    std::optional<SparseView> sparse;
    std::vector<std::int64_t> n_levels;  // number of levels of each column; negative: numbers;
                                         // empty: all columns are numbers

    Matrix() = default;
    Matrix(const MatrixView& X) : rows(X.rows), cols(X.cols), blocks{X} {}

    bool category(std::size_t j) const { return !n_levels.empty() && n_levels[j] >= 0; }
    bool has_categories() const {
        for (const std::int64_t n : n_levels)
            if (n >= 0) return true;
        return false;
    }
    // Whether X is one dense block of numbers.
    bool simple() const { return blocks.size() == 1 && !has_categories(); }

    // Some consecutive rows. A sparse matrix must be compressed by rows.
    Matrix part(std::size_t first, std::size_t size) const {
        Matrix some = *this;
        some.rows = size;
        for (MatrixView& block : some.blocks) {
            block.data = block.at(first, 0);
            block.rows = size;
        }
        if (some.sparse) some.sparse->starts.data = some.sparse->starts.at(first);
        return some;
    }

    // Calls visit(block, first) for each block and the index of its first column.
    template <class Visit>
    void for_blocks(Visit&& visit) const {
        std::size_t first = 0;
        for (const MatrixView& block : blocks)
            visit(block, std::exchange(first, first + block.cols));
    }
};

}  // namespace silvics
