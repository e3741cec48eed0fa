#include "criterion/against_scratch.hpp"
#include "criterion/exact_poisson.hpp"

namespace silvics {
namespace {

using test::ByRows;
using test::Rng;
using test::Rows;

double deviance(const Target& target, const LearningSubset& subset, const Rows& rows, std::size_t) {
    const double weight = test::weight_of(subset, rows);
    double mean = 0.0, sum = 0.0;
    for (const RowId row : rows) mean += subset.weight(row) * target.original[row] / weight;
    for (const RowId row : rows)
        if (const double y = target.original[row]; y > 0.0)
            sum += subset.weight(row) * y * std::log(y / mean);
    return sum / weight;
}

TEST_CASE("impurity and decrease of Poisson deviance are those of the definition") {
    Rng rng(34);
    for (int repeat = 0; repeat < 30; ++repeat) {
        const std::size_t n = 3 + test::pick(rng, 40);
        std::vector<double> y(n);
        for (double& v : y) v = static_cast<double>(1 + test::pick(rng, 6));  // no side of zeros
        const Target target = real_target(y, n, 1, false);
        const LearningSubset subset = test::heavy_subset(rng, n, 5);
        ByRows<ExactPoisson> criterion(target, subset, test::kNeverStop);
        test::check_order(test::check_sides(
            criterion, rng, deviance, target, subset, test::random_rows(rng, n),
            [&](std::span<const std::uint8_t> marks) {
                const auto left = criterion.sum_marked(marks);
                return std::pair(ExactPoisson::weight_of(left), test::score_of(criterion, left));
            }));
    }
}

TEST_CASE("outputs too near zero to be seen in a sum do not suit exact Poisson sums") {
    const LearningSubset subset = test::subset_of(3);
    CHECK(ExactPoisson::suits(real_target(std::vector{0.0, 1.0, 2.0}, 3, 1, false), subset));
    CHECK_FALSE(
        ExactPoisson::suits(real_target(std::vector{0.0, 1e-20, 2.0}, 3, 1, false), subset));
}

}  // namespace
}  // namespace silvics
