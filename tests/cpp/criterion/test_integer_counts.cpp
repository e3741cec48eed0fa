#include "criterion/against_scratch.hpp"
#include "criterion/integer_counts.hpp"
#include "criterion/integer_entropy.hpp"
#include "criterion/integer_gini.hpp"

namespace silvics {
namespace {

using test::ByRows;
using test::Rng;
using test::Rows;

template <class C>
using Counts =
    std::conditional_t<std::is_same_v<C, IntegerGini>, ClassCounts<Gini>, ClassCounts<Entropy>>;

TEST_CASE_TEMPLATE("the statistics of a node of many classes are those of class counts", C,
                   IntegerGini, IntegerEntropy) {
    Rng rng(23);
    for (int repeat = 0; repeat < 30; ++repeat) {
        const std::size_t n = 2 + test::pick(rng, 30);
        const Target target =
            test::random_classes(rng, n, {static_cast<ClassId>(1 + test::pick(rng, 9))});
        const LearningSubset subset = test::heavy_subset(rng, n, 5);
        ByRows<C> integers(target, subset, test::kNeverStop);
        ByRows<Counts<C>> counts(target, subset, test::kNeverStop);
        std::vector<double> value(target.n_classes[0], -1.0), expected = value;
        for (int node = 0; node < 3; ++node) {
            const Rows rows = test::random_rows(rng, n);
            integers.enter(rows);
            counts.enter(rows);
            CHECK(integers.weight() == counts.weight());
            CHECK(integers.impurity() == counts.impurity());
            CHECK(integers.homogeneous() == counts.homogeneous());
            integers.write_value(value);
            counts.write_value(expected);
            CHECK(value == expected);
            CHECK(integers.n_present() == static_cast<std::size_t>(std::ranges::count_if(
                                              value, [](double w) { return w > 0.0; })));
            if (integers.homogeneous()) CHECK(integers.only_class() == counts.only_class());
        }
    }
}

// The sums left of a cut, moved sample by sample.
template <class C>
typename C::LeftSums moved(C& criterion, std::span<const std::uint8_t> marks) {
    auto left = criterion.begin_scan();
    const auto samples = criterion.samples();
    for (std::size_t i = 0; i < marks.size(); ++i)
        if (marks[i] != 0) criterion.move(left, C::class_of(samples[i]), C::weight_of(samples[i]));
    return left;
}

TEST_CASE_TEMPLATE("up to four classes are packed in words, whose sums are those of the samples", C,
                   IntegerGini, IntegerEntropy) {
    Rng rng(24);
    std::size_t several = 0;  // nodes that need several words per sample
    for (ClassId n_classes = 1; n_classes <= 6; ++n_classes)
        for (const std::size_t heaviest : {1U, 3U, 40U, 20000U, 500000U}) {
            CAPTURE(n_classes);
            CAPTURE(heaviest);
            const std::size_t n = 2 + test::pick(rng, 30);
            const Target target = test::random_classes(rng, n, {n_classes});
            const LearningSubset subset = test::heavy_subset(rng, n, heaviest);
            REQUIRE(C::suits(target, subset));
            ByRows<C> criterion(target, subset, test::kNeverStop);
            for (int node = 0; node < 9; ++node) {
                const Rows rows = test::random_rows(rng, n);
                criterion.enter(rows);
                CHECK(criterion.packs() == (n_classes <= 4));
                if (!criterion.packs()) continue;
                std::vector<std::uint8_t> marks(rows.size());
                for (auto& mark : marks) mark = static_cast<std::uint8_t>(test::pick(rng, 2));
                std::size_t planes = 0;
                const auto summed = criterion.sums_of_words([&](const std::uint64_t* words) {
                    ++planes;
                    return kernels().sum_words_marked(words, marks.data(), marks.size());
                });
                several += planes > 1;
                CHECK(planes <= 2);
                const auto left = moved<C>(criterion, marks);
                CHECK(summed.weight == left.weight);
                if (left.weight > 0 && static_cast<double>(left.weight) < criterion.weight())
                    CHECK(criterion.score(summed) == criterion.score(left));
                for (std::size_t i = 0; i < marks.size(); ++i) {
                    if (marks.size() == 1) break;
                    std::vector<std::uint8_t> only(marks.size(), 0);
                    only[i] = 1;
                    const auto one = criterion.sums_of_one(i);
                    CHECK(one.weight == moved<C>(criterion, only).weight);
                    CHECK(criterion.score(one) == criterion.score(moved<C>(criterion, only)));
                }
            }
        }
    CHECK(several > 5);
}

TEST_CASE_TEMPLATE("four classes fit two words at the largest weight", C, IntegerGini,
                   IntegerEntropy) {
    const std::size_t n = std::is_same_v<C, IntegerGini> ? 2048 : 32;
    std::vector<std::int64_t> y(n);
    for (std::size_t i = 0; i < n; ++i) y[i] = static_cast<std::int64_t>(i % 4);
    const Target target = class_target(y, n, {4});
    const LearningSubset subset = test::subset_of(n, std::vector<double>(n, 0x1.0p20 - 1));
    REQUIRE(C::suits(target, subset));
    ByRows<C> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    REQUIRE(criterion.packs());
    std::vector<std::uint8_t> marks(n);
    for (std::size_t i = 0; i < n; ++i) marks[i] = static_cast<std::uint8_t>(i % 3 == 0);
    const auto summed = criterion.sums_of_words([&](const std::uint64_t* words) {
        return kernels().sum_words_marked(words, marks.data(), n);
    });
    CHECK(criterion.score(summed) == criterion.score(moved<C>(criterion, marks)));
}

TEST_CASE_TEMPLATE("classes of one output and whole weights suit, nothing else does", C,
                   IntegerGini, IntegerEntropy) {
    Rng rng(22);
    const LearningSubset unit = test::subset_of(30);
    CHECK(C::suits(test::random_classes(rng, 30, {2}), unit));
    CHECK(C::suits(test::random_classes(rng, 30, {7}), unit));
    CHECK_FALSE(C::suits(test::random_classes(rng, 30, {3, 3}), unit));
    const LearningSubset fractional = test::random_subset(rng, 30, test::Weights::fractional);
    CHECK_FALSE(C::suits(test::random_classes(rng, 30, {3}), fractional));
}

}  // namespace
}  // namespace silvics
