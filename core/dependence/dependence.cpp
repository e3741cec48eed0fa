#include "dependence/dependence.hpp"

#include <algorithm>
#include <stdexcept>

#include "predictor/leaf_visits.hpp"

namespace silvics {
namespace {

constexpr std::size_t kMostRows = 32768, kBlockRows = 2048;  // of a block
constexpr std::size_t kTrees = 32;                           // whose curves are kept at a time

// Axes with points as the trees compare them.
class Grid {
public:
    Grid(const Predictor& predictor, std::span<const GridAxis> axes) {
        if (axes.empty() || axes.size() > GridTraversal::kMostAxes ||
            (axes.size() == 2 && axes[0].variable == axes[1].variable))
            throw std::invalid_argument("a grid has one or two different variables");
        points_.reserve(axes.size());
        for (const GridAxis& axis : axes) {
            if (axis.variable >= predictor.n_features() || axis.points.empty())
                throw std::invalid_argument("an axis has a variable of X, and points");
            auto& points = points_.emplace_back(axis.points.begin(), axis.points.end());
            if (predictor.as_float32())
                for (double& x : points) x = static_cast<double>(static_cast<float>(x));
            axes_.push_back({axis.variable, points});
            size_ = checked_product(size_, points.size());
        }
    }

    std::span<const GridAxis> axes() const { return axes_; }
    std::size_t size() const { return size_; }
    // visit(point, share) for the points of a leaf.
    template <class Visit>
    void for_points(const GridTraversal::Parts& parts, Visit&& visit) const {
        for (const std::uint32_t first : parts[1].items) {
            const double share = parts[1].share[first];
            if (axes_.size() == 1) {
                visit(first, share);
                continue;
            }
            for (const std::uint32_t second : parts[2].items)
                visit(first * axes_[1].points.size() + second, share * parts[2].share[second]);
        }
    }

private:
    std::vector<std::vector<double>> points_;
    std::vector<GridAxis> axes_;
    std::size_t size_ = 1;
};

// Adds the sums over the rows of a block of what a tree predicts at each point.
void add_sums(const Predictor& predictor, std::size_t m, const ColumnBlock& rows, const Grid& grid,
              std::span<double> sums, const StopFlag& stop) {
    const std::size_t width = predictor.value_width();
    const bool both = predictor.forest().both_children;
    GridTraversal traversal(grid.axes(), both);
    std::vector<double> value(width);
    predictor.with_leaves(predictor.tree(m), [&](auto&& add) {
        traversal.run(predictor.tree(m), rows, stop,
                      [&](PackedLeaf leaf, const GridTraversal::Parts& parts) {
                          double weight = static_cast<double>(parts[0].items.size());
                          if (both) {
                              weight = 0.0;
                              for (const auto row : parts[0].items) weight += parts[0].share[row];
                          }
                          std::ranges::fill(value, 0.0);
                          add(leaf, std::span<double>(value));
                          grid.for_points(parts, [&](std::size_t point, double share) {
                              for (std::size_t c = 0; c < width; ++c)
                                  sums[point * width + c] += weight * share * value[c];
                          });
                      });
    });
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
        for_row_blocks(X, predictor.as_float32(), reader, rows_of_block(X, kMostRows),
                       [&](const RowBlock& block) {
                           const ColumnBlock rows = columns_of(block);
                           team.run(n, [&](std::size_t k, std::size_t) {
                               add_sums(predictor, first + k, rows, grid,
                                        std::span(curves).subspan(k * size, size), team.stop());
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
    for_row_blocks(
        X, predictor.as_float32(), team, rows_of_block(X, kBlockRows), [&](const RowBlock& block) {
            const ColumnBlock rows = columns_of(block);
            const auto of_block = found.subspan(block.first * size, block.size * size);
            GridTraversal traversal(grid.axes(), predictor.forest().both_children);
            std::vector<double> value(width);
            for (std::size_t m = 0; m < predictor.n_trees(); ++m)
                predictor.with_leaves(predictor.tree(m), [&](auto&& add) {
                    traversal.run(
                        predictor.tree(m), rows, team.stop(),
                        [&](PackedLeaf leaf, const GridTraversal::Parts& parts) {
                            std::ranges::fill(value, 0.0);
                            add(leaf, std::span<double>(value));
                            for (const std::uint32_t row : parts[0].items) {
                                const double of_row = parts[0].share[row];
                                double* const to = of_block.data() + row * size;
                                grid.for_points(parts, [&](std::size_t point, double share) {
                                    for (std::size_t c = 0; c < width; ++c)
                                        to[point * width + c] += of_row * share * value[c];
                                });
                            }
                        });
                });
            for (double& sum : of_block) sum /= n_trees;
        });
}

}  // namespace silvics
