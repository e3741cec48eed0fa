// The caller's X, never copied: blocks of columns side by side, each of one type; or sparse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/view.hpp"

namespace silvics {

// A matrix compressed by columns, to grow from, or by rows, to predict. Places are ascending, each
// once.
struct SparseView {
    bool by_columns = true;
    ColumnView starts;  // of each line, and one past the last
    ColumnView places;  // of the cells within their line
    ColumnView values;
};

struct Matrix {
    std::size_t rows = 0, cols = 0;
    std::vector<MatrixView> blocks;
    std::optional<SparseView> sparse;
    std::vector<std::int64_t> n_levels;  // of each column; negative: numbers; empty: all numbers

    Matrix() = default;
    Matrix(const MatrixView& X) : rows(X.rows), cols(X.cols), blocks{X} {}

    bool category(std::size_t j) const { return !n_levels.empty() && n_levels[j] >= 0; }
    bool has_categories() const {
        for (const std::int64_t n : n_levels)
            if (n >= 0) return true;
        return false;
    }
    // One dense block of numbers.
    bool simple() const { return blocks.size() == 1 && !has_categories(); }

    // visit(block, first): the blocks, and the number of the first column of each.
    template <class Visit>
    void for_blocks(Visit&& visit) const {
        std::size_t first = 0;
        for (const MatrixView& block : blocks)
            visit(block, std::exchange(first, first + block.cols));
    }
};

}  // namespace silvics
