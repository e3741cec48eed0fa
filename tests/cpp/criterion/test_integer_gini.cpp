#include "criterion/against_scratch.hpp"
#include "criterion/integer_gini.hpp"

namespace silvics {
namespace {

using test::ByRows;
using test::Rng;
using test::Rows;
__extension__ using Wide = unsigned __int128;

double gini(const Target& target, const LearningSubset& subset, const Rows& rows, std::size_t) {
    std::vector<double> of_class(target.n_classes[0], 0.0);
    for (const RowId row : rows) of_class[target.classes[row]] += subset.weight(row);
    double sum = 0.0;
    for (const double w : of_class) {
        const double share = w / test::weight_of(subset, rows);
        sum += share * (1.0 - share);
    }
    return sum;
}

// The sum over classes of (l W - n L)^2, class by class and without rounding, over L (W - L).
double direct_score(const Target& target, const LearningSubset& subset, const Rows& rows,
                    std::span<const std::uint8_t> marks) {
    std::vector<std::int64_t> left(target.n_classes[0], 0), node(target.n_classes[0], 0);
    std::int64_t L = 0, W = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto w = static_cast<std::int64_t>(subset.weight(rows[i]));
        const ClassId c = target.classes[rows[i]];
        node[c] += w;
        W += w;
        if (marks[i] != 0) left[c] += w, L += w;
    }
    Wide sum = 0;
    for (std::size_t c = 0; c < node.size(); ++c) {
        const std::int64_t d = left[c] * W - node[c] * L;
        const Wide size = static_cast<std::uint64_t>(d < 0 ? -d : d);
        sum += size * size;
    }
    return static_cast<double>(sum) / (static_cast<double>(L) * static_cast<double>(W - L));
}

IntegerGini::LeftSums left_sums_of(IntegerGini& criterion, std::span<const std::uint8_t> marks) {
    auto left = criterion.begin_scan();
    const auto samples = criterion.samples();
    for (std::size_t i = 0; i < marks.size(); ++i)
        if (marks[i] != 0)
            criterion.move(left, IntegerGini::class_of(samples[i]),
                           IntegerGini::weight_of(samples[i]));
    return left;
}

TEST_CASE("impurity and decrease of many classes are those of the definition") {
    Rng rng(28);
    for (const ClassId n_classes : {2U, 3U, 40U})
        for (int repeat = 0; repeat < 12; ++repeat) {
            const std::size_t n = 3 + test::pick(rng, 40);
            const Target target = test::random_classes(rng, n, {n_classes});
            const LearningSubset subset =
                repeat % 3 == 0 ? test::subset_of(n)
                                : test::heavy_subset(rng, n, repeat % 3 == 1 ? 5 : 1000000);
            ByRows<IntegerGini> criterion(target, subset, test::kNeverStop);
            for (int node = 0; node < 2; ++node)  // a node leaves nothing behind in the next
                test::check_order(test::check_sides(
                    criterion, rng, gini, target, subset, test::random_rows(rng, n),
                    [&](std::span<const std::uint8_t> marks) {
                        const auto left = left_sums_of(criterion, marks);
                        return std::pair(static_cast<double>(left.weight), criterion.score(left));
                    }));
        }
}

TEST_CASE("the score of many classes is the sum over classes, to the last bit at any weight") {
    Rng rng(29);
    // Around the weight up to which a word holds the sum, and up to all that is allowed.
    for (const double whole :
         {20.0, 1000.0, 45998.0, 45999.0, 46000.0, 46001.0, 60000.0, 1e5, 3e5, 1e6, 2e7})
        for (int repeat = 0; repeat < 20; ++repeat) {
            CAPTURE(whole);
            const std::size_t n = 2 + test::pick(rng, 18);
            const auto n_classes = static_cast<ClassId>(2 + test::pick(rng, 6));
            const Target target = test::random_classes(rng, n, {n_classes});
            std::vector<double> weights(n, 1.0);  // that sum up to the whole
            const double share = std::floor(whole / static_cast<double>(n));
            double rest = whole;
            for (std::size_t i = 0; i + 1 < n; ++i) {
                weights[i] = std::min(share, 0x1.0p20 - 1);
                rest -= weights[i];
            }
            weights.back() = std::min(rest, 0x1.0p20 - 1);
            const LearningSubset subset = test::subset_of(n, weights);
            REQUIRE(subset.unit == 1.0);
            ByRows<IntegerGini> criterion(target, subset, test::kNeverStop);
            criterion.enter(subset.rows);
            std::vector<std::uint8_t> marks(n);
            for (std::size_t i = 0; i < n; ++i)
                marks[i] = static_cast<std::uint8_t>(i == 0 || (i + 1 < n && test::pick(rng, 2)));
            CHECK(criterion.score(left_sums_of(criterion, marks)) ==
                  direct_score(target, subset, subset.rows, marks));
        }
}

TEST_CASE("sums left of a cut hold weights to just below 2^31") {
    const std::size_t n = 2048;
    std::vector<std::int64_t> y(n);
    for (std::size_t i = 0; i < n; ++i) y[i] = static_cast<std::int64_t>(i % 3);
    const Target target = class_target(y, n, {3});
    const LearningSubset subset = test::subset_of(n, std::vector<double>(n, 0x1.0p20 - 1));
    REQUIRE(IntegerGini::suits(target, subset));
    ByRows<IntegerGini> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    CHECK(criterion.weight() == 0x1.0p31 - 2048);
    std::vector<std::uint8_t> marks(n);
    for (std::size_t i = 0; i < n; ++i) marks[i] = static_cast<std::uint8_t>(y[i] == 0);
    CHECK(criterion.score(left_sums_of(criterion, marks)) ==
          direct_score(target, subset, subset.rows, marks));
    for (std::size_t i = 0; i < n; ++i) marks[i] = static_cast<std::uint8_t>(i % 2);
    CHECK(criterion.score(left_sums_of(criterion, marks)) ==
          direct_score(target, subset, subset.rows, marks));
}

TEST_CASE("the perfect score of many classes is known where two are present") {
    const Target target = class_target(std::vector<std::int64_t>{4, 1, 4, 1, 2}, 5, {5});
    const LearningSubset subset = test::subset_of(5, {1.0, 2.0, 3.0, 1.0, 4.0});
    ByRows<IntegerGini> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    CHECK(criterion.perfect_score() == INFINITY);
    criterion.enter(Rows{0, 1, 2, 3});
    const std::uint8_t parts[] = {1, 0, 1, 0}, others[] = {1, 1, 1, 0};
    CHECK(criterion.score(left_sums_of(criterion, parts)) == criterion.perfect_score());
    CHECK(criterion.score(left_sums_of(criterion, others)) < criterion.perfect_score());
}

TEST_CASE("Gini in integers suits weights below 2^31") {
    Rng rng(22);
    const auto heavy = [](std::size_t n) {
        return test::subset_of(n, std::vector<double>(n, 0x1.0p20 - 1));
    };
    REQUIRE(heavy(2100).whole_weights);
    CHECK(IntegerGini::suits(test::random_classes(rng, 2048, {3}), heavy(2048)));
    CHECK_FALSE(IntegerGini::suits(test::random_classes(rng, 2100, {3}), heavy(2100)));
}

}  // namespace
}  // namespace silvics
