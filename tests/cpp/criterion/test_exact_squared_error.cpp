#include "criterion/against_scratch.hpp"
#include "criterion/exact_squared_error.hpp"

namespace silvics {
namespace {

using test::ByRows;
using test::Rng;
using test::Rows;
__extension__ using Exact = __int128;

double output(const Target& target, RowId row) { return target.original[row]; }

double variance(const Target& target, const LearningSubset& subset, const Rows& rows, std::size_t) {
    const double weight = test::weight_of(subset, rows);
    double mean = 0.0, sum = 0.0;
    for (const RowId row : rows) mean += subset.weight(row) * output(target, row) / weight;
    for (const RowId row : rows)
        sum += subset.weight(row) * (output(target, row) - mean) * (output(target, row) - mean);
    return sum / weight;
}

LearningSubset whole_subset(Rng& rng, std::size_t n, int kind) {
    if (kind == 0) return test::subset_of(n);
    return test::heavy_subset(rng, n, kind == 1 ? 5 : 100000);
}

Target random_target(Rng& rng, std::size_t n, int kind) {
    return kind == 0 ? test::random_reals(rng, n, 1) : test::random_counts(rng, n, 1);
}

TEST_CASE("impurity and decrease of one mean are those of the definition") {
    Rng rng(33);
    for (int kind = 0; kind < 3; ++kind)
        for (int repeat = 0; repeat < 10; ++repeat) {
            const std::size_t n = 3 + test::pick(rng, 40);
            const Target target = random_target(rng, n, repeat % 2);
            const LearningSubset subset = whole_subset(rng, n, kind);
            ByRows<ExactSquaredError> criterion(target, subset, test::kNeverStop);
            for (int node = 0; node < 2; ++node)
                test::check_order(test::check_sides(
                    criterion, rng, variance, target, subset, test::random_rows(rng, n),
                    [&](std::span<const std::uint8_t> marks) {
                        const auto left = criterion.sum_marked(marks);
                        return std::pair(ExactSquaredError::weight_of(left),
                                         test::score_of(criterion, left));
                    }));
        }
}

// An output as ExactSquaredError sums it: a multiple of 2^-2b, where a tree of weight 2^k has b + k
// = 51.
struct Grid {
    int bits;
    explicit Grid(const LearningSubset& subset)
        : bits(51 - std::bit_width(static_cast<std::uint64_t>(subset.whole))) {}

    Exact steps(double y) const {
        const double high = std::nearbyint(std::ldexp(y, bits));
        const double low = std::nearbyint(std::ldexp(y - std::ldexp(high, -bits), 2 * bits));
        return (static_cast<Exact>(high) << bits) + static_cast<Exact>(low);
    }
    double value(Exact steps) const { return std::ldexp(static_cast<double>(steps), -2 * bits); }
};

// Sums of the node and of part of it, against integers; what the grid leaves out is less than
// 2^-49 of an output each.
void check_exact(Rng& rng, const Target& target, const LearningSubset& subset, const Rows& rows) {
    const Grid grid(subset);
    ByRows<ExactSquaredError> criterion(target, subset, test::kNeverStop);
    criterion.enter(rows);
    criterion.prepare_search();
    Exact whole = 0, marked = 0;
    double marked_weight = 0.0;
    long double plain = 0.0L;
    std::vector<std::uint8_t> marks(rows.size());
    Moment by_sample;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double w = subset.weight(rows[i]), y = target.value(0, rows[i]);
        const Exact steps = static_cast<Exact>(w) * grid.steps(y);
        whole += steps;
        plain += static_cast<long double>(w) * y;
        marks[i] = static_cast<std::uint8_t>(test::pick(rng, 2));
        if (marks[i] == 0) continue;
        marked += steps;
        marked_weight += w;
        by_sample += criterion.samples()[i];
    }
    CHECK(criterion.weight() == test::weight_of(subset, rows));
    CHECK(criterion.sum_y() == grid.value(whole));
    CHECK(std::fabs(static_cast<double>(plain - criterion.sum_y())) <=
          0x1.0p-49 * criterion.weight());
    const Moment sum = criterion.sum_marked(marks);
    CHECK(ExactSquaredError::weight_of(sum) == marked_weight);
    CHECK(ExactSquaredError::sum_y_of(sum) == grid.value(marked));
    CHECK(ExactSquaredError::weight_of(by_sample) == marked_weight);
    CHECK(ExactSquaredError::sum_y_of(by_sample) == grid.value(marked));
}

TEST_CASE("sums of outputs are exact but for the grid") {
    Rng rng(34);
    for (const std::size_t largest : {1U, 5U, 1000U, 100000U})
        for (const std::size_t n : {2U, 3U, 10U, 33U, 400U})
            for (int repeat = 0; repeat < 4; ++repeat) {
                CAPTURE(largest);
                CAPTURE(n);
                const Target target = random_target(rng, n, repeat % 2);
                const LearningSubset subset = test::heavy_subset(rng, n, largest);
                REQUIRE(ExactSquaredError::suits(target, subset));
                check_exact(rng, target, subset, subset.rows);
                check_exact(rng, target, subset, test::random_rows(rng, n));
            }
}

TEST_CASE("sums of outputs are exact to just below a weight of 2^26") {
    Rng rng(35);
    const std::size_t n = 64;
    std::vector<double> y(n);
    for (std::size_t i = 0; i < n; ++i) y[i] = i % 2 == 0 ? 1.0 - 0x1.0p-53 : 1e-17;
    y[0] = -1.0;
    const LearningSubset subset = test::subset_of(n, std::vector<double>(n, 0x1.0p20 - 1));
    const Target target = real_target(y, n, 1, true);
    REQUIRE(ExactSquaredError::suits(target, subset));
    check_exact(rng, target, subset, subset.rows);
}

TEST_CASE("sums of outputs do not depend on the order of the samples") {
    Rng rng(36);
    for (int repeat = 0; repeat < 20; ++repeat) {
        const std::size_t n = 3 + test::pick(rng, 200);
        const Target target = random_target(rng, n, 0);
        const LearningSubset subset = whole_subset(rng, n, repeat % 3);
        ExactSquaredError a(target, subset, test::kNeverStop), b(target, subset, test::kNeverStop);
        LearningSubset shuffled = subset;
        std::ranges::shuffle(shuffled.rows, rng);
        SampleOrder in_order, in_disorder;
        ExactSquaredError::fill(target, subset, in_order);
        in_order.rows = subset.rows;
        ExactSquaredError::fill(target, shuffled, in_disorder);
        in_disorder.rows = shuffled.rows;
        a.enter(in_order, 0, n);
        b.enter(in_disorder, 0, n);
        CHECK(a.weight() == b.weight());
        CHECK(a.sum_y() == b.sum_y());
        std::vector<double> value(1), other(1);
        a.write_value(value);
        b.write_value(other);
        CHECK(value == other);
        std::vector<std::uint8_t> marks(n), moved(n);
        for (std::size_t i = 0; i < n; ++i) moved[i] = marks[shuffled.rows[i]] = i % 3 == 0 ? 1 : 0;
        CHECK(ExactSquaredError::sum_y_of(a.sum_marked(marks)) ==
              ExactSquaredError::sum_y_of(b.sum_marked(moved)));
    }
}

TEST_CASE("the value of a node is the mean of its output") {
    const Target target = real_target(std::vector<double>{1.0, 2.0, 6.0}, 3, 1, true);
    const LearningSubset subset = test::subset_of(3, {1.0, 1.0, 2.0});
    ByRows<ExactSquaredError> criterion(target, subset, test::kNeverStop);
    std::vector<double> value(1);
    criterion.enter(subset.rows);
    criterion.write_value(value);
    CHECK(value[0] == 3.75);
    CHECK_FALSE(criterion.homogeneous());
    criterion.enter(Rows{1});
    criterion.write_value(value);
    CHECK(value[0] == 2.0);
    CHECK(criterion.homogeneous());
    CHECK(criterion.impurity() == 0.0);
    CHECK(criterion.weight() == 1.0);
}

TEST_CASE("a shift of y changes neither the impurity nor any score of one mean") {
    const std::vector<double> y = {3.0, -2.0, 7.25, 0.5, 3.0, 11.0};
    std::vector<double> far = y;
    for (double& v : far) v += 1e9;
    const Target near_target = real_target(y, 6, 1, true),
                 far_target = real_target(far, 6, 1, true);
    const LearningSubset subset = test::subset_of(6);
    ByRows<ExactSquaredError> a(near_target, subset, test::kNeverStop),
        b(far_target, subset, test::kNeverStop);
    a.enter(subset.rows);
    b.enter(subset.rows);
    CHECK(a.impurity() == b.impurity());
    for (std::size_t sides = 1; sides < 63; ++sides) {
        std::vector<std::uint8_t> marks(6);
        for (std::size_t i = 0; i < 6; ++i) marks[i] = (sides >> i) & 1;
        CHECK(test::score_of(a, a.sum_marked(marks)) == test::score_of(b, b.sum_marked(marks)));
    }
}

TEST_CASE("a cut between equal outputs of one mean decreases nothing at every scale") {
    for (const double size : {1.0, 1e-200, 1e200, 1e308}) {
        CAPTURE(size);
        const Target target =
            real_target(std::vector<double>{size, -size, size, -size}, 4, 1, true);
        const LearningSubset subset = test::subset_of(4);
        ByRows<ExactSquaredError> criterion(target, subset, test::kNeverStop);
        criterion.enter(subset.rows);
        const std::uint8_t marks[] = {1, 1, 0, 0};
        CHECK(criterion.decrease(test::score_of(criterion, criterion.sum_marked(marks))) == 0.0);
    }
}

TEST_CASE(
    "the spread of some samples of one mean is no less than it is, and zero if there is none") {
    Rng rng(37);
    for (int repeat = 0; repeat < 60; ++repeat) {
        const std::size_t n = 2 + test::pick(rng, 30);
        const Target target = random_target(rng, n, repeat % 2);
        const LearningSubset subset = whole_subset(rng, n, repeat % 3);
        ByRows<ExactSquaredError> criterion(target, subset, test::kNeverStop);
        criterion.enter(subset.rows);
        Moment some;
        Rows rows;
        const double mean = criterion.sum_y() / criterion.weight();
        long double squares = 0.0L, weight = 0.0L, own = 0.0L, spread = 0.0L;
        for (RowId i = 0; i < n; ++i) {
            if (test::pick(rng, 2) == 0) continue;
            some += criterion.sample(i);
            rows.push_back(i);
            const long double w = subset.weight(i), e = target.value(0, i) - mean;
            squares += w * e * e;
            weight += w;
            own += w * target.value(0, i);
        }
        if (rows.empty()) continue;
        for (const RowId i : rows) {
            const long double e = target.value(0, i) - own / weight;
            spread += weight * subset.weight(i) * e * e;
        }
        CHECK(criterion.squares_of(some) == test::close_to(static_cast<double>(squares)));
        CHECK(criterion.spread_of(some) >= static_cast<double>(spread));
        CHECK(criterion.spread_of(some) <=
              static_cast<double>(spread * (1 + 1e-9L) + 1e-11L * weight * squares));
        // Samples that all have the node's mean.
        const LearningSubset unit = test::subset_of(n);
        const Target equal = real_target(std::vector<double>(n, 2.5), n, 1, true);
        ByRows<ExactSquaredError> constant(equal, unit, test::kNeverStop);
        constant.enter(unit.rows);
        CHECK(constant.spread_of(constant.sample(0)) == 0.0);
    }
}

TEST_CASE("one output of whole weights suits one mean, nothing else does") {
    Rng rng(38);
    const LearningSubset unit = test::subset_of(30);
    CHECK(ExactSquaredError::suits(test::random_reals(rng, 30, 1), unit));
    CHECK_FALSE(ExactSquaredError::suits(test::random_reals(rng, 30, 2), unit));
    const LearningSubset fractional = test::random_subset(rng, 30, test::Weights::fractional);
    CHECK_FALSE(ExactSquaredError::suits(test::random_reals(rng, 30, 1), fractional));
    const LearningSubset heavy = test::subset_of(65, std::vector<double>(65, 0x1.0p20 - 1));
    REQUIRE(heavy.whole_weights);
    CHECK_FALSE(ExactSquaredError::suits(test::random_reals(rng, 65, 1), heavy));
}

}  // namespace
}  // namespace silvics
