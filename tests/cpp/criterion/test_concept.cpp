#include "criterion/binary_gini.hpp"
#include "criterion/class_counts.hpp"
#include "criterion/exact_poisson.hpp"
#include "criterion/exact_squared_error.hpp"
#include "criterion/integer_entropy.hpp"
#include "criterion/integer_gini.hpp"
#include "criterion/joint_counts.hpp"
#include "criterion/moments.hpp"
#include "criterion/ordered_targets.hpp"
#include "criterion/rounded_moments.hpp"
#include "doctest/doctest.h"

namespace silvics {
namespace {

// Each criterion is of exactly one kind, by which the search is chosen.
template <class C>
constexpr int n_kinds() {
    return MovingCriterion<C> + ExactSumCriterion<C> + ExactCountsCriterion<C>;
}

static_assert(ExactSumCriterion<BinaryGini> && ExactSumCriterion<ExactSquaredError>);
static_assert(ExactSumCriterion<ExactPoisson> && ExactSumCriterion<RoundedSquaredError> &&
              ExactSumCriterion<RoundedGini>);
static_assert(ExactCountsCriterion<IntegerGini> && ExactCountsCriterion<IntegerEntropy>);
static_assert(ExactCountsCriterion<JointGini> && ExactCountsCriterion<JointEntropy>);
static_assert(MovingCriterion<ClassCounts<Gini>> && MovingCriterion<ClassCounts<Entropy>>);
static_assert(MovingCriterion<Moments<SquaredError>> && MovingCriterion<Moments<PoissonDeviance>>);
static_assert(MovingCriterion<OrderedTargets>);

TEST_CASE_TEMPLATE("every criterion is of exactly one kind", C, BinaryGini, IntegerGini,
                   IntegerEntropy, JointGini, JointEntropy, ExactSquaredError, ExactPoisson,
                   RoundedSquaredError, RoundedGini, ClassCounts<Gini>, ClassCounts<Entropy>,
                   ClassCounts<Misclassification>, Moments<SquaredError>,
                   Moments<FriedmanImprovement>, Moments<PoissonDeviance>, OrderedTargets) {
    static_assert(Criterion<C>);
    CHECK(n_kinds<C>() == 1);
}

TEST_CASE("what is no criterion is refused") {
    struct Nothing {};
    CHECK_FALSE(Criterion<Nothing>);
    CHECK_FALSE(Criterion<int>);
}

}  // namespace
}  // namespace silvics
