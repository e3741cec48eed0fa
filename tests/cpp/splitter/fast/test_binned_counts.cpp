#include "criterion/against_scratch.hpp"
#include "criterion/integer_entropy.hpp"
#include "criterion/integer_gini.hpp"
#include "criterion/joint_counts.hpp"
#include "splitter/fast/binned_counts.hpp"
#include "splitter/fast/exact_counts.hpp"
#include "splitter/made_column.hpp"

namespace silvics {
namespace {

using test::ByRows;
using test::HandCut;
using test::HandScore;
using test::MadeColumn;
using test::Rng;

// The first of the best cuts, each scored by moving the samples on its left one by one.
template <class C>
HandCut by_hand(C& criterion, const MadeColumn& made, const CutLimits& limits, double floor) {
    return best_by_hand(made, limits, floor, [&](std::span<const std::uint8_t> marks) {
        auto left = criterion.begin_scan();
        for (std::size_t i = 0; i < marks.size(); ++i)
            if (marks[i] != 0)
                criterion.move(left, C::class_of(criterion.samples()[i]),
                               C::weight_of(criterion.samples()[i]));
        const auto w = static_cast<double>(left.weight);
        return HandScore{w, criterion.weight() - w, criterion.score(left)};
    });
}

// Outputs that depend on the value, one more than the other.
Target random_target(Rng& rng, const MadeColumn& made, const std::vector<ClassId>& n_classes) {
    const std::size_t n = made.values().size();
    std::vector<std::size_t> noise;
    for (std::size_t k = 0; k < n_classes.size(); ++k) noise.push_back(test::pick(rng, 5));
    const auto [low, high] = std::ranges::minmax(made.values());
    std::vector<std::int64_t> y;
    for (const double v : made.values()) {
        const double place = (v - low) / (high - low + 1.0);
        for (std::size_t k = 0; k < n_classes.size(); ++k)
            y.push_back(static_cast<std::int64_t>(
                test::pick(rng, 4) < noise[k] ? test::pick(rng, n_classes[k])
                                              : static_cast<std::size_t>(place * n_classes[k])));
    }
    return class_target(y, n, n_classes);
}
Target random_target(Rng& rng, const MadeColumn& made, ClassId n_classes) {
    return random_target(rng, made, std::vector{n_classes});
}

// Compares bins with all cuts; returns whether bins found, or excluded, a cut. `heaviest`: the
// largest weight, or 0.
template <class C>
std::size_t check_bins(Rng& rng, BinnedCounts<C>& bins, const MadeColumn& made,
                       const Target& target, std::size_t heaviest) {
    const std::size_t n = made.values().size();
    CAPTURE(n);
    CAPTURE(target.n_classes[0]);
    CAPTURE(heaviest);
    const LearningSubset subset =
        heaviest == 0 ? test::subset_of(n) : test::heavy_subset(rng, n, heaviest);
    ByRows<C> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    if (criterion.homogeneous() || made.node().range.constant()) return 0;
    REQUIRE(criterion.scores_bins());
    std::vector<CutLimits> some_limits(3, CutLimits{.n = n});
    some_limits[1].min_samples_leaf = 1 + test::pick(rng, n / 2);
    some_limits[2].min_weight_leaf = test::pick_real(rng, 0.0, criterion.weight() / 2);
    std::size_t searched = 0;
    for (const CutLimits& limits : some_limits) {
        CAPTURE(limits.min_samples_leaf);
        CAPTURE(limits.min_weight_leaf);
        double floor = -kInfinity;
        for (int variable = 0; variable < 2; ++variable) {
            const HandCut hand = by_hand<C>(criterion, made, limits, floor);
            Cut cut{.score = floor, .border = 12345};
            if (!bins.best_cut(criterion, made.node(), limits, test::kNeverStop, cut)) {
                // All samples must be sorted where no cut between bins gains anything.
                CHECK(cut.score == floor);
                CHECK(cut.border == 12345);
            } else if (hand.goes_left.empty()) {
                ++searched;
                CHECK(cut.score == floor);
                CHECK(cut.border == 12345);
            } else {
                ++searched;
                CHECK(test::same_cuts(test::carried_out(made.node(), cut), hand));
            }
            floor = hand.score;  // which no cut beats
        }
    }
    return searched;
}

TEST_CASE_TEMPLATE("bins of class counts find the cut that trying all finds, ties included", C,
                   IntegerGini, IntegerEntropy) {
    Rng rng(90);
    BinnedCounts<C> bins;  // what a node leaves behind must not matter
    std::size_t searched = 0;
    for (const std::size_t n : {20U, 64U, 65U, 150U, 400U})
        test::for_all_shapes(rng, n, [&](const test::Shape&, const MadeColumn& made) {
            for (const ClassId n_classes : {2U, 3U, 8U})
                searched += check_bins<C>(rng, bins, made, random_target(rng, made, n_classes),
                                          n_classes == 3 ? 0 : 9);
        });
    CHECK(searched > 500);
}

TEST_CASE_TEMPLATE("bins of several outputs find the cut that trying all finds", C, JointGini,
                   JointEntropy) {
    Rng rng(95);
    BinnedCounts<C> bins;
    std::size_t searched = 0;
    for (const std::size_t n : {20U, 64U, 150U, 400U})
        test::for_all_shapes(rng, n, [&](const test::Shape&, const MadeColumn& made) {
            for (const auto& n_classes :
                 {std::vector<ClassId>{2, 2}, std::vector<ClassId>{3, 1, 4}})
                searched += check_bins<C>(rng, bins, made, random_target(rng, made, n_classes),
                                          n_classes.size() == 2 ? 0 : 9);
        });
    CHECK(searched > 300);
}

TEST_CASE_TEMPLATE("of two equal cuts the lower one wins, within a bin or between bins", C,
                   IntegerGini, IntegerEntropy) {
    Rng rng(94);
    BinnedCounts<C> bins;
    const std::size_t n = 96;
    std::vector<std::uint16_t> codes(n);
    for (std::size_t i = 0; i < n; ++i) codes[i] = static_cast<std::uint16_t>(3 * i);
    const MadeColumn made(rng, codes, test::Kind::one_value);
    const LearningSubset subset = test::subset_of(n);
    for (std::size_t k = 1; k < n / 2; ++k) {  // cuts after k and n - k samples are equal
        CAPTURE(k);
        std::vector<std::int64_t> y(n);
        for (std::size_t i = 0; i < n; ++i) y[i] = i < k || i >= n - k ? 1 : 0;
        const Target target = class_target(y, n, {2});
        ByRows<C> criterion(target, subset, test::kNeverStop);
        criterion.enter(subset.rows);
        Cut cut;
        REQUIRE(bins.best_cut(criterion, made.node(), {.n = n}, test::kNeverStop, cut));
        const HandCut found = test::carried_out(made.node(), cut);
        CHECK(static_cast<std::size_t>(std::ranges::count(found.goes_left, 1)) == k);
        CHECK(test::same_cuts(found, by_hand<C>(criterion, made, CutLimits{.n = n}, -kInfinity)));
    }
    CHECK(bins.work().sorted > 0);
}

TEST_CASE_TEMPLATE("variables of two or three codes have empty bins", C, IntegerGini,
                   IntegerEntropy) {
    Rng rng(91);
    BinnedCounts<C> bins;
    std::size_t searched = 0;
    for (const test::Shape& shape :
         {test::Shape{2, 1, 0, test::Kind::one_value, 1},
          test::Shape{3, 1, 65533, test::Kind::one_value, 1},
          test::Shape{2, 1, 65534, test::Kind::several_values, 4},
          test::Shape{3, 1, 9, test::Kind::bin, 3}, test::Shape{2, 2, 7, test::Kind::bin, 2}})
        for (int repeat = 0; repeat < 10; ++repeat) {
            CAPTURE(shape.levels);
            const MadeColumn made(rng,
                                  test::spread_codes(rng, 70, shape.levels, shape.step, shape.low),
                                  shape.kind, shape.per_code);
            searched += check_bins<C>(rng, bins, made, random_target(rng, made, 3), 4);
        }
    CHECK(searched > 100);
}

TEST_CASE_TEMPLATE("bins hold weights up to the largest for which they are exact", C, IntegerGini,
                   IntegerEntropy) {
    Rng rng(92);
    BinnedCounts<C> bins;
    const std::size_t largest = std::is_same_v<C, IntegerGini> ? 1U << 26 : 1U << 25;
    std::size_t searched = 0;
    for (const std::size_t n : {64U, 100U, 333U})
        for (int repeat = 0; repeat < 10; ++repeat) {
            const MadeColumn made(rng, test::spread_codes(rng, n, 5000, 3), test::Kind::one_value);
            const std::size_t heaviest = std::min<std::size_t>(largest / n - 1, (1U << 20) - 1);
            searched += check_bins<C>(rng, bins, made, random_target(rng, made, 5), heaviest);
        }
    CHECK(searched > 100);
}

TEST_CASE("Gini searches bins of nodes that weigh less than 2^26") {
    for (const std::size_t n : {64U, 65U}) {
        std::vector<std::int64_t> y(n);
        for (std::size_t i = 0; i < n; ++i) y[i] = static_cast<std::int64_t>(i % 3);
        const Target target = class_target(y, n, {3});
        const LearningSubset subset = test::subset_of(n, std::vector<double>(n, 0x1.0p20 - 1));
        ByRows<IntegerGini> criterion(target, subset, test::kNeverStop);
        criterion.enter(subset.rows);
        CHECK(criterion.scores_bins() == (n == 64));
    }
}

TEST_CASE_TEMPLATE("nodes of a few classes are searched in bins, others as a whole", C, IntegerGini,
                   IntegerEntropy) {
    Rng rng(93);
    const std::size_t n = 400;
    const MadeColumn made(rng, test::spread_codes(rng, n, 60000, 1), test::Kind::one_value);
    const std::size_t most = std::is_same_v<C, IntegerGini> ? 12 : 4;
    for (const auto n_classes :
         {ClassId{3}, static_cast<ClassId>(most), static_cast<ClassId>(most + 1)}) {
        CAPTURE(n_classes);
        const auto [low, high] = std::ranges::minmax(made.values());
        std::vector<std::int64_t> y;
        for (const double v : made.values())
            y.push_back(static_cast<std::int64_t>((v - low) / (high - low + 1.0) * n_classes));
        const Target target = class_target(y, n, {n_classes});
        const LearningSubset subset = test::subset_of(n);
        ByRows<C> criterion(target, subset, test::kNeverStop);
        criterion.enter(subset.rows);
        REQUIRE(criterion.n_present() == n_classes);
        ExactCountsSearch<C> search;
        Cut cut, sorted;
        search.best_cut(criterion, made.node(), {.n = n}, Search::automatic, test::kNeverStop, cut);
        CHECK((search.work().sorted < n) == (n_classes <= most));
        search.best_cut(criterion, made.node(), {.n = n}, Search::sort, test::kNeverStop, sorted);
        CHECK(test::same_cuts(test::carried_out(made.node(), cut),
                              test::carried_out(made.node(), sorted)));
    }
}

}  // namespace
}  // namespace silvics
