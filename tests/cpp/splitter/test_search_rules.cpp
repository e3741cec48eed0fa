#include "doctest/doctest.h"
#include "splitter/search_rules.hpp"

namespace silvics {
namespace {

// Whether a rule, set by `set`, needs the general splitter.
template <class Set>
bool needs_general(Set&& set) {
    SearchRules rules;
    set(rules);
    return rules.needs_general_splitter();
}

TEST_CASE("the rules of the fast splitter do not need the general one") {
    CHECK_FALSE(needs_general([](SearchRules&) {}));
    CHECK_FALSE(needs_general([](SearchRules& rules) {
        static_cast<FastRules&>(rules) = {.max_features = 3,
                                          .constants_count = false,
                                          .random_cut = true,
                                          .search = Search::histogram,
                                          .adjust_levels = false,
                                          .split_sample = 10,
                                          .min_samples_leaf = 5,
                                          .min_weight_leaf = 1.0,
                                          .shared_from = 1,
                                          .monotonic = {1}};
    }));
    // The draw of a cut has no influence where the best cut is searched for.
    CHECK_FALSE(needs_general([](SearchRules& rules) { rules.cut_draw = CutDraw::gap; }));
}

TEST_CASE("every choice of a recipe needs the general splitter") {
    CHECK(needs_general([](SearchRules& rules) { rules.general = true; }));
    CHECK(needs_general([](SearchRules& rules) { rules.honest = true; }));
    CHECK(needs_general([](SearchRules& rules) { rules.kind = SplitKind::oblique; }));
    CHECK(needs_general([](SearchRules& rules) { rules.missing = MissingRule::both; }));
    CHECK(needs_general([](SearchRules& rules) { rules.choice = Choice::gain_ratio; }));
    CHECK(needs_general([](SearchRules& rules) { rules.variable_draw = VariableDraw::poisson; }));
    CHECK(needs_general([](SearchRules& rules) {
        rules.random_cut = true;
        rules.cut_draw = CutDraw::gap;
    }));
    CHECK(needs_general([](SearchRules& rules) { rules.range_sample = 5; }));
    CHECK(needs_general([](SearchRules& rules) { rules.significance = 0.05; }));
}

TEST_CASE("nodes keep values where leaves may be empty or do not add up") {
    SearchRules rules;
    CHECK_FALSE(rules.keeps_values());
    rules.cut_draw = CutDraw::cell_middle;
    CHECK_FALSE(rules.keeps_values());  // not drawn
    rules.random_cut = true;
    CHECK(rules.by_cells());
    CHECK(rules.keeps_values());
    rules = {};
    rules.kind = SplitKind::multiway_categories;
    CHECK(rules.multiway());
    CHECK(rules.keeps_values());
    rules = {};
    rules.honest = true;
    CHECK(rules.keeps_values());
}

TEST_CASE("variables without constraints have no sign") {
    SearchRules rules;
    CHECK(rules.monotonic_sign(4) == 0);
    rules.monotonic = {0, -1, 1};
    CHECK(rules.monotonic_sign(1) == -1);
    CHECK(rules.monotonic_sign(2) == 1);
}

}  // namespace
}  // namespace silvics
