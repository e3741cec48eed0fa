#include <algorithm>
#include <cmath>

#include "criterion/against_scratch.hpp"
#include "criterion/class_counts.hpp"
#include "doctest/doctest.h"
#include "splitter/fast/draw_threshold.hpp"
#include "splitter/fast/scan_thresholds.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

constexpr double kTop = std::numeric_limits<double>::max();

TEST_CASE("a drawn threshold lies in [low, high[") {
    const std::pair<double, double> ranges[] = {
        {0.0, 1.0},
        {-1.0, 1e-3},
        {1e15, 1e15 + 0.125},
        {-kTop, kTop},
        {-kTop, 0.0},
        {kTop / 2, kTop},
        {-kTop, std::nextafter(-kTop, 0.0)},
        {std::nextafter(kTop, 0.0), kTop},
        {0.0, std::numeric_limits<double>::denorm_min()},
        {-std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::denorm_min()},
        {1.0, std::nextafter(1.0, 2.0)}};
    for (const auto& [low, high] : ranges) {
        CAPTURE(low);
        CAPTURE(high);
        bool inside = true;
        for (StreamKey node = 0; node < 2000; ++node) {
            const double v = draw_threshold(derive(1, node), 3, low, high);
            inside &= v >= low && v < high;
        }
        CHECK(inside);
    }
}

TEST_CASE("drawn thresholds are uniform, over ranges that overflow too") {
    const std::pair<double, double> ranges[] = {{2.0, 6.0}, {-kTop, kTop}};
    for (const auto& [low, high] : ranges) {
        std::vector<double> in_quarter(4, 0.0);
        for (StreamKey node = 0; node < 40000; ++node) {
            const double v = draw_threshold(derive(2, node), 0, low, high);
            ++in_quarter.at(static_cast<std::size_t>((v / 2 - low / 2) / (high / 2 - low / 2) * 4));
        }
        for (const double c : in_quarter) CHECK(std::fabs(c - 10000.0) < 5.0 * 87.0);
    }
}

TEST_CASE("a cut belongs to its node and variable") {
    CHECK(draw_threshold(7, 0, 0.0, 1.0) == draw_threshold(7, 0, 0.0, 1.0));
    CHECK(draw_threshold(7, 0, 0.0, 1.0) != draw_threshold(7, 1, 0.0, 1.0));
    CHECK(draw_threshold(7, 0, 0.0, 1.0) != draw_threshold(8, 0, 0.0, 1.0));
}

// The samples that a threshold sends left, and what the cut is worth.
struct Parted {
    std::vector<std::uint8_t> goes_left;
    Cut cut;
    double left_weight = 0.0;
};

Parted parted(test::ByRows<ClassCounts<Gini>>& criterion, const NodeColumn& node, double threshold,
              const CutLimits& limits) {
    Scratch<std::uint8_t> goes_left;
    Scratch<Position> places;
    ThresholdScan<ClassCounts<Gini>> scan;
    Parted result;
    const std::size_t n_left =
        mark_sides(node, sides_of_threshold(node.column, threshold), threshold, goes_left, places);
    result.goes_left.assign(goes_left.data(), goes_left.data() + node.size());
    scan.score_sides(criterion, result.goes_left, n_left, limits, result.cut);
    result.left_weight = criterion.left_weight();
    return result;
}

TEST_CASE("a threshold is worth what the samples at or below it are worth as left child") {
    const std::vector<double> x = {4.0, 0.0, 2.5, 0.0, 4.0, -1.0, 9.0};
    const Table table = test::coded(test::column_of(x));
    const Target target = class_target(std::vector<std::int64_t>{0, 1, 1, 0, 0, 1, 1}, 7, {2});
    const LearningSubset subset = test::subset_of(7);
    test::ByRows<ClassCounts<Gini>> criterion(target, subset, test::kNeverStop);
    const std::vector<RowId> rows = {0, 1, 2, 3, 4};
    criterion.enter(rows);
    const std::uint16_t codes[] = {3, 1, 2, 1, 3};
    const NodeColumn node{test::numeric(table), rows, codes, {1, 3}};
    const auto left_of = [&](double threshold) {
        const Parted result = parted(criterion, node, threshold, {.n = 5});
        CHECK(result.cut.score > -kInfinity);
        return std::pair(result.goes_left, result.left_weight);
    };
    using Marks = std::vector<std::uint8_t>;
    CHECK(left_of(0.0) == std::pair(Marks{0, 1, 0, 1, 0}, 2.0));
    CHECK(left_of(2.4) == std::pair(Marks{0, 1, 0, 1, 0}, 2.0));
    CHECK(left_of(2.5) == std::pair(Marks{0, 1, 1, 1, 0}, 3.0));
    CHECK(left_of(3.9) == std::pair(Marks{0, 1, 1, 1, 0}, 3.0));
}

TEST_CASE("small and large nodes find the same side of a threshold for every sample") {
    test::Rng rng(66);
    std::vector<double> values(60);
    for (double& v : values) v = test::pick_real(rng, -1.0, 1.0);
    const Table table = test::coded(test::column_of(values));
    for (const std::size_t n : {2U, 5U, 16U, 17U, 200U})
        for (int repeat = 0; repeat < 50; ++repeat) {
            std::vector<RowId> rows(n);  // some of them more than once
            for (RowId& row : rows) row = static_cast<RowId>(test::pick(rng, 60));
            std::vector<double> x;
            for (const RowId row : rows) x.push_back(values[row]);
            const auto [low, high] = std::ranges::minmax(x);
            if (low == high) continue;
            // As drawn: at a value of the node or between two.
            double threshold = draw_threshold(rng(), 0, low, high);
            if (const double value = x[test::pick(rng, n)]; repeat % 2 == 0 && value < high)
                threshold = value;
            CodeBuffer codes[1];
            const Column* const columns[] = {&table.columns[0]};
            gather_codes(columns, rows, codes, test::kNeverStop);
            const NodeColumn node{test::numeric(table), rows, codes[0].data(),
                                  range_of(codes[0].data(), n)};
            Scratch<std::uint8_t> goes_left;
            Scratch<Position> places;
            const std::size_t n_left = mark_sides(node, sides_of_threshold(node.column, threshold),
                                                  threshold, goes_left, places);
            bool right = true;
            for (std::size_t i = 0; i < n; ++i) right &= (goes_left[i] != 0) == (x[i] <= threshold);
            CHECK(right);
            CHECK(n_left > 0);
            CHECK(n_left < n);
        }
}

TEST_CASE("a threshold against the limits keeps the best cut as it was") {
    const Table table = test::coded(test::column_of({0.0, 1.0, 1.0}));
    const Target target = class_target(std::vector<std::int64_t>{0, 1, 1}, 3, {2});
    const LearningSubset subset = test::subset_of(3);
    test::ByRows<ClassCounts<Gini>> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    const std::uint16_t codes[] = {0, 1, 1};
    const NodeColumn node{test::numeric(table), subset.rows, codes, {0, 1}};
    CHECK(parted(criterion, node, 0.5, {.n = 3}).cut.score > -kInfinity);
    CHECK(parted(criterion, node, 0.5, {.n = 3, .min_samples_leaf = 2}).cut.score == -kInfinity);
    CHECK(parted(criterion, node, 0.5, {.n = 3, .min_weight_leaf = 1.5}).cut.score == -kInfinity);
    // The left has no sample of the second class, the right has nothing else: it rises.
    CHECK(parted(criterion, node, 0.5, {.n = 3, .monotonic = 1}).cut.score > -kInfinity);
    CHECK(parted(criterion, node, 0.5, {.n = 3, .monotonic = -1}).cut.score == -kInfinity);
}

}  // namespace
}  // namespace silvics
