#include "criterion/against_scratch.hpp"
#include "criterion/exact_moments.hpp"
#include "criterion/exact_squared_error.hpp"

namespace silvics {
namespace {

TEST_CASE("exact sums are for one output and whole weights below 2^26") {
    test::Rng rng(37);
    const Target one = test::random_reals(rng, 9, 1), two = test::random_reals(rng, 9, 2);
    CHECK(ExactMoments::suits(one, test::subset_of(9)));
    CHECK_FALSE(ExactMoments::suits(two, test::subset_of(9)));
    CHECK_FALSE(ExactMoments::suits(one, test::random_subset(rng, 9, test::Weights::fractional)));
}

}  // namespace
}  // namespace silvics
