#include "criterion/against_scratch.hpp"
#include "criterion/class_counts.hpp"
#include "criterion/moments.hpp"
#include "criterion/ordered_targets.hpp"
#include "splitter/scan_sums.hpp"
#include "splitter/scan_thresholds.hpp"

namespace silvics {
namespace {

using test::Rng;

struct ScanCase {
    std::vector<Code> codes;
    CodeRange range;
};

ScanCase random_codes(Rng& rng, std::size_t n, std::size_t levels) {
    ScanCase scan;
    while (scan.range.constant()) {
        scan.codes.clear();
        scan.range = {};
        for (std::size_t i = 0; i < n; ++i) {
            const auto code = static_cast<Code>(10 + test::pick(rng, levels));
            scan.codes.push_back(code);
            scan.range = {std::min(scan.range.low, code), std::max(scan.range.high, code)};
        }
    }
    return scan;
}

std::vector<std::uint64_t> sorted_keys(const ScanCase& scan) {
    const StopFlag stop;
    std::vector<std::uint64_t> keys, scratch;
    for (std::size_t i = 0; i < scan.codes.size(); ++i)
        keys.push_back(std::uint64_t{scan.codes[i]} << 32 | i);
    sort_keys(keys, scratch, scan.range.low, scan.range.high, stop);
    return keys;
}

template <class C>
Cut by_sort(C& criterion, const ScanCase& scan, const CutLimits& limits) {
    const auto keys = sorted_keys(scan);
    Cut cut;
    scan_thresholds(criterion, SortedGroups<C>(criterion, keys), limits, test::kNeverStop, cut);
    return cut;
}

template <class C>
Cut by_histogram(C& criterion, const ScanCase& scan, const CutLimits& limits) {
    const StopFlag stop;
    typename HistogramGroups<C>::Storage storage;
    Cut cut;
    scan_thresholds(criterion, HistogramGroups<C>(criterion, scan.codes, scan.range, storage, stop),
                    limits, test::kNeverStop, cut);
    return cut;
}

struct HandCut {
    Cut best;
    bool clear = true;  // no other cut is as good but for rounding
};

// Every cut between codes on its own: the best score of those allowed.
template <class C>
HandCut by_hand(C& criterion, const ScanCase& scan, const CutLimits& limits) {
    HandCut hand;
    std::vector<Code> levels = scan.codes;
    std::ranges::sort(levels);
    levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
    for (std::size_t level = 0; level + 1 < levels.size(); ++level) {
        criterion.begin_scan();
        std::size_t n_left = 0;
        for (std::size_t i = 0; i < scan.codes.size(); ++i)
            if (scan.codes[i] <= levels[level]) {
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
        const double score = criterion.score();
        if (!allowed || score == -kInfinity) continue;
        if (std::fabs(score - hand.best.score) <= 1e-9) hand.clear = false;
        if (score > hand.best.score + 1e-9)
            hand = {{score, levels[level], levels[level + 1], (vl + vr) / 2}, true};
    }
    return hand;
}

Cut by_sums(const OneSum& node, const ScanCase& scan, const CutLimits& limits, Search search) {
    const StopFlag stop;
    SumScan sums;
    if (search == Search::sort)
        sums.sorted(node, sorted_keys(scan));
    else
        sums.histogram(node, scan.codes, scan.range, stop);
    Cut cut;
    sums.keep_best(node, limits, cut);
    return cut;
}

// To the last bit.
void check_same(const Cut& a, const Cut& b) {
    CHECK(a.score == b.score);
    CHECK(a.left == b.left);
    CHECK(a.right == b.right);
    CHECK(a.middle == b.middle);
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
void check_scans(Rng& rng, const Target& target, double low, double high) {
    const std::size_t n = target.n_rows;
    for (const test::Weights weights : test::kAllWeights) {
        const LearningSubset subset = test::random_subset(rng, n, weights);
        C criterion(target, subset, test::kNeverStop);
        criterion.enter(subset.rows);
        for (const std::size_t levels : {2U, 5U, 50U})
            for (const CutLimits& limits : all_limits(rng, n, criterion.weight(), low, high)) {
                const ScanCase scan = random_codes(rng, n, levels);
                const Cut sorted = by_sort(criterion, scan, limits);
                const auto [best, clear] = by_hand(criterion, scan, limits);
                CHECK((sorted.score > -kInfinity) == (best.score > -kInfinity));
                if (best.score > -kInfinity)
                    CHECK(sorted.score == doctest::Approx(best.score).epsilon(1e-9));
                if (best.score > -kInfinity && clear) {
                    CHECK(sorted.left == best.left);
                    CHECK(sorted.right == best.right);
                    if (limits.monotonic != 0) CHECK(sorted.middle == test::close_to(best.middle));
                }
                if constexpr (C::kSummable)
                    check_same(by_histogram(criterion, scan, limits), sorted);
                if constexpr (requires { criterion.one_sum(); }) {
                    const OneSum node = criterion.one_sum();
                    if (node.samples.empty() || limits.monotonic != 0) continue;
                    check_same(by_sums(node, scan, limits, Search::sort), sorted);
                    check_same(by_sums(node, scan, limits, Search::histogram), sorted);
                }
            }
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

TEST_CASE("one sum judges Gini of two classes and squared error of one output, and no others") {
    Rng rng(73);
    const LearningSubset subset = test::subset_of(30);
    const auto judges = [&]<class C>(std::type_identity<C>, const Target& target) {
        C criterion(target, subset, test::kNeverStop);
        criterion.enter(subset.rows);
        return criterion.one_sum().samples.size() == 30;
    };
    using GiniCounts = std::type_identity<ClassCounts<Gini>>;
    using Variance = std::type_identity<Moments<SquaredError>>;
    CHECK(judges(GiniCounts{}, test::random_classes(rng, 30, {2})));
    CHECK_FALSE(judges(GiniCounts{}, test::random_classes(rng, 30, {3})));
    CHECK_FALSE(judges(GiniCounts{}, test::random_classes(rng, 30, {2, 2})));
    CHECK_FALSE(
        judges(std::type_identity<ClassCounts<Entropy>>{}, test::random_classes(rng, 30, {2})));
    CHECK(judges(Variance{}, test::random_reals(rng, 30, 1)));
    CHECK_FALSE(judges(Variance{}, test::random_reals(rng, 30, 2)));
    CHECK_FALSE(
        judges(std::type_identity<Moments<PoissonDeviance>>{}, test::random_counts(rng, 30, 1)));
}

TEST_CASE("of equal cuts the lowest is taken") {
    const Target target = class_target(std::vector<std::int64_t>{0, 1, 0, 1}, 4, {2});
    const LearningSubset subset = test::subset_of(4);
    ClassCounts<Misclassification> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    const ScanCase scan{{3, 5, 8, 9}, {3, 9}};
    for (const Cut& cut :
         {by_sort(criterion, scan, {.n = 4}), by_histogram(criterion, scan, {.n = 4})}) {
        CHECK(cut.left == 3);
        CHECK(cut.right == 5);
    }
}

TEST_CASE("a later variable must be better, not equal") {
    const Target target = class_target(std::vector<std::int64_t>{0, 1}, 2, {2});
    const LearningSubset subset = test::subset_of(2);
    ClassCounts<Gini> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    const ScanCase scan{{0, 1}, {0, 1}};
    const Cut first = by_sort(criterion, scan, {.n = 2});
    Cut best = first;
    best.left = 77;
    std::vector<std::uint64_t> keys = {0, std::uint64_t{1} << 32 | 1};
    scan_thresholds(criterion, SortedGroups<ClassCounts<Gini>>(criterion, keys), {.n = 2},
                    test::kNeverStop, best);
    CHECK(best.left == 77);
}

TEST_CASE("no cut is found where the limits allow none") {
    const Target target = class_target(std::vector<std::int64_t>{0, 1, 1}, 3, {2});
    const LearningSubset subset = test::subset_of(3);
    ClassCounts<Gini> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    const ScanCase scan{{0, 1, 2}, {0, 2}};
    CHECK(by_sort(criterion, scan, {.n = 3, .min_samples_leaf = 2}).score == -kInfinity);
    CHECK(by_histogram(criterion, scan, {.n = 3, .min_weight_leaf = 1.5}).score == -kInfinity);
    CHECK(by_sort(criterion, scan, {.n = 3, .monotonic = -1}).score == -kInfinity);
}

}  // namespace
}  // namespace silvics
