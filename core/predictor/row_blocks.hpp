// Samples to predict, a block at a time, as contiguous doubles; blocks shared over a team.
#pragma once

#include <algorithm>
#include <vector>

#include "base/view.hpp"
#include "forest/thread_team.hpp"

namespace silvics {

struct RowBlock {
    std::size_t first = 0, size = 0, width = 0;
    const double* values = nullptr;
    const double* row(std::size_t i) const { return values + i * width; }
};

// body(block) for all rows of X. `as_float32` rounds values to float32 first, for trees
// whose thresholds were learned on such.
template <class Body>
void for_row_blocks(const MatrixView& X, bool as_float32, ThreadTeam& team, Body&& body) {
    constexpr std::size_t kBlockValues = 16384;  // 128 KiB: stays in the second-level cache
    const std::size_t block_rows =
        std::clamp<std::size_t>(kBlockValues / std::max<std::size_t>(X.cols, 1), 1, 256);
    const std::size_t n_blocks = (X.rows + block_rows - 1) / block_rows;
    std::vector<std::vector<double>> buffers(
        std::min(team.size(), std::max<std::size_t>(n_blocks, 1)));
    team.run(n_blocks, [&](std::size_t b, std::size_t worker) {
        const std::size_t first = b * block_rows, size = std::min(block_rows, X.rows - first);
        std::vector<double>& buffer = buffers[worker];
        buffer.resize(size * X.cols);
        visit_scalar(X.type, [&]<class T>(std::type_identity<T>) {
            for (std::size_t i = 0; i < size; ++i)
                for (std::size_t j = 0; j < X.cols; ++j) {
                    const double value = load_as_double<T>(X.at(first + i, j));
                    buffer[i * X.cols + j] =
                        as_float32 ? static_cast<double>(static_cast<float>(value)) : value;
                }
        });
        body(RowBlock{first, size, X.cols, buffer.data()});
    });
}

}  // namespace silvics
