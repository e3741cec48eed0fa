// Nodes with records in a growing tree: in any order, moved behind others, finished.
#include <algorithm>
#include <numeric>

#include "builder/growing_tree.hpp"
#include "doctest/doctest.h"
#include "support/made_branches.hpp"

namespace silvics {
namespace {

const Target kReal = real_target(std::vector<double>{1.0, 2.0}, 2, 1, false);

// The tree as it may have grown: its nodes in another order, the root first.
GrowingTree in_another_order(test::Rng& rng, const Tree& tree) {
    const std::size_t n = tree.nodes.size();
    std::vector<NodeId> now(n);
    std::iota(now.begin(), now.end(), NodeId{0});
    std::shuffle(now.begin() + 1, now.end(), rng);
    GrowingTree growing;
    growing.nodes.resize(n);
    std::vector<NodeId> turns(n);  // the order in which records are appended
    std::iota(turns.begin(), turns.end(), NodeId{0});
    std::ranges::shuffle(turns, rng);
    for (const NodeId t : turns) {
        const Node& from = tree.nodes[t];
        GrowingNode& node = growing.nodes[now[t]];
        node.n = tree.n_node_samples[t];
        node.weight = tree.weighted_n_node_samples[t];
        node.impurity = tree.impurity[t];
        node.value = static_cast<std::uint32_t>(growing.values.size());
        growing.values.push_back(tree.node_values[t]);
        if (from.leaf()) continue;
        node.feature = from.feature;
        if (!tree.has_record(from)) {
            node.rule = from.rule();
            node.first = now[t + 1];
            node.second = now[from.second()];
            node.missing = from.missing_left() ? MissingSide::left : MissingSide::right;
            continue;
        }
        const BranchRecord record = tree.record(from);
        Branching of;
        of.test = record.test();
        of.n_children = record.n_children();
        of.missing_child = record.missing_child();
        of.other_child = record.other_child();
        for (std::size_t i = 0; i < record.n_terms(); ++i) of.terms.push_back(record.term(i));
        if (of.test == Branching::Test::levels)
            of.levels.assign(record.levels().begin(), record.levels().end());
        else if (of.test == Branching::Test::subset)
            of.subset = record.subset();
        else
            for (std::size_t i = 0; i < record.n_cuts(); ++i)
                of.thresholds.push_back(record.threshold(i));
        std::vector<std::size_t> sizes;
        for (const NodeId child : record.children()) sizes.push_back(now[child]);
        node.rule = keep_record(growing, of, sizes);
        CHECK(record_of(node).has_value());
    }
    return growing;
}

std::vector<test::Branches> without_subsets() {
    return {test::Branches::plain, test::Branches::thresholds, test::Branches::levels,
            test::Branches::combination};
}

Tree random_tree(test::Rng& rng) {
    Tree tree = test::random_branches(rng, {.kinds = without_subsets()});
    for (std::size_t t = 0; t < tree.nodes.size(); ++t) {
        tree.n_node_samples[t] = static_cast<std::uint32_t>(t + 1);
        tree.weighted_n_node_samples[t] = static_cast<double>(1 + test::pick(rng, 5));
    }
    return tree;
}

TEST_CASE("nodes with records are set in depth-first order, whatever the order made") {
    test::Rng rng(530);
    for (int repeat = 0; repeat < 200; ++repeat) {
        const Tree tree = random_tree(rng);
        Tree made = finish_tree(in_another_order(rng, tree), kReal, tree.n_features, true);
        CHECK_NOTHROW(check_tree(made));
        made.impurity_exponent = tree.impurity_exponent;
        // The record has the second child, so that the link of the node is not read.
        for (std::size_t t = 0; t < made.nodes.size(); ++t)
            if (made.has_record(made.nodes[t])) made.nodes[t].link = tree.nodes[t].link;
        CHECK(test::same_trees(made, tree));
    }
}

TEST_CASE("nodes with records can be moved behind others") {
    test::Rng rng(531);
    for (int repeat = 0; repeat < 200; ++repeat) {
        const Tree tree = random_tree(rng);
        GrowingTree below = in_another_order(rng, tree);
        GrowingTree whole;
        whole.nodes.resize(2);
        whole.nodes[0].feature = 0;
        whole.nodes[0].rule = 0.5;
        whole.nodes[0].first = 1;
        whole.nodes[0].second = 2;
        whole.values = {7.0};
        whole.levels = {1, 1, 4, 5};
        Branching nobody;
        nobody.thresholds = {0.0};
        BranchRecord::append(nobody, whole.records);
        const Shift by{2, whole.levels.size(), whole.records.size()};
        for (GrowingNode node : below.nodes) {
            if (node.feature >= 0) shift(node, below.records, by);
            node.value += 1;
            whole.nodes.push_back(node);
        }
        whole.values.insert(whole.values.end(), below.values.begin(), below.values.end());
        whole.records.insert(whole.records.end(), below.records.begin(), below.records.end());
        for (const NodeId t : {0U, 1U}) whole.nodes[t].weight = 1.0;
        const Tree made = finish_tree(whole, kReal, tree.n_features, true);
        CHECK_NOTHROW(check_tree(made));
        REQUIRE(made.nodes.size() == tree.nodes.size() + 2);
        bool same = true;
        for (NodeId t = 0; t < tree.nodes.size(); ++t) {
            same &= made.node_values[t + 2] == tree.node_values[t] &&
                    made.nodes[t + 2].feature == tree.nodes[t].feature;
            if (tree.nodes[t].leaf()) continue;
            std::vector<NodeId> children, expected;
            made.for_children(t + 2, [&](NodeId child) { children.push_back(child); });
            tree.for_children(t, [&](NodeId child) { expected.push_back(child + 2); });
            same &= children == expected;
        }
        CHECK(same);
    }
}

// A tree of one inner node, whose children have these weights.
Tree finished(Branching of, const std::vector<double>& weights, GrowingTree growing = {}) {
    growing.nodes.resize(1 + weights.size());
    growing.nodes[0].feature = 0;
    growing.nodes[0].weight = 10.0;
    std::vector<std::size_t> children;
    for (std::size_t k = 0; k < weights.size(); ++k) {
        growing.nodes[1 + k].weight = weights[k];
        children.push_back(1 + k);
    }
    of.n_children = static_cast<std::uint32_t>(weights.size());
    growing.nodes[0].rule = keep_record(growing, of, children);
    growing.values = {0.5};
    Tree tree = finish_tree(growing, kReal, 1, true);
    CHECK_NOTHROW(check_tree(tree));
    return tree;
}

TEST_CASE("what a node has not seen goes to its heaviest child, the first of equals") {
    Branching of;
    of.test = Branching::Test::levels;
    of.levels = {2, 5, 9};
    const Tree tree = finished(of, {1.0, 4.0, 4.0});
    const BranchRecord record = tree.record(tree.nodes[0]);
    CHECK(record.missing_child() == 1);
    CHECK(record.other_child() == 1);
    CHECK(record.child_of(9.0, {}) == 2);
    of.missing_child = 0;
    CHECK(finished(of, {1.0, 4.0, 4.0}).record(tree.nodes[0]).missing_child() == 0);
}

TEST_CASE("a subset's levels go where they went, others to the heavier of the two") {
    const Level left[] = {3, 5000}, right[] = {0, 9000};
    for (const bool first : {false, true}) {
        GrowingTree growing;
        growing.levels = {1, 1, 7, 8};  // of another node
        Branching of;
        of.test = Branching::Test::subset;
        of.missing_child = 2;
        of.other_child = 0;
        of.subset = keep_levels(growing.levels, left, right);
        const Tree tree =
            finished(of, {first ? 3.0 : 1.0, first ? 1.0 : 3.0, 6.0}, std::move(growing));
        const BranchRecord record = tree.record(tree.nodes[0]);
        for (const Level level : left) CHECK(record.child_of(level, tree.level_sets) == 0);
        for (const Level level : right) CHECK(record.child_of(level, tree.level_sets) == 1);
        CHECK(record.child_of(1.0, tree.level_sets) == (first ? 0 : 1));
        CHECK(record.child_of(-1.0, tree.level_sets) == 2);
    }
}

}  // namespace
}  // namespace silvics
