#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "doctest/doctest.h"
#include "importance/by_context.hpp"
#include "importance/impurity_decrease.hpp"
#include "support/made_branches.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

using Trees = std::vector<std::shared_ptr<const StoredTree>>;
using Context = std::pair<std::uint32_t, std::set<std::uint32_t>>;

Trees random_trees(test::Rng& rng, std::size_t n) {
    Trees trees;
    while (trees.size() < n) {
        Tree tree = test::random_branches(rng, {});
        if (!trees.empty() && tree.n_features != trees[0]->base().n_features) continue;
        for (double& w : tree.weighted_n_node_samples) w = test::pick_real(rng, 0.5, 4.0);
        trees.push_back(std::make_shared<const StoredTree>(std::move(tree)));
    }
    return trees;
}

std::vector<std::uint32_t> each_by_itself(const Trees& trees) {
    std::vector<std::uint32_t> groups(trees[0]->base().n_features);
    std::iota(groups.begin(), groups.end(), 0U);
    return groups;
}

// From the root down, the set of what was tested above in hand.
std::map<Context, double> expected_parts(const Trees& trees,
                                         const std::vector<std::uint32_t>& group_of) {
    std::map<Context, double> found;
    for (const auto& stored_tree : trees) {
        const Tree* const tree = stored_tree->plain();
        const auto mass = [&](NodeId t) {
            return tree->weighted_n_node_samples[t] * tree->impurity[t] /
                   tree->weighted_n_node_samples[0];
        };
        const std::function<void(NodeId, std::set<std::uint32_t>)> traversal =
            [&](NodeId t, std::set<std::uint32_t> above) {
                const Node& node = tree->nodes[t];
                if (node.leaf()) return;
                std::vector<std::pair<std::uint32_t, double>> tested;
                if (tree->has_record(node) && tree->record(node).n_terms() > 0)
                    for (std::uint32_t i = 0; i < tree->record(node).n_terms(); ++i)
                        tested.emplace_back(tree->record(node).term(i).feature,
                                            tree->record(node).term(i).share);
                else
                    tested.emplace_back(static_cast<std::uint32_t>(node.feature), 1.0);
                double decrease = mass(t);
                tree->for_children(t, [&](NodeId child) { decrease -= mass(child); });
                for (const auto& [variable, share] : tested) {
                    auto others = above;
                    others.erase(group_of[variable]);
                    found[{group_of[variable], others}] +=
                        share * decrease / static_cast<double>(trees.size());
                }
                for (const auto& [variable, share] : tested) above.insert(group_of[variable]);
                tree->for_children(t, [&](NodeId child) { traversal(child, above); });
            };
        traversal(0, {});
    }
    return found;
}

TEST_CASE("parts of importances are those of a recursion that carries the tested variables") {
    test::Rng rng(170);
    for (int repeat = 0; repeat < 30; ++repeat) {
        const Trees trees = random_trees(rng, 1 + test::pick(rng, 20));
        std::vector<std::uint32_t> group_of = each_by_itself(trees);
        if (repeat % 2 == 1)
            for (auto& group : group_of) group /= 2;
        ThreadTeam team(1, nullptr), three(3, nullptr);
        const auto found = decompose_importances(trees, group_of, 100, 0, team);
        const auto again = decompose_importances(trees, group_of, 100, 0, three);
        CHECK(found.by_degree == again.by_degree);
        auto expected = expected_parts(trees, group_of);
        REQUIRE(found.contexts.size() == expected.size());
        std::vector<double> by_degree(found.by_degree.size(), 0.0);
        for (const TestsInContext& tests : found.contexts) {
            const Context context{tests.variable, {tests.set.begin(), tests.set.end()}};
            REQUIRE(expected.contains(context));
            CHECK(tests.decrease == doctest::Approx(expected[context]).epsilon(1e-9));
            by_degree[tests.variable * found.n_degrees + tests.set.size()] += tests.decrease;
        }
        for (std::size_t i = 0; i < by_degree.size(); ++i)
            CHECK(found.by_degree[i] == doctest::Approx(by_degree[i]).epsilon(1e-9));
    }
}

TEST_CASE("large sets are reported by degree only") {
    test::Rng rng(171);
    const Trees trees = random_trees(rng, 10);
    ThreadTeam team(2, nullptr);
    const auto all = decompose_importances(trees, each_by_itself(trees), 100, 0, team);
    const auto some = decompose_importances(trees, each_by_itself(trees), 1, 0, team);
    CHECK(some.by_degree == all.by_degree);
    CHECK(some.contexts.size() ==
          static_cast<std::size_t>(std::ranges::count_if(
              all.contexts, [](const auto& tests) { return tests.set.size() <= 1; })));
}

TEST_CASE("no trees, and groups of other trees") {
    ThreadTeam team(1, nullptr);
    CHECK(decompose_importances({}, std::vector<std::uint32_t>{0}, 1, 0, team).contexts.empty());
    test::Rng rng(172);
    const Trees trees = random_trees(rng, 1);
    CHECK_THROWS_AS(decompose_importances(trees, std::vector<std::uint32_t>{}, 1, 0, team),
                    std::invalid_argument);
}

}  // namespace
}  // namespace silvics
