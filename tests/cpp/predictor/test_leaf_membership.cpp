#include <algorithm>

#include "doctest/doctest.h"
#include "predictor/forest_example.hpp"
#include "predictor/leaf_membership.hpp"
#include "predictor/made_forests.hpp"

namespace silvics {
namespace {

using test::ForestExample;

LeafMembership membership_of(const ForestExample& forest, ThreadTeam& team) {
    return leaf_membership(forest.predictor(), forest.X.view(), forest.target,
                           {0, forest.plan.seeds, forest.plan.sampling}, team);
}

// Every row is in the part of its leaf that the definition gives, with its weight.
void check_against_definition(const ForestExample& forest) {
    const Predictor predictor = forest.predictor();
    const SamplingPlan& plan = forest.plan.sampling;
    const std::size_t n = forest.X.view().rows, n_trees = forest.trees.size();
    ThreadTeam alone;
    std::vector<std::int64_t> leaves(n * n_trees);
    predictor.apply(forest.X.view(), leaves, alone);
    test::with_teams([&](ThreadTeam& team) {
        const LeafMembership membership = membership_of(forest, team);
        check_membership(membership, predictor.forest(), team);
        for (std::size_t m = 0; m < n_trees; ++m) {
            const TreeMembership tree = membership.tree(m);
            const auto nodes = numbered_leaves(predictor.tree(m));
            REQUIRE(tree.n_leaves() == nodes.size());
            const std::uint32_t seed = forest.plan.seeds[m];
            const LearningSubset subset =
                estimation_subset(learning_subset(plan, forest.target, seed), n);
            const bool drawn = plan.bootstrap || plan.subsample;
            const auto out = drawn ? out_of_bag(plan, seed) : std::vector<bool>(n, false);
            for (std::size_t leaf = 0; leaf < nodes.size(); ++leaf) {
                std::vector<RowId> in_bag, unseen, all;
                for (RowId i = 0; i < n; ++i) {
                    if (leaves[i * n_trees + m] != nodes[leaf].id) continue;
                    all.push_back(i);
                    if (std::ranges::binary_search(subset.rows, i)) in_bag.push_back(i);
                    if (out[i]) unseen.push_back(i);
                }
                CHECK(std::ranges::equal(tree.in_bag(leaf), in_bag));
                CHECK(std::ranges::equal(tree.out_of_bag(leaf), unseen));
                CHECK(tree.all(leaf).size() == all.size());
                for (std::size_t k = 0; k < in_bag.size(); ++k)
                    CHECK(membership.weight(m, tree.begin(leaf) + k) ==
                          subset.weight(in_bag[k]) * subset.unit);
            }
        }
        std::vector<std::int64_t> again(n * n_trees);
        apply(membership, predictor, 0, n_trees, again, team);
        CHECK(again == leaves);
    });
}

ForestExample with_plan(const char* criterion, const std::function<void(SamplingPlan&)>& change) {
    ForestExample forest = test::forest_example(criterion, 200, 7);
    change(forest.plan.sampling);
    forest.plan.sampling.prepare();
    ThreadTeam team;
    forest.trees = grow_forest(test::coded(forest.X), forest.target, forest.plan, team).trees;
    return forest;
}

TEST_CASE("rows are in the leaves that they reach, with bootstrap counts") {
    for (const char* criterion : {"gini", "squared_error"})
        check_against_definition(test::forest_example(criterion, 300, 9));
}

TEST_CASE("without bootstrap a row has its own weight in every tree") {
    test::Rng rng(3);
    std::vector<double> weights(200);
    for (double& w : weights) w = static_cast<double>(rng() % 4) / 2.0;  // some are zero
    check_against_definition(with_plan("gini", [&](SamplingPlan& plan) {
        plan.bootstrap = false;
        plan.weights = weights;
    }));
    check_against_definition(with_plan("squared_error", [&](SamplingPlan& plan) {
        plan.bootstrap = false;
        plan.subsample = true;
        plan.n_draws = 80;
        plan.weights = weights;
    }));
    check_against_definition(
        with_plan("gini", [&](SamplingPlan& plan) { plan.bootstrap = false; }));
}

TEST_CASE("classes balanced within a replicate, rows held out, rows drawn very often") {
    check_against_definition(
        with_plan("gini", [](SamplingPlan& plan) { plan.balanced_subsample = true; }));
    check_against_definition(
        with_plan("gini", [](SamplingPlan& plan) { plan.held_out = {0, 5, 199}; }));
    check_against_definition(
        with_plan("gini", [](SamplingPlan& plan) { plan.n_draws = 200 * 300; }));
}

TEST_CASE("honest leaves have their estimation samples in bag") {
    ForestExample forest = test::forest_example("gini", 200, 5);
    forest.plan.sampling.structure = 0.5;
    forest.plan.rules.search.honest = true;
    forest.plan.sampling.prepare();
    ThreadTeam team;
    forest.trees = grow_forest(test::coded(forest.X), forest.target, forest.plan, team).trees;
    check_against_definition(forest);
}

TEST_CASE("out-of-bag predictions are those of rows that descend") {
    for (const auto& [criterion, outputs] :
         {std::pair{"gini", 1U}, {"gini", 2U}, {"squared_error", 1U}, {"squared_error", 2U}}) {
        const ForestExample forest = test::forest_example(criterion, 300, 9, outputs);
        const Predictor predictor = forest.predictor();
        test::with_teams([&](ThreadTeam& team) {
            const auto expected = test::out_of_bag_by(predictor, forest.X.view(), forest.plan.seeds,
                                                      forest.plan.sampling, team);
            test::OutOfBag found{std::vector<double>(300 * forest.width()),
                                 std::vector<std::int64_t>(300)};
            out_of_bag(membership_of(forest, team), predictor, {found.sums, found.counts}, team);
            CHECK(found == expected);
            test::OutOfBag parts{std::vector<double>(300 * forest.width()),
                                 std::vector<std::int64_t>(300)};
            for (const auto& [first, size] : {std::pair{0U, 2U}, {2U, 6U}, {8U, 1U}})
                add_out_of_bag(membership_of(forest, team), predictor, first, size,
                               {parts.sums, parts.counts}, team);
            CHECK(parts == expected);
            CHECK_THROWS_AS(add_out_of_bag(membership_of(forest, team), predictor, 8, 2,
                                           {parts.sums, parts.counts}, team),
                            std::invalid_argument);
        });
    }
}

TEST_CASE("arrays that do not fit are refused") {
    const ForestExample forest = test::forest_example("gini", 60, 3);
    const Predictor predictor = forest.predictor();
    ThreadTeam team;
    const LeafMembership membership = membership_of(forest, team);
    LeafMembership wrong = membership;
    std::vector<RowId> rows(membership.rows.begin(), membership.rows.end());
    std::vector<std::uint32_t> ends(membership.ends.begin(), membership.ends.end());
    SUBCASE("a row twice") { rows[1] = rows[0]; }
    SUBCASE("a row out of range") { rows[1] = 60; }
    SUBCASE("an end before another") { std::swap(ends[0], ends[3]); }
    SUBCASE("an end out of range") { ends.back() = 61; }
    SUBCASE("weights of other rows") { ends[0] += 1; }
    SUBCASE("fewer rows") { rows.pop_back(); }
    SUBCASE("another number of parts") { wrong.n_parts = 3; }
    SUBCASE("no parts") { wrong.n_parts = 0; }
    SUBCASE("other trees") { wrong.first_leaf = wrong.first_leaf.first(3); }
    wrong.rows = rows;
    wrong.ends = ends;
    CHECK_THROWS_AS(check_membership(wrong, predictor.forest(), team), std::invalid_argument);
}

TEST_CASE("parts that do not belong together are refused") {
    ForestExample forest = test::forest_example("gini", 30, 3);
    SUBCASE("a seed too many") { forest.plan.seeds.push_back(1); }
    SUBCASE("other rows") { forest.plan.sampling.n_rows = 29; }
    ThreadTeam team;
    CHECK_THROWS_AS(membership_of(forest, team), std::invalid_argument);
}

}  // namespace
}  // namespace silvics
