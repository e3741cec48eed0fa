// Both traversals of a block give the same sums and curves.
#include <cmath>

#include "dependence/block_dependence.hpp"
#include "doctest/doctest.h"
#include "predictor/forest_example.hpp"

namespace silvics {
namespace {

using Dependence = BlockDependence<UnpackedTree<double>>;

TEST_CASE("paths of rows and lists of rows give the same values") {
    for (const char* criterion : {"gini", "squared_error"}) {
        const auto forest = test::forest_example(criterion, 200, 2);
        const Predictor predictor = forest.predictor();
        const std::vector<double> first = {0.0, 2.5, 9.0}, second = {6.0, 1.0, NAN};
        const GridAxis axes[] = {{2, first}, {0, second}};
        const Grid grid(predictor, axes);
        const std::size_t size = grid.size() * predictor.value_width();
        ThreadTeam team(1, nullptr);
        // So few rows that unpacking does not pay alone, and pays together.
        std::vector<double> curves(200 * size), sums(size), by_lists(200 * size),
            sums_by_lists(size);
        REQUIRE(Dependence::pays(predictor, 0, 200));
        REQUIRE_FALSE(Dependence::pays(predictor, 0, 1));
        const auto add = [&](std::size_t rows, std::span<double> sum, std::span<double> curve) {
            for_row_blocks(forest.X.view(), false, team, rows, [&](const RowBlock& block) {
                with_block_dependence(predictor, 0, 2, grid, block, [&](auto&& make) {
                    auto dependence = make();
                    for (std::size_t m = 0; m < 2; ++m) {
                        dependence.add_sums(m, sum, team.stop());
                        dependence.add_curves(
                            m, curve.subspan(block.first * size, block.size * size), team.stop());
                    }
                });
            });
        };
        add(200, sums, curves);
        add(1, sums_by_lists, by_lists);
        CHECK(curves == by_lists);
        for (std::size_t k = 0; k < size; ++k)
            CHECK(sums[k] == doctest::Approx(sums_by_lists[k]).epsilon(1e-12));
    }
}

}  // namespace
}  // namespace silvics
