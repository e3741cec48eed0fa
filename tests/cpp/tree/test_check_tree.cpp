#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>

#include "doctest/doctest.h"
#include "support/tree_example.hpp"
#include "tree/check_tree.hpp"

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

NodeId find_node(const TreeBase& tree, const std::function<bool(const Node&)>& wanted) {
    const auto at = std::ranges::find_if(tree.nodes, wanted);
    REQUIRE(at != tree.nodes.end());
    return static_cast<NodeId>(at - tree.nodes.begin());
}
NodeId pure_leaf(const TreeBase& tree) {
    return find_node(tree, [](const Node& node) { return node.leaf() && node.pure(); });
}
NodeId impure_leaf(const TreeBase& tree) {
    return find_node(tree, [](const Node& node) { return node.leaf() && !node.pure(); });
}

template <class Form>
struct Corruption {
    const char* complaint;
    std::function<void(Form&)> apply;
};

// The list is deduced from the tree alone.
template <class Form>
void check_refused(const Form& good,
                   const std::type_identity_t<std::vector<Corruption<Form>>>& corruptions) {
    REQUIRE_NOTHROW(check_tree(good));
    for (const auto& [complaint, apply] : corruptions) {
        Form bad = good;
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
            {"threshold of a split", [](Tree& t) { t.nodes[0].set_rule(NAN); }},
            {"threshold of a split", [](Tree& t) { t.nodes[0].set_rule(-NAN); }},
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

TEST_CASE("missing values may go to either child of every node") {
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
        tree.nodes[0].set_rule(threshold);
        CHECK_NOTHROW(check_tree(tree));
    }
}

TEST_CASE("rules of levels are accepted, and broken ones refused at any node") {
    using Form = LevelRule::Form;
    Tree good = class_tree({3});
    const Level odd[] = {1, 3, 5}, far[] = {7, 4000}, dense[] = {1, 40, 41, 50, 60};
    good.nodes[0].set_rule(LevelRule::of(odd, {}, false, good.level_sets));
    CHECK_NOTHROW(check_tree(good));
    good.nodes[0].set_rule(LevelRule(Form::coin, 12345, true));
    CHECK_NOTHROW(check_tree(good));
    good.nodes[0].set_rule(LevelRule::of(far, {}, true, good.level_sets));
    CHECK_NOTHROW(check_tree(good));
    good.nodes[0].set_rule(LevelRule::of(far, {}, false, good.level_sets));
    CHECK_NOTHROW(check_tree(good));
    const auto inner =
        find_node(good, [&](const Node& node) { return &node != &good.nodes[0] && !node.leaf(); });
    good.nodes[inner].set_rule(LevelRule::of(dense, {}, false, good.level_sets));
    REQUIRE(good.level_sets.size() == 3 + 3);
    const char* const complaint = "threshold of a split";
    const auto set = [](NodeId t, SplitRule rule) {
        return [=](Tree& tree) { tree.nodes[t].set_rule(rule); };
    };
    for (const NodeId t : {NodeId{0}, inner})
        check_refused(
            good, {
                      {complaint, set(t, NAN)},
                      {complaint, set(t, LevelRule(Form::none, 5, false))},
                      {complaint, set(t, LevelRule(static_cast<Form>(4), 5, false))},
                      {complaint, set(t, LevelRule(static_cast<Form>(7), 5, true))},
                      {complaint, set(t, LevelRule::pending(0))},
                      {complaint, set(t, LevelRule(Form::apart, 6, false))},
                      {complaint, set(t, LevelRule(Form::apart, 1ULL << 40, false))},
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

// ---- compact trees

CompactTree compact_example(const test::TreeCase& of) {
    return *test::tree_example(of).tree.compact();
}

TEST_CASE("a compact tree of counts is checked") {
    const CompactTree good = compact_example({"gini", {2}, test::Weights::whole, 5});
    const NodeId pure = pure_leaf(good), impure = impure_leaf(good);
    const auto with = [](CompactTree& t, NodeId leaf, LeafCounts counts) {
        t.nodes[leaf].set_counts(counts);
    };
    check_refused(
        good,
        {
            {"derivation", [](CompactTree& t) { t.rule = CompactionRule::variance; }},
            {"derivation", [](CompactTree& t) { t.rule = CompactionRule::none; }},
            {"derivation", [](CompactTree& t) { t.rule = static_cast<CompactionRule>(5); }},
            {"derivation", [](CompactTree& t) { t.rule = static_cast<CompactionRule>(255); }},
            {"whole weights", [](CompactTree& t) { t.whole_weights.wide = {1, 1}; }},
            {"length of an array", [](CompactTree& t) { t.n_leaf_samples = {1}; }},
            {"length of an array", [](CompactTree& t) { t.weighted_n_leaf_samples = {1.0}; }},
            {"length of an array",
             [](CompactTree& t) { t.weighted_n_leaf_samples.assign(t.n_leaves(), 1.0); }},
            {"length of an array",
             [](CompactTree& t) { t.leaf_impurity.assign(t.n_leaves(), 0.0); }},
            {"leaf weights", [](CompactTree& t) { t.n_leaf_samples.assign(t.n_leaves(), 1); }},
            {"leaf weights", [](CompactTree& t) { t.leaf_weights = {1.0, 2.0}; }},
            {"leaf weights", [](CompactTree& t) { t.whole_weights.narrow.push_back(1); }},
            {"leaf weights",
             [](CompactTree& t) {
                 t.whole_weights.narrow.insert(t.whole_weights.narrow.end(), 2, 1);
             }},
            {"weights of a leaf", [](CompactTree& t) { t.whole_weights.narrow.resize(2); }},
            {"weights of a leaf", [](CompactTree& t) { ++t.whole_weights.narrow[0]; }},
            {"weights of a leaf", [&](CompactTree& t) { ++t.nodes[impure].link; }},
            {"class of a leaf", [&](CompactTree& t) { t.nodes[pure].link = kPureBit | 2; }},
            {"numbers of a leaf", [&](CompactTree& t) { with(t, pure, {0, 1}); }},
            {"numbers of a leaf", [&](CompactTree& t) { with(t, pure, {1, 0}); }},
            {"weights of a leaf", [&](CompactTree& t) { with(t, impure, {5, 1}); }},
            {"number of samples", [&](CompactTree& t) { with(t, pure, {0xFFFFFFFFU, 1}); }},
            {"threshold of a split", [](CompactTree& t) { t.nodes[0].set_rule(NAN); }},
            {"threshold of a split",
             [](CompactTree& t) {
                 t.nodes[0].set_rule(LevelRule(LevelRule::Form::apart, 0, false));
             }},
            {"order of nodes", [](CompactTree& t) { ++t.nodes[0].link; }},
            {"depth", [](CompactTree& t) { ++t.max_depth; }},
        });
}

TEST_CASE("a compact tree of real class weights is checked") {
    const CompactTree good = compact_example({"entropy", {3}, test::Weights::fractional, 5});
    const NodeId impure = impure_leaf(good);
    check_refused(
        good,
        {
            {"length of an array", [](CompactTree& t) { t.n_leaf_samples.pop_back(); }},
            {"length of an array", [](CompactTree& t) { t.n_leaf_samples.push_back(1); }},
            {"numbers of a leaf", [](CompactTree& t) { t.n_leaf_samples[0] = 0; }},
            {"leaf weights", [](CompactTree& t) { t.whole_weights.narrow = {1, 1, 1}; }},
            {"leaf weights", [](CompactTree& t) { t.leaf_weights.pop_back(); }},
            {"weights of a leaf", [](CompactTree& t) { t.leaf_weights[0] = NAN; }},
            {"weights of a leaf", [](CompactTree& t) { t.leaf_weights[0] = INFINITY; }},
            {"weights of a leaf",
             [](CompactTree& t) {
                 t.leaf_weights[1] -= t.leaf_weights[0] + 10.0, t.leaf_weights[0] += 10.0;
             }},
            {"numbers of a leaf", [&](CompactTree& t) { t.nodes[impure].set_weight(NAN); }},
            {"numbers of a leaf", [&](CompactTree& t) { t.nodes[impure].set_weight(-1.0); }},
            {"numbers of a leaf", [&](CompactTree& t) { t.nodes[impure].set_weight(INFINITY); }},
            {"weights of a leaf",
             [&](CompactTree& t) { t.nodes[impure].set_weight(1.1 * t.nodes[impure].weight()); }},
        });
}

TEST_CASE("a compact tree of means is checked") {
    const CompactTree whole = compact_example({"squared_error", {}, test::Weights::whole, 5});
    const NodeId leaf =
        static_cast<NodeId>(std::ranges::find_if(whole.nodes, &Node::leaf) - whole.nodes.begin());
    const double top = std::numeric_limits<double>::max();
    check_refused(
        whole,
        {
            {"derivation", [](CompactTree& t) { t.rule = CompactionRule::gini; }},
            {"derivation", [](CompactTree& t) { t.n_classes = {1}; }},
            {"values", [](CompactTree& t) { t.n_outputs = 2; }},
            {"length of an array",
             [](CompactTree& t) { t.n_leaf_samples.assign(t.n_leaves(), 1); }},
            {"length of an array", [](CompactTree& t) { t.leaf_weights = {1.0}; }},
            {"length of an array", [](CompactTree& t) { t.leaf_impurity.pop_back(); }},
            {"whole weights", [](CompactTree& t) { t.whole_weights.narrow.pop_back(); }},
            {"whole weights", [](CompactTree& t) { t.whole_weights.narrow.push_back(1); }},
            {"whole weights",
             [](CompactTree& t) { t.weighted_n_leaf_samples.assign(t.n_leaves(), 1.0); }},
            {"unit of impurities", [](CompactTree& t) { ++t.impurity_exponent; }},
            {"unit of impurities", [](CompactTree& t) { t.impurity_exponent = 4096; }},
            {"numbers of a leaf", [](CompactTree& t) { t.impurity_exponent = -4096; }},
            {"numbers of a leaf", [](CompactTree& t) { t.whole_weights.narrow[0] = 0; }},
            {"numbers of a leaf", [](CompactTree& t) { t.leaf_impurity[0] = -1.0; }},
            {"numbers of a leaf", [](CompactTree& t) { t.leaf_impurity[0] = NAN; }},
            {"numbers of a leaf", [&](CompactTree& t) { t.leaf_impurity[0] = top; }},
            {"numbers of a leaf", [&](CompactTree& t) { t.nodes[leaf].set_mean(INFINITY, 5); }},
            {"numbers of a leaf", [&](CompactTree& t) { t.nodes[leaf].set_mean(NAN, 5); }},
            {"numbers of a leaf", [&](CompactTree& t) { t.nodes[leaf].set_mean(top, 5); }},
            {"numbers of a leaf", [&](CompactTree& t) { t.nodes[leaf].link = 0; }},
            {"number of samples", [&](CompactTree& t) { t.nodes[leaf].link = 0xFFFFFFFFU; }},
        });
    check_refused(
        compact_example({"squared_error", {}, test::Weights::fractional, 1}),
        {
            {"length of an array", [](CompactTree& t) { t.weighted_n_leaf_samples.pop_back(); }},
            {"numbers of a leaf", [](CompactTree& t) { t.weighted_n_leaf_samples[0] = 0.0; }},
            {"numbers of a leaf", [](CompactTree& t) { t.weighted_n_leaf_samples[0] = INFINITY; }},
        });
}

}  // namespace
}  // namespace silvics
