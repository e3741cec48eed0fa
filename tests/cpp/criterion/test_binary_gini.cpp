#include "criterion/against_scratch.hpp"
#include "criterion/binary_gini.hpp"

namespace silvics {
namespace {

using test::ByRows;
using test::Rng;
using test::Rows;

double gini(const Target& target, const LearningSubset& subset, const Rows& rows, std::size_t) {
    double first = 0.0;
    for (const RowId row : rows)
        if (target.classes[row] == 0) first += subset.weight(row);
    const double share = first / test::weight_of(subset, rows);
    return 2.0 * share * (1.0 - share);
}

LearningSubset whole_subset(Rng& rng, std::size_t n, int kind) {
    if (kind == 0) return test::subset_of(n);
    return test::heavy_subset(rng, n, kind == 1 ? 5 : 1000000);
}

TEST_CASE("impurity and decrease of two classes are those of the definition") {
    Rng rng(24);
    for (int kind = 0; kind < 3; ++kind)
        for (int repeat = 0; repeat < 10; ++repeat) {
            const std::size_t n = 3 + test::pick(rng, 40);
            const Target target = test::random_classes(rng, n, {2});
            const LearningSubset subset = whole_subset(rng, n, kind);
            ByRows<BinaryGini> criterion(target, subset, test::kNeverStop);
            for (int node = 0; node < 2; ++node)
                test::check_order(test::check_sides(
                    criterion, rng, gini, target, subset, test::random_rows(rng, n),
                    [&](std::span<const std::uint8_t> marks) {
                        const auto left = criterion.sum_marked(marks);
                        return std::pair(BinaryGini::weight_of(left),
                                         test::score_of(criterion, left));
                    }));
        }
}

TEST_CASE("two classes are judged as class counts judge them, to the last bit") {
    Rng rng(25);
    for (int kind = 0; kind < 2; ++kind)
        for (int repeat = 0; repeat < 20; ++repeat) {
            const std::size_t n = 2 + test::pick(rng, 60);
            const Target target = test::random_classes(rng, n, {2});
            const LearningSubset subset = whole_subset(rng, n, kind);
            ByRows<BinaryGini> packed(target, subset, test::kNeverStop);
            ByRows<ClassCounts<Gini>> counts(target, subset, test::kNeverStop);
            const Rows rows = test::random_rows(rng, n);
            packed.enter(rows);
            counts.enter(rows);
            CHECK(packed.weight() == counts.weight());
            CHECK(packed.impurity() == counts.impurity());
            CHECK(packed.homogeneous() == counts.homogeneous());
            std::vector<double> value(2), expected(2);
            packed.write_value(value);
            counts.write_value(expected);
            CHECK(value == expected);
            if (packed.homogeneous()) {
                CHECK(packed.only_class() == counts.only_class());
                continue;
            }
            counts.begin_scan();
            BinaryGini::Statistic left = 0;
            for (Position i = 0; i + 1 < rows.size(); ++i) {
                counts.move(i);
                left += packed.sample(i);
                const double score = test::score_of(packed, left);
                CHECK(score == counts.score());
                CHECK(packed.decrease(score) == counts.decrease(counts.score()));
                CHECK(score <= packed.perfect_score());
            }
        }
}

TEST_CASE("the perfect score of two classes is that of a cut that parts them") {
    const Target target = class_target(std::vector<std::int64_t>{0, 1, 0, 1, 1}, 5, {2});
    const LearningSubset subset = test::subset_of(5, {1.0, 2.0, 3.0, 1.0, 4.0});
    ByRows<BinaryGini> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    for (const std::uint8_t first : {0, 1}) {
        std::vector<std::uint8_t> marks(5);
        for (std::size_t i = 0; i < 5; ++i)
            marks[i] = static_cast<std::uint8_t>(target.classes[i] == first);
        CHECK(test::score_of(criterion, criterion.sum_marked(marks)) == criterion.perfect_score());
    }
    CHECK(criterion.decrease(criterion.perfect_score()) == test::close_to(criterion.impurity()));
}

TEST_CASE("a word sums up weights to just below 2^32") {
    const std::size_t n = 4096;
    const Target target = class_target(std::vector<std::int64_t>(n, 0), n, {2});
    const LearningSubset subset = test::subset_of(n, std::vector<double>(n, 0x1.0p20 - 1));
    REQUIRE(BinaryGini::suits(target, subset));
    ByRows<BinaryGini> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    CHECK(criterion.weight() == 0x1.0p32 - 4096);
    CHECK(criterion.sum_y() == 0x1.0p32 - 4096);
    CHECK(criterion.homogeneous());
    CHECK(criterion.only_class() == 0);
}

TEST_CASE("squares and spread of some samples of two classes bound what they can explain") {
    Rng rng(26);
    for (int repeat = 0; repeat < 40; ++repeat) {
        const std::size_t n = 2 + test::pick(rng, 20);
        const Target target = test::random_classes(rng, n, {2});
        const LearningSubset subset = whole_subset(rng, n, repeat % 2);
        ByRows<BinaryGini> criterion(target, subset, test::kNeverStop);
        criterion.enter(subset.rows);
        BinaryGini::Statistic some = 0;
        double weight = 0.0, first = 0.0, squares = 0.0;
        const double mean = criterion.sum_y() / criterion.weight();
        for (RowId i = 0; i < n; ++i) {
            if (test::pick(rng, 2) == 0) continue;
            const double w = subset.weight(i), y = target.classes[i] == 0 ? 1.0 : 0.0;
            some += criterion.sample(i);
            weight += w;
            first += w * y;
            squares += w * (y - mean) * (y - mean);
        }
        CHECK(criterion.squares_of(some) == test::close_to(squares));
        CHECK(criterion.spread_of(some) == first * (weight - first));
    }
}

TEST_CASE("two classes of one output and whole weights suit, nothing else does") {
    Rng rng(27);
    const LearningSubset unit = test::subset_of(30);
    CHECK(BinaryGini::suits(test::random_classes(rng, 30, {2}), unit));
    CHECK_FALSE(BinaryGini::suits(test::random_classes(rng, 30, {3}), unit));
    CHECK_FALSE(BinaryGini::suits(test::random_classes(rng, 30, {1}), unit));
    CHECK_FALSE(BinaryGini::suits(test::random_classes(rng, 30, {2, 2}), unit));
    const LearningSubset fractional = test::random_subset(rng, 30, test::Weights::fractional);
    CHECK_FALSE(BinaryGini::suits(test::random_classes(rng, 30, {2}), fractional));
    const LearningSubset heavy = test::subset_of(5000, std::vector<double>(5000, 0x1.0p20 - 1));
    REQUIRE(heavy.whole_weights);
    CHECK_FALSE(BinaryGini::suits(test::random_classes(rng, 5000, {2}), heavy));
}

}  // namespace
}  // namespace silvics
