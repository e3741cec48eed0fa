// The grid of one or two variables: points as the trees compare them, and the combinations of the
// points of both axes, of which the last axis changes fastest.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "dependence/grid_regions.hpp"
#include "dependence/grid_traversal.hpp"
#include "predictor/predictor.hpp"

namespace silvics {

class Grid {
public:
    // Throws std::invalid_argument unless these are axes of one or two different variables of X.
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
    // visit(point, n) for the points of a region, n consecutive ones at a time.
    template <class Visit>
    void for_points(const GridRegions& regions, std::size_t region, Visit&& visit) const {
        if (axes_.size() == 1) return regions.for_runs(region, 0, visit);
        for (const std::uint32_t first : regions.points(region, 0))
            regions.for_runs(region, 1, [&](std::size_t second, std::size_t n) {
                visit(first * axes_[1].points.size() + second, n);
            });
    }

private:
    std::vector<std::vector<double>> points_;
    std::vector<GridAxis> axes_;
    std::size_t size_ = 1;
};

}  // namespace silvics
