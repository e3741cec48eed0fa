// Gauss-Legendre quadrature on (0, 1), the integral in the product form of Shapley values.
#pragma once

#include <cstddef>
#include <vector>

namespace silvics {

// Vectors of kLanes numbers are processed together.
inline constexpr std::size_t kLanes = 4;

// n points integrate polynomials up to degree 2 n - 1 exactly.
struct Quadrature {
    std::vector<double> points, weights;

    explicit Quadrature(std::size_t n);

    // The number of points, a multiple of kLanes, for the products of all but one of the factors
    // of this many variables.
    static std::size_t points_for(std::size_t n_variables);
};

}  // namespace silvics
