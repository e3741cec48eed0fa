#include <algorithm>

#include "doctest/doctest.h"
#include "predictor/forest_example.hpp"
#include "proximity/leaf_table.hpp"

namespace silvics {
namespace {

TEST_CASE("tables hold the leaves of rows, of X or of the training rows") {
    const test::ForestExample forest = test::forest_example("gini", 200, 6);
    const Predictor predictor = forest.predictor();
    const Matrix X = forest.X.view();
    ThreadTeam team(2, nullptr);
    const LeafMembership membership = leaf_membership(
        predictor, X, forest.target, {0, forest.plan.seeds, forest.plan.sampling}, team);
    std::vector<std::int64_t> nodes(200 * 6);
    predictor.apply(X, nodes, team);
    LeafTable given, known, unseen;
    for (const auto& [first, size] : {std::pair<std::size_t, std::size_t>{0, 200}, {37, 100}}) {
        given.read(predictor, X, first, size, team);
        known.read(membership, RowPart::all, first, size, team);
        unseen.read(membership, RowPart::out_of_bag, first, size, team);
        CHECK(given.leaves == known.leaves);
        for (std::size_t i = 0; i < size; ++i)
            for (std::size_t m = 0; m < 6; ++m) {
                const auto leaves = numbered_leaves(predictor.tree(m));
                const std::uint32_t leaf = given.row(i)[m];
                CHECK(leaves[leaf].id == nodes[(first + i) * 6 + m]);
                const bool out = out_of_bag(forest.plan.sampling, forest.plan.seeds[m])[first + i];
                CHECK(unseen.row(i)[m] == (out ? leaf : LeafTable::kNone));
            }
    }
}

TEST_CASE("leaves have the same numbers, whether these are kept or not") {
    const test::ForestExample forest = test::forest_example("squared_error", 100, 20);
    test::Matrix many{10'000, forest.X.cols, {}};
    for (int copy = 0; copy < 100; ++copy)
        many.values.insert(many.values.end(), forest.X.values.begin(), forest.X.values.end());
    const Predictor predictor = forest.predictor();
    ThreadTeam team(2, nullptr);
    std::vector<std::int64_t> nodes(100 * 3), many_nodes(10'000 * 3);
    predictor.apply(many.view(), 2, 3, many_nodes, team);
    predictor.apply(forest.X.view(), 2, 3, nodes, team);
    std::vector<std::uint32_t> numbers(100 * 3), many_numbers(10'000 * 3);
    predictor.leaf_numbers(many.view(), 2, 3, many_numbers, team);
    predictor.leaf_numbers(forest.X.view(), 2, 3, numbers, team);
    for (std::size_t i = 0; i < many_nodes.size(); ++i) {
        REQUIRE(many_nodes[i] == nodes[i % 300]);
        REQUIRE(many_numbers[i] == numbers[i % 300]);
        if (i < 300) REQUIRE(numbered_leaves(predictor.tree(2 + i % 3))[numbers[i]].id == nodes[i]);
    }
}

TEST_CASE("any rows by leaf") {
    const test::ForestExample forest = test::forest_example("squared_error", 150, 4);
    const Predictor predictor = forest.predictor();
    const Matrix X = forest.X.view();
    ThreadTeam team(2, nullptr);
    const LeafMembership rows = rows_by_leaf(predictor, X.part(20, 90), team);
    CHECK(rows.n_rows == 90);
    std::vector<std::int64_t> nodes(150 * 4);
    predictor.apply(X, nodes, team);
    for (std::size_t m = 0; m < 4; ++m) {
        const auto leaves = numbered_leaves(predictor.tree(m));
        std::size_t n = 0;
        for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf)
            for (const RowId row : rows.tree(m).all(leaf)) {
                CHECK(nodes[(20 + row) * 4 + m] == leaves[leaf].id);
                ++n;
            }
        CHECK(n == 90);
    }
}

}  // namespace
}  // namespace silvics
