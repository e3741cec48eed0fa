// Background rows that are followed alone, from the definition: for tests of every kind, any number
// of columns, and any size of the sets from which rows are taken.
#include <algorithm>
#include <cmath>

#include "doctest/doctest.h"
#include "predictor/forest_example.hpp"
#include "shap/background_values.hpp"
#include "shap/plain_shapley.hpp"
#include "support/made_branches.hpp"

namespace silvics {
namespace {

constexpr std::size_t kRows = 4;

// The largest difference to the definition, for the first kRows samples against the others.
double difference(const std::vector<SharedTree>& trees, const test::Matrix& X,
                  const FollowingRule& rule, std::span<const std::uint8_t> skipped = {}) {
    const Predictor predictor(trees, false);
    const std::size_t p = predictor.n_features(), width = predictor.value_width();
    const std::vector<std::uint8_t> none(width, 0);
    if (skipped.empty()) skipped = none;
    std::vector<double> values(kRows * p * width, 0.0), expected(values);
    ThreadTeam team(1, nullptr);
    for_row_blocks(X.view(), false, team, X.rows, [&](const RowBlock& block) {
        const ExplainedTree tree(predictor, 0, {});
        const RowBlock rows = block.part(0, kRows), others = block.part(kRows, X.rows);
        const TreeBackground background(tree, others, skipped, rule);
        REQUIRE((background.most_followed > 0) == (rule.most_rows > 0));
        BackgroundValues adder;
        adder.add(tree, background, rows, {p, width, values, {}, skipped}, team.stop());
        for (std::size_t i = 0; i < kRows; ++i)
            for (std::size_t z = 0; z < others.size; ++z) {
                const auto of_pair = test::plain_shapley(predictor, rows.row(i), others.row(z));
                for (std::size_t k = 0; k < of_pair.size(); ++k)
                    expected[i * p * width + k] += of_pair[k];
            }
    });
    double largest = 0.0;
    for (std::size_t k = 0; k < values.size(); ++k)
        if (!skipped[k % width]) largest = std::max(largest, std::fabs(values[k] - expected[k]));
    return largest / static_cast<double>(X.rows - kRows);
}

// With no row, few rows and all rows of sets alone.
void check_sizes(const std::vector<SharedTree>& trees, const test::Matrix& X,
                 std::span<const std::uint8_t> skipped = {}) {
    for (const int most_rows : {0, 1, 3, 128})
        CHECK(difference(trees, X, {most_rows, 0, 1}, skipped) < 1e-12);
}

std::vector<SharedTree> made(test::Rng& rng, const test::Shape& shape) {
    Tree tree;
    do tree = test::random_branches(rng, shape);
    while (tree.nodes.size() < 8);
    return {std::make_shared<const StoredTree>(std::move(tree))};
}

TEST_CASE("thresholds, with variables that return on a path") {
    test::Rng rng(5);
    test::Shape shape{.n_features = 5, .deepest = 12, .kinds = {test::Branches::plain}};
    for (int repeat = 0; repeat < 10; ++repeat) {
        const auto trees = made(rng, shape);
        check_sizes(trees, test::samples_of_branches(rng, kRows + 20, 5, false));
    }
}

TEST_CASE("categories, several children and missing values") {
    test::Rng rng(6);
    test::Shape shape{.n_features = 5, .deepest = 7};
    shape.kinds.clear();
    for (const test::Branches kind : test::kAllBranches)
        if (kind != test::Branches::combination) shape.kinds.push_back(kind);
    for (int repeat = 0; repeat < 40; ++repeat) {
        const auto trees = made(rng, shape);
        check_sizes(trees, test::samples_of_branches(rng, kRows + 20, 5, true));
    }
}

TEST_CASE("several classes and outputs, some of them skipped") {
    test::Rng rng(7);
    for (const std::vector<ClassId>& n_classes :
         {std::vector<ClassId>{2}, {3}, {5}, {7}, {2, 3}, {9, 4}}) {
        test::Shape shape{.n_features = 4, .n_classes = n_classes, .deepest = 6};
        shape.kinds = {test::Branches::plain, test::Branches::levels, test::Branches::subset};
        std::vector<std::uint8_t> last;
        for (const ClassId n : n_classes) {
            last.resize(last.size() + n, 0);
            last.back() = 1;
        }
        const auto trees = made(rng, shape);
        const test::Matrix X = test::samples_of_branches(rng, kRows + 15, 4, true);
        check_sizes(trees, X);
        check_sizes(trees, X, last);
    }
}

TEST_CASE("grown trees, in whose leaves most classes have no value") {
    for (const char* criterion : {"gini", "squared_error"})
        for (const std::size_t outputs : {1U, 2U}) {
            const auto forest = test::forest_example(criterion, 300, 1, outputs);
            test::Matrix X = forest.X;
            X.rows = kRows + 40;
            check_sizes(forest.trees, X);
        }
}

TEST_CASE("one background row, and as many as a set has") {
    test::Rng rng(8);
    test::Shape shape{.n_features = 4, .deepest = 9, .kinds = {test::Branches::plain}};
    const auto trees = made(rng, shape);
    for (const std::size_t n : {std::size_t{1}, RowSet::kRows})
        check_sizes(trees, test::samples_of_branches(rng, kRows + n, 4, false));
}

TEST_CASE("a row gets nothing against itself") {
    const auto forest = test::forest_example("squared_error", 200, 1);
    const Predictor predictor = forest.predictor();
    const ExplainedTree tree(predictor, 0, {});
    const std::vector<std::uint8_t> skipped(1, 0);
    ThreadTeam team(1, nullptr);
    for_row_blocks(forest.X.view(), false, team, 1, [&](const RowBlock& row) {
        std::vector<double> values(4, 0.0);
        const TreeBackground background(tree, row, skipped, {128, 0, 1});
        BackgroundValues().add(tree, background, {0, 1, 4, row.values, row.whole},
                               {4, 1, values, {}, skipped}, team.stop());
        CHECK(values == std::vector<double>(4, 0.0));
    });
}

TEST_CASE("a request to stop ends a run") {
    const auto forest = test::forest_example("squared_error", 200, 1);
    const Predictor predictor = forest.predictor();
    const ExplainedTree tree(predictor, 0, {});
    const std::vector<std::uint8_t> skipped(1, 0);
    ThreadTeam team(1, nullptr);
    StopFlag stop;
    stop.request();
    for_row_blocks(forest.X.view(), false, team, 100, [&](const RowBlock& block) {
        if (block.first != 0) return;
        const TreeBackground background(tree, block, skipped, {128, 0, 1});
        SubsetWeights weights;
        weights.prepare(tree.max_path_variables());
        ColumnsBelow columns;
        columns.prepare(tree, skipped, 0);
        std::vector<double> found(tree.variables().size() * PairValues::kColumns, 0.0);
        PairValues pairs;
        pairs.prepare(tree, background, weights, columns, found.data(), stop);
        pairs.set_row(block.row(0));
        pairs.add(0, 1, {});
        CHECK_THROWS_AS(pairs.run<1>(), Interrupted);
    });
}

}  // namespace
}  // namespace silvics
