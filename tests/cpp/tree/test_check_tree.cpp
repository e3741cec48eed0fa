#include <cmath>
#include <functional>
#include <limits>

#include "doctest/doctest.h"
#include "support/problem.hpp"
#include "tree/level_rule.hpp"
#include "tree/tree.hpp"

namespace silvics {
namespace {

Tree class_tree(std::vector<ClassId> n_classes) {
    test::Rng rng(110);
    const Table table = test::coded(test::random_matrix(rng, 80, 2, 5));  // ties: impure leaves
    return test::grown("gini", table, test::random_classes(rng, 80, n_classes), test::subset_of(80),
                       test::full_search(table));
}

Tree value_tree() {
    test::Rng rng(111);
    const Table table = test::coded(test::random_matrix(rng, 30, 2));
    return test::grown("squared_error", table, test::random_reals(rng, 30, 2), test::subset_of(30),
                       test::full_search(table));
}

NodeId find_node(const Tree& tree, const std::function<bool(const Node&)>& wanted) {
    const auto at = std::ranges::find_if(tree.nodes, wanted);
    REQUIRE(at != tree.nodes.end());
    return static_cast<NodeId>(at - tree.nodes.begin());
}
NodeId pure_leaf(const Tree& tree) {
    return find_node(tree, [](const Node& node) { return node.leaf() && (node.link & kPureBit); });
}
NodeId impure_leaf(const Tree& tree) {
    return find_node(tree, [](const Node& node) { return node.leaf() && !(node.link & kPureBit); });
}

struct Corruption {
    const char* complaint;
    std::function<void(Tree&)> apply;
};

void check_refused(const Tree& good, const std::vector<Corruption>& corruptions) {
    REQUIRE_NOTHROW(check_tree(good));
    for (const auto& [complaint, apply] : corruptions) {
        Tree bad = good;
        apply(bad);
        const std::string expected = std::string("not a valid tree: ") + complaint;
        CHECK_THROWS_WITH_AS(check_tree(bad), expected.c_str(), std::invalid_argument);
    }
}

TEST_CASE("a tree of wrong sizes is refused") {
    check_refused(
        class_tree({3}),
        {
            {"number of nodes", [](Tree& t) { t.nodes.clear(); }},
            {"number of variables", [](Tree& t) { t.n_features = 0; }},
            {"number of variables", [](Tree& t) { t.n_features = std::size_t{1} << 40; }},
            {"number of outputs", [](Tree& t) { t.n_outputs = 0; }},
            {"numbers of classes", [](Tree& t) { t.n_outputs = 2; }},
            {"a number of classes", [](Tree& t) { t.n_classes = {0}; }},
            {"a number of classes", [](Tree& t) { t.n_classes = {kPureBit}; }},
            {"number of classes",
             [](Tree& t) { t.n_outputs = 2, t.n_classes = {kPureBit - 1, 9}; }},
            {"length of an array", [](Tree& t) { t.n_node_samples.pop_back(); }},
            {"length of an array", [](Tree& t) { t.weighted_n_node_samples.push_back(1.0); }},
            {"length of an array", [](Tree& t) { t.impurity.clear(); }},
            {"leaf weights", [](Tree& t) { t.leaf_weights.pop_back(); }},
            {"values", [](Tree& t) { t.n_classes.clear(); }},
            {"values", [](Tree& t) { t.node_values = t.all_values(); }},
        });
    check_refused(
        value_tree(),
        {
            {"values", [](Tree& t) { t.node_values.pop_back(); }},
            {"values", [](Tree& t) { t.node_values.push_back(0.0), t.node_values.push_back(0.0); }},
            {"values", [](Tree& t) { t.node_values.clear(); }},
            {"values", [](Tree& t) { t.n_outputs = 1; }},
            {"number of classes", [](Tree& t) { t.n_outputs = std::size_t{1} << 40; }},
        });
}

TEST_CASE("a tree of wrong nodes is refused") {
    const Tree good = class_tree({3});
    const NodeId pure = pure_leaf(good), impure = impure_leaf(good);
    check_refused(
        good,
        {
            {"variable of a split", [](Tree& t) { t.nodes[0].feature = 2; }},
            {"threshold of a split", [](Tree& t) { t.nodes[0].threshold = NAN; }},
            {"threshold of a split", [](Tree& t) { t.nodes[0].threshold = -NAN; }},
            {"kind of a node", [&](Tree& t) { t.nodes[pure].feature = -1; }},
            {"kind of a node", [&](Tree& t) { t.nodes[pure].feature = -3; }},
            {"class of a leaf", [&](Tree& t) { t.nodes[pure].link = kPureBit | 3; }},
            {"weights of a leaf", [&](Tree& t) { t.nodes[impure].link = kPureBit - 1; }},
            {"weights of a leaf", [&](Tree& t) { ++t.nodes[impure].link; }},
            {"leaf weights", [](Tree& t) { t.leaf_weights.clear(); }},
            {"leaf weights", [](Tree& t) { t.leaf_weights.insert(t.leaf_weights.end(), 3, 1.0); }},
            {"weight of a node", [](Tree& t) { t.weighted_n_node_samples[1] = 0.0; }},
            {"weight of a node", [](Tree& t) { t.weighted_n_node_samples[1] = -1.0; }},
            {"weight of a node", [](Tree& t) { t.weighted_n_node_samples[1] = INFINITY; }},
            {"weight of a node", [](Tree& t) { t.weighted_n_node_samples[1] = NAN; }},
            {"impurity of a node", [](Tree& t) { t.impurity[1] = NAN; }},
            {"impurity of a node", [](Tree& t) { t.impurity[1] = INFINITY; }},
            {"unit of impurities", [](Tree& t) { t.impurity_exponent = 5000; }},
            {"unit of impurities",
             [](Tree& t) { t.impurity_exponent = std::numeric_limits<int>::min(); }},
            {"impurity of a node", [](Tree& t) { t.impurity[1] = -INFINITY; }},
            {"depth", [](Tree& t) { ++t.max_depth; }},
        });
}

TEST_CASE("a tree of wrong links is refused") {
    const Tree good = class_tree({3});
    const NodeId leaf = pure_leaf(good);
    const auto n = static_cast<std::uint32_t>(good.nodes.size());
    check_refused(good,
                  {
                      {"order of nodes", [](Tree& t) { t.nodes[0].link = 0; }},
                      {"order of nodes", [](Tree& t) { t.nodes[0].link = 1; }},
                      {"order of nodes", [](Tree& t) { ++t.nodes[0].link; }},
                      {"order of nodes", [](Tree& t) { --t.nodes[0].link; }},
                      {"order of nodes", [&](Tree& t) { t.nodes[0].link = n; }},
                      {"order of nodes", [](Tree& t) { t.nodes[0].link = 0xFFFFFFFFU; }},
                      {"order of nodes", [&](Tree& t) { std::swap(t.nodes[0], t.nodes[leaf]); }},
                      {"an inner node without all its children",
                       [](Tree& t) { t.nodes.back() = {0.5, 0, 0}; }},
                      {"an inner node without all its children",
                       [](Tree& t) {  // the last second child is cut off
                           t.nodes.pop_back();
                           t.n_node_samples.pop_back();
                           t.weighted_n_node_samples.pop_back();
                           t.impurity.pop_back();
                       }},
                      {"order of nodes",
                       [](Tree& t) {  // a node that nobody links to
                           t.nodes.push_back({-2.0, kLeaf, kPureBit});
                           t.n_node_samples.push_back(1);
                           t.weighted_n_node_samples.push_back(1.0);
                           t.impurity.push_back(0.0);
                       }},
                  });
}

TEST_CASE("a pure leaf has no meaning for several outputs") {
    const Tree good = class_tree({2, 2});
    const NodeId leaf = find_node(good, &Node::leaf);
    check_refused(good, {{"class of a leaf", [&](Tree& t) { t.nodes[leaf].link = kPureBit; }}});
}

TEST_CASE("every second child but its own is refused at every node") {
    const Tree good = class_tree({3});
    std::size_t accepted = 0;
    for (NodeId t = 0; t < good.nodes.size(); ++t) {
        if (good.nodes[t].leaf()) continue;
        for (std::uint32_t link = 0; link <= good.nodes.size(); ++link) {
            Tree bad = good;
            for (const bool missing_left : {false, true}) {
                bad.nodes[t].set_second(link, missing_left);
                try {
                    check_tree(bad);
                    accepted += link != good.nodes[t].second();
                } catch (const std::invalid_argument&) {
                }
            }
        }
    }
    CHECK(accepted == 0);
}

TEST_CASE("missing values may go either way at every node") {
    for (const Tree& good : {class_tree({3}), value_tree()})
        for (const bool all_left : {false, true}) {
            Tree tree = good;
            for (Node& node : tree.nodes)
                if (!node.leaf()) node.set_second(node.second(), all_left);
            CHECK_NOTHROW(check_tree(tree));
        }
}

TEST_CASE("an infinite threshold parts missing values from all others") {
    for (const double threshold : {INFINITY, -INFINITY}) {
        Tree tree = value_tree();
        tree.nodes[0].threshold = threshold;
        CHECK_NOTHROW(check_tree(tree));
    }
}

TEST_CASE("rules of levels are accepted, and broken ones refused at any node") {
    using Form = LevelRule::Form;
    Tree good = class_tree({3});
    const Level odd[] = {1, 3, 5}, far[] = {7, 4000}, dense[] = {1, 40, 41, 50, 60};
    good.nodes[0].threshold = LevelRule::of(odd, {}, false, good.level_sets).in_place();
    CHECK_NOTHROW(check_tree(good));
    good.nodes[0].threshold = LevelRule(Form::coin, 12345, true).in_place();
    CHECK_NOTHROW(check_tree(good));
    good.nodes[0].threshold = LevelRule::of(far, {}, true, good.level_sets).in_place();
    CHECK_NOTHROW(check_tree(good));
    good.nodes[0].threshold = LevelRule::of(far, {}, false, good.level_sets).in_place();
    CHECK_NOTHROW(check_tree(good));
    const auto inner =
        find_node(good, [&](const Node& node) { return &node != &good.nodes[0] && !node.leaf(); });
    good.nodes[inner].threshold = LevelRule::of(dense, {}, false, good.level_sets).in_place();
    REQUIRE(good.level_sets.size() == 3 + 3);
    const char* const complaint = "threshold of a split";
    const auto set = [](NodeId t, double threshold) {
        return [=](Tree& tree) { tree.nodes[t].threshold = threshold; };
    };
    for (const NodeId t : {NodeId{0}, inner})
        check_refused(
            good, {
                      {complaint, set(t, NAN)},
                      {complaint, set(t, LevelRule(Form::none, 5, false).in_place())},
                      {complaint, set(t, LevelRule(static_cast<Form>(4), 5, false).in_place())},
                      {complaint, set(t, LevelRule(static_cast<Form>(7), 5, true).in_place())},
                      {complaint, set(t, LevelRule(Form::apart, 6, false).in_place())},
                      {complaint, set(t, LevelRule(Form::apart, 1ULL << 40, false).in_place())},
                      {complaint, set(t, -LevelRule(Form::in_place_bits, 5, false).in_place())},
                      {complaint, [](Tree& tree) { tree.level_sets.clear(); }},
                      {complaint, [](Tree& tree) { tree.level_sets.pop_back(); }},
                      {complaint, [](Tree& tree) { tree.level_sets[3] = 65; }},  // bits of 3 words
                      {complaint, [](Tree& tree) { tree.level_sets[3] = 0x7FFFFFFF; }},
                      {complaint, [](Tree& tree) { tree.level_sets[0] = 0x80000006; }},
                      {complaint, [](Tree& tree) { tree.level_sets[0] = 0xFFFFFFFF; }},
                      {complaint,  // not ascending
                       [](Tree& tree) { std::swap(tree.level_sets[1], tree.level_sets[2]); }},
                  });
}

}  // namespace
}  // namespace silvics
