// Shapley values of forests: they add up, for trees of every kind and any number of threads.
#include <cmath>

#include "doctest/doctest.h"
#include "predictor/forest_example.hpp"
#include "shap/plain_shapley.hpp"
#include "shap/shap.hpp"
#include "shap/tree_background.hpp"
#include "support/made_branches.hpp"

namespace silvics {
namespace {

struct Found {
    std::vector<double> values, pairs, base;
    bool operator==(const Found&) const = default;
};

Found explained(const std::vector<SharedTree>& trees, const Matrix& X, ThreadTeam& team) {
    const Predictor predictor(trees, false);
    const std::size_t p = predictor.n_features(), w = predictor.value_width();
    Found found{std::vector<double>(X.rows * p * w), std::vector<double>(X.rows * p * p * w),
                std::vector<double>(w)};
    shap_of_paths(predictor, trees, X, {found.values, found.pairs, found.base}, team);
    return found;
}

void check_sums(const std::vector<SharedTree>& trees, const Matrix& X) {
    const Predictor predictor(trees, false);
    const std::size_t p = predictor.n_features(), w = predictor.value_width();
    ThreadTeam one(1, nullptr), three(3, nullptr);
    const Found found = explained(trees, X, one);
    CHECK(found == explained(trees, X, three));
    std::vector<double> predicted(X.rows * w);
    predictor.average(X, predicted, one);
    bool add_up = true;
    for (std::size_t i = 0; i < X.rows; ++i)
        for (std::size_t c = 0; c < w; ++c) {
            double sum = found.base[c];
            for (std::size_t f = 0; f < p; ++f) {
                double of_pairs = 0.0;
                for (std::size_t g = 0; g < p; ++g)
                    of_pairs += found.pairs[((i * p + f) * p + g) * w + c];
                const double value = found.values[(i * p + f) * w + c];
                add_up &= std::fabs(of_pairs - value) < 1e-10;
                sum += value;
            }
            add_up &= std::fabs(sum - predicted[i * w + c]) < 1e-10;
        }
    CHECK(add_up);
}

TEST_CASE("values add up to predictions, and interactions to values") {
    for (const char* criterion : {"gini", "squared_error"})
        for (const std::size_t outputs : {1U, 2U}) {
            const auto forest = test::forest_example(criterion, 150, 5, outputs);
            check_sums(forest.trees, forest.X.view());
        }
}

TEST_CASE("the same for nodes of every kind, in which no training weight is known") {
    test::Rng rng(77);
    for (int repeat = 0; repeat < 20; ++repeat) {
        test::Shape shape;
        shape.kinds.clear();
        for (const test::Branches kind : test::kAllBranches)
            if (kind != test::Branches::combination) shape.kinds.push_back(kind);
        if (repeat % 2 == 1) shape.n_classes = {3};
        std::vector<SharedTree> trees;
        for (int m = 0; m < 3; ++m) {
            Tree tree = test::random_branches(rng, shape);
            tree.both_children = repeat % 4 > 1;
            trees.push_back(std::make_shared<const StoredTree>(std::move(tree)));
        }
        check_sums(trees, test::samples_of_branches(rng, 40, shape.n_features, true).view());
    }
}

TEST_CASE("a background of more rows than a set, in large trees, by any number of threads") {
    const auto forest = test::forest_example("squared_error", 3000, 2);
    const Predictor predictor = forest.predictor();
    test::Matrix X = forest.X, background = forest.X;
    X.rows = 70;  // more than a block
    background.rows = RowSet::kRows + 3;
    const std::size_t p = predictor.n_features();
    std::vector<double> values(X.rows * p), by_three(values), base(1);
    ThreadTeam one(1, nullptr), three(3, nullptr);
    shap_against_rows(predictor, X.view(), background.view(), {values, {}, base}, one);
    shap_against_rows(predictor, X.view(), background.view(), {by_three, {}, base}, three);
    CHECK(values == by_three);
    bool right = true;
    for (const std::size_t i : {0U, 1U, 69U}) {
        std::vector<double> expected(p, 0.0);
        for (std::size_t z = 0; z < background.rows; ++z) {
            const auto of_pair =
                test::plain_shapley(predictor, &X.values[i * p], &background.values[z * p]);
            for (std::size_t f = 0; f < p; ++f) expected[f] += of_pair[f];
        }
        for (std::size_t f = 0; f < p; ++f)
            right &= std::fabs(values[i * p + f] -
                               expected[f] / static_cast<double>(background.rows)) < 1e-12;
    }
    CHECK(right);
}

TEST_CASE("sizes are checked") {
    const auto forest = test::forest_example("gini", 50, 2);
    const Predictor predictor = forest.predictor();
    std::vector<double> values(10), base(predictor.value_width());
    ThreadTeam team(1, nullptr);
    CHECK_THROWS_AS(
        shap_of_paths(predictor, forest.trees, forest.X.view(), {values, {}, base}, team),
        std::invalid_argument);
}

}  // namespace
}  // namespace silvics
