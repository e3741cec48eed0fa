#include <algorithm>
#include <bit>
#include <cmath>

#include "doctest/doctest.h"
#include "sampling/feature_draw.hpp"

namespace silvics {
namespace {

std::vector<FeatureId> drawn(FeatureDraw& draw, StreamKey node, std::size_t count) {
    draw.begin(node);
    std::vector<FeatureId> features;
    while (features.size() < count && !draw.done()) features.push_back(draw.next());
    return features;
}

TEST_CASE("drawing to the end gives every variable once") {
    for (const std::size_t p : {1U, 2U, 7U, 100U}) {
        FeatureDraw draw(p);
        auto features = drawn(draw, 5, p + 1);
        CHECK(draw.done());
        std::ranges::sort(features);
        std::vector<FeatureId> all(p);
        std::iota(all.begin(), all.end(), 0U);
        CHECK(features == all);
    }
}

TEST_CASE("a node's draw does not depend on the nodes before it") {
    FeatureDraw fresh(20), used(20);
    for (StreamKey node = 0; node < 50; ++node) drawn(used, derive(1, node), node % 21);
    CHECK(drawn(used, 77, 20) == drawn(fresh, 77, 20));
}

TEST_CASE("the first draws do not depend on the number of draws") {
    FeatureDraw draw(20);
    const auto many = drawn(draw, 9, 20), few = drawn(draw, 9, 4);
    CHECK(std::equal(few.begin(), few.end(), many.begin()));
}

TEST_CASE("every variable is as likely at every place") {
    const std::size_t p = 5, nodes = 20000;
    FeatureDraw draw(p);
    std::vector<double> counts(p * p, 0.0);
    for (std::size_t node = 0; node < nodes; ++node) {
        const auto features = drawn(draw, derive(8, node), p);
        for (std::size_t place = 0; place < p; ++place) ++counts[place * p + features[place]];
    }
    for (const double c : counts) CHECK(std::fabs(c - 4000.0) < 5.0 * std::sqrt(3200.0));
}

TEST_CASE("features given are drawn, and no others") {
    FeatureDraw draw(std::vector<FeatureId>{7, 2, 9});
    CHECK(draw.size() == 3);
    for (StreamKey node = 0; node < 30; ++node) {
        auto features = drawn(draw, derive(9, node), 3);
        std::ranges::sort(features);
        CHECK(features == std::vector<FeatureId>{2, 7, 9});
    }
}

TEST_CASE("columns of a tree: all, or as many as wanted, ascending, every set equally likely") {
    CHECK(draw_columns(4, 0, 1) == std::vector<FeatureId>{0, 1, 2, 3});
    CHECK(draw_columns(4, 4, 1) == std::vector<FeatureId>{0, 1, 2, 3});
    CHECK(draw_columns(4, 9, 1) == std::vector<FeatureId>{0, 1, 2, 3});
    std::vector<double> counts(1 << 5, 0.0);
    for (std::uint32_t seed = 0; seed < 20000; ++seed) {
        const auto columns = draw_columns(5, 2, seed);
        REQUIRE(columns.size() == 2);
        REQUIRE(columns[0] < columns[1]);
        REQUIRE(columns[1] < 5);
        ++counts[std::size_t{1} << columns[0] | std::size_t{1} << columns[1]];
    }
    for (std::size_t mask = 0; mask < counts.size(); ++mask)
        if (counts[mask] > 0.0 || std::popcount(mask) == 2)
            CHECK(std::fabs(counts[mask] - 2000.0) < 5.0 * std::sqrt(2000.0));
}

}  // namespace
}  // namespace silvics
