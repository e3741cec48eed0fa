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

TEST_CASE_TEMPLATE("classes of one output and whole weights suit, nothing else does", C,
                   IntegerGini, IntegerEntropy) {
    Rng rng(22);
    const LearningSubset unit = test::subset_of(30);
    CHECK(C::suits(test::random_classes(rng, 30, {2}), unit));
    CHECK(C::suits(test::random_classes(rng, 30, {7}), unit));
    CHECK_FALSE(C::suits(test::random_classes(rng, 30, {3, 3}), unit));
    CHECK_FALSE(C::suits(test::random_classes(rng, 30, {3}),
                         test::random_subset(rng, 30, test::Weights::fractional)));
}

}  // namespace
}  // namespace silvics
