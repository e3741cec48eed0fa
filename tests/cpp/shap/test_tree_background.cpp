// Background rows by node: those that pass the edges of a variable, keys in the order of numbers,
// and places of variables on paths.
#include <cmath>
#include <limits>
#include <map>

#include "doctest/doctest.h"
#include "predictor/forest_example.hpp"
#include "shap/tree_background.hpp"
#include "support/made_branches.hpp"

namespace silvics {
namespace {

TEST_CASE("keys are in the order of numbers") {
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<double> ascending = {-infinity, -1e300, -2.5, -1e-310, 0.0,
                                           1e-310,    1.0,    1.5,  1e300,   infinity};
    for (std::size_t i = 0; i + 1 < ascending.size(); ++i)
        CHECK(order_key(ascending[i]) < order_key(ascending[i + 1]));
    CHECK(order_key(-0.0) == order_key(0.0));
    CHECK(order_key(infinity) < kNoOrder);
    CHECK(order_key(std::nan("")) == kNoOrder);
    CHECK(order_key(-std::nan("")) == kNoOrder);
}

TEST_CASE("sets count their rows") {
    RowSet set, other;
    for (const std::size_t i : {0U, 5U, 63U, 64U, 127U}) set.add(i);
    other.add(64);
    CHECK(set.at_most(5));
    CHECK_FALSE(set.at_most(4));
    CHECK(set.without(other).at_most(4));
    CHECK_FALSE(set.without(other).has(64));
}

// The path to each node, by following edges.
template <class Visit>
void for_path(const ExplainedTree& tree, NodeId t, Visit&& visit) {
    NodeId above = 0;
    while (above != t) {
        NodeId c = above + 1;
        while (tree.edge(c).end <= t) c = tree.edge(c).end;
        visit(above, c);
        above = c;
    }
}

TEST_CASE("rows pass the edges of a variable if they go to all of these children") {
    test::Rng rng(11);
    test::Shape shape{.n_features = 3, .deepest = 6};
    shape.kinds.clear();
    for (const test::Branches kind : test::kAllBranches)
        if (kind != test::Branches::combination) shape.kinds.push_back(kind);
    for (int repeat = 0; repeat < 20; ++repeat) {
        const std::vector<SharedTree> trees = {
            std::make_shared<const StoredTree>(test::random_branches(rng, shape))};
        const Predictor predictor(trees, false);
        const ExplainedTree tree(predictor, 0, {});
        const test::Matrix X = test::samples_of_branches(rng, 70, 3, repeat % 2 == 0);
        const std::vector<std::uint8_t> skipped(1, 0);
        ThreadTeam team(1, nullptr);
        for_row_blocks(X.view(), false, team, 70, [&](const RowBlock& block) {
            const TreeBackground background(tree, block, skipped, {12, 0, 1});
            bool right = true;
            for (NodeId t = 1; t < tree.n_nodes(); ++t)
                for (std::size_t z = 0; z < block.size; ++z) {
                    bool passes = true;
                    for_path(tree, t, [&](NodeId above, NodeId c) {
                        if (tree.edge(c).variable == tree.edge(t).variable)
                            passes &= tree.child_of(above, block.row(z)) == tree.edge(c).which;
                    });
                    right &= background.nodes[t].passing.has(z) == passes;
                }
            CHECK(right);
            if (tree.n_nodes() == 1) return;
            for (NodeId t = 1; t < tree.n_nodes(); ++t) {
                std::map<std::uint32_t, std::uint32_t> places;  // by variable
                for_path(tree, t, [&](NodeId above, NodeId) {
                    const auto next = static_cast<std::uint32_t>(places.size());
                    const auto at = places.try_emplace(tree.variable(above), next).first;
                    CHECK(background.pair_nodes[above].place == at->second);
                });
            }
        });
    }
}

TEST_CASE("rows are followed alone in large trees of thresholds") {
    const auto forest = test::forest_example("squared_error", 3000, 1);
    const Predictor predictor = forest.predictor();
    const ExplainedTree tree(predictor, 0, {});
    const std::size_t n = tree.n_nodes();
    FollowingRule rule;
    REQUIRE(n >= rule.fewest_nodes);
    CHECK(rule.holds(tree, 0));
    CHECK(rule.holds(tree, n / 16));
    CHECK_FALSE(rule.holds(tree, n / 16 + 1));
    rule.fewest_nodes = n + 1;
    CHECK_FALSE(rule.holds(tree, 0));
}

TEST_CASE("rows are not followed alone if a path has more variables than bits") {
    for (const std::size_t depth : {64U, 65U}) {  // each node tests a variable of its own
        Tree made;
        made.n_features = depth;
        for (std::size_t k = 0; k < depth; ++k) {
            Node node{0.0, static_cast<std::int32_t>(k), 0};
            node.set_second(static_cast<NodeId>(2 * depth - k), false);
            made.nodes.push_back(node);
        }
        for (std::size_t k = 0; k <= depth; ++k) made.nodes.push_back({-2.0, kLeaf, 0});
        const std::size_t n = made.nodes.size();
        made.max_depth = static_cast<std::uint32_t>(depth);
        made.n_node_samples.assign(n, 1);
        made.weighted_n_node_samples.assign(n, 1.0);
        made.impurity.assign(n, 0.0);
        made.node_values.assign(n, 1.0);
        const std::vector<SharedTree> trees = {std::make_shared<const StoredTree>(std::move(made))};
        const Predictor predictor(trees, false);
        const ExplainedTree tree(predictor, 0, {});
        CHECK(FollowingRule{12, 0, 1}.holds(tree, 0) == (depth == 64));
    }
}

}  // namespace
}  // namespace silvics
