#include "builder/growing_tree.hpp"
#include "doctest/doctest.h"
#include "importance/impurity_decrease.hpp"
#include "support/descend.hpp"
#include "support/problem.hpp"
#include "tree/compact.hpp"
#include "tree/prune.hpp"

namespace silvics {
namespace {

Target two_classes() { return class_target(std::vector<std::int64_t>{0, 1}, 2, {2}); }

GrowingNode inner(std::int32_t feature, NodeId first, NodeId second) {
    GrowingNode node;
    node.feature = feature;
    node.rule = feature;
    node.first = first;
    node.second = second;
    node.n = 2;
    node.weight = 2.0;
    return node;
}

GrowingNode leaf(std::uint32_t value) {
    GrowingNode node;
    node.value = value;
    node.n = 1;
    node.weight = 1.0;
    return node;
}

//        0 (x0)
//    5 (x1)    1 (x2)
//   2    4    6     3
GrowingTree made_out_of_order() {
    GrowingTree growing;
    growing.nodes = {inner(0, 5, 1), inner(2, 6, 3), leaf(kPureBit | 1), leaf(1),
                     leaf(0),        inner(1, 2, 4), leaf(kPureBit)};
    growing.values = {1.0, 2.0, 3.0, 4.0};
    return growing;
}

TEST_CASE(
    "nodes are set in depth-first order, first child after its parent, whatever the order made") {
    const Tree tree = finish_tree(made_out_of_order(), two_classes(), 3, false);
    std::vector<std::int32_t> features;
    for (const Node& node : tree.nodes) features.push_back(node.feature);
    CHECK(features == std::vector<std::int32_t>{0, 1, -2, -2, 2, -2, -2});
    CHECK(tree.nodes[0].second() == 4);
    CHECK(tree.nodes[1].second() == 3);
    CHECK(tree.nodes[4].second() == 6);
    CHECK(tree.max_depth == 2);
    CHECK(tree.n_features == 3);
    CHECK_NOTHROW(check_tree(tree));
}

TEST_CASE("pure leaves keep a class, others a row of weights") {
    const Tree tree = finish_tree(made_out_of_order(), two_classes(), 3, false);
    CHECK(tree.nodes[2].link == (kPureBit | 1));
    CHECK(tree.nodes[5].link == kPureBit);
    CHECK(tree.nodes[3].link == 0);
    CHECK(tree.nodes[6].link == 1);
    CHECK(tree.leaf_weights == std::vector<double>{1.0, 2.0, 3.0, 4.0});
    CHECK(tree.node_values.empty());
}

TEST_CASE("values per node follow their nodes") {
    GrowingTree growing = made_out_of_order();
    growing.values.clear();
    for (std::uint32_t t = 0; t < 7; ++t) {
        growing.nodes[t].value = t;
        growing.values.push_back(10.0 * t);
    }
    const Target target = real_target(std::vector<double>{1.0, 2.0}, 2, 1, true);
    const Tree tree = finish_tree(growing, target, 3, true);
    CHECK(tree.node_values == std::vector<double>{0.0, 50.0, 20.0, 40.0, 10.0, 60.0, 30.0});
    CHECK(tree.leaf_weights.empty());
    CHECK_NOTHROW(check_tree(tree));
}

TEST_CASE("a root alone is a tree") {
    GrowingTree growing;
    growing.nodes = {leaf(kPureBit | 1)};
    const Tree tree = finish_tree(growing, two_classes(), 1, false);
    CHECK(tree.max_depth == 0);
    CHECK(tree.nodes.size() == 1);
    CHECK_NOTHROW(check_tree(tree));
}

// Each second child carries the chain on: the left leaves are of class 0, the end of class 1.
Tree chain(NodeId depth) {
    GrowingTree growing;
    for (NodeId level = 0; level < depth; ++level) {
        GrowingNode node = inner(0, 2 * level + 1, 2 * level + 2);
        node.rule = level;
        node.n = depth - level + 1;
        node.weight = node.n;
        node.impurity = 2.0 * (node.n - 1.0) / node.weight / node.weight;
        growing.nodes.push_back(node);
        growing.nodes.push_back(leaf(kPureBit));
    }
    growing.nodes.push_back(leaf(kPureBit | 1));
    return finish_tree(growing, two_classes(), 1, false);
}

TEST_CASE("a chain of depth 100,000 is finished, checked, traversed and summed without recursion") {
    const NodeId depth = 100000;
    const Tree tree = chain(depth);
    CHECK(tree.max_depth == depth);
    CHECK_NOTHROW(check_tree(tree));
    const double last = depth, first = -1.0, between = 499.5;
    CHECK(test::descend(tree, &last) == tree.nodes.size() - 1);
    CHECK(test::descend(tree, &first) == 1);
    CHECK(test::descend(tree, &between) == 1001);
    CHECK(tree.depths().back() == depth);
    CHECK(tree.subtree_ends()[0] == tree.nodes.size());
    const auto values = tree.all_values();
    CHECK(values[0] == doctest::Approx(depth / (depth + 1.0)));
    CHECK(values[1] == doctest::Approx(1.0 / (depth + 1.0)));
    CHECK(impurity_decrease(tree, true)[0] == doctest::Approx(1.0));
}

TEST_CASE("a deep chain is pruned to its root without recursion") {
    const Tree tree = chain(5000);
    const PruningPath path = pruning_path(tree);
    CHECK(path.impurities.back() == doctest::Approx(tree.impurity[0]));
    CHECK(prune(tree, 1.0)->nodes.size() == 1);
}

// ---- finished from the leaves

// A tree of random shape with its nodes in breadth-first order. fill(node, values) makes the
// leaves; sizes and weights of inner nodes are sums over their leaves.
template <class Fill>
GrowingTree random_growing(test::Rng& rng, std::size_t n_nodes, Fill&& fill) {
    GrowingTree growing;
    growing.nodes.resize(1);
    for (NodeId t = 0; growing.nodes.size() < n_nodes; ++t) {
        const auto next = static_cast<NodeId>(growing.nodes.size());
        if (t + 1 < next && test::pick(rng, 3) == 0) continue;  // a leaf, unless it is the last
        GrowingNode& node = growing.nodes[t];
        node.feature = static_cast<std::int32_t>(test::pick(rng, 4));
        node.rule = test::pick_real(rng, -1.0, 1.0);
        node.first = next;
        node.second = next + 1;
        growing.nodes.resize(next + 2);
    }
    for (std::size_t t = growing.nodes.size(); t-- > 0;) {
        GrowingNode& node = growing.nodes[t];
        if (node.feature < 0) {
            fill(node, growing.values);
            continue;
        }
        const GrowingNode &l = growing.nodes[node.first], &r = growing.nodes[node.second];
        node.n = l.n + r.n;
        node.weight = l.weight + r.weight;
        node.impurity = 0.5;  // not read where it follows from the leaves
    }
    return growing;
}

// Whole weights of five classes; one class in half of the leaves.
GrowingTree growing_classes(test::Rng& rng, std::size_t n_nodes, double unit = 1.0) {
    return random_growing(rng, n_nodes, [&](GrowingNode& node, std::vector<double>& values) {
        const bool pure = test::pick(rng, 2) == 0;
        node.n = static_cast<std::uint32_t>(2 + test::pick(rng, 5));
        if (pure) {
            node.weight = unit * static_cast<double>(node.n + test::pick(rng, 3));
            node.value = kPureBit | static_cast<std::uint32_t>(test::pick(rng, 5));
            return;
        }
        node.value = static_cast<std::uint32_t>(values.size() / 5);
        node.impurity = 0.25;
        for (std::size_t c = 0; c < 5; ++c) {
            values.push_back(c == 2 ? 0.0 : unit * static_cast<double>(1 + test::pick(rng, 9)));
            node.weight += values.back();
        }
    });
}

// Leaves of one output each; every node has a value.
GrowingTree growing_means(test::Rng& rng, std::size_t n_nodes, test::Weights weights) {
    GrowingTree growing =
        random_growing(rng, n_nodes, [&](GrowingNode& node, std::vector<double>&) {
            node.n = static_cast<std::uint32_t>(1 + test::pick(rng, 3));
            node.weight = weights == test::Weights::unit ? node.n : 2.0 * node.n + 1.0;
        });
    for (std::size_t t = 0; t < growing.nodes.size(); ++t) {
        growing.nodes[t].value = static_cast<std::uint32_t>(growing.values.size());
        growing.values.push_back(test::pick_real(rng, -5.0, 5.0));
    }
    return growing;
}

Target five_classes() { return class_target(std::vector<std::int64_t>{0, 4}, 2, {5}); }
Target one_output() { return real_target(std::vector<double>{1.0, 2.0}, 2, 1, true); }

void check_finished_alike(GrowingTree growing, const Target& target, CompactionRule rule,
                          int exponent) {
    Tree plain = finish_tree(growing, target, 4, !target.classification());
    plain.impurity_exponent = exponent;
    const auto expected = compact(plain, rule);
    REQUIRE(expected.has_value());
    for (int again = 0; again < 2;
         ++again) {  // nodes in breadth-first order, then in depth-first order
        const auto tree = finish_leaves(growing, target, 4, rule, exponent);
        REQUIRE(tree.has_value());
        CHECK_NOTHROW(check_tree(*tree));
        CHECK(test::same_trees(*tree, *expected));
        CHECK(growing.depth_first);
    }
    CHECK(test::same_trees(finish_tree(growing, target, 4, !target.classification()),
                           [&] { return plain.impurity_exponent = 0, plain; }()));
}

TEST_CASE("trees of whole class weights are finished from their leaves") {
    test::Rng rng(700);
    for (const std::size_t n_nodes : {1U, 3U, 5U, 21U, 301U})
        for (const CompactionRule rule :
             {CompactionRule::gini, CompactionRule::entropy, CompactionRule::misclassification})
            for (const double unit : {1.0, 70000.0})  // weights that fit in two bytes, and in four
                check_finished_alike(growing_classes(rng, n_nodes, unit), five_classes(), rule, 0);
}

TEST_CASE("trees whose leaves have one output value each are finished from their leaves") {
    test::Rng rng(701);
    for (const std::size_t n_nodes : {1U, 3U, 5U, 21U, 301U})
        for (const test::Weights weights : {test::Weights::unit, test::Weights::whole})
            for (const int exponent : {0, -40})
                check_finished_alike(growing_means(rng, n_nodes, weights), one_output(),
                                     CompactionRule::variance, exponent);
}

TEST_CASE("leaves with means or fractional weights do not suffice to finish a tree") {
    test::Rng rng(702);
    for (const std::size_t n_nodes : {1U, 21U, 101U}) {
        GrowingTree means = growing_means(rng, n_nodes, test::Weights::unit);
        const auto leaf_node = std::ranges::find_if(
            means.nodes, [](const GrowingNode& node) { return node.feature < 0; });
        leaf_node->impurity = 1e-9;
        Tree expected = finish_tree(means, one_output(), 4, true);
        CHECK_FALSE(finish_leaves(means, one_output(), 4, CompactionRule::variance, 0).has_value());
        // The nodes are still there, in their order.
        CHECK(means.depth_first);
        CHECK(test::same_trees(finish_tree(means, one_output(), 4, true), expected));

        GrowingTree classes = growing_classes(rng, n_nodes, 0.375);
        expected = finish_tree(classes, five_classes(), 4, false);
        CHECK_FALSE(finish_leaves(classes, five_classes(), 4, CompactionRule::gini, 0).has_value());
        CHECK(test::same_trees(finish_tree(classes, five_classes(), 4, false), expected));
    }
}

TEST_CASE("missing values go where they went, or to the heavier child if there were none") {
    for (const MissingSide side : {MissingSide::unseen, MissingSide::right, MissingSide::left})
        for (const double second_weight : {0.5, 1.0, 1.5}) {
            GrowingTree growing;
            growing.nodes = {inner(0, 1, 2), leaf(kPureBit), leaf(kPureBit | 1)};
            growing.nodes[0].missing = side;
            growing.nodes[2].weight = second_weight;
            const Tree tree = finish_tree(growing, two_classes(), 3, false);
            CHECK(tree.nodes[0].second() == 2);
            CHECK(tree.nodes[0].missing_left() ==
                  (side == MissingSide::unseen ? second_weight < 1.0 : side == MissingSide::left));
        }
}

TEST_CASE("levels go where they went, others to the heavier child, nodes in any order") {
    //        0: levels far apart
    //    3: few levels   1
    //   2    4 (coins)
    //      5   6
    const Level far_left[] = {3, 5000, 70}, far_right[] = {0, 9000}, few_left[] = {2},
                few_right[] = {1, 4};
    const std::uint64_t seed = 0x1234567;
    for (const bool first_heavier : {false, true}) {
        GrowingTree growing;
        growing.nodes = {inner(0, 3, 1), leaf(kPureBit), leaf(kPureBit),    inner(1, 2, 4),
                         inner(2, 5, 6), leaf(kPureBit), leaf(kPureBit | 1)};
        growing.nodes[3].rule = keep_levels(growing.levels, few_left, few_right);
        growing.nodes[0].rule = keep_levels(growing.levels, far_left, far_right);
        growing.nodes[4].rule = LevelRule(LevelRule::Form::coin, seed, false);
        if (first_heavier)
            growing.nodes[2].weight = growing.nodes[3].weight = growing.nodes[5].weight = 10.0;
        else
            growing.nodes[1].weight = growing.nodes[4].weight = growing.nodes[6].weight = 10.0;
        // Levels where they are, and behind those of another tree.
        GrowingTree shifted = growing;
        shifted.levels.insert(shifted.levels.begin(), {7, 8, 9});
        for (const NodeId t : {0U, 3U, 4U}) shift(shifted.nodes[t], shifted.records, {.levels = 3});
        for (const GrowingTree& of : {growing, shifted}) {
            const Tree tree = finish_tree(of, two_classes(), 3, false);
            CHECK_NOTHROW(check_tree(tree));
            REQUIRE(tree.nodes.size() == 7);
            const auto goes = [&](NodeId t, Level level) {
                REQUIRE(tree.nodes[t].rule().is_levels());
                return tree.nodes[t].rule().levels().goes_left(level, tree.level_sets);
            };
            for (const Level level : far_left) CHECK(goes(0, level));
            for (const Level level : far_right) CHECK_FALSE(goes(0, level));
            for (const Level level : few_left) CHECK(goes(1, level));
            for (const Level level : few_right) CHECK_FALSE(goes(1, level));
            for (const Level other : {6U, 46U, 47U, 4999U, 100000U}) {
                CHECK(goes(0, other) == first_heavier);
                CHECK(goes(1, other) == first_heavier);
                CHECK(goes(3, other) == LevelRule::coin(seed, other));
            }
            for (const NodeId t : {0U, 1U, 3U})
                CHECK(tree.nodes[t].rule().levels().others_left() == first_heavier);
        }
    }
}

}  // namespace
}  // namespace silvics
