#include "builder/full_store.hpp"
#include "doctest/doctest.h"
#include "support/planned_growth.hpp"

namespace silvics {
namespace {

Target one_output() { return real_target(std::vector<double>{1.0, 2.0}, 2, 1, true); }

FullStore empty_store(bool depth_first = true) {
    GrowingTree growing;
    growing.depth_first = depth_first;
    return {std::move(growing), 1, true};
}

// Stores a node with a value; its number is returned.
NodeId put(FullStore& store, NodeId parent, std::uint32_t child_index, double value) {
    OpenNode node;
    node.parent = parent;
    node.child_index = child_index;
    store.append(node);
    store.set_size(node, 3, 1.5);
    store.set_impurity(node, 0.25);
    store.add_value(node)[0] = value;
    return node.id;
}

void put_split(FullStore& store, NodeId id, double threshold) {
    OpenNode node;
    node.id = id;
    node.feature = 2;
    node.rule = threshold;
    node.missing = MissingSide::left;
    store.set_split(node);
}

TEST_CASE("nodes have what was stored, and their parents' links, in any order") {
    FullStore store = empty_store(false);
    const NodeId root = put(store, OpenNode::kNoParent, 0, 10.0);
    put_split(store, root, 0.5);
    CHECK(put(store, root, 1, 20.0) == 1);  // the right child first
    CHECK(put(store, root, 0, 30.0) == 2);
    const GrowingTree growing = std::move(store).take_growing();
    REQUIRE(growing.nodes.size() == 3);
    CHECK(growing.nodes[0].first == 2);
    CHECK(growing.nodes[0].second == 1);
    CHECK(growing.nodes[0].feature == 2);
    CHECK(growing.nodes[0].rule == SplitRule(0.5));
    CHECK(growing.nodes[0].missing == MissingSide::left);
    CHECK(growing.nodes[1].n == 3);
    CHECK(growing.nodes[1].weight == 1.5);
    CHECK(growing.nodes[1].impurity == 0.25);
    CHECK(growing.values == std::vector<double>{10.0, 20.0, 30.0});
    CHECK(growing.nodes[2].value == 2);
}

TEST_CASE("leaves of one class store the class, sole samples their class or value") {
    FullStore values = empty_store(), classes({}, 2, false);
    OpenNode node;
    classes.append(node);
    classes.set_pure_class(node, 1);
    classes.append(node);
    classes.set_sole_leaf(node, {.weight = 1.0, .value = 0.0, .only_class = 0});
    const GrowingTree of_classes = std::move(classes).take_growing();
    CHECK(of_classes.nodes[0].value == (kPureBit | 1));
    CHECK(of_classes.nodes[1].value == kPureBit);
    CHECK(of_classes.values.empty());
    node = {};
    values.append(node);
    values.set_sole_leaf(node, {.weight = 1.0, .value = 4.5, .only_class = 0});
    CHECK(std::move(values).take_growing().values == std::vector<double>{4.5});
}

TEST_CASE(
    "nodes with a record number their children there, and an empty one predicts as its parent") {
    FullStore store = empty_store(false);
    GeneralSplit other;
    other.branches = true;
    other.branching.test = Branching::Test::levels;
    other.branching.levels = {1, 4, 6};
    other.branching.n_children = 3;
    other.sizes = {5, 0, 2};
    Split split;
    split.general = &other;
    OpenNode root;
    root.id = put(store, OpenNode::kNoParent, 0, 7.0);
    root.rule = store.encode_rule(split);
    const auto sizes = store.child_sizes(root);
    CHECK(std::vector(sizes.begin(), sizes.end()) == std::vector<std::uint32_t>{5, 0, 2});
    store.set_split(root);
    CHECK(put(store, root.id, 2, 8.0) == 1);
    CHECK(put(store, root.id, 0, 9.0) == 2);
    OpenNode empty;
    empty.parent = root.id;
    empty.child_index = 1;
    store.append(empty);
    store.inherit_value(empty);
    const GrowingTree growing = std::move(store).take_growing();
    const auto record = record_of(growing.nodes[0]);
    REQUIRE(record.has_value());
    const auto children = BranchRecord(growing.records.data() + *record).children();
    CHECK(std::vector(children.begin(), children.end()) == std::vector<NodeId>{2, 3, 1});
    CHECK(growing.nodes[3].value == growing.nodes[0].value);
}

TEST_CASE("a binary split has no sizes of children") {
    FullStore store = empty_store();
    OpenNode node;
    for (const double threshold : {0.5, -1e300}) {
        node.rule = threshold;
        CHECK(store.child_sizes(node).empty());
    }
    const Level left[] = {1, 2}, right[] = {3};
    Split split;
    split.by_levels = true;
    split.left = left;
    split.right = right;
    node.rule = store.encode_rule(split);
    CHECK(store.child_sizes(node).empty());
}

TEST_CASE("a subtree that grew in another store is attached where it belongs") {
    test::Rng rng(801);
    for (const std::size_t n_splits : {1U, 4U, 60U}) {
        const auto growth = test::planned_growth(rng, one_output(), n_splits, false);
        FullStore whole = empty_store();
        test::store_all(whole, growth);
        const auto expected =
            whole.finish_from_leaves(growth.target, 4, CompactionRule::variance, 0);
        REQUIRE(expected.has_value());
        // The same tree: the root in one store, each of the subtrees below it in another one.
        FullStore top = empty_store();
        const test::PlannedNode& root = growth.nodes[0];
        OpenNode node;
        top.append(node);
        top.set_size(node, root.n, root.weight);
        test::store_split(top, node, root);
        std::vector<OpenNode> children(2, node);
        for (std::uint32_t k = 0; k < 2; ++k) {
            children[k].parent = node.id;
            children[k].child_index = k;
            top.append(children[k]);
        }
        for (const std::uint32_t k : {1U, 0U}) {
            auto below = growth;
            std::swap(below.nodes[0], below.nodes[k == 0 ? root.left : root.right]);
            FullStore store = empty_store();
            test::store_all(store, below);
            top.attach(children[k].id, std::move(store).take_growing());
        }
        const auto joined = top.finish_from_leaves(growth.target, 4, CompactionRule::variance, 0);
        REQUIRE(joined.has_value());
        CHECK(test::same_trees(*joined, *expected));
    }
}

}  // namespace
}  // namespace silvics
