// Pruning of trees with any number of children, against all prunings of small trees.
#include <cmath>
#include <map>

#include "doctest/doctest.h"
#include "support/made_branches.hpp"
#include "tree/check_tree.hpp"
#include "tree/compact.hpp"
#include "tree/prune.hpp"

namespace silvics {
namespace {

// A pruning of a tree: the nodes that become leaves, and its cost.
struct Pruning {
    double risk = 0.0;  // all sums are exact
    std::size_t leaves = 0, nodes = 0;
    std::vector<NodeId> cut;
};

// All prunings of the subtree of t, including the one that makes t a leaf.
std::vector<Pruning> all_prunings(const Tree& tree, NodeId t) {
    const double own = tree.weighted_n_node_samples[t] * tree.impurity[t];
    if (tree.nodes[t].leaf()) return {{own, 1, 1, {}}};
    std::vector<Pruning> prunings = {{0.0, 0, 1, {}}};
    tree.for_children(t, [&](NodeId child) {
        std::vector<Pruning> joined;
        for (const Pruning& a : prunings)
            for (const Pruning& b : all_prunings(tree, child)) {
                Pruning both{a.risk + b.risk, a.leaves + b.leaves, a.nodes + b.nodes, a.cut};
                both.cut.insert(both.cut.end(), b.cut.begin(), b.cut.end());
                joined.push_back(std::move(both));
            }
        prunings = std::move(joined);
    });
    prunings.push_back({own, 1, 1, {t}});
    return prunings;
}

// The tree with the nodes made leaves; nodes are identified by the marks that test trees have as
// values.
void check_cut(const Tree& tree, const Tree& pruned, const Pruning& pruning) {
    CHECK_NOTHROW(check_tree(pruned));
    const auto ends = tree.subtree_ends();
    std::map<NodeId, NodeId> now;
    std::vector<NodeId> kept;
    for (NodeId t = 0; t < tree.nodes.size();) {
        now[t] = static_cast<NodeId>(kept.size());
        kept.push_back(t);
        t = std::ranges::count(pruning.cut, t) > 0 ? ends[t] : t + 1;
    }
    REQUIRE(pruned.nodes.size() == kept.size());
    for (std::size_t u = 0; u < kept.size(); ++u) {
        const NodeId t = kept[u];
        CHECK(pruned.node_values[u] == tree.node_values[t]);
        CHECK(pruned.n_node_samples[u] == tree.n_node_samples[t]);
        const bool leaf = tree.nodes[t].leaf() || std::ranges::count(pruning.cut, t) > 0;
        REQUIRE(pruned.nodes[u].leaf() == leaf);
        if (leaf) continue;
        CHECK(pruned.nodes[u].feature == tree.nodes[t].feature);
        CHECK(pruned.nodes[u].missing_left() == tree.nodes[t].missing_left());
        std::vector<NodeId> children, expected;
        pruned.for_children(static_cast<NodeId>(u), [&](NodeId c) { children.push_back(c); });
        tree.for_children(t, [&](NodeId c) { expected.push_back(now.at(c)); });
        CHECK(children == expected);
        REQUIRE(pruned.has_record(pruned.nodes[u]) == tree.has_record(tree.nodes[t]));
        if (!tree.has_record(tree.nodes[t])) continue;
        // All but the children is the same, and the place of a level set.
        const auto words = [](const Tree& of, const Node& node) {
            const auto record = of.record(node).words();
            std::vector<std::uint32_t> all(record.begin(), record.end());
            std::ranges::fill(BranchRecord::children_at(all, 0), 0);
            std::vector<std::uint32_t> sets;
            const BranchRecord copy(all.data());
            if (copy.test() == Branching::Test::subset)
                BranchRecord::set_subset(all, 0, copy.subset().copied(of.level_sets, sets));
            all.insert(all.end(), sets.begin(), sets.end());
            return all;
        };
        CHECK(words(pruned, pruned.nodes[u]) == words(tree, tree.nodes[t]));
    }
}

// Small enough to try everything.
Tree small_tree(test::Rng& rng, test::Shape shape) {
    shape.deepest = 3;
    shape.most_children = 3;
    for (;;) {
        Tree tree = test::random_branches(rng, shape);
        if (tree.nodes.size() > 14) continue;
        for (std::size_t t = 0; t < tree.nodes.size(); ++t)
            tree.n_node_samples[t] = static_cast<std::uint32_t>(t + 1);
        // As in most trees, a split loses something, or nothing; or it may gain, too.
        const bool losing = test::pick(rng, 4) != 0;
        for (NodeId t = static_cast<NodeId>(tree.nodes.size()); losing && t-- > 0;) {
            if (tree.nodes[t].leaf()) continue;
            tree.impurity[t] = static_cast<double>(test::pick(rng, 9)) / 16.0;
            tree.for_children(t, [&](NodeId c) { tree.impurity[t] += tree.impurity[c]; });
        }
        return tree;
    }
}

// The smallest of the prunings that cost least, where a leaf costs alpha = p / q: fewest leaves,
// then fewest nodes.
Pruning cheapest(const Tree& tree, double p, double q) {
    const auto prunings = all_prunings(tree, 0);
    const auto key = [&](const Pruning& pruning) {
        return std::tuple(q * pruning.risk + p * static_cast<double>(pruning.leaves),
                          pruning.leaves, pruning.nodes);
    };
    return *std::ranges::min_element(prunings, {}, key);
}

TEST_CASE("a pruned tree is the smallest of those that cost least, of all prunings") {
    test::Rng rng(420);
    std::size_t some = 0;
    for (int repeat = 0; repeat < 400; ++repeat) {
        const Tree tree = small_tree(rng, {.single = false});
        // Sixteenths of impurity, weights of one: alphas that many links have exactly.
        const double q = 16.0 * static_cast<double>(1 + test::pick(rng, 4));
        const double p = static_cast<double>(test::pick(rng, 20));
        const Pruning pruning = cheapest(tree, p, q);
        const Tree pruned = expand(prune(tree, p / q));
        check_cut(tree, pruned, pruning);
        some += !pruning.cut.empty() && pruning.nodes > 1;
    }
    CHECK(some > 40);
}

TEST_CASE("the pruning path has the risks of the cheapest trees at its alphas") {
    test::Rng rng(421);
    for (int repeat = 0; repeat < 150; ++repeat) {
        const Tree tree = small_tree(rng, {.single = false});
        const PruningPath path = pruning_path(tree);
        REQUIRE(path.alphas.size() == path.impurities.size());
        CHECK(path.impurities.back() == tree.impurity[0]);
        for (std::size_t i = 1; i < path.alphas.size(); ++i) {
            if (i + 1 < path.alphas.size() && path.alphas[i + 1] == path.alphas[i]) continue;
            const double a = path.alphas[i];
            double least = INFINITY;
            for (const Pruning& pruning : all_prunings(tree, 0))
                least = std::min(least, pruning.risk + a * static_cast<double>(pruning.leaves));
            const Tree pruned = expand(prune(tree, a));
            CHECK(path.impurities[i] + a * static_cast<double>(pruned.n_leaves()) ==
                  doctest::Approx(least));
        }
    }
}

// A node of one child parts nothing: both have the same samples and the same impurity.
TEST_CASE("nodes of one child are pruned where they are the last, and hinder no other") {
    test::Rng rng(422);
    for (int repeat = 0; repeat < 400; ++repeat) {
        Tree tree = small_tree(rng, {});
        for (NodeId t = static_cast<NodeId>(tree.nodes.size()); t-- > 0;) {
            std::size_t n = 0;
            if (!tree.nodes[t].leaf()) tree.for_children(t, [&](NodeId) { ++n; });
            if (n == 1) tree.impurity[t] = tree.impurity[t + 1];
        }
        const double q = 16.0 * static_cast<double>(1 + test::pick(rng, 4));
        const double p = static_cast<double>(1 + test::pick(rng, 20));
        check_cut(tree, expand(prune(tree, p / q)), cheapest(tree, p, q));
        const PruningPath path = pruning_path(tree);
        bool finite = true;
        for (const double alpha : path.alphas) finite &= std::isfinite(alpha);
        CHECK(finite);
    }
}

// From the leaves up, by its own words.
double least_errors(const Tree& tree, NodeId t, const std::vector<double>& errors, double slack,
                    std::vector<NodeId>& cut) {
    if (tree.nodes[t].leaf()) return errors[t];
    double below = 0.0;
    std::vector<NodeId> cut_below;
    tree.for_children(
        t, [&](NodeId child) { below += least_errors(tree, child, errors, slack, cut_below); });
    if (errors[t] <= below + slack) {
        cut.push_back(t);
        return errors[t];
    }
    cut.insert(cut.end(), cut_below.begin(), cut_below.end());
    return below;
}

TEST_CASE("pruning by errors without slack leaves the fewest errors, and no node for nothing") {
    test::Rng rng(423);
    for (int repeat = 0; repeat < 400; ++repeat) {
        const Tree tree = small_tree(rng, {});
        std::vector<double> errors(tree.nodes.size());
        for (double& e : errors) e = static_cast<double>(test::pick(rng, 9));
        Pruning best;
        bool any = false;
        for (Pruning& pruning : all_prunings(tree, 0)) {  // errors in the place of risks
            std::vector<char> leaf(tree.nodes.size(), 0);
            pruning.risk = 0.0;
            const auto ends = tree.subtree_ends();
            for (NodeId t = 0; t < tree.nodes.size();) {
                const bool cut = std::ranges::count(pruning.cut, t) > 0;
                if (cut || tree.nodes[t].leaf()) pruning.risk += errors[t];
                t = cut ? ends[t] : t + 1;
            }
            if (any && std::tuple(pruning.risk, pruning.nodes) >= std::tuple(best.risk, best.nodes))
                continue;
            any = true;
            best = pruning;
        }
        check_cut(tree, expand(prune_by_errors(tree, errors, 0.0)), best);
    }
}

TEST_CASE("pruning by errors goes from the leaves up, with slack at every node") {
    test::Rng rng(424);
    for (int repeat = 0; repeat < 400; ++repeat) {
        const Tree tree = test::random_branches(rng, {.n_classes = {3}, .deepest = 5});
        std::vector<double> errors(tree.nodes.size());
        for (double& e : errors) e = static_cast<double>(test::pick(rng, 30)) / 4.0;
        const double slack = static_cast<double>(test::pick(rng, 9)) / 4.0 - 0.5;
        Pruning pruning;
        least_errors(tree, 0, errors, slack, pruning.cut);
        const Tree pruned = expand(prune_by_errors(tree, errors, slack));
        CHECK_NOTHROW(check_tree(pruned));
        const auto ends = tree.subtree_ends();
        std::size_t u = 0;
        bool same = true;
        for (NodeId t = 0; t < tree.nodes.size(); ++u) {
            REQUIRE(u < pruned.nodes.size());
            const bool cut = std::ranges::count(pruning.cut, t) > 0;
            same &= pruned.nodes[u].leaf() == (cut || tree.nodes[t].leaf());
            for (std::size_t c = 0; c < 3; ++c)
                same &= pruned.node_values[3 * u + c] == tree.node_values[3 * t + c];
            t = cut ? ends[t] : t + 1;
        }
        CHECK(same);
        CHECK(u == pruned.nodes.size());
    }
    const Tree tree = test::random_branches(rng, {});
    CHECK_THROWS_AS(prune_by_errors(tree, std::vector<double>(tree.nodes.size() + 1), 0.0),
                    std::invalid_argument);
}

}  // namespace
}  // namespace silvics
