#include "shap/quadrature.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace silvics {

Quadrature::Quadrature(std::size_t n) : points(n), weights(n) {
    const double size = static_cast<double>(n);
    for (std::size_t i = 0; i < (n + 1) / 2; ++i) {
        // Newton's method finds a root of the Legendre polynomial of degree n; the others are
        // its mirror images.
        double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (size + 0.5));
        double slope = 1.0;
        for (int step = 0; step < 100; ++step) {
            double p = 1.0, before = 0.0;
            for (std::size_t k = 1; k <= n; ++k) {
                const double degree = static_cast<double>(k);
                const double next =
                    ((2.0 * degree - 1.0) * x * p - (degree - 1.0) * before) / degree;
                before = p;
                p = next;
            }
            slope = size * (x * p - before) / (x * x - 1.0);
            const double change = p / slope;
            x -= change;
            if (std::fabs(change) < 1e-16) break;
        }
        const double weight = 1.0 / ((1.0 - x * x) * slope * slope);
        points[i] = (1.0 - x) / 2.0;
        points[n - 1 - i] = (1.0 + x) / 2.0;
        weights[i] = weights[n - 1 - i] = weight;
    }
}

std::size_t Quadrature::points_for(std::size_t n_variables) {
    const std::size_t exact = (std::max<std::size_t>(n_variables, 1) + 1) / 2;
    return (exact + kLanes - 1) / kLanes * kLanes;
}

}  // namespace silvics
