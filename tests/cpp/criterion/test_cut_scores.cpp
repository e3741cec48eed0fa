#include "criterion/against_scratch.hpp"
#include "criterion/cut_scores.hpp"
#include "criterion/exact_poisson.hpp"
#include "criterion/exact_squared_error.hpp"

namespace silvics {
namespace {

using test::ByRows;
using test::Rng;

TEST_CASE_TEMPLATE("no cut that separates a part of a bin scores more than the bound", C,
                   ExactSquaredError, ExactPoisson) {
    Rng rng(36);
    for (int repeat = 0; repeat < 200; ++repeat) {
        const std::size_t n = 8 + test::pick(rng, 30);
        const Target target = test::random_counts(rng, n, 1);
        const LearningSubset subset = test::heavy_subset(rng, n, 4);
        ByRows<C> criterion(target, subset, test::kNeverStop);
        criterion.enter(subset.rows);
        if (criterion.homogeneous()) continue;
        const std::size_t size = 2 + test::pick(rng, 5);
        Moment bin, part;
        for (std::size_t i = 0; i < size; ++i) bin += criterion.sample(i);
        for (std::size_t i = 0; i + 1 < size; ++i) {
            part += criterion.sample(i);
            const double score = C::Scores::score(criterion, C::weight_of(part), C::sum_y_of(part));
            CHECK(score == test::score_of(criterion, part));
            if (score > -INFINITY) CHECK(C::Scores::end_may_reach(criterion, bin, score));
        }
    }
}

}  // namespace
}  // namespace silvics
