#include "builder/builder.hpp"
#include "builder/growth_mode.hpp"
#include "doctest/doctest.h"
#include "support/problem.hpp"

namespace silvics {
namespace {

struct Setting {
    const char* criterion = "gini";
    std::vector<ClassId> n_classes{2};  // empty: real outputs
    std::size_t n_outputs = 1;
    test::Weights weights = test::Weights::unit;
    GrowthRules rules{};
    bool has_team = false;
};

GrowthMode mode_of(const Setting& of) {
    test::Rng rng(80);
    const std::size_t n = 40;
    const Table table = test::coded(test::random_matrix(rng, n, 3));
    const Target target = of.n_classes.empty() ? test::random_reals(rng, n, of.n_outputs)
                                               : test::random_classes(rng, n, of.n_classes);
    TreeState state{.table = table,
                    .target = target,
                    .stop = test::kNeverStop,
                    .rules = of.rules,
                    .subset = test::random_subset(rng, n, of.weights)};
    const CriterionEntry& criterion = find_criterion(of.criterion);
    const auto splitter = criterion.make_splitter(state.splitter_parts());
    return choose_mode(criterion, *splitter, target, state.subset, of.rules, of.has_team);
}

TEST_CASE("fully grown trees of classes with whole weights grow in compact form") {
    for (const test::Weights weights : {test::Weights::unit, test::Weights::whole}) {
        const GrowthMode mode = mode_of({.weights = weights});
        CHECK(mode.fast_splitter);
        CHECK(mode.inner_nodes_from_leaves);
        CHECK(mode.compact);
        CHECK(mode.sole_samples);
        CHECK_FALSE(mode.shared);
        CHECK_FALSE(mode.values_at_inner_nodes);
        CHECK_FALSE(mode.impurity_before_search);
        CHECK(mode.values == ValueStorage::leaves);
    }
}

TEST_CASE("parts of weights, several outputs and other criteria do not follow from leaves") {
    Setting of;
    bool real = false;
    SUBCASE("parts of weights") { of.weights = test::Weights::fractional; }
    SUBCASE("two outputs") { of.n_classes = {2, 3}; }
    SUBCASE("medians") {
        of.criterion = "absolute_error";
        of.n_classes = {};
        real = true;
    }
    const GrowthMode mode = mode_of(of);
    CHECK_FALSE(mode.inner_nodes_from_leaves);
    CHECK_FALSE(mode.compact);
    CHECK(mode.sole_samples == (of.n_classes.size() < 2));
    CHECK(mode.impurity_before_search);
    CHECK(mode.values_at_inner_nodes == real);
    CHECK(mode.values == (real ? ValueStorage::all_nodes : ValueStorage::leaves));
}

TEST_CASE("trees on numbers grow in compact form if nothing stops them early") {
    Setting of{.criterion = "squared_error", .n_classes = {}};
    const GrowthMode full = mode_of(of);
    CHECK(full.compact);
    CHECK(full.values_at_inner_nodes);
    CHECK(full.values == ValueStorage::leaves);
    SUBCASE("leaf size") { of.rules.search.min_samples_leaf = 2; }
    SUBCASE("node size") { of.rules.stopping.min_samples_split = 3; }
    SUBCASE("depth") { of.rules.stopping.max_depth = 8; }
    SUBCASE("decrease") { of.rules.stopping.min_impurity_decrease = 0.1; }
    const GrowthMode stopped = mode_of(of);
    CHECK(stopped.inner_nodes_from_leaves);
    CHECK_FALSE(stopped.compact);
    CHECK(stopped.impurity_before_search == (of.rules.stopping.min_impurity_decrease > 0.0));
}

TEST_CASE("with a limit on leaves every node stores impurity and value") {
    Setting of;
    of.rules.stopping.max_leaf_nodes = 8;
    const GrowthMode mode = mode_of(of);
    CHECK(mode.inner_nodes_from_leaves);
    CHECK_FALSE(mode.compact);
    CHECK(mode.impurity_before_search);
    CHECK(mode.values == ValueStorage::all_nodes);
}

TEST_CASE("a team shares a tree unless the rules forbid it") {
    Setting of{.has_team = true};
    const GrowthMode shared = mode_of(of);
    CHECK(shared.shared);
    CHECK_FALSE(shared.compact);
    SUBCASE("limit on leaves") { of.rules.stopping.max_leaf_nodes = 8; }
    SUBCASE("copies of samples") { of.rules.search.missing = MissingRule::both; }
    SUBCASE("honest trees") { of.rules.search.honest = true; }
    CHECK_FALSE(mode_of(of).shared);
}

TEST_CASE("nodes of one sample are searched where the rules ask for it") {
    Setting of;
    of.rules.stopping.min_samples_split = 1;
    CHECK_FALSE(mode_of(of).sole_samples);
}

TEST_CASE("monotonic constraints clip values, which every node stores then") {
    Setting of;
    of.rules.search.monotonic = {1, 0, 0};
    const GrowthMode mode = mode_of(of);
    CHECK_FALSE(mode.inner_nodes_from_leaves);
    CHECK(mode.values_at_inner_nodes);
    CHECK(mode.values == ValueStorage::all_nodes);
}

TEST_CASE(
    "where samples are copied or children may be empty, values are stored before the search") {
    Setting of;
    SUBCASE("honest") { of.rules.search.honest = true; }
    SUBCASE("multiway") { of.rules.search.kind = SplitKind::multiway; }
    SUBCASE("both children") { of.rules.search.missing = MissingRule::both; }
    const GrowthMode mode = mode_of(of);
    CHECK_FALSE(mode.fast_splitter);
    CHECK_FALSE(mode.inner_nodes_from_leaves);
    CHECK(mode.values_at_inner_nodes);
    CHECK(mode.values == ValueStorage::before_search);
}

}  // namespace
}  // namespace silvics
