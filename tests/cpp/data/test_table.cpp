#include <limits>

#include "data/table.hpp"
#include "doctest/doctest.h"
#include "support/problem.hpp"

namespace silvics {
namespace {

TEST_CASE("a table has the codes of every column, whatever the team") {
    test::Rng rng(4);
    const test::Matrix X = test::random_matrix(rng, 300, 9, 40);
    const Table alone = test::coded(X);
    CHECK(alone.n_rows == 300);
    CHECK(alone.n_features() == 9);
    for (const std::size_t size : {2U, 5U, 16U}) {
        ThreadTeam team(size, nullptr);
        const Table shared = code_table(X.view(), {}, team);
        for (std::size_t j = 0; j < 9; ++j) {
            CHECK(test::numeric(shared, j).ranks == test::numeric(alone, j).ranks);
            CHECK(test::numeric(shared, j).values == test::numeric(alone, j).values);
        }
    }
}

TEST_CASE("a table without rows or columns is refused") {
    ThreadTeam team(1, nullptr);
    const double value = 0.0;
    MatrixView X{reinterpret_cast<const std::byte*>(&value), 1, 1, 8, 8, Scalar::f64};
    SUBCASE("no rows") { X.rows = 0; }
    SUBCASE("no columns") { X.cols = 0; }
    CHECK_THROWS_WITH_AS(code_table(X, {}, team), "X has no rows or no columns",
                         std::invalid_argument);
}

TEST_CASE("more rows or columns than ids is an error, before any value is read") {
    ThreadTeam team(1, nullptr);
    MatrixView X{nullptr, 1, 1, 0, 0, Scalar::f64};
    SUBCASE("rows") { X.rows = std::size_t{1} << 32; }
    SUBCASE("columns") { X.cols = std::size_t{1} << 31; }
    CHECK_THROWS_AS(code_table(X, {}, team), std::length_error);
}

TEST_CASE("a single bin is refused") {
    ThreadTeam team(1, nullptr);
    const test::Matrix X = test::column_of({1.0, 2.0});
    CHECK_THROWS_WITH_AS(code_table(X.view(), {1, BinRule::Widths::equal_width}, team),
                         "max_bins must be at least 2", std::invalid_argument);
}

TEST_CASE("NaN in any column reaches the caller as an error from any team") {
    test::Rng rng(5);
    test::Matrix X = test::random_matrix(rng, 20, 6);
    X.values[77] = std::numeric_limits<double>::quiet_NaN();
    for (const std::size_t size : {1U, 3U}) {
        ThreadTeam team(size, nullptr);
        CHECK_THROWS_AS(code_table(X.view(), {}, team), std::invalid_argument);
    }
}

}  // namespace
}  // namespace silvics
