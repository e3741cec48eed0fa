#include "doctest/doctest.h"
#include "splitter/fast/node_cells.hpp"
#include "splitter/other_columns.hpp"

namespace silvics {
namespace {

using test::Rng;
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

Pairs found_in(NodeCells& node, const Column& column) {
    Pairs pairs;
    for (const NodeCell& cell : node.find(column)) pairs.emplace_back(cell.cell, cell.at);
    return pairs;
}

// Every cell of the column is compared with every row of the node.
Pairs by_brute_force(const Column& column, const std::vector<RowId>& rows) {
    Pairs pairs;
    for (std::size_t k = 0; k < column.cells.size(); ++k)
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (column.cells[k] == rows[i]) pairs.emplace_back(k, i);
    return pairs;
}

std::vector<RowId> random_rows(Rng& rng, std::size_t n_rows, std::size_t one_in) {
    std::vector<RowId> rows;
    for (RowId row = 0; row < n_rows; ++row)
        if (test::pick(rng, one_in) == 0) rows.push_back(row);
    return rows;
}

TEST_CASE("cells of a node are found in row order, by bisection and by the map") {
    Rng rng(301);
    const std::size_t n_rows = 500;
    NodeCells node(n_rows, test::kNeverStop);
    StreamKey key = 0;
    for (const std::size_t thin : {2U, 20U, 200U}) {
        const test::Matrix X = test::thinned(rng, test::random_matrix(rng, n_rows, 3, 6), thin);
        const test::OtherTable made = test::sparse_table(X, {});
        for (const std::size_t one_in : {1U, 2U, 30U, 400U})
            for (int repeat = 0; repeat < 5; ++repeat) {
                const auto rows = random_rows(rng, n_rows, one_in);
                CHECK(node.enter(++key, rows));
                // The map is filled at some time, and does not change what is found.
                for (int again = 0; again < 30; ++again)
                    for (const FeatureId f : {0U, 1U, 2U}) {
                        const Column& column = made.column(f);
                        REQUIRE(found_in(node, column) == by_brute_force(column, rows));
                    }
            }
    }
}

TEST_CASE("a node is entered once") {
    const std::vector<RowId> rows{1, 4}, others{1, 4, 5};
    NodeCells node(10, test::kNeverStop);
    CHECK(node.enter(7, rows));
    CHECK_FALSE(node.enter(7, rows));
    CHECK(node.enter(8, rows));
    CHECK(node.enter(8, others));
    CHECK(node.rows().size() == 3);
}

}  // namespace
}  // namespace silvics
