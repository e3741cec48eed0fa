#include "criterion/against_scratch.hpp"
#include "criterion/exact_squared_error.hpp"
#include "criterion/moments.hpp"

namespace silvics {
namespace {

using test::ByRows;
using test::Rng;
using test::Rows;

double output(const Target& target, RowId row, std::size_t k) {
    return target.original[k * target.n_rows + row];
}

double mean(const Target& target, const LearningSubset& subset, const Rows& rows, std::size_t k) {
    double sum = 0.0;
    for (const RowId row : rows) sum += subset.weight(row) * output(target, row, k);
    return sum / test::weight_of(subset, rows);
}

template <class Loss>
double definition(const Target& target, const LearningSubset& subset, const Rows& rows,
                  std::size_t k) {
    const double m = mean(target, subset, rows, k);
    double sum = 0.0;
    for (const RowId row : rows) {
        const double y = output(target, row, k), w = subset.weight(row);
        if constexpr (Loss::kComparesMeans)
            sum += w * (y - m) * (y - m);
        else
            sum += w * (y > 0.0 ? y * std::log(y / m) - y + m : m);
    }
    return sum / test::weight_of(subset, rows);
}

template <class Loss>
Target random_target(Rng& rng, std::size_t n, std::size_t q) {
    return Loss::kComparesMeans ? test::random_reals(rng, n, q) : test::random_counts(rng, n, q);
}

// A side without any count has no Poisson deviance.
template <class Loss>
bool possible(const Target& target, const Rows& rows) {
    if (Loss::kComparesMeans) return true;
    for (std::size_t k = 0; k < target.n_outputs; ++k)
        if (std::ranges::none_of(rows, [&](RowId row) { return output(target, row, k) > 0.0; }))
            return false;
    return true;
}

TEST_CASE_TEMPLATE("impurity and decrease of means are those of the definition", Loss, SquaredError,
                   FriedmanImprovement, PoissonDeviance) {
    Rng rng(30);
    // Over several outputs Friedman's improvement is not the variance's decrease.
    const bool single = std::is_same_v<Loss, FriedmanImprovement>;
    for (const std::size_t q :
         single ? std::vector<std::size_t>{1} : std::vector<std::size_t>{1, 2, 4})
        for (const test::Weights weights : test::kAllWeights)
            for (int repeat = 0; repeat < 5; ++repeat) {
                const std::size_t n = 3 + test::pick(rng, 25);
                const Target target = random_target<Loss>(rng, n, q);
                const LearningSubset subset = test::random_subset(rng, n, weights);
                ByRows<Moments<Loss>> criterion(target, subset, test::kNeverStop);
                for (int node = 0; node < 2; ++node) {
                    const Rows rows = test::random_rows(rng, n);
                    if (!possible<Loss>(target, rows)) continue;
                    test::check_order(test::check_scan(
                        criterion, rng, definition<Loss>, target, subset, rows,
                        [&](const Rows& side) { return possible<Loss>(target, side); }));
                }
            }
}

TEST_CASE("Friedman's score is the squared mean difference of the means, by the weights") {
    Rng rng(31);
    const std::size_t n = 12, q = 3;
    const Target target = test::random_reals(rng, n, q);
    const LearningSubset subset = test::random_subset(rng, n, test::Weights::whole);
    ByRows<Moments<FriedmanImprovement>> criterion(target, subset, test::kNeverStop);
    const double whole = test::weight_of(subset, subset.rows);
    criterion.enter(subset.rows);
    criterion.begin_scan();
    for (Position i = 0; i + 1 < n; ++i) {
        criterion.move(i);
        const Rows left(subset.rows.begin(), subset.rows.begin() + i + 1);
        const Rows right(subset.rows.begin() + i + 1, subset.rows.end());
        double difference = 0.0;
        for (std::size_t k = 0; k < q; ++k)
            difference +=
                (mean(target, subset, left, k) - mean(target, subset, right, k)) * target.scale;
        const double expected = criterion.left_weight() * criterion.right_weight() * difference *
                                difference / static_cast<double>(q);
        CHECK(criterion.score() == test::close_to(expected));
        CHECK(criterion.decrease(criterion.score()) ==
              test::close_to(expected / (whole * whole * static_cast<double>(q))));
    }
}

TEST_CASE_TEMPLATE("sums of one value move as a group, a cell or one by one with the same bits",
                   Loss, SquaredError, FriedmanImprovement, PoissonDeviance) {
    using C = Moments<Loss>;
    Rng rng(32);
    for (const std::size_t q : {1U, 3U})
        for (const test::Weights weights : test::kAllWeights)
            for (int repeat = 0; repeat < 5; ++repeat) {
                const std::size_t n = 3 + test::pick(rng, 40);
                const Target target = random_target<Loss>(rng, n, q);
                const LearningSubset subset = test::random_subset(rng, n, weights);
                const Rows rows = test::random_rows(rng, n);
                test::check_groups_are_cells<C>(rng, target, subset, rows);
                // Whole numbers, whole weights: exact sums.
                if (!Loss::kComparesMeans && subset.whole_weights)
                    test::check_groups_are_moves<C>(rng, target, subset, rows, 4);
            }
}

TEST_CASE("the value of a node is the mean of every output") {
    const std::vector<double> y = {1.0, -4.0, 2.0, -4.0, 6.0, -4.0};
    const Target target = real_target(y, 3, 2, true);
    const LearningSubset subset = test::subset_of(3, {1.0, 1.0, 2.0});
    ByRows<Moments<SquaredError>> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    std::vector<double> value(2);
    criterion.write_value(value);
    CHECK(value == std::vector<double>{3.75, -4.0});
    CHECK_FALSE(criterion.homogeneous());
}

TEST_CASE_TEMPLATE("equal outputs are kept to the last bit, whatever their mean rounds to", C,
                   Moments<SquaredError>, ExactSquaredError) {
    const double y = 0.1;
    const Target target = real_target(std::vector<double>{y, 7e8, y, y, -3e9, y}, 6, 1, true);
    const LearningSubset subset = test::subset_of(6);
    ByRows<C> criterion(target, subset, test::kNeverStop);
    criterion.enter(Rows{0, 2, 3, 5});
    std::vector<double> value(1);
    criterion.write_value(value);
    CHECK(criterion.homogeneous());
    CHECK(criterion.impurity() == 0.0);
    CHECK(value[0] == y);
}

TEST_CASE("a shift of y changes neither impurity nor decrease nor score") {
    const std::vector<double> y = {3.0, -2.0, 7.25, 0.5, 3.0, 11.0};
    std::vector<double> far = y;
    for (double& v : far) v += 1e9;
    const Target near_target = real_target(y, 6, 1, true),
                 far_target = real_target(far, 6, 1, true);
    const LearningSubset subset = test::subset_of(6);
    ByRows<Moments<SquaredError>> a(near_target, subset, test::kNeverStop),
        b(far_target, subset, test::kNeverStop);
    a.enter(subset.rows);
    b.enter(subset.rows);
    CHECK(a.impurity() == b.impurity());
    a.begin_scan();
    b.begin_scan();
    for (Position i = 0; i < 5; ++i) {
        a.move(i);
        b.move(i);
        CHECK(a.score() == b.score());
        CHECK(a.decrease(a.score()) == b.decrease(b.score()));
    }
}

TEST_CASE_TEMPLATE("the impurity of equal outputs is zero at every scale", C, Moments<SquaredError>,
                   ExactSquaredError) {
    for (const double size : {1.0, 1e-200, 1e-320, 1e160, 1e200, 1e308}) {
        CAPTURE(size);
        const Target target = real_target(std::vector<double>{size, -size, size}, 3, 1, true);
        const LearningSubset subset = test::subset_of(3);
        ByRows<C> criterion(target, subset, test::kNeverStop);
        criterion.enter(Rows{0, 2});
        CHECK(criterion.homogeneous());
        CHECK(criterion.impurity() == 0.0);
        criterion.enter(Rows{0, 1, 2});
        const double variance = 8.0 / 9.0 * size * size;  // not always a double
        const double impurity = std::ldexp(criterion.impurity(), criterion.impurity_exponent());
        CHECK(std::isfinite(criterion.impurity()));
        CHECK((impurity == variance || impurity == test::close_to(variance)));
    }
}

TEST_CASE("a cut between equal outputs decreases nothing at every scale") {
    for (const double size : {1.0, 1e-200, 1e200, 1e308}) {
        CAPTURE(size);
        const Target target =
            real_target(std::vector<double>{size, -size, size, -size}, 4, 1, true);
        const LearningSubset subset = test::subset_of(4);
        ByRows<Moments<SquaredError>> criterion(target, subset, test::kNeverStop);
        criterion.enter(Rows{0, 1, 2, 3});
        criterion.begin_scan();
        criterion.move(0);
        criterion.move(1);
        CHECK(criterion.decrease(criterion.score()) == 0.0);
    }
}

TEST_CASE_TEMPLATE("the mean of finite outputs is finite", C, Moments<SquaredError>,
                   ExactSquaredError) {
    const double top = std::numeric_limits<double>::max();
    const Target target = real_target(std::vector<double>{-top, top}, 2, 1, true);
    const LearningSubset subset = test::subset_of(2, {1.0, 3.0});
    ByRows<C> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    std::vector<double> value(1);
    criterion.write_value(value);
    CHECK(value[0] == doctest::Approx(top / 2).epsilon(1e-15));
}

TEST_CASE_TEMPLATE("outputs that differ are not homogeneous, however far they lie from the centre",
                   C, Moments<SquaredError>, ExactSquaredError) {
    const Target target = real_target(std::vector<double>{0.1, 0.2, 1e17, 2e17, 3e17}, 5, 1, true);
    const LearningSubset subset = test::subset_of(5);
    ByRows<C> criterion(target, subset, test::kNeverStop);
    criterion.enter(Rows{0, 1});
    CHECK_FALSE(criterion.homogeneous());
}

TEST_CASE("a Poisson cut that leaves a side without counts has score -infinity in any order") {
    // 0.1 + 0.2 + 0.3 depends on the order of its terms; what is left of it must not.
    const std::vector<double> y = {0.1, 0.2, 0.3, 0.0, 0.0};
    const Target target = real_target(y, 5, 1, false);
    const LearningSubset subset = test::subset_of(5);
    ByRows<Moments<PoissonDeviance>> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    std::vector<Position> counts = {0, 1, 2};
    do {
        criterion.begin_scan();
        for (const Position i : counts) criterion.move(i);
        CHECK(criterion.score() == -INFINITY);
    } while (std::ranges::next_permutation(counts).found);
}

}  // namespace
}  // namespace silvics
