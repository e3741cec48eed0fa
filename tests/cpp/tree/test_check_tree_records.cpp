// check_tree on trees with records, and their properties.
#include <cmath>
#include <functional>

#include "doctest/doctest.h"
#include "support/made_branches.hpp"
#include "tree/check_tree.hpp"
#include "tree/compact.hpp"

namespace silvics {
namespace {

using test::Branches;

std::string complaint_of(const Tree& tree) {
    try {
        check_tree(tree);
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return "";
}

TEST_CASE("trees of every kind of nodes are accepted") {
    test::Rng rng(410);
    for (int repeat = 0; repeat < 300; ++repeat) {
        test::Shape shape;
        if (repeat % 2 == 0) shape.n_classes = {3};
        if (repeat % 3 == 0) shape.n_classes = {2, 3};
        const Tree tree = test::random_branches(rng, shape);
        CHECK(complaint_of(tree) == "");
        CHECK(test::same_trees(expand(StoredTree(tree)), tree));
        CHECK(!compact(tree, CompactionRule::none));
    }
}

// A root of these children, all leaves.
Tree of_one(const Branching& branching) {
    Tree tree;
    tree.n_features = 3;
    const std::size_t n = branching.n_children + 1;
    tree.max_depth = 1;
    tree.nodes.resize(n);
    BranchRecord::append(branching, tree.branches);
    for (std::uint32_t k = 0; k < branching.n_children; ++k)
        tree.branches[BranchRecord::child_offset(0, k)] = k + 1;
    tree.nodes[0] = {SplitRule::record(0), 1, 0};
    tree.nodes[0].set_second(n > 2 ? 2 : 1, false);
    tree.n_node_samples.assign(n, 1);
    tree.weighted_n_node_samples.assign(n, 1.0);
    tree.impurity.assign(n, 0.0);
    tree.node_values.assign(n, 0.5);
    return tree;
}

Branching thresholds(std::uint32_t n_children, std::vector<double> cuts) {
    Branching of;
    of.n_children = n_children;
    of.missing_child = of.other_child = n_children - 1;
    of.thresholds = std::move(cuts);
    return of;
}

TEST_CASE("one child, three, and a combination are accepted") {
    CHECK(complaint_of(of_one(thresholds(1, {}))) == "");
    CHECK(complaint_of(of_one(thresholds(3, {0.5}))) == "");
    CHECK(complaint_of(of_one(thresholds(3, {0.5, 1.5}))) == "");
    Branching oblique = thresholds(2, {0.5});
    oblique.terms = {{0, 1.0, 0.5F}, {2, -1.0, 0.5F}};
    CHECK(complaint_of(of_one(oblique)) == "");
}

struct Damage {
    const char* complaint;
    std::function<void(Tree&)> apply;
};

TEST_CASE("a tree with a damaged record is refused") {
    Branching oblique = thresholds(3, {0.5});
    oblique.terms = {{0, 1.0, 0.5F}, {2, -1.0, 0.5F}};
    const Tree good = of_one(oblique);
    REQUIRE(complaint_of(good) == "");
    const auto child = [](Tree& t, std::size_t k) -> NodeId& {
        return t.branches[BranchRecord::child_offset(0, k)];
    };
    const std::vector<Damage> all = {
        {"record of a split", [](Tree& t) { t.branches.pop_back(); }},
        {"records of no node", [](Tree& t) { t.branches.push_back(0); }},
        {"order of nodes", [](Tree& t) { t.nodes[0].set_rule(0.0); }},
        {"threshold of a split", [](Tree& t) { t.branches.clear(); }},
        {"order of records", [](Tree& t) { t.nodes[0].set_rule(SplitRule::record(1)); }},
        {"order of records",
         [](Tree& t) {
             t.nodes[0].set_rule(LevelRule(LevelRule::Form::record, LevelRule::kContent, false));
         }},
        {"order of nodes", [&](Tree& t) { child(t, 0) = 2; }},
        {"order of nodes", [&](Tree& t) { child(t, 0) = 0; }},
        {"order of nodes",
         [&](Tree& t) { child(t, 1) = 3, child(t, 2) = 2, t.nodes[0].set_second(3, false); }},
        {"record of a split", [&](Tree& t) { child(t, 1) = 3; }},
        {"record of a split", [](Tree& t) { t.nodes[0].set_second(3, false); }},
        {"order of nodes", [&](Tree& t) { child(t, 2) = 2; }},
        {"order of nodes", [&](Tree& t) { child(t, 2) = 4; }},
        {"record of a split", [](Tree& t) { t.branches[2] = 3; }},
        {"record of a split", [](Tree& t) { t.n_features = 2; }},
        {"values of branches",
         [](Tree& t) {  // shares of classes at the leaves alone
             t.node_values.clear();
             t.n_classes = {2};
             for (NodeId u = 1; u < 4; ++u) t.nodes[u].link = kPureBit;
         }},
        {"variable of a split", [](Tree& t) { t.nodes[0].feature = 3; }},
        {"depth", [](Tree& t) { t.max_depth = 2; }},
        {"weight of a node", [](Tree& t) { t.weighted_n_node_samples[0] = 0.0; }},
        {"weight of a node", [](Tree& t) { t.weighted_n_node_samples[1] = -1.0; }},
        {"weight of a node", [](Tree& t) { t.weighted_n_node_samples[1] = NAN; }},
    };
    for (const auto& [complaint, apply] : all) {
        CAPTURE(std::string(complaint));
        Tree bad = good;
        apply(bad);
        CHECK(complaint_of(bad) == std::string("not a valid tree: ") + complaint);
    }
}

TEST_CASE("a child that the tree does not have is refused, whichever it is") {
    Branching levels = thresholds(4, {});
    levels.test = Branching::Test::levels;
    levels.levels = {1, 2, 5};
    Branching subset = thresholds(2, {});
    subset.test = Branching::Test::subset;
    subset.subset = LevelRule(LevelRule::Form::in_place_bits, 5, true);
    for (const Branching& of : {thresholds(3, {0.5}), levels, subset}) {
        const Tree good = of_one(of);
        REQUIRE(complaint_of(good) == "");
        const auto n = static_cast<std::uint32_t>(good.nodes.size());
        for (std::uint32_t k = 0; k < of.n_children; ++k)
            for (const std::uint32_t child : {n, n + 1, 0x80000000U | (k + 1), 0xFFFFFFFFU}) {
                Tree bad = good;
                bad.branches[BranchRecord::child_offset(0, k)] = child;
                // The second is also the link of the node.
                CHECK(complaint_of(bad) == (k == 1 ? "not a valid tree: record of a split"
                                                   : "not a valid tree: order of nodes"));
            }
    }
}

TEST_CASE("a leaf may have no samples where every node has a value") {
    Tree tree = of_one(thresholds(3, {0.5}));
    tree.n_node_samples[3] = 0;
    tree.weighted_n_node_samples[3] = 0.0;
    CHECK(complaint_of(tree) == "");
}

TEST_CASE("a change of any number of a record is refused, or the tree can still be traversed") {
    test::Rng rng(411);
    std::size_t refused = 0;
    for (int repeat = 0; repeat < 3000; ++repeat) {
        Tree tree = test::random_branches(rng, {.deepest = 3});
        if (tree.branches.empty()) continue;
        std::uint32_t& word = tree.branches[test::pick(rng, tree.branches.size())];
        constexpr std::uint32_t kOdd[] = {0, 1, 2, 3, 7, 0x7FF80000U, 0xFFFFFFFFU};
        word = test::pick(rng, 3) == 0 ? static_cast<std::uint32_t>(rng())
                                       : kOdd[test::pick(rng, std::size(kOdd))];
        if (complaint_of(tree) != "") {
            ++refused;
            continue;
        }
        // Every node is reached once, by its parent.
        std::vector<int> reached(tree.nodes.size(), 0);
        for (NodeId t = 0; t < tree.nodes.size(); ++t)
            if (!tree.nodes[t].leaf())
                tree.for_children(t, [&](NodeId child) { ++reached.at(child); });
        CHECK(std::count(reached.begin() + 1, reached.end(), 1) + 1 ==
              static_cast<std::ptrdiff_t>(reached.size()));
        const auto X = test::samples_of_branches(rng, 5, tree.n_features);
        for (std::size_t i = 0; i < X.rows; ++i)
            for (const Node& node : tree.nodes)
                if (tree.has_record(node)) {
                    const BranchRecord record = tree.record(node);
                    const double x = record.value(static_cast<FeatureId>(node.feature),
                                                  [&](FeatureId f) { return X.row(i)[f]; });
                    CHECK(record.child_of(x, tree.level_sets) < record.n_children());
                }
    }
    CHECK(refused > 500);
}

TEST_CASE("depths, ends and leaves are those of the children") {
    test::Rng rng(412);
    for (int repeat = 0; repeat < 100; ++repeat) {
        const Tree tree = test::random_branches(rng, {});
        const auto depths = tree.depths();
        const auto ends = tree.subtree_ends();
        std::size_t n_leaves = 0;
        // Of each node, what a walk over its children finds.
        const std::function<NodeId(NodeId, std::uint32_t)> traversal = [&](NodeId t,
                                                                           std::uint32_t d) {
            CHECK(depths[t] == d);
            NodeId end = t + 1;
            n_leaves += tree.nodes[t].leaf();
            if (!tree.nodes[t].leaf())
                tree.for_children(t, [&](NodeId child) {
                    CHECK(child == end);
                    end = traversal(child, d + 1);
                });
            CHECK(ends[t] == end);
            return end;
        };
        CHECK(traversal(0, 0) == tree.nodes.size());
        CHECK(tree.n_leaves() == n_leaves);
        std::vector<double> value(1);
        for (NodeId t = 0; t < tree.nodes.size(); ++t) {
            tree.write_value(t, value);
            CHECK(value[0] == tree.node_values[t]);
        }
    }
}

}  // namespace
}  // namespace silvics
