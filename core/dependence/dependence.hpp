// Partial dependence: predictions while one or two variables take the values of a grid.
#pragma once

#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "data/matrix.hpp"
#include "dependence/grid_traversal.hpp"
#include "predictor/predictor.hpp"

namespace silvics {

// Points of all axes x value width; the last axis changes fastest.
struct DependenceCurve {
    std::span<double> mean;
    // The sum over trees of squared differences from the mean.
    std::span<double> squares;
};

// The mean prediction of the rows at each point, and how much it varies over trees. `centered`:
// every tree is relative to its first point.
void average_dependence(const Predictor& predictor, const Matrix& X, std::span<const GridAxis> axes,
                        bool centered, DependenceCurve found, ThreadTeam& team);

// The prediction of each row at each point: rows x points x value width, which begin as zeros.
void individual_dependence(const Predictor& predictor, const Matrix& X,
                           std::span<const GridAxis> axes, std::span<double> found,
                           ThreadTeam& team);

}  // namespace silvics
