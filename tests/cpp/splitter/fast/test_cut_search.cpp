#include "criterion/binary_gini.hpp"
#include "criterion/class_counts.hpp"
#include "criterion/exact_squared_error.hpp"
#include "criterion/integer_entropy.hpp"
#include "criterion/integer_gini.hpp"
#include "criterion/ordered_targets.hpp"
#include "splitter/fast/cut_search.hpp"
#include "splitter/other_columns.hpp"

namespace silvics {
namespace {

using test::ByRows;
using test::Loss;
using test::Rng;

static_assert(std::is_same_v<CutSearch<BinaryGini>, ExactSumSearch<BinaryGini>>);
static_assert(std::is_same_v<CutSearch<IntegerGini>, ExactCountsSearch<IntegerGini>>);
static_assert(std::is_same_v<CutSearch<OrderedTargets>, ThresholdScan<OrderedTargets>>);

TEST_CASE_TEMPLATE("a threshold is scored as the split that it makes, if the limits allow it", C,
                   BinaryGini, IntegerGini, IntegerEntropy, ExactSquaredError,
                   ClassCounts<Entropy>) {
    Rng rng(95);
    const bool reals = std::is_same_v<C, ExactSquaredError>;
    const Loss loss = reals ? Loss::squared
                      : std::is_same_v<C, IntegerEntropy> || std::is_same_v<C, ClassCounts<Entropy>>
                          ? Loss::entropy
                          : Loss::gini;
    CutSearch<C> search;
    Scratch<std::uint8_t> goes_left;
    for (int repeat = 0; repeat < 60; ++repeat) {
        const std::size_t n = 2 + test::pick(rng, 40);
        const Target target =
            reals ? test::random_reals(rng, n, 1) : test::random_classes(rng, n, {2});
        const LearningSubset subset = test::random_subset(rng, n, test::Weights::whole);
        ByRows<C> criterion(target, subset, test::kNeverStop);
        criterion.enter(subset.rows);
        std::vector<double> values(subset.rows.size());
        for (double& v : values) v = static_cast<double>(test::pick(rng, 9));
        for (const std::size_t min_samples : {1U, 4U})
            for (double threshold = -0.5; threshold < 9.0; threshold += 1.0) {
                const CutLimits limits{.n = values.size(), .min_samples_leaf = min_samples};
                std::vector<std::uint8_t> marks;
                for (const double v : values) marks.push_back(v <= threshold);
                const auto n_left = static_cast<std::size_t>(std::ranges::count(marks, 1));
                Cut cut;
                score_values<C>(criterion, search, values, threshold, limits, goes_left, cut);
                const bool allowed = n_left >= min_samples && values.size() - n_left >= min_samples;
                REQUIRE((cut.score > -kInfinity) == allowed);
                if (!allowed) continue;
                CHECK(test::in_user_units(criterion, criterion.decrease(cut.score)) ==
                      doctest::Approx(
                          test::scratch_decrease(loss, target, subset, subset.rows, marks))
                          .epsilon(1e-9));
            }
    }
}

}  // namespace
}  // namespace silvics
