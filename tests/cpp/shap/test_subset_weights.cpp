// Weights of subsets of variables.
#include "doctest/doctest.h"
#include "shap/subset_weights.hpp"

namespace silvics {
namespace {

TEST_CASE("weights of subsets are ratios of factorials") {
    SubsetWeights weights;
    weights.prepare(20);
    CHECK(weights(1, 0) == 1.0);
    CHECK(weights(2, 3) == doctest::Approx(1.0 * 6.0 / 120.0));
    CHECK(weights(30, 2) == doctest::Approx(weights(30, 1) * 2.0 / 32.0));  // not in the table
}

}  // namespace
}  // namespace silvics
