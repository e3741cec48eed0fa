#include "doctest/doctest.h"
#include "predictor/forest_example.hpp"
#include "proximity/cell_weights.hpp"

namespace silvics {
namespace {

TEST_CASE("the weight of a cell is that of the in-bag rows of its leaves") {
    for (const bool bootstrap : {true, false}) {
        test::ForestExample forest = test::forest_example("squared_error", 200, 6);
        forest.plan.sampling.bootstrap = bootstrap;
        if (!bootstrap) forest.plan.sampling.n_draws = 0;
        forest.plan.sampling.prepare();
        ThreadTeam team(2, nullptr);
        const Predictor predictor(
            grow_forest(test::coded(forest.X), forest.target, forest.plan, team).trees, false);
        const LeafMembership membership =
            leaf_membership(predictor, forest.X.view(), forest.target,
                            {0, forest.plan.seeds, forest.plan.sampling}, team);
        const std::vector<std::uint32_t> sizes = in_bag_sizes(membership);
        REQUIRE(sizes.size() == membership.first_leaf.back());
        for (const std::size_t least : {1U, 15U, 1000U}) {
            const LeafCells cells(predictor, sizes, least, 100, team);
            const std::vector<double> inverse = inverse_cell_weights(membership, cells, team);
            for (std::size_t m = 0; m < membership.n_trees(); ++m) {
                const TreeMembership tree = membership.tree(m);
                for (std::uint32_t leaf = 0; leaf < tree.n_leaves(); ++leaf) {
                    CHECK(sizes[membership.first_leaf[m] + leaf] == tree.in_bag(leaf).size());
                    const LeafRange cell = cells.below(m, leaf);
                    double whole = 0.0;
                    for (std::uint32_t l = cell.begin; l < cell.end; ++l)
                        for (std::size_t k = 0; k < tree.in_bag(l).size(); ++k)
                            whole += membership.weight(m, tree.begin(l) + k);
                    CHECK(inverse[membership.first_leaf[m] + leaf] ==
                          doctest::Approx(1.0 / whole).epsilon(1e-12));
                }
            }
        }
    }
}

}  // namespace
}  // namespace silvics
