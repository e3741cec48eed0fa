#include "dependence/dependence.hpp"

#include <algorithm>
#include <stdexcept>

#include "dependence/block_dependence.hpp"

namespace silvics {
namespace {

constexpr std::size_t kTrees = 32;  // whose curves are kept at a time

// Blocks are as large as memory allows, because each of them unpacks all trees: 16 MiB.
std::size_t rows_of_large_block(const Matrix& X, std::size_t max_rows) {
    constexpr std::size_t kBlockValues = 2097152;
    return std::clamp<std::size_t>(kBlockValues / std::max<std::size_t>(X.cols, 1), 1, max_rows);
}

// One more tree in the mean and the sum of squares (Welford's recurrence).
void take_in(std::span<const double> curve, double n_trees, DependenceCurve found) {
    for (std::size_t i = 0; i < curve.size(); ++i) {
        const double step = curve[i] - found.mean[i];
        found.mean[i] += step / n_trees;
        found.squares[i] += step * (curve[i] - found.mean[i]);
    }
}

}  // namespace

void average_dependence(const Predictor& predictor, const Matrix& X, std::span<const GridAxis> axes,
                        bool centered, DependenceCurve found, ThreadTeam& team) {
    predictor.check_width(X);
    const Grid grid(predictor, axes);
    const std::size_t width = predictor.value_width(), size = checked_product(grid.size(), width);
    if (found.mean.size() != size || found.squares.size() != size || X.rows == 0)
        throw std::invalid_argument("a mean over rows for every point");
    std::ranges::fill(found.mean, 0.0);
    std::ranges::fill(found.squares, 0.0);
    team.set_total(predictor.n_trees());
    ThreadTeam reader;
    for (std::size_t first = 0; first < predictor.n_trees(); first += kTrees) {
        const std::size_t n = std::min(kTrees, predictor.n_trees() - first);
        std::vector<double> curves(checked_product(n, size), 0.0);
        // The size of blocks does not depend on the team, so that neither do the sums.
        constexpr std::size_t kMostRows = 32768;
        for_row_blocks(
            X, predictor.as_float32(), reader, rows_of_large_block(X, kMostRows),
            [&](const RowBlock& block) {
                with_block_dependence(predictor, first, first + n, grid, block, [&](auto&& make) {
                    std::vector<decltype(make())> workers;
                    for (std::size_t w = 0; w < team.size(); ++w) workers.push_back(make());
                    team.run(n, [&](std::size_t k, std::size_t worker) {
                        workers[worker].add_sums(
                            first + k, std::span(curves).subspan(k * size, size), team.stop());
                    });
                });
            });
        for (std::size_t k = 0; k < n; ++k) {
            const auto curve = std::span(curves).subspan(k * size, size);
            for (double& sum : curve) sum /= static_cast<double>(X.rows);
            if (centered)
                for (std::size_t i = size; i-- > 0;) curve[i] -= curve[i % width];
            take_in(curve, static_cast<double>(first + k + 1), found);
        }
        team.report(first + n);
    }
}

void individual_dependence(const Predictor& predictor, const Matrix& X,
                           std::span<const GridAxis> axes, std::span<double> found,
                           ThreadTeam& team) {
    predictor.check_width(X);
    const Grid grid(predictor, axes);
    const std::size_t width = predictor.value_width(), size = checked_product(grid.size(), width);
    if (found.size() != checked_product(X.rows, size))
        throw std::invalid_argument("a prediction for every row and point");
    const double n_trees = static_cast<double>(predictor.n_trees());
    constexpr std::size_t kLeastRows = 256, kMostRows = 8192;
    const std::size_t rows_per_thread = (X.rows + team.size() - 1) / team.size();
    const std::size_t block_rows = std::clamp(rows_per_thread, kLeastRows, kMostRows);
    for_row_blocks(X, predictor.as_float32(), team, rows_of_large_block(X, block_rows),
                   [&](const RowBlock& block) {
                       const auto of_block = found.subspan(block.first * size, block.size * size);
                       with_block_dependence(
                           predictor, 0, predictor.n_trees(), grid, block, [&](auto&& make) {
                               auto dependence = make();
                               for (std::size_t m = 0; m < predictor.n_trees(); ++m)
                                   dependence.add_curves(m, of_block, team.stop());
                           });
                       for (double& sum : of_block) sum /= n_trees;
                   });
}

}  // namespace silvics
