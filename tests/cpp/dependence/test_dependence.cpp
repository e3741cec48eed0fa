// Partial dependence, against predictions of rows with the values of the grid.
#include <cmath>

#include "dependence/dependence.hpp"
#include "doctest/doctest.h"
#include "predictor/forest_example.hpp"
#include "support/made_branches.hpp"

namespace silvics {
namespace {

// The prediction of every row at every point: rows x points x value width.
std::vector<double> one_by_one(const Predictor& predictor, const test::Matrix& X,
                               std::span<const GridAxis> axes) {
    const std::size_t w = predictor.value_width();
    std::vector<double> found, value(w);
    for (std::size_t i = 0; i < X.rows; ++i)
        for (const double first : axes[0].points)
            for (std::size_t g = 0; g < (axes.size() == 2 ? axes[1].points.size() : 1); ++g) {
                std::vector<double> row(X.row(i), X.row(i) + X.cols);
                row[axes[0].variable] = first;
                if (axes.size() == 2) row[axes[1].variable] = axes[1].points[g];
                predictor.average(row, value);
                found.insert(found.end(), value.begin(), value.end());
            }
    return found;
}

void check(const std::vector<SharedTree>& trees, const test::Matrix& X,
           std::span<const GridAxis> axes) {
    const Predictor predictor(trees, false);
    const auto expected = one_by_one(predictor, X, axes);
    const std::size_t size = expected.size() / X.rows;
    ThreadTeam one(1, nullptr), three(3, nullptr);
    std::vector<double> found(expected.size(), 0.0), again(expected.size(), 0.0);
    individual_dependence(predictor, X.view(), axes, found, one);
    individual_dependence(predictor, X.view(), axes, again, three);
    CHECK(found == again);
    bool same = true;
    for (std::size_t k = 0; k < found.size(); ++k)
        same &= std::fabs(found[k] - expected[k]) < 1e-11;
    CHECK(same);
    std::vector<double> mean(size), squares(size), mean3(size), squares3(size);
    average_dependence(predictor, X.view(), axes, false, {mean, squares}, one);
    average_dependence(predictor, X.view(), axes, false, {mean3, squares3}, three);
    CHECK(mean == mean3);
    CHECK(squares == squares3);
    std::vector<double> centered(size), rest(size);
    average_dependence(predictor, X.view(), axes, true, {centered, rest}, one);
    same = true;
    for (std::size_t k = 0; k < size; ++k) {
        double sum = 0.0;
        for (std::size_t i = 0; i < X.rows; ++i) sum += expected[i * size + k];
        same &= std::fabs(mean[k] - sum / static_cast<double>(X.rows)) < 1e-11;
        const double first = mean[k % predictor.value_width()];
        same &= std::fabs(centered[k] - (mean[k] - first)) < 1e-11;
    }
    CHECK(same);
}

TEST_CASE("curves of grown forests are those of predictions one by one") {
    const std::vector<double> first = {-1.0, 0.5, 2.5, 2.5, 9.0}, second = {6.0, 1.0, NAN};
    for (const char* criterion : {"gini", "squared_error"}) {
        const auto forest = test::forest_example(criterion, 60, 5);
        const GridAxis axes[] = {{2, first}, {0, second}};
        check(forest.trees, forest.X, std::span(axes).first(1));
        check(forest.trees, forest.X, axes);
    }
}

TEST_CASE("nodes of every kind, and missing values that go to both children") {
    test::Rng rng(9);
    const std::vector<double> first = {0.0, 1.0, 3.0, kUnknownLevel, NAN, 0.75},
                              second = {2.0, 0.0};
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
        const auto X = test::samples_of_branches(rng, 20, shape.n_features, true);
        const GridAxis axes[] = {{1, first}, {3, second}};
        check(trees, X, std::span(axes).first(1));
        check(trees, X, axes);
    }
}

TEST_CASE("the spread is that of the curves of single trees") {
    const auto forest = test::forest_example("squared_error", 80, 3);
    const std::vector<double> points = {0.0, 4.0};
    const GridAxis axis{1, points};
    ThreadTeam team(1, nullptr);
    std::vector<double> mean(2), squares(2), sums(2, 0.0), one(2), none(2);
    average_dependence(forest.predictor(), forest.X.view(), {&axis, 1}, false, {mean, squares},
                       team);
    for (const SharedTree& tree : forest.trees) {
        const std::vector<SharedTree> alone = {tree};
        average_dependence(Predictor(alone, false), forest.X.view(), {&axis, 1}, false, {one, none},
                           team);
        for (std::size_t k = 0; k < 2; ++k) sums[k] += (one[k] - mean[k]) * (one[k] - mean[k]);
    }
    for (std::size_t k = 0; k < 2; ++k) CHECK(squares[k] == doctest::Approx(sums[k]));
}

TEST_CASE("axes and sizes are checked") {
    const auto forest = test::forest_example("gini", 40, 2);
    const Predictor predictor = forest.predictor();
    const std::vector<double> points = {0.0, 1.0};
    ThreadTeam team(1, nullptr);
    std::vector<double> found(predictor.value_width() * 2 * 40), squares(found);
    const GridAxis twice[] = {{1, points}, {1, points}}, beyond[] = {{99, points}},
                   empty[] = {{0, {}}};
    for (const std::span<const GridAxis> axes :
         {std::span<const GridAxis>(twice), std::span<const GridAxis>(beyond),
          std::span<const GridAxis>(empty)})
        CHECK_THROWS_AS(individual_dependence(predictor, forest.X.view(), axes, found, team),
                        std::invalid_argument);
    const GridAxis axis{0, points};
    CHECK_THROWS_AS(
        average_dependence(predictor, forest.X.view(), {&axis, 1}, false, {found, squares}, team),
        std::invalid_argument);
}

}  // namespace
}  // namespace silvics
