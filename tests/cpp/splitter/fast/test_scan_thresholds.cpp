#include "criterion/against_scratch.hpp"
#include "criterion/class_counts.hpp"
#include "criterion/moments.hpp"
#include "criterion/ordered_targets.hpp"
#include "splitter/fast/scan_thresholds.hpp"
#include "splitter/made_column.hpp"

namespace silvics {
namespace {

using test::ByRows;
using test::HandCut;
using test::Kind;
using test::MadeColumn;
using test::Rng;

template <class C>
Cut scanned(C& criterion, const MadeColumn& made, const CutLimits& limits, Search search,
            Cut cut = {}) {
    ThresholdScan<C> scan;
    scan.best_cut(criterion, made.node(), limits, search, test::kNeverStop, cut);
    return cut;
}

// Every cut on its own: the best score of those allowed, and whether no other cut is as good but
// for rounding.
template <class C>
std::pair<HandCut, bool> by_hand(C& criterion, const MadeColumn& made, const CutLimits& limits) {
    HandCut best;
    bool clear = true;
    for (HandCut& cut : cuts_by_hand(made)) {
        criterion.begin_scan();
        std::size_t n_left = 0;
        for (std::size_t i = 0; i < cut.goes_left.size(); ++i)
            if (cut.goes_left[i] != 0) {
                criterion.move(static_cast<Position>(i));
                ++n_left;
            }
        const double wl = criterion.left_weight(), wr = criterion.right_weight();
        const double vl = criterion.left_value(), vr = criterion.right_value();
        const bool allowed =
            n_left >= limits.min_samples_leaf && limits.n - n_left >= limits.min_samples_leaf &&
            wl >= limits.min_weight_leaf && wr >= limits.min_weight_leaf &&
            (limits.monotonic == 0 ||
             ((limits.monotonic > 0 ? vl <= vr : vl >= vr) &&
              std::min(vl, vr) >= limits.bounds.lower && std::max(vl, vr) <= limits.bounds.upper));
        cut.score = criterion.score();
        cut.middle = (vl + vr) / 2;
        if (!allowed || cut.score == -kInfinity) continue;
        if (std::fabs(cut.score - best.score) <= 1e-9) clear = false;
        if (cut.score > best.score + 1e-9) {
            best = cut;
            clear = true;
        }
    }
    return {best, clear};
}

std::vector<CutLimits> all_limits(Rng& rng, std::size_t n, double whole, double low, double high) {
    const CutLimits none{.n = n};
    std::vector<CutLimits> limits(4, none);
    limits[1].min_samples_leaf = 1 + test::pick(rng, n / 2);
    limits[2].min_weight_leaf = test::pick_real(rng, 0.0, whole / 2);
    limits[3].monotonic = test::pick(rng, 2) == 0 ? 1 : -1;
    limits[3].bounds = {low, high};
    return limits;
}

template <class C>
void check_scan(ByRows<C>& criterion, const MadeColumn& made, const CutLimits& limits) {
    const Cut sorted = scanned<C>(criterion, made, limits, Search::sort);
    const auto [best, clear] = by_hand<C>(criterion, made, limits);
    CHECK((sorted.score > -kInfinity) == (best.score > -kInfinity));
    if (sorted.score > -kInfinity) {
        CHECK(sorted.score == doctest::Approx(best.score).epsilon(1e-9));
        const HandCut done = test::carried_out(made.node(), sorted);
        if (clear) {
            CHECK(done.goes_left == best.goes_left);
            CHECK(done.threshold == best.threshold);
            if (limits.monotonic != 0) CHECK(sorted.middle == test::close_to(best.middle));
        }
    }
    for (const Search other : {Search::histogram, Search::automatic}) {
        CAPTURE(static_cast<int>(other));
        const Cut cut = scanned<C>(criterion, made, limits, other);
        CHECK(cut.score == sorted.score);
        CHECK(cut.border == sorted.border);
        CHECK(cut.within == sorted.within);
        CHECK(cut.middle == sorted.middle);
        if (cut.score > -kInfinity)
            CHECK(test::same_cuts(test::carried_out(made.node(), cut),
                                  test::carried_out(made.node(), sorted)));
    }
}

template <class C>
void check_scans(Rng& rng, const Target& target, double low, double high) {
    const std::size_t n = target.n_rows;
    for (const test::Weights weights : test::kAllWeights) {
        const LearningSubset subset = test::random_subset(rng, n, weights);
        ByRows<C> criterion(target, subset, test::kNeverStop);
        criterion.enter(subset.rows);
        test::for_all_shapes(rng, n, [&](const test::Shape& shape, const MadeColumn& made) {
            if (shape.levels * shape.step > 5000) return;  // a histogram of all codes
            for (const CutLimits& limits : all_limits(rng, n, criterion.weight(), low, high))
                check_scan<C>(criterion, made, limits);
        });
    }
}

TEST_CASE_TEMPLATE("sort and histogram find the same cut of classes, the best one", C,
                   ClassCounts<Gini>, ClassCounts<Entropy>, ClassCounts<Misclassification>) {
    Rng rng(70);
    for (int repeat = 0; repeat < 8; ++repeat)
        check_scans<C>(rng, test::random_classes(rng, 4 + test::pick(rng, 40), {2}), 0.2, 0.8);
    check_scans<C>(rng, test::random_classes(rng, 40, {4, 2}), 0.1, 0.9);
}

TEST_CASE_TEMPLATE("sort and histogram find the same cut of values, the best one", C,
                   Moments<SquaredError>, Moments<FriedmanImprovement>, OrderedTargets) {
    Rng rng(71);
    for (int repeat = 0; repeat < 8; ++repeat)
        check_scans<C>(rng, test::random_reals(rng, 4 + test::pick(rng, 40), 1), 8.0, 12.0);
}

TEST_CASE("sort and histogram find the same cut of counts, the best one") {
    Rng rng(72);
    for (int repeat = 0; repeat < 8; ++repeat)
        check_scans<Moments<PoissonDeviance>>(
            rng, test::random_counts(rng, 10 + test::pick(rng, 40), 1), 1.0, 2.0);
}

TEST_CASE("of equal cuts the lowest is taken") {
    Rng rng(73);
    const Target target = class_target(std::vector<std::int64_t>{0, 1, 0, 1}, 4, {2});
    const LearningSubset subset = test::subset_of(4);
    ByRows<ClassCounts<Misclassification>> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    const MadeColumn made(rng, {3, 5, 8, 9}, Kind::one_value);
    for (const Search search : test::kAllSearches)
        CHECK(scanned<ClassCounts<Misclassification>>(criterion, made, {.n = 4}, search).border ==
              5);
}

TEST_CASE("a later variable must be better, not equal") {
    Rng rng(73);
    const Target target = class_target(std::vector<std::int64_t>{0, 1}, 2, {2});
    const LearningSubset subset = test::subset_of(2);
    ByRows<ClassCounts<Gini>> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    const MadeColumn made(rng, {0, 1}, Kind::one_value);
    for (const Search search : test::kAllSearches) {
        Cut best = scanned<ClassCounts<Gini>>(criterion, made, {.n = 2}, search);
        CHECK(best.border == 1);
        best.border = 77;
        CHECK(scanned<ClassCounts<Gini>>(criterion, made, {.n = 2}, search, best).border == 77);
        best.score = std::nextafter(best.score, 0.0);
        CHECK(scanned<ClassCounts<Gini>>(criterion, made, {.n = 2}, search, best).border == 1);
    }
}

TEST_CASE("no cut is found where the limits allow none") {
    Rng rng(73);
    const Target target = class_target(std::vector<std::int64_t>{0, 1, 1}, 3, {2});
    const LearningSubset subset = test::subset_of(3);
    ByRows<ClassCounts<Gini>> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    const MadeColumn made(rng, {0, 1, 2}, Kind::one_value);
    for (const Search search : test::kAllSearches)
        for (const CutLimits& limits :
             {CutLimits{.n = 3, .min_samples_leaf = 2}, CutLimits{.n = 3, .min_weight_leaf = 1.5},
              CutLimits{.n = 3, .monotonic = -1}})
            CHECK(scanned<ClassCounts<Gini>>(criterion, made, limits, search).score == -kInfinity);
}

TEST_CASE("a scan feels a stop request") {
    Rng rng(73);
    const std::size_t n = 20000;
    const Target target = test::random_reals(rng, n, 1);
    const LearningSubset subset = test::subset_of(n);
    ByRows<Moments<SquaredError>> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    const MadeColumn made(rng, test::spread_codes(rng, n, 65536, 1), Kind::one_value);
    StopFlag stop;
    stop.request();
    ThresholdScan<Moments<SquaredError>> scan;
    Cut cut;
    for (const Search search : test::kAllSearches)
        CHECK_THROWS_AS(scan.best_cut(criterion, made.node(), {.n = n}, search, stop, cut),
                        Interrupted);
}

}  // namespace
}  // namespace silvics
