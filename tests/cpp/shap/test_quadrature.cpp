// Quadrature: points and weights, against integrals of powers.
#include <cmath>

#include "doctest/doctest.h"
#include "shap/quadrature.hpp"

namespace silvics {
namespace {

TEST_CASE("n points integrate all powers up to 2 n - 1") {
    for (const std::size_t n : {1U, 2U, 4U, 8U, 12U, 40U, 200U}) {
        const Quadrature quadrature(n);
        for (std::size_t power = 0; power < 2 * n; ++power) {
            double sum = 0.0;
            for (std::size_t i = 0; i < n; ++i)
                sum += quadrature.weights[i] *
                       std::pow(quadrature.points[i], static_cast<double>(power));
            CHECK(sum == doctest::Approx(1.0 / static_cast<double>(power + 1)).epsilon(1e-13));
        }
    }
}

TEST_CASE("points are inside and mirror each other") {
    const Quadrature quadrature(12);
    for (std::size_t i = 0; i < 12; ++i) {
        CHECK(quadrature.points[i] > 0.0);
        CHECK(quadrature.points[i] + quadrature.points[11 - i] == doctest::Approx(1.0));
    }
}

TEST_CASE("there are as many points as the product of the other variables needs") {
    for (std::size_t variables = 0; variables < 100; ++variables) {
        const std::size_t n = Quadrature::points_for(variables);
        CHECK(n % kLanes == 0);
        CHECK(n > 0);
        CHECK(2 * n >= variables);
    }
}

}  // namespace
}  // namespace silvics
