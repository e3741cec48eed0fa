// Reads samples in blocks of contiguous doubles, and distributes the blocks over a team.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/thread_team.hpp"
#include "base/types.hpp"
#include "data/matrix.hpp"

namespace silvics {

// A block of samples. One value after the last may be read; it has no meaning.
struct RowBlock {
    std::size_t first = 0, size = 0, width = 0;
    const double* values = nullptr;
    bool whole = false;  // no value is missing
    const double* row(std::size_t i) const { return values + i * width; }
    // At most `max_size` samples, from sample `begin` on.
    RowBlock part(std::size_t begin, std::size_t max_size) const {
        return {first + begin, std::min(max_size, size - begin), width, row(begin), whole};
    }
};

inline bool any_missing(std::span<const double> values) {
    bool any = false;
    for (const double x : values) any |= std::isnan(x);
    return any;
}

// Reads rows of a dense matrix.
inline void read_rows(const Matrix& X, std::size_t first, std::size_t size, double* into) {
    X.for_blocks([&](const MatrixView& block, std::size_t offset) {
        visit_scalar(block.type, [&]<class T>(std::type_identity<T>) {
            for (std::size_t i = 0; i < size; ++i)
                for (std::size_t j = 0; j < block.cols; ++j)
                    into[i * X.cols + offset + j] = load_as_double<T>(block.at(first + i, j));
        });
    });
}

// visit(i, j, value) for the stored cells of `size` rows of a matrix compressed by rows.
template <class Visit>
void for_stored_cells(const Matrix& X, std::size_t first, std::size_t size, Visit&& visit) {
    const SparseView& sparse = *X.sparse;
    for (std::size_t i = 0; i < size; ++i) {
        const auto begin = static_cast<std::size_t>(sparse.starts[first + i]);
        const auto end = static_cast<std::size_t>(sparse.starts[first + i + 1]);
        for (std::size_t k = begin; k < end; ++k) {
            const double j = sparse.places[k];
            if (!(j >= 0.0 && j < static_cast<double>(X.cols)))
                throw std::invalid_argument("a place in the sparse matrix is out of range");
            visit(i, static_cast<std::size_t>(j), sparse.values[k]);
        }
    }
}

// body(block) for all rows of X, `block_rows` at a time. `as_float32` rounds values to float32
// first, for trees that were grown on float32.
template <class Body>
void for_row_blocks(const Matrix& X, bool as_float32, ThreadTeam& team, std::size_t block_rows,
                    Body&& body) {
    const std::size_t n_blocks = (X.rows + block_rows - 1) / block_rows;
    std::vector<std::vector<double>> buffers(
        std::min(team.size(), std::max<std::size_t>(n_blocks, 1)));
    const auto rounded = [&](double value) {
        return as_float32 ? static_cast<double>(static_cast<float>(value)) : value;
    };
    const auto visit_block = [&](std::size_t first, std::size_t size, const double* values,
                                 bool missing) {
        body(RowBlock{first, size, X.cols, values, !missing});
    };
    team.run(n_blocks, [&](std::size_t b, std::size_t worker) {
        const std::size_t first = b * block_rows, size = std::min(block_rows, X.rows - first);
        std::vector<double>& buffer = buffers[worker];
        if (X.sparse) {  // only stored cells are written, and reset to zero afterwards
            buffer.resize(block_rows * X.cols + 1, 0.0);
            const auto put = [&](auto&& cell) {
                for_stored_cells(X, first, size, [&](std::size_t i, std::size_t j, double value) {
                    buffer[i * X.cols + j] = cell(value);
                });
            };
            bool missing = false;  // only stored cells are looked at
            put([&](double value) {
                missing |= std::isnan(value);
                return rounded(value);
            });
            visit_block(first, size, buffer.data(), missing);
            put([](double) { return 0.0; });
            return;
        }
        buffer.resize(size * X.cols + 1);
        read_rows(X, first, size, buffer.data());
        if (as_float32) std::ranges::transform(buffer, buffer.begin(), rounded);
        const std::span<const double> values{buffer.data(), size * X.cols};
        visit_block(first, size, buffer.data(), any_missing(values));
    });
}

// The number of rows of a block: at most `max_rows`, and at most 2 MiB.
inline std::size_t rows_of_block(const Matrix& X, std::size_t max_rows) {
    constexpr std::size_t kBlockValues = 262144;
    return std::clamp<std::size_t>(kBlockValues / std::max<std::size_t>(X.cols, 1), 1,
                                   std::max<std::size_t>(max_rows, 1));
}

// The same with one block per thread, within limits: the more rows a block has, the less the
// loading of a tree into the cache costs per row.
template <class Body>
void for_row_blocks(const Matrix& X, bool as_float32, ThreadTeam& team, Body&& body) {
    constexpr std::size_t kMinBlockRows = 256, kMaxBlockRows = 32768;
    const std::size_t rows_per_thread = (X.rows + team.size() - 1) / team.size();
    for_row_blocks(X, as_float32, team,
                   rows_of_block(X, std::clamp(rows_per_thread, kMinBlockRows, kMaxBlockRows)),
                   body);
}

// The columns of the given variables, one after the other.
inline std::vector<double> columns_of(const Matrix& X, std::span<const FeatureId> variables,
                                      bool as_float32, ThreadTeam& team) {
    std::vector<double> columns(checked_product(X.rows, variables.size()));
    for_row_blocks(X, as_float32, team, [&](const RowBlock& block) {
        for (std::size_t k = 0; k < variables.size(); ++k)
            for (std::size_t i = 0; i < block.size; ++i)
                columns[k * X.rows + block.first + i] = block.row(i)[variables[k]];
    });
    return columns;
}

}  // namespace silvics
