#include <algorithm>
#include <cmath>

#include "criterion/class_counts.hpp"
#include "doctest/doctest.h"
#include "splitter/draw_threshold.hpp"
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

TEST_CASE("a threshold sends the samples at or below it to the left") {
    const std::vector<double> values = {-1.0, 0.0, 2.5, 4.0, 9.0};
    const std::vector<Code> codes = {3, 1, 2, 1, 3};
    const Target target = class_target(std::vector<std::int64_t>{0, 1, 1, 0, 0}, 5, {2});
    const LearningSubset subset = test::subset_of(5);
    ClassCounts<Gini> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    const CutLimits limits{.n = 5};
    const auto left_of = [&](double threshold) {
        Cut cut;
        std::vector<double> cells;
        score_threshold(criterion, codes, {1, 3}, values, threshold, limits, cells, cut);
        CHECK(cut.score > -kInfinity);
        return std::pair(cut.left, criterion.left_weight());
    };
    CHECK(left_of(0.0) == std::pair(Code{1}, 2.0));
    CHECK(left_of(2.4) == std::pair(Code{1}, 2.0));
    CHECK(left_of(2.5) == std::pair(Code{2}, 3.0));
    CHECK(left_of(3.9) == std::pair(Code{2}, 3.0));
}

TEST_CASE("small and large nodes find the same side of a threshold for every sample") {
    test::Rng rng(66);
    std::vector<double> values(60);
    for (double& v : values) v = test::pick_real(rng, -1.0, 1.0);
    std::ranges::sort(values);
    for (const std::size_t n : {2U, 5U, 16U, 17U, 200U})
        for (int repeat = 0; repeat < 50; ++repeat) {
            std::vector<Code> codes(n);
            for (Code& code : codes) code = static_cast<Code>(test::pick(rng, 60));
            const CodeRange range{std::ranges::min(codes), std::ranges::max(codes)};
            if (range.constant()) continue;
            // As drawn: at a value of the node or between two.
            double threshold = test::pick_real(rng, values[range.low], values[range.high]);
            if (const Code code = codes[test::pick(rng, n)]; repeat % 2 == 0 && code < range.high)
                threshold = values[code];
            const Code last = last_code_below(codes, range, values, threshold);
            bool right = true;
            for (const Code code : codes) right &= (code <= last) == (values[code] <= threshold);
            CHECK(right);
        }
}

TEST_CASE("a threshold against the limits keeps the best cut as it was") {
    const std::vector<double> values = {0.0, 1.0};
    const std::vector<Code> codes = {0, 1, 1};
    const Target target = class_target(std::vector<std::int64_t>{0, 1, 1}, 3, {2});
    const LearningSubset subset = test::subset_of(3);
    ClassCounts<Gini> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    Cut cut;
    std::vector<double> cells;
    score_threshold(criterion, codes, {0, 1}, values, 0.5, {.n = 3, .min_samples_leaf = 2}, cells,
                    cut);
    CHECK(cut.score == -kInfinity);
}

}  // namespace
}  // namespace silvics
