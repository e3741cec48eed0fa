#include <algorithm>

#include "doctest/doctest.h"
#include "forest/grower.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

struct Forest {
    test::Matrix X;
    Table table;
    Target target;
    ForestPlan plan;

    GrownTrees grow(std::size_t team_size, Monitor* monitor = nullptr) const {
        ThreadTeam team(team_size, monitor);
        return grow_forest(table, target, plan, team);
    }
};

Forest small_forest(const char* criterion, std::size_t n, std::uint32_t n_trees) {
    test::Rng rng(130);
    test::Matrix X = test::random_matrix(rng, n, 5);
    Table table = test::coded(X);
    Target target = find_criterion(criterion).classification ? test::random_classes(rng, n, {3})
                                                             : test::random_reals(rng, n, 1);
    ForestPlan plan{find_criterion(criterion), {}, {}, {}};
    plan.rules.search.max_features = 2;
    plan.sampling.n_rows = plan.sampling.n_draws = n;
    plan.sampling.bootstrap = true;
    plan.sampling.prepare();
    for (std::uint32_t m = 0; m < n_trees; ++m) plan.seeds.push_back(tree_seed(5, m));
    return {std::move(X), std::move(table), std::move(target), std::move(plan)};
}

bool same_forests(const std::vector<SharedTree>& a, const std::vector<SharedTree>& b) {
    return std::ranges::equal(
        a, b, [](const SharedTree& s, const SharedTree& t) { return test::same_trees(*s, *t); });
}

TEST_CASE("a team of any size grows the same forest") {
    for (const char* criterion : {"gini", "squared_error", "absolute_error"}) {
        Forest forest = small_forest(criterion, 60, 12);
        for (const bool random_cut : {false, true}) {
            forest.plan.rules.search.random_cut = random_cut;
            const GrownTrees alone = forest.grow(1);
            CHECK(alone.complete);
            CHECK(alone.trees.size() == 12);
            for (const SharedTree& tree : alone.trees) CHECK_NOTHROW(check_tree(*tree));
            CHECK_FALSE(test::same_trees(*alone.trees[0], *alone.trees[1]));
            for (std::size_t size = 2; size <= 8; ++size)
                CHECK(same_forests(forest.grow(size).trees, alone.trees));
        }
    }
}

TEST_CASE("trees are shared where they are few for the threads that would grow the others") {
    CHECK(n_shared(7, 1) == 0);
    CHECK(n_shared(1, 2) == 1);
    CHECK(n_shared(20, 2) == 0);
    CHECK(n_shared(21, 2) == 1);
    CHECK(n_shared(3, 16) == 3);
    CHECK(n_shared(163, 16) == 3);
    CHECK(n_shared(164, 16) == 0);
    CHECK(n_shared(160, 15) == 0);  // ten are left over: a thread for each
}

TEST_CASE("forests whose last trees are shared are the same") {
    for (const char* criterion : {"gini", "squared_error"}) {
        Forest forest = small_forest(criterion, 200, 7);
        const GrownTrees alone = forest.grow(1);
        forest.plan.rules.search.shared_from = 20;
        for (const std::size_t size : {2, 3, 5, 6}) {  // the last one, one, two and one of them
            const GrownTrees shared = forest.grow(size);
            CHECK(shared.complete);
            CHECK(same_forests(shared.trees, alone.trees));
        }
    }
}

TEST_CASE("a tree is the same in any forest that has its seed") {
    Forest forest = small_forest("gini", 50, 6);
    const auto all = forest.grow(2).trees;
    forest.plan.seeds = {forest.plan.seeds[4]};
    CHECK(test::same_trees(*forest.grow(1).trees[0], *all[4]));
}

struct StopAfter : Monitor {
    std::size_t trees = 0;
    explicit StopAfter(std::size_t n) : trees(n) {}
    bool poll(std::size_t done, std::size_t) override { return done < trees; }
};

TEST_CASE("an interrupted forest is the prefix that fewer trees would have been") {
    Forest forest = small_forest("gini", 2500, 2000);
    const auto seeds = forest.plan.seeds;
    for (const std::size_t size : {1U, 3U}) {
        StopAfter monitor(2);
        const GrownTrees part = forest.grow(size, &monitor);
        CHECK_FALSE(part.complete);
        CHECK(part.trees.size() < 2000);
        if (size == 1) CHECK(part.trees.size() >= 2);  // many may finish the first one late
        CHECK(std::ranges::find(part.trees, nullptr) == part.trees.end());
        forest.plan.seeds.resize(std::min<std::size_t>(part.trees.size(), 20));
        const auto expected = forest.grow(2).trees;
        forest.plan.seeds = seeds;
        CHECK(std::equal(
            expected.begin(), expected.end(), part.trees.begin(),
            [](const SharedTree& a, const SharedTree& b) { return test::same_trees(*a, *b); }));
    }
}

TEST_CASE("no seeds, no trees") {
    const GrownTrees none = small_forest("gini", 20, 0).grow(4);
    CHECK(none.complete);
    CHECK(none.trees.empty());
}

TEST_CASE("parts that do not belong together are refused") {
    Forest forest = small_forest("gini", 30, 2);
    test::Rng rng(131);
    SUBCASE("rows of y") { forest.target = test::random_classes(rng, 29, {3}); }
    SUBCASE("rows of the sampling plan") { forest.plan.sampling.n_rows = 31; }
    SUBCASE("kind of y") { forest.target = test::random_reals(rng, 30, 1); }
    SUBCASE("monotonic constraints") { forest.plan.rules.search.monotonic = {1, 0}; }
    CHECK_THROWS_AS(forest.grow(1), std::invalid_argument);
}

TEST_CASE("an error inside a tree reaches the caller") {
    Forest forest = small_forest("gini", 30, 8);
    forest.plan.sampling.bootstrap = false;
    forest.plan.sampling.weights.assign(30, 0.0);  // not seen by prepare()
    CHECK_THROWS_AS(forest.grow(4), std::invalid_argument);
}

}  // namespace
}  // namespace silvics
