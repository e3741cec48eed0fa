#include "criterion/against_scratch.hpp"
#include "criterion/rounded_moments.hpp"

namespace silvics {
namespace {

using test::ByRows;
using test::Rng;

TEST_CASE("sums of fractional weights are exact in any order and close to the plain sums") {
    Rng rng(35);
    for (int repeat = 0; repeat < 60; ++repeat) {
        const std::size_t n = 2 + test::pick(rng, 60);
        const Target target = test::random_reals(rng, n, 1);
        const LearningSubset subset = test::random_subset(rng, n, test::Weights::fractional);
        ByRows<RoundedSquaredError> criterion(target, subset, test::kNeverStop);
        criterion.enter(subset.rows);
        criterion.prepare_search();
        std::vector<std::size_t> order(n);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::shuffle(order, rng);
        Moment up, down;
        double weight = 0.0, sum = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            up += criterion.samples()[i];
            down += criterion.sample(order[i]);
            weight += subset.weight(subset.rows[i]);
            sum += subset.weight(subset.rows[i]) * target.value(0, subset.rows[i]);
        }
        CHECK(up.weight == down.weight);
        CHECK(up.high == down.high);
        CHECK(up.weight == criterion.weight());
        CHECK(up.high == criterion.sum_y());
        CHECK(up.weight == test::close_to(weight, 1e-13));
        CHECK(std::fabs(up.high - sum) <= 1e-13 * weight);
    }
}

TEST_CASE("weights out of the range of the grids do not suit") {
    const Target target = real_target(std::vector{0.0, 1.0, 2.0}, 3, 1, true);
    CHECK(RoundedSquaredError::suits(target, test::subset_of(3, {0.3, 1e-9, 2.5})));
    CHECK_FALSE(RoundedSquaredError::suits(target, test::subset_of(3, {0.3, 1e-90, 2.5})));
}

TEST_CASE("a node keeps the weight of each of two classes") {
    const Target target = class_target(std::vector<std::int64_t>{0, 1, 1}, 3, {2});
    const LearningSubset subset = test::subset_of(3, {0.5, 0.25, 1.5});
    ByRows<RoundedGini> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    double value[2];
    criterion.write_value(value);
    CHECK(value[0] / value[1] == 0.5 / 1.75);
    CHECK(criterion.impurity() == test::close_to(1.0 - (0.5 * 0.5 + 1.75 * 1.75) / (2.25 * 2.25)));
    CHECK_FALSE(criterion.homogeneous());
    criterion.enter(test::Rows{1, 2});
    CHECK(criterion.homogeneous());
    CHECK(criterion.only_class() == 1);
    CHECK(criterion.impurity() == 0.0);
}

}  // namespace
}  // namespace silvics
