#include "criterion/against_scratch.hpp"
#include "criterion/integer_entropy.hpp"

namespace silvics {

// A term is rounded to within 2^-33, and a node of weight W has fewer than W + 4 terms.
template <>
inline constexpr double test::kDecreaseTolerance<IntegerEntropy> = 1e-9;

namespace {

using test::ByRows;
using test::Rng;
using test::Rows;

double entropy(const Target& target, const LearningSubset& subset, const Rows& rows, std::size_t) {
    std::vector<double> of_class(target.n_classes[0], 0.0);
    for (const RowId row : rows) of_class[target.classes[row]] += subset.weight(row);
    double sum = 0.0;
    for (const double w : of_class) {
        const double share = w / test::weight_of(subset, rows);
        if (share > 0.0) sum -= share * std::log2(share);
    }
    return sum;
}

IntegerEntropy::LeftSums left_sums_of(IntegerEntropy& criterion,
                                      std::span<const std::uint8_t> marks) {
    auto left = criterion.begin_scan();
    const auto samples = criterion.samples();
    for (std::size_t i = 0; i < marks.size(); ++i)
        if (marks[i] != 0)
            criterion.move(left, IntegerEntropy::class_of(samples[i]),
                           IntegerEntropy::weight_of(samples[i]));
    return left;
}

TEST_CASE("impurity and decrease of entropy are those of the definition") {
    Rng rng(28);
    for (const ClassId n_classes : {2U, 3U, 40U})
        for (int repeat = 0; repeat < 12; ++repeat) {
            const std::size_t n = 3 + test::pick(rng, 40);
            const Target target = test::random_classes(rng, n, {n_classes});
            const LearningSubset subset =
                repeat % 3 == 0 ? test::subset_of(n)
                                : test::heavy_subset(rng, n, repeat % 3 == 1 ? 5 : 500000);
            ByRows<IntegerEntropy> criterion(target, subset, test::kNeverStop);
            for (int node = 0; node < 2; ++node)  // a node leaves nothing behind in the next
                test::check_order(test::check_sides(
                    criterion, rng, entropy, target, subset, test::random_rows(rng, n),
                    [&](std::span<const std::uint8_t> marks) {
                        const auto left = left_sums_of(criterion, marks);
                        return std::pair(static_cast<double>(left.weight), criterion.score(left));
                    }));
        }
}

TEST_CASE("scores and decreases are those of class counts, to the last bit") {
    Rng rng(30);
    for (int repeat = 0; repeat < 60; ++repeat) {
        const std::size_t n = 2 + test::pick(rng, 60);
        const Target target =
            test::random_classes(rng, n, {static_cast<ClassId>(2 + test::pick(rng, 9))});
        const LearningSubset subset = test::heavy_subset(rng, n, repeat % 2 == 0 ? 5 : 900);
        ByRows<IntegerEntropy> integers(target, subset, test::kNeverStop);
        ByRows<ClassCounts<Entropy>> counts(target, subset, test::kNeverStop);
        integers.enter(subset.rows);
        counts.enter(subset.rows);
        std::vector<std::uint8_t> marks(n);
        std::vector<double> left(target.n_classes[0], 0.0), node = left;
        double left_weight = 0.0, weight = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            const RowId row = subset.rows[i];
            marks[i] = static_cast<std::uint8_t>(i == 0 || (i + 1 < n && test::pick(rng, 2)));
            node[target.classes[row]] += subset.weight(row);
            weight += subset.weight(row);
            if (marks[i] == 0) continue;
            left[target.classes[row]] += subset.weight(row);
            left_weight += subset.weight(row);
        }
        const double score = integers.score(left_sums_of(integers, marks));
        CHECK(score == Entropy::score({left_weight, left}, {weight, node}));
        CHECK(integers.decrease(score) == counts.decrease(score));
    }
}

TEST_CASE("sums left of a cut hold weights to just below 2^25") {
    const std::size_t n = 32;
    std::vector<std::int64_t> y(n);
    for (std::size_t i = 0; i < n; ++i) y[i] = static_cast<std::int64_t>(i % 2);
    const Target target = class_target(y, n, {2});
    const LearningSubset subset = test::subset_of(n, std::vector<double>(n, 0x1.0p20 - 1));
    REQUIRE(IntegerEntropy::suits(target, subset));
    ByRows<IntegerEntropy> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    std::vector<std::uint8_t> marks(n);
    for (std::size_t i = 0; i < n; ++i) marks[i] = static_cast<std::uint8_t>(y[i] == 0);
    CHECK(criterion.score(left_sums_of(criterion, marks)) == 0.0);
    CHECK(criterion.decrease(0.0) == doctest::Approx(1.0).epsilon(1e-12));
    for (std::size_t i = 0; i < n; ++i) marks[i] = static_cast<std::uint8_t>(i < 16);
    CHECK(criterion.decrease(criterion.score(left_sums_of(criterion, marks))) ==
          doctest::Approx(0.0).epsilon(1e-12));
}

TEST_CASE("the scores of bins are those of their cuts, and bounds hold for cuts within them") {
    Rng rng(31);
    std::size_t above = 0, below = 0;
    for (int repeat = 0; repeat < 60; ++repeat) {
        const std::size_t n_bins = 4 + test::pick(rng, 60), n = n_bins * (1 + test::pick(rng, 12));
        const std::size_t heaviest[] = {1, 7, std::min<std::size_t>((1U << 25) / n, 1U << 20) - 1};
        const auto n_classes = static_cast<ClassId>(2 + test::pick(rng, 7));
        // Samples in the order of their bins; classes depend on bins, or do not.
        std::vector<std::size_t> bin(n);
        for (std::size_t& b : bin) b = test::pick(rng, n_bins);
        bin[0] = 0;
        std::ranges::sort(bin);
        std::vector<std::int64_t> y(n);
        for (std::size_t i = 0; i < n; ++i)
            y[i] = static_cast<std::int64_t>(test::pick(rng, 3) < static_cast<unsigned>(repeat % 3)
                                                 ? test::pick(rng, n_classes)
                                                 : bin[i] * n_classes / n_bins);
        const Target target = class_target(y, n, {n_classes});
        const LearningSubset subset = test::heavy_subset(rng, n, heaviest[repeat % 3]);
        REQUIRE(IntegerEntropy::suits(target, subset));
        ByRows<IntegerEntropy> criterion(target, subset, test::kNeverStop);
        criterion.enter(subset.rows);
        if (criterion.homogeneous()) continue;
        const std::size_t K = criterion.n_present();
        std::vector<std::uint32_t> weight(n_bins + 1, 0), classes(K * (n_bins + 1), 0);
        for (std::size_t i = 0; i < n; ++i) {
            const auto w = static_cast<std::uint32_t>(subset.weight(static_cast<RowId>(i)));
            const auto k =
                static_cast<std::size_t>(std::ranges::find(criterion.present(), target.classes[i]) -
                                         criterion.present().begin());
            for (std::size_t b = bin[i] + 1; b <= n_bins; ++b)
                weight[b] += w, classes[k * (n_bins + 1) + b] += w;
        }
        std::vector<double> score(n_bins), bound(n_bins);
        criterion.score_bins({weight.data(), classes.data(), n_bins, K}, true, score.data(),
                             bound.data());
        double best = -INFINITY;
        std::vector<double> best_of_bin(n_bins, -INFINITY);
        auto left = criterion.begin_scan();
        const auto samples = criterion.samples();
        for (std::size_t i = 0; i + 1 < n; ++i) {
            criterion.move(left, IntegerEntropy::class_of(samples[i]),
                           IntegerEntropy::weight_of(samples[i]));
            const double of_cut = criterion.score(left);
            best = std::max(best, of_cut);
            if (bin[i] == bin[i + 1])
                best_of_bin[bin[i]] = std::max(best_of_bin[bin[i]], of_cut);
            else
                CHECK(score[bin[i]] == of_cut);
        }
        for (std::size_t b = 0; b < n_bins; ++b) {
            if (best_of_bin[b] == -INFINITY) continue;
            CHECK(bound[b] >= criterion.open_from(best_of_bin[b]));
            (bound[b] >= criterion.open_from(best) ? above : below) += 1;
        }
    }
    CHECK(below > above);  // most bins need no second look
}

TEST_CASE("the perfect score of entropy is known where two classes are present") {
    const Target target = class_target(std::vector<std::int64_t>{4, 1, 4, 1, 2}, 5, {5});
    const LearningSubset subset = test::subset_of(5, {1.0, 2.0, 3.0, 1.0, 4.0});
    ByRows<IntegerEntropy> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    CHECK(criterion.perfect_score() == INFINITY);
    criterion.enter(Rows{0, 1, 2, 3});
    const std::uint8_t parts[] = {1, 0, 1, 0}, others[] = {1, 1, 1, 0};
    CHECK(criterion.score(left_sums_of(criterion, parts)) == criterion.perfect_score());
    CHECK(criterion.score(left_sums_of(criterion, others)) < criterion.perfect_score());
}

TEST_CASE("entropy in integers suits weights below 2^25") {
    Rng rng(22);
    const auto heavy = [](std::size_t n) {
        return test::subset_of(n, std::vector<double>(n, 0x1.0p20 - 1));
    };
    CHECK(IntegerEntropy::suits(test::random_classes(rng, 32, {3}), heavy(32)));
    CHECK_FALSE(IntegerEntropy::suits(test::random_classes(rng, 33, {3}), heavy(33)));
}

}  // namespace
}  // namespace silvics
