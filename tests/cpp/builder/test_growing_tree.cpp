#include "builder/growing_tree.hpp"
#include "doctest/doctest.h"
#include "importance/impurity_decrease.hpp"
#include "support/problem.hpp"
#include "tree/descend.hpp"
#include "tree/prune.hpp"

namespace silvics {
namespace {

Target two_classes() { return class_target(std::vector<std::int64_t>{0, 1}, 2, {2}); }

GrowingNode inner(std::int32_t feature, NodeId first, NodeId second) {
    GrowingNode node;
    node.feature = feature;
    node.threshold = feature;
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
    CHECK(tree.nodes[0].link == 4);
    CHECK(tree.nodes[1].link == 3);
    CHECK(tree.nodes[4].link == 6);
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
        node.threshold = level;
        node.n = depth - level + 1;
        node.weight = node.n;
        node.impurity = 2.0 * (node.n - 1.0) / node.weight / node.weight;
        growing.nodes.push_back(node);
        growing.nodes.push_back(leaf(kPureBit));
    }
    growing.nodes.push_back(leaf(kPureBit | 1));
    return finish_tree(growing, two_classes(), 1, false);
}

TEST_CASE("a chain of depth 100,000 is finished, checked, walked and summed without recursion") {
    const NodeId depth = 100000;
    const Tree tree = chain(depth);
    CHECK(tree.max_depth == depth);
    CHECK_NOTHROW(check_tree(tree));
    const double last = depth, first = -1.0, between = 499.5;
    CHECK(descend(tree.nodes.data(), &last) == tree.nodes.size() - 1);
    CHECK(descend(tree.nodes.data(), &first) == 1);
    CHECK(descend(tree.nodes.data(), &between) == 1001);
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
    CHECK(prune(tree, 1.0).nodes.size() == 1);
}

}  // namespace
}  // namespace silvics
