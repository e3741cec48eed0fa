#include "criterion/against_scratch.hpp"
#include "criterion/joint_counts.hpp"

namespace silvics {
namespace {

using test::ByRows;
using test::Rng;
using test::Rows;

template <class C>
using Counts =
    std::conditional_t<std::is_same_v<C, JointGini>, ClassCounts<Gini>, ClassCounts<Entropy>>;

std::vector<ClassId> random_widths(Rng& rng) {
    std::vector<ClassId> widths(2 + test::pick(rng, 3));
    for (ClassId& width : widths) width = static_cast<ClassId>(1 + test::pick(rng, 4));
    return widths;
}

std::size_t n_values(const Target& target) {
    std::size_t sum = 0;
    for (const ClassId width : target.n_classes) sum += width;
    return sum;
}

TEST_CASE_TEMPLATE("the statistics of a node of several outputs are those of class counts", C,
                   JointGini, JointEntropy) {
    Rng rng(130);
    for (int repeat = 0; repeat < 40; ++repeat) {
        const std::size_t n = 2 + test::pick(rng, 30);
        const Target target = test::random_classes(rng, n, random_widths(rng));
        const LearningSubset subset = test::heavy_subset(rng, n, 5);
        REQUIRE(C::suits(target, subset));
        ByRows<C> joint(target, subset, test::kNeverStop);
        ByRows<Counts<C>> counts(target, subset, test::kNeverStop);
        std::vector<double> value(n_values(target), -1.0), expected = value;
        for (int node = 0; node < 3; ++node) {
            const Rows rows = test::random_rows(rng, n);
            joint.enter(rows);
            counts.enter(rows);
            CHECK(joint.weight() == counts.weight());
            CHECK(joint.impurity() == counts.impurity());
            CHECK(joint.homogeneous() == counts.homogeneous());
            joint.write_value(value);
            counts.write_value(expected);
            CHECK(value == expected);
        }
    }
}

TEST_CASE_TEMPLATE("scores and decreases of several outputs are those of class counts", C,
                   JointGini, JointEntropy) {
    Rng rng(131);
    for (int repeat = 0; repeat < 60; ++repeat) {
        const std::size_t n = 3 + test::pick(rng, 30);
        const Target target = test::random_classes(rng, n, random_widths(rng));
        const LearningSubset subset = test::heavy_subset(rng, n, repeat % 2 == 0 ? 3 : 900);
        ByRows<C> joint(target, subset, test::kNeverStop);
        ByRows<Counts<C>> counts(target, subset, test::kNeverStop);
        for (int node = 0; node < 3; ++node) {
            const Rows rows = test::random_rows(rng, n);
            if (rows.size() < 2) continue;
            joint.enter(rows);
            counts.enter(rows);
            CHECK(joint.score_per_decrease() == counts.score_per_decrease());
            auto left = joint.begin_scan();
            counts.begin_scan();
            for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
                const std::uint64_t sample = joint.samples()[i];
                joint.move(left, C::class_of(sample), C::weight_of(sample));
                counts.move(static_cast<Position>(i));
                CHECK(joint.score(left) == test::close_to(counts.score()));
                CHECK(joint.decrease(joint.score(left)) ==
                      test::close_to(counts.decrease(counts.score())));
                if (i == 0) CHECK(joint.score(joint.sums_of_one(0)) == joint.score(left));
            }
        }
    }
}

TEST_CASE_TEMPLATE("a few outputs of classes and whole weights suit, nothing else does", C,
                   JointGini, JointEntropy) {
    Rng rng(132);
    const LearningSubset unit = test::subset_of(30);
    CHECK(C::suits(test::random_classes(rng, 30, {3, 3}), unit));
    CHECK(C::suits(test::random_classes(rng, 30, {32, 32}), unit));
    CHECK_FALSE(C::suits(test::random_classes(rng, 30, {32, 33}), unit));
    CHECK_FALSE(C::suits(test::random_classes(rng, 30, {3}), unit));
    CHECK_FALSE(C::suits(test::random_classes(rng, 30, std::vector<ClassId>(17, 1)), unit));
    const LearningSubset fractional = test::random_subset(rng, 30, test::Weights::fractional);
    CHECK_FALSE(C::suits(test::random_classes(rng, 30, {3, 3}), fractional));
}

}  // namespace
}  // namespace silvics
