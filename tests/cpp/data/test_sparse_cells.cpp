#include <algorithm>
#include <cmath>

#include "data/sparse_cells.hpp"
#include "doctest/doctest.h"
#include "splitter/other_columns.hpp"

namespace silvics {
namespace {

using test::Matrix;
using test::OtherTable;
using test::Rng;

TEST_CASE("numbers take two bytes if they fit") {
    IndexArray narrow(3, 0x10000), wide(3, 0x10001);
    const auto bytes = [](IndexArray& array) {
        return array.visit([]<class T>(T* numbers) {
            numbers[1] = static_cast<T>(65535);
            return sizeof(T);
        });
    };
    CHECK(bytes(narrow) == 2);
    CHECK(bytes(wide) == 4);
    CHECK(narrow[1] == 65535);
    CHECK(wide[1] == 65535);
    CHECK(wide[2] == 0);
}

TEST_CASE("cells are the same by column, by value and by row") {
    Rng rng(310);
    for (const std::size_t rows : {1U, 30U, 700U})
        for (const std::size_t columns : {1U, 9U, 70'000U}) {
            if (rows * columns > 1'000'000) continue;
            CAPTURE(rows);
            CAPTURE(columns);
            Matrix X = test::thinned(rng, test::random_matrix(rng, rows, columns), 5);
            X = test::with_missing(rng, X, 20);
            const OtherTable made = test::sparse_table(X, {});
            const SparseCells& cells = *made.table().sparse;
            std::size_t n = 0;
            for (const double x : X.values) n += !(x == 0.0);
            REQUIRE(cells.n_cells() == n);
            REQUIRE(cells.heads.size() == columns);
            for (std::size_t j = 0; j < columns; ++j) {
                const SparseCells::Head& head = cells.heads[j];
                std::vector<std::uint32_t> order;
                for (std::size_t k = 0; k < head.n_cells; ++k) {
                    const double stored = cells.values[head.begin + k];
                    const double expected = X.row(cells.rows_of(j)[k])[j];
                    const bool same = stored == expected || std::isnan(expected);
                    REQUIRE(same);
                    order.push_back(cells.by_value[head.begin + k]);
                }
                const auto value = [&](std::uint32_t k) {
                    const double x = cells.values[head.begin + k];
                    return std::isnan(x) ? HUGE_VAL : x;
                };
                REQUIRE(std::ranges::is_sorted(order, {}, value));
                std::ranges::sort(order);
                for (std::uint32_t k = 0; k < order.size(); ++k) REQUIRE(order[k] == k);
            }
            REQUIRE(cells.row_starts.size() == rows + 1);
            std::size_t at = 0;
            for (std::size_t i = 0; i < rows; ++i) {
                REQUIRE(cells.row_starts[i] == at);
                for (std::size_t j = 0; j < columns; ++j) {
                    if (X.row(i)[j] == 0.0) continue;
                    REQUIRE(cells.columns[at] == j);
                    REQUIRE(cells.rows_of(j)[cells.numbers[at]] == i);
                    ++at;
                }
            }
            REQUIRE(cells.row_starts.back() == at);
        }
}

}  // namespace
}  // namespace silvics
