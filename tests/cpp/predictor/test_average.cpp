#include "doctest/doctest.h"
#include "predictor/average.hpp"
#include "predictor/forest_example.hpp"

namespace silvics {
namespace {

using test::ForestExample;

std::vector<double> averages(const ForestExample& forest, const MatrixView& X,
                             std::size_t team_size, bool as_float32 = false) {
    std::vector<double> out(X.rows * forest.width(), -1.0);
    ThreadTeam team(team_size, nullptr);
    average_trees(forest.trees, X, as_float32, static_cast<double>(forest.trees.size()), out, team);
    return out;
}

std::vector<double> naive_averages(const ForestExample& forest, const test::Matrix& X) {
    std::vector<double> out;
    for (std::size_t i = 0; i < X.rows; ++i) {
        std::vector<double> sum(forest.width(), 0.0);
        for (std::size_t m = 0; m < forest.trees.size(); ++m) {
            const auto value = forest.said(m, X.row(i));
            for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += value[c];
        }
        for (const double s : sum) out.push_back(s / static_cast<double>(forest.trees.size()));
    }
    return out;
}

std::vector<ForestExample> examples(std::size_t n) {
    std::vector<ForestExample> forests;
    forests.push_back(test::forest_example("gini", n, 7));
    forests.push_back(test::forest_example("entropy", n, 5, 2));
    forests.push_back(test::forest_example("squared_error", n, 6));
    forests.push_back(test::forest_example("absolute_error", n, 3, 2));
    return forests;
}

TEST_CASE(
    "an average is the sum in tree order over the number of trees, to the last bit, for any team") {
    for (const ForestExample& forest : examples(600)) {  // three blocks of rows
        const auto expected = naive_averages(forest, forest.X);
        for (std::size_t size = 1; size <= 8; ++size)
            CHECK(averages(forest, forest.X.view(), size) == expected);
    }
}

TEST_CASE("a part of the rows has its part of the averages") {
    const ForestExample forest = test::forest_example("gini", 600, 4);
    const auto all = averages(forest, forest.X.view(), 2);
    MatrixView part = forest.X.view();
    part.data = part.at(200, 0);
    part.rows = 55;
    const auto of_part = averages(forest, part, 2);
    CHECK(std::equal(of_part.begin(), of_part.end(), all.begin() + 200 * 3));
}

TEST_CASE("samples are read through any strides") {
    const ForestExample forest = test::forest_example("squared_error", 80, 4);
    test::Matrix transposed{4, 80, std::vector<double>(320)};
    for (std::size_t i = 0; i < 80; ++i)
        for (std::size_t j = 0; j < 4; ++j)
            transposed.values[j * 80 + i] = forest.X.values[i * 4 + j];
    MatrixView fortran = transposed.view();
    std::swap(fortran.rows, fortran.cols);
    std::swap(fortran.row_stride, fortran.col_stride);
    CHECK(averages(forest, fortran, 2) == averages(forest, forest.X.view(), 1));
}

TEST_CASE("as_float32 rounds the samples first") {
    const ForestExample forest = test::forest_example("gini", 100, 5);
    test::Rng rng(151);
    test::Matrix X = test::random_matrix(rng, 300, 4);
    // Just above a threshold: float32 brings it back to the other side.
    for (std::size_t i = 0; i < X.values.size(); ++i)
        X.values[i] = static_cast<double>(i % 7) / 4.0 - 0.875 + 1e-12;
    test::Matrix rounded = X;
    for (double& x : rounded.values) x = static_cast<float>(x);
    const auto expected = averages(forest, rounded.view(), 1);
    CHECK(averages(forest, X.view(), 2, true) == expected);
    CHECK(averages(forest, X.view(), 2, false) != expected);
}

TEST_CASE("every sample is applied to every tree") {
    for (const ForestExample& forest : examples(300)) {
        const std::size_t m = forest.trees.size();
        for (const std::size_t size : {1U, 3U}) {
            std::vector<std::int64_t> leaves(300 * m, -1);
            ThreadTeam team(size, nullptr);
            apply_trees(forest.trees, forest.X.view(), false, leaves, team);
            bool right = true;
            for (std::size_t i = 0; i < 300; ++i)
                for (std::size_t t = 0; t < m; ++t)
                    right &= leaves[i * m + t] == descend(*forest.trees[t], forest.X.row(i));
            CHECK(right);
        }
    }
}

TEST_CASE("decision paths list the nodes of every way down, tree after tree") {
    for (const ForestExample& forest : examples(300)) {
        std::vector<std::int64_t> starts = {0}, nodes;
        for (std::size_t i = 0; i < 300; ++i) {
            std::int64_t offset = 0;
            for (const SharedTree& tree : forest.trees) {
                descend(*tree, forest.X.row(i), [&](NodeId t) { nodes.push_back(offset + t); });
                offset += static_cast<std::int64_t>(tree->nodes.size());
            }
            starts.push_back(static_cast<std::int64_t>(nodes.size()));
        }
        for (const std::size_t size : {1U, 3U}) {
            ThreadTeam team(size, nullptr);
            const DecisionPaths paths = decision_paths(forest.trees, forest.X.view(), false, team);
            CHECK(paths.starts == starts);
            CHECK(paths.nodes == nodes);
        }
    }
}

TEST_CASE("no rows give no predictions") {
    const ForestExample forest = test::forest_example("gini", 30, 2);
    MatrixView none = forest.X.view();
    none.rows = 0;
    CHECK(averages(forest, none, 3).empty());
    ThreadTeam team(2, nullptr);
    CHECK(decision_paths(forest.trees, none, false, team).starts == std::vector<std::int64_t>{0});
}

TEST_CASE("samples of another width are refused") {
    const ForestExample forest = test::forest_example("gini", 30, 2);
    MatrixView X = forest.X.view();
    X.cols = 3;
    ThreadTeam team(1, nullptr);
    std::vector<std::int64_t> leaves(60);
    CHECK_THROWS_AS(averages(forest, X, 1), std::invalid_argument);
    CHECK_THROWS_AS(apply_trees(forest.trees, X, false, leaves, team), std::invalid_argument);
    CHECK_THROWS_AS(decision_paths(forest.trees, X, false, team), std::invalid_argument);
}

}  // namespace
}  // namespace silvics
