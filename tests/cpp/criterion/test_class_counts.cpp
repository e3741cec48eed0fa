#include <map>

#include "criterion/against_scratch.hpp"
#include "criterion/class_counts.hpp"

namespace silvics {

// A term is rounded to within 2^-33, and a node of weight W has fewer than W + 4 terms.
template <>
inline constexpr double test::kDecreaseTolerance<ClassCounts<Entropy>> = 1e-9;

namespace {

using test::ByRows;
using test::Rng;
using test::Rows;

std::vector<double> shares(const Target& target, const LearningSubset& subset, const Rows& rows,
                           std::size_t k) {
    std::map<ClassId, double> weights;
    for (const RowId row : rows)
        weights[target.classes[k * target.n_rows + row]] += subset.weight(row);
    std::vector<double> of_class;
    for (const auto& [c, w] : weights) of_class.push_back(w / test::weight_of(subset, rows));
    return of_class;
}

template <class Impurity>
double definition(const Target& target, const LearningSubset& subset, const Rows& rows,
                  std::size_t k) {
    const auto p = shares(target, subset, rows, k);
    double result = 0.0;
    if constexpr (std::is_same_v<Impurity, Gini>)
        for (const double share : p) result += share * (1.0 - share);
    else if constexpr (std::is_same_v<Impurity, Entropy>)
        for (const double share : p) result -= share * std::log2(share);
    else
        result = 1.0 - *std::ranges::max_element(p);
    return result;
}

TEST_CASE_TEMPLATE("impurity and decrease of classes are those of the definition", Impurity, Gini,
                   Entropy, Misclassification) {
    Rng rng(20);
    for (const auto& n_classes : {std::vector<ClassId>{2}, {5}, {2, 3}, {40, 1, 2}})
        for (const test::Weights weights : test::kAllWeights)
            for (int repeat = 0; repeat < 4; ++repeat) {
                const std::size_t n = 3 + test::pick(rng, 25);
                const Target target = test::random_classes(rng, n, n_classes);
                const LearningSubset subset = test::random_subset(rng, n, weights);
                ByRows<ClassCounts<Impurity>> criterion(target, subset, test::kNeverStop);
                for (int node = 0; node < 2; ++node)  // a node leaves nothing behind in the next
                    test::check_order(test::check_scan(criterion, rng, definition<Impurity>, target,
                                                       subset, test::random_rows(rng, n),
                                                       test::always));
            }
}

TEST_CASE_TEMPLATE("classes of one value move as a group, a cell or one by one with the same bits",
                   Impurity, Gini, Entropy, Misclassification) {
    using C = ClassCounts<Impurity>;
    Rng rng(21);
    for (const auto& n_classes : {std::vector<ClassId>{2}, {7}, {3, 2}})
        for (const test::Weights weights : test::kAllWeights)
            for (int repeat = 0; repeat < 5; ++repeat) {
                const std::size_t n = 3 + test::pick(rng, 40);
                const Target target = test::random_classes(rng, n, n_classes);
                const LearningSubset subset = test::random_subset(rng, n, weights);
                const Rows rows = test::random_rows(rng, n);
                test::check_groups_are_cells<C>(rng, target, subset, rows);
                if (subset.whole_weights)
                    test::check_groups_are_moves<C>(rng, target, subset, rows, 4);
            }
}

TEST_CASE("a group of one class sample is a move, with any weights") {
    Rng rng(22);
    const Target target = test::random_classes(rng, 30, {3});
    const LearningSubset subset = test::random_subset(rng, 30, test::Weights::fractional);
    ByRows<ClassCounts<Gini>> by_group(target, subset, test::kNeverStop),
        by_move(target, subset, test::kNeverStop);
    by_group.enter(subset.rows);
    by_move.enter(subset.rows);
    by_group.begin_scan();
    by_move.begin_scan();
    for (Position i = 0; i < 29; ++i) {
        by_group.move_group(std::span(&i, 1));
        by_move.move(i);
        CHECK(by_group.score() == by_move.score());
    }
}

TEST_CASE("a node is homogeneous when every output has one class") {
    const Target target = class_target(std::vector<std::int64_t>{0, 1, 0, 0, 1, 0}, 3, {2, 2});
    const LearningSubset subset = test::subset_of(3);
    ByRows<ClassCounts<Gini>> criterion(target, subset, test::kNeverStop);
    criterion.enter(Rows{0, 1});
    CHECK_FALSE(criterion.homogeneous());
    criterion.enter(Rows{1});
    CHECK(criterion.homogeneous());
    CHECK(criterion.impurity() == 0.0);
    criterion.enter(Rows{0, 2});
    CHECK_FALSE(criterion.homogeneous());
}

TEST_CASE("the value of a node is the weight of every class of every output") {
    const Target target = class_target(std::vector<std::int64_t>{2, 1, 0, 0, 2, 1}, 3, {3, 2});
    const LearningSubset subset = test::subset_of(3, {1.0, 2.0, 4.0});
    ByRows<ClassCounts<Gini>> criterion(target, subset, test::kNeverStop);
    std::vector<double> value(5, -1.0);
    criterion.enter(Rows{0, 1, 2});
    criterion.write_value(value);
    CHECK(value == std::vector<double>{2.0, 0.0, 5.0, 2.0, 5.0});
    criterion.enter(Rows{2});
    criterion.write_value(value);
    CHECK(value == std::vector<double>{0.0, 0.0, 4.0, 0.0, 4.0});
    CHECK(criterion.only_class() == 2);
}

TEST_CASE("monotonic constraints look at the share of the second class") {
    const Target target = class_target(std::vector<std::int64_t>{1, 0, 1, 0}, 4, {2});
    const LearningSubset subset = test::subset_of(4, {1.0, 3.0, 1.0, 1.0});
    ByRows<ClassCounts<Gini>> criterion(target, subset, test::kNeverStop);
    criterion.enter(Rows{0, 1, 2, 3});
    criterion.begin_scan();
    criterion.move(0);
    criterion.move(1);
    CHECK(criterion.left_value() == 0.25);
    CHECK(criterion.right_value() == 0.5);
    criterion.enter(Rows{1, 3});  // without the second class
    criterion.begin_scan();
    criterion.move(0);
    CHECK(criterion.left_value() == 0.0);
    CHECK(criterion.right_value() == 0.0);
}

}  // namespace
}  // namespace silvics
