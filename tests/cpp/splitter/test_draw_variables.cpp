#include <algorithm>

#include "doctest/doctest.h"
#include "splitter/constants.hpp"
#include "splitter/draw_variables.hpp"

namespace silvics {
namespace {

using Features = std::vector<FeatureId>;

// Draws the variables 0 .. n - 1 in their order.
struct InOrder {
    std::size_t n, next_one = 0;
    bool done() const { return next_one == n; }
    FeatureId next() { return static_cast<FeatureId>(next_one++); }
};

struct Draws {
    std::vector<Features> batches;
    Features tried;
    DrawCounts counts;
};

// The draw of `n` variables, of which `useful` are not constant and `known` are known constants.
Draws draws(std::size_t n, const DrawLimits& limits, const Features& useful,
            const Features& known = {}, std::size_t enough_after = 100) {
    Draws made;
    InOrder draw{n};
    Constants constants(n);
    constants.load(constants.root());
    for (const FeatureId f : known) constants.found(f);
    constants.load(constants.inherit());
    Features batch;
    made.counts = draw_variables(
        draw, constants, limits, batch, [&](const Features& of) { made.batches.push_back(of); },
        [&](std::size_t i, FeatureId f) {
            CHECK(made.batches.back()[i] == f);
            made.tried.push_back(f);
            return std::ranges::count(useful, f) > 0;
        },
        [&] { return made.tried.size() >= enough_after; });
    return made;
}

TEST_CASE("K variables are tried, and more until one of them is useful") {
    CHECK(draws(6, {3, true, 1}, {1}).tried == Features{0, 1, 2});
    CHECK(draws(6, {3, true, 1}, {4}).tried == Features{0, 1, 2, 3, 4});
    CHECK(draws(6, {3, true, 1}, {}).tried == Features{0, 1, 2, 3, 4, 5});
}

TEST_CASE("constants count among the K or are skipped") {
    CHECK(draws(6, {2, true, 1}, {1, 3, 5}).tried == Features{0, 1});
    CHECK(draws(6, {2, false, 1}, {1, 3, 5}).tried == Features{0, 1, 2, 3});
}

TEST_CASE("a known constant is not tried, and counts as any constant") {
    const Draws counted = draws(6, {2, true, 1}, {1, 3}, {0});
    CHECK(counted.tried == Features{1});
    CHECK(counted.counts.counted == 2);
    CHECK(counted.counts.useful == 1);
    CHECK(draws(6, {2, false, 1}, {1, 3}, {0}).tried == Features{1, 2, 3});
}

TEST_CASE("batches hold the variables that are certain to be tried") {
    const Draws made = draws(9, {5, true, 3}, {2, 3}, {1});
    CHECK(made.batches == std::vector<Features>{{0, 2, 3}, {4}});
    CHECK(made.counts.counted == 5);
    CHECK(draws(9, {2, true, 4}, {5}).batches == std::vector<Features>{{0, 1}, {2}, {3}, {4}, {5}});
}

TEST_CASE("a draw ends as soon as what was found is enough") {
    const Draws made = draws(9, {6, true, 6}, {0, 1, 2}, {}, 2);
    CHECK(made.tried == Features{0, 1});
    CHECK(made.counts.useful == 2);
}

}  // namespace
}  // namespace silvics
