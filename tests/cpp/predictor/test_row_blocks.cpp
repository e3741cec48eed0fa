// Rows to predict, whatever matrix they come from.
#include <cmath>

#include "doctest/doctest.h"
#include "predictor/forest_example.hpp"
#include "predictor/row_blocks.hpp"
#include "support/sparse.hpp"
#include "tree/check_tree.hpp"
#include "tree/level_rule.hpp"

namespace silvics {
namespace {

using test::ForestExample;
using test::Matrix;
using test::Rng;
using test::SparseMatrix;

// All rows as they are read, each once.
std::vector<double> rows_read(const silvics::Matrix& X, bool as_float32, std::size_t team_size) {
    ThreadTeam team(team_size, nullptr);
    std::vector<double> out(X.rows * X.cols, -12345.0);
    std::vector<char> seen(X.rows, 0);
    for_row_blocks(X, as_float32, team, [&](const RowBlock& block) {
        for (std::size_t i = 0; i < block.size; ++i) {
            ++seen[block.first + i];
            std::copy_n(block.row(i), X.cols,
                        out.begin() + static_cast<std::ptrdiff_t>((block.first + i) * X.cols));
        }
    });
    CHECK(std::ranges::all_of(seen, [](char times) { return times == 1; }));
    return out;
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
    return std::ranges::equal(
        a, b, [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

// The columns of a matrix in blocks, each a copy of its own and of its own type.
struct Blocks {
    std::vector<std::vector<float>> floats;
    std::vector<Matrix> doubles;
    silvics::Matrix X;

    Blocks(const Matrix& of, std::initializer_list<std::size_t> widths, bool some_floats) {
        X.rows = of.rows;
        X.cols = of.cols;
        floats.reserve(widths.size());
        doubles.reserve(widths.size());
        std::size_t first = 0;
        for (const std::size_t width : widths) {
            Matrix part{of.rows, width, {}};
            for (std::size_t i = 0; i < of.rows; ++i)
                part.values.insert(part.values.end(), of.row(i) + first, of.row(i) + first + width);
            const bool as_floats = some_floats && first % 2 == 0;
            if (as_floats) {
                floats.emplace_back(part.values.begin(), part.values.end());
                const auto stride = static_cast<std::ptrdiff_t>(width * sizeof(float));
                X.blocks.push_back({reinterpret_cast<const std::byte*>(floats.back().data()),
                                    of.rows, width, stride, sizeof(float), Scalar::f32});
            } else {
                doubles.push_back(std::move(part));
                X.blocks.push_back(doubles.back().view());
            }
            first += width;
        }
    }
    Blocks(const Blocks&) = delete;
};

TEST_CASE("sparse rows are read as the dense rows that they stand for, by any team") {
    Rng rng(260);
    for (const std::size_t rows : {1U, 255U, 256U, 257U, 1200U})
        for (const std::size_t cols : {1U, 5U, 300U}) {
            CAPTURE(rows);
            CAPTURE(cols);
            Matrix X = test::thinned(rng, test::random_matrix(rng, rows, cols), 4);
            X = test::with_missing(rng, X, 30);
            for (const Scalar index : {Scalar::i32, Scalar::i64}) {
                const SparseMatrix sparse(X, {.by_columns = false,
                                              .index_type = index,
                                              .zero_is_stored = [](std::size_t i, std::size_t j) {
                                                  return (i + j) % 7 == 0;
                                              }});
                for (const std::size_t size : {1U, 3U})
                    for (const bool as_float32 : {false, true}) {
                        Matrix expected = X;
                        if (as_float32)
                            for (double& x : expected.values) x = static_cast<float>(x);
                        CHECK(same(rows_read(sparse.view(), as_float32, size), expected.values));
                        CHECK(same(rows_read(X.view(), as_float32, size), expected.values));
                    }
            }
        }
}

TEST_CASE("several blocks are read as one") {
    Rng rng(261);
    for (const std::size_t rows : {1U, 257U, 900U}) {
        Matrix X = test::with_missing(rng, test::random_matrix(rng, rows, 7), 9);
        for (double& x : X.values) x = static_cast<float>(x);
        for (const bool some_floats : {false, true})
            for (const std::size_t size : {1U, 3U}) {
                CHECK(same(rows_read(Blocks(X, {7}, some_floats).X, false, size), X.values));
                CHECK(same(rows_read(Blocks(X, {2, 1, 4}, some_floats).X, false, size), X.values));
                CHECK(same(rows_read(Blocks(X, {1, 1, 1, 1, 1, 1, 1}, some_floats).X, true, size),
                           X.values));
            }
    }
}

TEST_CASE("a column out of range in sparse rows is refused") {
    for (const std::int64_t bad : {3, -1, 1 << 20}) {
        const test::Numbers starts(std::vector<int>{0, 1, 2}, Scalar::i64),
            places(std::vector<std::int64_t>{2, bad}, Scalar::i64),
            values(std::vector<double>{1.0, 2.0}, Scalar::f64);
        silvics::Matrix X;
        X.rows = 2;
        X.cols = 3;
        X.sparse = SparseView{false, starts.view(), places.view(), values.view()};
        ThreadTeam team(1, nullptr);
        CHECK_THROWS_WITH_AS(for_row_blocks(X, false, team, [](const RowBlock&) {}),
                             "a place in the sparse matrix is out of range", std::invalid_argument);
    }
}

TEST_CASE("predictions are the same for sparse rows, several blocks and one dense matrix") {
    Rng rng(262);
    for (const char* criterion : {"gini", "squared_error"}) {
        const ForestExample forest = test::forest_example(criterion, 500, 6);
        Matrix X = test::thinned(rng, forest.X, 2);
        const SparseMatrix sparse(X, {.by_columns = false});
        const Blocks blocks(X, {1, 3}, false);
        const Predictor predictor = forest.predictor();
        test::with_teams([&](ThreadTeam& team) {
            const auto out_of_bag = [&](const silvics::Matrix& of) {
                return test::out_of_bag_by(predictor, of, forest.plan.seeds, forest.plan.sampling,
                                           team);
            };
            for (const silvics::Matrix& other : {sparse.view(), blocks.X}) {
                CHECK(test::predictions_of(predictor, other, team) ==
                      test::predictions_of(predictor, X.view(), team));
                CHECK(out_of_bag(other) == out_of_bag(X.view()));
            }
        });
    }
}

TEST_CASE("missing values and levels descend alike in every kind of matrix") {
    // 0: level of x1 in {0, 3}, others right, missing left; 1: x0 <= 0.5, missing right.
    Tree tree;
    tree.n_features = 2;
    tree.max_depth = 2;
    const Level left[] = {0, 3};
    tree.nodes = {{LevelRule::of(left, {}, false, tree.level_sets).in_place(), 1, 0},
                  {0.5, 0, 0},
                  {},
                  {},
                  {}};
    tree.nodes[0].set_second(4, true);
    tree.nodes[1].set_second(3, false);
    tree.n_node_samples.assign(5, 1);
    tree.weighted_n_node_samples.assign(5, 1.0);
    tree.impurity.assign(5, 0.0);
    tree.node_values = {0, 0, 20, 30, 40};
    REQUIRE_NOTHROW(check_tree(tree));
    const std::vector<SharedTree> trees = {std::make_shared<const StoredTree>(tree)};
    const Matrix X{8, 2, {0, 0, 1, 3, NAN, 3, 0, 1, 0, NAN, 1, NAN, 0, -2, 0, -1}};
    const std::vector<double> expected = {20, 30, 30, 40, 20, 30, 40, 20};
    const SparseMatrix sparse(X, {.by_columns = false});
    const Blocks blocks(X, {1, 1}, true);
    for (const silvics::Matrix& of : {silvics::Matrix(X.view()), sparse.view(), blocks.X}) {
        ThreadTeam team(2, nullptr);
        for (const bool as_float32 : {false, true}) {
            std::vector<double> out(8, -1.0);
            Predictor(trees, as_float32).average(of, out, team);
            CHECK(out == expected);
        }
    }
}

}  // namespace
}  // namespace silvics
