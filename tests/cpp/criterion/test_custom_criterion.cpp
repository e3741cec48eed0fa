#include <memory>

#include "criterion/custom_criterion.hpp"
#include "doctest/doctest.h"
#include "support/problem.hpp"

namespace silvics {
namespace {

static_assert(MovingCriterion<CustomCounts> && MovingCriterion<CustomMoments>);

// Gini of class weights, or the variance.
class Known final : public ImpurityFunction {
public:
    explicit Known(bool classes) : classes_(classes) {}
    void impurities(const double* rows, std::size_t n, std::size_t width,
                    double* out) const override {
        for (std::size_t i = 0; i < n; ++i) {
            const std::span<const double> row(rows + i * width, width);
            double weight = 0.0, squares = 0.0;
            for (const double w : row) weight += w, squares += w * w;
            out[i] = classes_ ? 1.0 - squares / weight / weight : row[2];
        }
    }

private:
    bool classes_;
};

// The same impurity, decreases and values as a criterion of the library, at every cut.
template <class Custom, class Usual>
void check_against(Target& target, const LearningSubset& subset) {
    target.impurity = std::make_shared<Known>(target.classification());
    SampleOrder order;
    Usual::fill(target, subset, order);
    order.rows = subset.rows;
    Custom custom(target, subset, test::kNeverStop);
    Usual usual(target, subset, test::kNeverStop);
    const std::size_t n = order.size();
    for (const auto& [begin, size] : {std::pair<std::size_t, std::size_t>{0, n}, {n / 3, n / 2}}) {
        custom.enter(order, begin, size);
        usual.enter(order, begin, size);
        const double unit = std::ldexp(1.0, usual.impurity_exponent());
        CHECK(custom.impurity() == doctest::Approx(usual.impurity() * unit));
        custom.begin_scan();
        usual.begin_scan();
        custom.begin_batch();
        std::vector<double> expected, alone;
        for (Position i = 0; i + 1 < size; ++i) {
            custom.move(i);
            usual.move(i);
            custom.add_to_batch();
            expected.push_back(usual.decrease(usual.score()) * unit);
        }
        const auto scores = custom.score_batch();
        REQUIRE(scores.size() == expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i)
            CHECK(custom.decrease(scores[i]) == doctest::Approx(expected[i]).epsilon(1e-9));
        CHECK(custom.decrease(custom.score()) == doctest::Approx(expected.back()).epsilon(1e-9));
    }
}

TEST_CASE("functions of class weights and of moments see what the library sees") {
    std::vector<std::int64_t> classes;
    std::vector<double> values, weights;
    for (std::int64_t i = 0; i < 24; ++i) {
        classes.push_back(i * i % 7 % 3);
        values.push_back(1e3 + static_cast<double>(i * i % 11));
        weights.push_back(1.0 + static_cast<double>(i % 4) / 2.0);
    }
    for (const bool weighted : {false, true}) {
        const LearningSubset subset =
            test::subset_of(24, weighted ? weights : std::vector<double>{});
        Target one = class_target(classes, 24, {3});
        check_against<CustomCounts, ClassCounts<Gini>>(one, subset);
        const LearningSubset half = test::subset_of(12);
        Target two = class_target(classes, 12, {3, 3});
        check_against<CustomCounts, ClassCounts<Gini>>(two, half);
        Target numbers = real_target(values, 24, 1, true);
        check_against<CustomMoments, Moments<SquaredError>>(numbers, subset);
        Target pairs = real_target(values, 12, 2, true);
        check_against<CustomMoments, Moments<SquaredError>>(pairs, half);
    }
}

TEST_CASE("a criterion without its function is refused") {
    const Target target = class_target(std::vector<std::int64_t>{0, 1}, 2, {2});
    CHECK_THROWS_AS(CustomCounts(target, test::subset_of(2), test::kNeverStop),
                    std::invalid_argument);
}

}  // namespace
}  // namespace silvics
