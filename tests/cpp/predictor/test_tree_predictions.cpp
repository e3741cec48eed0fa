#include "doctest/doctest.h"
#include "predictor/forest_example.hpp"
#include "predictor/tree_predictions.hpp"

namespace silvics {
namespace {

constexpr std::size_t kRows = 700;
constexpr std::uint32_t kTrees = 5;

TEST_CASE("the predictions of trees are those of forests of one tree") {
    for (const char* criterion : {"squared_error", "gini"}) {
        const auto forest = test::forest_example(criterion, kRows, kTrees, 2);
        const Predictor predictor = forest.predictor();
        const std::size_t width = predictor.value_width();
        std::vector<double> found(kRows * kTrees * width, -1.0), one(kRows * width);
        ThreadTeam team(2, nullptr);
        tree_predictions(predictor, forest.X.view(), found, team);
        for (std::size_t m = 0; m < kTrees; ++m) {
            Predictor({forest.trees[m]}, false).average(forest.X.view(), one, team);
            for (std::size_t i = 0; i < kRows; ++i)
                for (std::size_t c = 0; c < width; ++c)
                    REQUIRE(found[(i * kTrees + m) * width + c] == one[i * width + c]);
        }
    }
}

TEST_CASE("an output of the wrong size is refused") {
    const auto forest = test::forest_example("squared_error", 20, 2);
    std::vector<double> out(39);
    ThreadTeam team;
    CHECK_THROWS_AS(tree_predictions(forest.predictor(), forest.X.view(), out, team),
                    std::invalid_argument);
}

}  // namespace
}  // namespace silvics
