// The traversal of a grid: every row meets every point in one leaf.
#include <map>

#include "dependence/grid_traversal.hpp"
#include "doctest/doctest.h"
#include "predictor/forest_example.hpp"

namespace silvics {
namespace {

TEST_CASE("every row and point come to the leaf of the row with the value of the point") {
    const auto forest = test::forest_example("squared_error", 70, 2);
    const Predictor predictor = forest.predictor();
    const std::vector<double> points = {-5.0, 0.5, 3.5, 6.0};
    const GridAxis axis{1, points};
    ThreadTeam team(1, nullptr);
    for_row_blocks(forest.X.view(), false, team, 100, [&](const RowBlock& block) {
        const ColumnBlock rows = columns_of(block);
        GridTraversal traversal({&axis, 1}, false);
        for (std::size_t m = 0; m < 2; ++m) {
            std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> leaf_of;
            traversal.run(predictor.tree(m), rows, team.stop(),
                          [&](PackedLeaf leaf, const GridTraversal::Parts& parts) {
                              for (const auto row : parts[0].items)
                                  for (const auto point : parts[1].items) {
                                      CHECK(leaf_of.count({row, point}) == 0);
                                      leaf_of[{row, point}] = leaf.content;
                                      CHECK(parts[0].share[row] == 1.0);
                                  }
                          });
            REQUIRE(leaf_of.size() == block.size * points.size());
            for (const auto& [at, content] : leaf_of) {
                std::vector<double> sample(block.row(at.first), block.row(at.first) + block.width);
                sample[1] = points[at.second];
                Child child = Child::inner(PackedTree::kRoot);
                while (!child.leaf())
                    child = predictor.tree(m).next<false>(child.place(), sample.data()).to;
                CHECK(child.content() == content);
            }
        }
    });
}

TEST_CASE("a request to stop ends the traversal") {
    const auto forest = test::forest_example("squared_error", 3000, 1);
    const Predictor predictor = forest.predictor();
    const std::vector<double> points = {1.0, 2.0};
    const GridAxis axis{0, points};
    ThreadTeam team(1, nullptr);
    StopFlag stop;
    stop.request();
    for_row_blocks(forest.X.view(), false, team, 3000, [&](const RowBlock& block) {
        const ColumnBlock rows = columns_of(block);
        GridTraversal traversal({&axis, 1}, false);
        CHECK_THROWS_AS(traversal.run(predictor.tree(0), rows, stop, [](auto&&...) {}),
                        Interrupted);
    });
}

}  // namespace
}  // namespace silvics
