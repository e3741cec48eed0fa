#include "criterion/against_scratch.hpp"
#include "criterion/ordered_targets.hpp"

namespace silvics {
namespace {

using test::ByRows;
using test::Rng;
using test::Rows;

double output(const Target& target, RowId row, std::size_t k) {
    return target.original[k * target.n_rows + row];
}

double error_around(const Target& target, const LearningSubset& subset, const Rows& rows,
                    std::size_t k, double centre) {
    double sum = 0.0;
    for (const RowId row : rows)
        sum += subset.weight(row) * std::fabs(output(target, row, k) - centre);
    return sum;
}

// The least absolute error is found at one of the outputs.
double definition(const Target& target, const LearningSubset& subset, const Rows& rows,
                  std::size_t k) {
    double least = INFINITY;
    for (const RowId row : rows)
        least = std::min(least, error_around(target, subset, rows, k, output(target, row, k)));
    return least / test::weight_of(subset, rows);
}

double median(const Target& target, const LearningSubset& subset, const Rows& rows, std::size_t k) {
    std::vector<double> values;
    for (const RowId row : rows) values.push_back(output(target, row, k));
    std::ranges::sort(values);
    const double half = test::weight_of(subset, rows) / 2;
    const auto below = [&](double y, bool inclusive) {
        double sum = 0.0;
        for (const RowId row : rows)
            if (const double other = output(target, row, k); other < y || (inclusive && other == y))
                sum += subset.weight(row);
        return sum;
    };
    const double low =
        *std::ranges::find_if(values, [&](double y) { return below(y, true) >= half; });
    const double high =
        *std::ranges::find_if(values, [&](double y) { return below(y, true) > half; });
    return (low + high) / 2;
}

TEST_CASE("impurity and decrease of medians are those of the definition") {
    Rng rng(40);
    for (const std::size_t q : {1U, 3U})
        for (const test::Weights weights : test::kAllWeights)
            for (int repeat = 0; repeat < 8; ++repeat) {
                const std::size_t n = 3 + test::pick(rng, 25);
                const Target target = repeat % 2 == 0 ? test::random_reals(rng, n, q)
                                                      : test::random_counts(rng, n, q);
                const LearningSubset subset = test::random_subset(rng, n, weights);
                ByRows<OrderedTargets> criterion(target, subset, test::kNeverStop);
                for (int node = 0; node < 2; ++node)
                    test::check_order(test::check_scan(criterion, rng, definition, target, subset,
                                                       test::random_rows(rng, n), test::always));
            }
}

TEST_CASE("medians of the node and of both sides are weighted medians") {
    Rng rng(41);
    for (int repeat = 0; repeat < 60; ++repeat) {
        const std::size_t n = 3 + test::pick(rng, 20);
        const Target target = test::random_counts(rng, n, 1);  // many ties, exact sums
        const LearningSubset subset = test::random_subset(
            rng, n, repeat % 2 == 0 ? test::Weights::unit : test::Weights::whole);
        const Rows rows = test::random_rows(rng, n);
        ByRows<OrderedTargets> criterion(target, subset, test::kNeverStop);
        criterion.enter(rows);
        std::vector<double> value(1);
        criterion.write_value(value);
        CHECK(value[0] == median(target, subset, rows, 0));
        criterion.begin_scan();
        for (Position i = 0; i + 1 < rows.size(); ++i) {
            criterion.move(i);
            const Rows left(rows.begin(), rows.begin() + i + 1),
                right(rows.begin() + i + 1, rows.end());
            CHECK(criterion.left_value() == median(target, subset, left, 0));
            CHECK(criterion.right_value() == median(target, subset, right, 0));
        }
    }
}

TEST_CASE("a median of an even number lies in the middle") {
    const Target target = real_target(std::vector<double>{1.0, 10.0, 4.0, 2.0}, 4, 1, true);
    const LearningSubset subset = test::subset_of(4);
    ByRows<OrderedTargets> criterion(target, subset, test::kNeverStop);
    std::vector<double> value(1);
    criterion.enter(Rows{0, 1, 2, 3});
    criterion.write_value(value);
    CHECK(value[0] == 3.0);
    criterion.enter(Rows{0, 1, 2});
    criterion.write_value(value);
    CHECK(value[0] == 4.0);
}

TEST_CASE("equal outputs are homogeneous, kept to the last bit, and of no error") {
    const Target target = real_target(std::vector<double>{0.1, 5e8, 0.1, -3e9}, 4, 1, true);
    const LearningSubset subset = test::subset_of(4);
    ByRows<OrderedTargets> criterion(target, subset, test::kNeverStop);
    criterion.enter(Rows{0, 2});
    std::vector<double> value(1);
    criterion.write_value(value);
    CHECK(criterion.homogeneous());
    CHECK(criterion.impurity() == 0.0);
    CHECK(value[0] == 0.1);
}

TEST_CASE("the median of finite outputs is finite") {
    const double top = std::numeric_limits<double>::max();
    const Target target = real_target(std::vector<double>{-top, top, top}, 3, 1, true);
    const LearningSubset subset = test::subset_of(3, {3.0, 1.0, 1.0});
    ByRows<OrderedTargets> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    std::vector<double> value(1);
    criterion.write_value(value);
    CHECK(value[0] == -top);
}

TEST_CASE("a group of targets moves as its samples do") {
    Rng rng(42);
    for (const test::Weights weights : test::kAllWeights) {
        const Target target = test::random_reals(rng, 30, 2);
        const LearningSubset subset = test::random_subset(rng, 30, weights);
        test::check_groups_are_moves<OrderedTargets>(rng, target, subset, subset.rows, 6);
    }
}

TEST_CASE("scores of the cuts of an order are those of moved samples") {
    Rng rng(44);
    for (const std::size_t q : {1U, 2U})
        for (const test::Weights weights : test::kAllWeights)
            for (int repeat = 0; repeat < 12; ++repeat) {
                const std::size_t n = 2 + test::pick(rng, 60);
                const Target target = repeat % 2 == 0 ? test::random_reals(rng, n, q)
                                                      : test::random_counts(rng, n, q);
                const LearningSubset subset = test::random_subset(rng, n, weights);
                ByRows<OrderedTargets> criterion(target, subset, test::kNeverStop);
                criterion.enter(subset.rows);
                std::vector<Position> order(subset.rows.size());
                std::iota(order.begin(), order.end(), Position{0});
                std::shuffle(order.begin(), order.end(), rng);
                const std::size_t n_cuts = order.size() - 1;
                std::vector<double> weight(n_cuts), score(n_cuts);
                for (int variable = 0; variable < 2; ++variable) {
                    criterion.score_cuts(order, weight.data(), score.data());
                    criterion.begin_scan();
                    for (std::size_t k = 0; k < n_cuts; ++k) {
                        criterion.move(order[k]);
                        CHECK(weight[k] == test::close_to(criterion.left_weight()));
                        CHECK(criterion.decrease(score[k]) ==
                              doctest::Approx(criterion.decrease(criterion.score()))
                                  .epsilon(1e-11)
                                  .scale(1.0));
                    }
                    std::ranges::reverse(order);
                }
            }
}

TEST_CASE("prefixes of weighted ranks are found at every weight, strictly or not") {
    Rng rng(43);
    for (std::size_t m = 1; m <= 40; ++m) {
        WeightedRanks ranks;
        ranks.clear(m);
        std::vector<double> weight(m), moment(m);
        for (std::size_t r = 0; r < m; ++r) {
            weight[r] = static_cast<double>(test::pick(rng, 3));  // some ranks are empty
            moment[r] = weight[r] * static_cast<double>(r);
            ranks.add(r, weight[r], moment[r]);
        }
        const double whole = std::accumulate(weight.begin(), weight.end(), 0.0);
        for (double wanted = 0.0; wanted <= whole; wanted += 0.5)
            for (const bool strict : {false, true}) {
                std::size_t rank = 0;
                double below = 0.0, moments = 0.0;
                while (rank < m &&
                       (strict ? below + weight[rank] <= wanted : below + weight[rank] < wanted)) {
                    below += weight[rank];
                    moments += moment[rank++];
                }
                const auto prefix = ranks.reach(wanted, strict);
                CHECK(prefix.rank == std::min(rank, m - 1));
                CHECK(prefix.weight == below);
                CHECK(prefix.moment == moments);
            }
    }
}

TEST_CASE("moving samples of many outputs looks at the stop flag by outputs, not by samples") {
    Rng rng(44);
    const std::size_t n = 400, q = 64;
    const Target target = test::random_reals(rng, n, q);
    const LearningSubset subset = test::subset_of(n);
    StopFlag stop;
    ByRows<OrderedTargets> criterion(target, subset, stop);
    criterion.enter(subset.rows);
    criterion.begin_scan();
    stop.request();
    const auto move_all = [&] {
        for (Position i = 0; i < n; ++i) criterion.move(i);
    };
    CHECK_THROWS_AS(move_all(), Interrupted);
    CHECK_THROWS_AS(criterion.begin_scan(), Interrupted);
}

}  // namespace
}  // namespace silvics
