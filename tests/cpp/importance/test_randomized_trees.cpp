// What both computations of importances of randomized trees have in common.
#include <stdexcept>

#include "doctest/doctest.h"
#include "importance/all_trees.hpp"

namespace silvics {
namespace {

using namespace all_trees;

TEST_CASE("trees that cannot be grown on a distribution are refused") {
    test::Rng rng(210);
    Made m = made(rng, 10, {2, 3});
    ThreadTeam team(1, nullptr);
    const auto refused = [&](const char* what, const RandomizedTrees& trees) {
        CHECK_THROWS_WITH_AS(check(trees, m.d), what, std::invalid_argument);
        CHECK_THROWS_AS(expected_importances(m.d, trees, kAnyWork, team), std::invalid_argument);
        CHECK_THROWS_AS(sampled_importances(m.d, trees, 1, 1, team), std::invalid_argument);
    };
    for (const TreeSplits splits : kAllSplits) {
        CHECK_NOTHROW(check(RandomizedTrees{.splits = splits, .depth = 1, .part_of = {}}, m.d));
        refused("trees draw at least one variable",
                {.splits = splits, .n_drawn = 0, .depth = 1, .part_of = {}});
    }
    for (const TreeSplits splits : {TreeSplits::random_cut, TreeSplits::best_cut}) {
        refused("hidden decreases are defined for multiway splits only",
                {.splits = splits, .depth = 1, .part_of = {}, .wants_hidden = true});
        refused("parts are drawn one at a time", {.splits = splits, .depth = 1, .part_of = {0, 0}});
    }
    refused("each variable must be part of one whole", {.depth = 1, .part_of = {0}});
    refused("each variable must be part of one whole", {.depth = 1, .part_of = {0, 0, 0}});
    refused("parts are drawn one at a time", {.n_drawn = 2, .depth = 1, .part_of = {0, 0}});
    refused("parts are drawn one at a time", {.depth = 1, .part_of = {0, 0}, .wants_hidden = true});
    refused("there are more wholes than parts", {.depth = 1, .part_of = {0, 2}});
    CHECK_NOTHROW(check(RandomizedTrees{.depth = 1, .part_of = {1, 1}}, m.d));
    m.d.values.clear();
    for (const TreeSplits splits : {TreeSplits::random_cut, TreeSplits::best_cut})
        refused("cuts need values", {.splits = splits, .depth = 1, .part_of = {}});
    CHECK_NOTHROW(check(RandomizedTrees{.depth = 1, .part_of = {}}, m.d));
    m.levels[0] = 9;
    CHECK_THROWS_AS(expected(m.d, {.depth = 1, .part_of = {}}), std::invalid_argument);
    CHECK_THROWS_AS(sampled(m.d, {.depth = 1, .part_of = {}}, 1), std::invalid_argument);
}

TEST_CASE("a small set is met below tests of several parts of it, too") {
    // One row, and two parts of one variable: each is tested, with no other variable above it.
    const std::vector<std::uint32_t> levels = {0, 0};
    const std::vector<double> statistics = {1.0, 1.0};
    const Distribution d{.n_rows = 1,
                         .n_variables = 2,
                         .levels = levels,
                         .n_levels = {1, 1},
                         .statistics = statistics,
                         .width = 2,
                         .values = {}};
    for (const std::size_t most_in_context : {0U, 1U}) {
        const RandomizedTrees trees{
            .depth = 2, .part_of = {0, 0}, .most_in_context = most_in_context};
        for (const TreeImportances& found : {expected(d, trees), sampled(d, trees, 10)}) {
            REQUIRE(found.contexts.size() == 1);
            CHECK(found.contexts[0].weight == 2.0);
        }
    }
}

TEST_CASE("a monitor that asks to stop ends the work on trees") {
    struct Stopper : Monitor {
        bool poll(std::size_t, std::size_t) override { return false; }
    };
    test::Rng rng(226);
    const Made m = made(rng, 2000, std::vector<std::uint32_t>(14, 3));  // minutes of work
    for (const TreeSplits splits : kAllSplits) {
        const RandomizedTrees trees{.splits = splits, .depth = kAnyDepth, .part_of = {}};
        Stopper stopper;
        ThreadTeam first(2, &stopper), second(2, &stopper);
        CHECK_THROWS_AS(expected_importances(m.d, trees, kAnyWork, first), Interrupted);
        CHECK_THROWS_AS(sampled_importances(m.d, trees, 1, 100000, second), Interrupted);
    }
}

}  // namespace
}  // namespace silvics
