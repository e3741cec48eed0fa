#include <algorithm>
#include <cmath>

#include "doctest/doctest.h"
#include "splitter/fast/node_cells.hpp"
#include "splitter/other_columns.hpp"

namespace silvics {
namespace {

using test::Matrix;
using test::OtherTable;
using test::Rng;
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

Pairs pairs_of(std::span<const NodeCell> cells) {
    Pairs pairs;
    for (const NodeCell& cell : cells) pairs.emplace_back(cell.cell, cell.at);
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

// Whether the values of the cells ascend, missing ones last.
bool by_value(const Column& column, const Pairs& pairs) {
    return std::ranges::is_sorted(pairs, [&](const auto& a, const auto& b) {
        const double x = column.values[a.first], y = column.values[b.first];
        return std::isnan(y) ? !std::isnan(x) : x < y;
    });
}

std::vector<RowId> random_rows(Rng& rng, std::size_t n_rows, std::size_t one_in) {
    std::vector<RowId> rows;
    for (RowId row = 0; row < n_rows; ++row)
        if (test::pick(rng, one_in) == 0) rows.push_back(row);
    return rows;
}

// Few searches per node make the map cheaper, many make links cheaper.
TEST_CASE("cells of a node are found by value, by links and by the map") {
    Rng rng(301);
    const std::size_t n_rows = 500, n_columns = 40;
    std::size_t n_linked = 0, n_mapped = 0, n_absent = 0;
    for (const std::size_t thin : {1U, 2U, 20U, 200U})
        for (const std::size_t n_searches : {1U, 5U, 40U}) {
            Matrix X = test::thinned(rng, test::random_matrix(rng, n_rows, n_columns, 6), thin);
            X = test::with_missing(rng, X, 50);
            const OtherTable made = test::sparse_table(X, {});
            NodeCells node(made.table(), n_searches, test::kNeverStop);
            StreamKey key = 0;
            for (const std::size_t one_in : {1U, 2U, 30U, 400U})
                for (int repeat = 0; repeat < 5; ++repeat) {
                    const auto rows = random_rows(rng, n_rows, one_in);
                    CHECK(node.enter(++key, rows));
                    ++(node.mapped() ? n_mapped : n_linked);
                    for (FeatureId f = 0; f < n_columns; ++f) {
                        const Column& column = made.column(f);
                        const Pairs expected = by_brute_force(column, rows);
                        Pairs found = pairs_of(node.find(f));
                        REQUIRE(by_value(column, found));
                        std::ranges::sort(found);
                        REQUIRE(found == expected);
                        found = pairs_of(node.find_unordered(f));
                        std::ranges::sort(found);
                        REQUIRE(found == expected);
                        REQUIRE(node.absent(f) == (!node.mapped() && expected.empty()));
                        n_absent += node.absent(f);
                    }
                    const FeatureId all[] = {0, 5, 39};
                    for (const bool unordered : {false, true}) node.prefetch(all, unordered);
                }
        }
    CHECK(n_linked > 50);
    CHECK(n_mapped > 50);
    CHECK(n_absent > 50);
}

// There are more distinct values than codes, so that cells of one code differ.
TEST_CASE("cells of one code are found by value") {
    const std::size_t n_rows = 70'000;
    Matrix X{n_rows, 2, std::vector<double>(2 * n_rows, 0.0)};
    for (std::size_t i = 0; i < n_rows; ++i)
        X.values[2 * i] = static_cast<double>((i * 7919) % n_rows) - 100.0;
    const OtherTable made = test::sparse_table(X, {});
    REQUIRE(made.column(0).kind == Column::Kind::several_values);
    std::vector<RowId> all, some;
    for (RowId row = 0; row < n_rows; ++row) all.push_back(row);
    for (RowId row = 0; row < n_rows; row += 700) some.push_back(row);
    NodeCells node(made.table(), 1, test::kNeverStop);
    StreamKey key = 0;
    for (const auto& rows : {all, some}) {
        node.enter(++key, rows);
        const Pairs found = pairs_of(node.find(0));
        CHECK(by_value(made.column(0), found));
        CHECK(found.size() + 1 >= rows.size());
    }
}

TEST_CASE("a node is entered once") {
    Rng rng(302);
    const std::vector<RowId> rows{1, 4}, others{1, 4, 5};
    const OtherTable made = test::sparse_table(test::random_matrix(rng, 10, 2), {});
    NodeCells node(made.table(), 1, test::kNeverStop);
    CHECK(node.enter(7, rows));
    CHECK_FALSE(node.enter(7, rows));
    CHECK(node.enter(8, rows));
    CHECK(node.enter(8, others));
    CHECK(node.rows().size() == 3);
    CHECK(node.n_entered() == 3);
}

}  // namespace
}  // namespace silvics
