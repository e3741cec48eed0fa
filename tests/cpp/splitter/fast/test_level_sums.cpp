#include "criterion/class_counts.hpp"
#include "criterion/integer_gini.hpp"
#include "criterion/moments.hpp"
#include "criterion/ordered_targets.hpp"
#include "splitter/fast/level_sums.hpp"
#include "splitter/other_columns.hpp"

namespace silvics {
namespace {

using test::ByRows;
using test::category;
using test::Loss;
using test::OtherTable;
using test::Rng;
using test::Rows;

// Sums of levels, and the decrease of any split of them, are those of the samples.
template <class C>
void check_sums(const Target& target, Loss loss) {
    Rng rng(91);
    const std::size_t n = target.n_rows;
    std::vector<double> x(n);
    for (double& level : x) level = static_cast<double>(test::pick(rng, 5));
    const OtherTable made = category(x, 5);
    const LearningSubset subset = test::random_subset(rng, n, test::Weights::whole);
    ByRows<C> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    LevelGroups groups;
    REQUIRE(groups.enter(made.column(), subset.rows));
    LevelSums<C> sums;
    sums.begin(criterion);
    sums.sum(groups);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        double weight = 0.0;
        for (std::size_t i = 0; i < subset.rows.size(); ++i)
            if (groups.group_of[i] == g) weight += subset.weight(subset.rows[i]);
        CHECK(sums.weight(g) == weight);
        for (std::size_t k = 0; !sums.one_order() && k < sums.n_means(); ++k)
            CHECK(std::isfinite(sums.mean(g, k)));
    }
    for (std::uint32_t mask = 1; mask + 1 < 1U << groups.size(); ++mask) {
        sums.start();
        std::size_t n_left = 0;
        std::vector<std::uint8_t> marks;
        for (const Code g : groups.group_of) marks.push_back(mask >> g & 1);
        for (std::size_t g = 0; g < groups.size(); ++g)
            if ((mask >> g & 1) != 0) sums.add(g), n_left += groups.counts[g];
        Cut best;
        REQUIRE(sums.better({.n = subset.rows.size()}, n_left, best));
        CHECK_FALSE(sums.better({.n = subset.rows.size()}, n_left, best));  // no better than itself
        CHECK(test::in_user_units(criterion, criterion.decrease(best.score)) ==
              doctest::Approx(test::scratch_decrease(loss, target, subset, subset.rows, marks))
                  .epsilon(1e-9)
                  .scale(1e-3));
    }
}

TEST_CASE("splits of levels are scored from the sums of the levels") {
    Rng rng(90);
    const std::size_t n = 60;
    check_sums<IntegerGini>(test::random_classes(rng, n, {3}), Loss::gini);
    check_sums<IntegerGini>(test::random_classes(rng, n, {2}), Loss::gini);
    check_sums<ClassCounts<Entropy>>(test::random_classes(rng, n, {3}), Loss::entropy);
    check_sums<Moments<SquaredError>>(test::random_reals(rng, n, 1), Loss::squared);
    check_sums<OrderedTargets>(test::random_reals(rng, n, 1), Loss::absolute);
}

TEST_CASE("one order will do for two classes, and for one output compared by means") {
    Rng rng(92);
    const std::size_t n = 30;
    const LearningSubset subset = test::subset_of(n);
    const auto one_order = [&]<class C>(std::type_identity<C>, const Target& target) {
        ByRows<C> criterion(target, subset, test::kNeverStop);
        criterion.enter(subset.rows);
        LevelSums<C> sums;
        sums.begin(criterion);
        return sums.one_order();
    };
    const Target two = test::random_classes(rng, n, {2}), three = test::random_classes(rng, n, {3});
    const Target real = test::random_reals(rng, n, 1), reals = test::random_reals(rng, n, 2);
    CHECK(one_order(std::type_identity<IntegerGini>{}, two));
    CHECK_FALSE(one_order(std::type_identity<IntegerGini>{}, three));
    CHECK(one_order(std::type_identity<ClassCounts<Entropy>>{}, two));
    CHECK(one_order(std::type_identity<Moments<SquaredError>>{}, real));
    CHECK_FALSE(one_order(std::type_identity<Moments<SquaredError>>{}, reals));
    CHECK_FALSE(one_order(std::type_identity<OrderedTargets>{}, real));
}

}  // namespace
}  // namespace silvics
