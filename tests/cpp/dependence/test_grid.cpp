// The combinations of the points of both axes.
#include "dependence/grid.hpp"
#include "doctest/doctest.h"
#include "predictor/forest_example.hpp"

namespace silvics {
namespace {

TEST_CASE("the last axis changes fastest, and points are rounded as trees compare them") {
    const auto forest = test::forest_example("squared_error", 40, 1);
    const std::vector<double> first = {0.1, 2.0}, second = {3.0, 1.0, 5.0};
    const GridAxis axes[] = {{2, first}, {0, second}};
    const Grid doubles(forest.predictor(), axes), floats(forest.predictor(true), axes);
    CHECK(doubles.size() == 6);
    CHECK(doubles.axes()[0].points[0] == 0.1);
    CHECK(floats.axes()[0].points[0] == static_cast<double>(0.1F));
    GridRegions regions(doubles.axes());
    const Predictor predictor = forest.predictor();
    regions.begin(predictor.tree(0));
    std::vector<int> n_visits(6, 0);
    doubles.for_points(regions, 1, [&](std::size_t point, std::size_t n) {
        for (std::size_t k = point; k < point + n; ++k) ++n_visits[k];
    });
    CHECK(n_visits == std::vector<int>(6, 1));
}

}  // namespace
}  // namespace silvics
