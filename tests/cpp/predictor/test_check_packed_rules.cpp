// check_packed: single leaves, rules of levels, and branch records.
#include "doctest/doctest.h"
#include "predictor/packed_parts.hpp"

namespace silvics {
namespace {

using namespace packed_parts;

TEST_CASE("a tree of one leaf has one form") {
    for (const auto& trees : {of_classes(), of_reals()}) {
        const Parts good(trees);
        const PackedNode only = good.nodes[good.first_node[1]];
        REQUIRE(good.first_node[2] == good.first_node[1] + 1);
        REQUIRE(only == PackedNode::of_one_leaf(only.child(0)));
        const auto put = [](std::size_t m, const PackedNode& node) {
            return [=](Parts& p) { at(p, m, 0) = node; };
        };
        const Child leaf = only.child(0), root = Child::inner(0);
        const char* const complaint = "a tree of one leaf";
        check_refused(
            good,
            {
                {kOrder, put(0, only)},
                {complaint, put(1, PackedNode::of_one_leaf(root))},
                {complaint, put(1, PackedNode::of_one_leaf(Child::inner(1)))},
                {"content of a leaf", put(1, PackedNode::of_one_leaf(Child::leaf(0x7FFFFFFF)))},
                {"threshold of a split", put(1, with_rule(only, NAN))},
                {kOrder, put(1, with_feature(only, 1))},
                {kOrder, put(1, with_rule(only, 0.5))},
                {kOrder, put(1, {only.threshold(), 0, false, leaf, root})},
                {kOrder, put(1, {only.threshold(), 0, true, leaf, Child::inner(1)})},
                {kOrder, put(1, {only.threshold(), 0, true, root, leaf})},
            });
    }
}

TEST_CASE("rules of levels are accepted, and broken ones refused") {
    using Form = LevelRule::Form;
    CompactTree tree = *test::tree_example({"gini", {3}, test::Weights::unit, 9}).tree.compact();
    const Level far[] = {7, 4000}, dense[] = {1, 40, 41, 50, 60};
    std::vector<NodeId> inner;
    for (NodeId t = 0; t < tree.nodes.size(); ++t)
        if (!tree.nodes[t].leaf()) inner.push_back(t);
    tree.nodes[inner[0]].set_rule(LevelRule::of(far, {}, false, tree.level_sets));
    tree.nodes[inner[1]].set_rule(LevelRule::of(dense, {}, false, tree.level_sets));
    const Parts good(shared({tree, tree}));
    REQUIRE(good.first_set == std::vector<std::uint64_t>{0, 6, 12});
    for (const std::size_t m : {0U, 1U}) {
        const char* const complaint = "threshold of a split";
        const auto rule = [=](SplitRule to) {
            return [=](Parts& p) { at(p, m, 0) = with_rule(at(p, m, 0), to); };
        };
        const auto word = [=](std::size_t i, std::uint32_t to) {
            return [=](Parts& p) { p.level_sets[p.first_set[m] + i] = to; };
        };
        check_refused(good,
                      {
                          {complaint, rule(NAN)},
                          {complaint, rule(-NAN)},
                          {complaint, rule(LevelRule(Form::none, 5, false))},
                          {complaint, rule(LevelRule(static_cast<Form>(7), 5, true))},
                          {complaint, rule(LevelRule::pending(0))},
                          {complaint, rule(LevelRule(Form::apart, 6, false))},
                          {complaint, rule(LevelRule(Form::apart, 1ULL << 40, false))},
                          {complaint, rule(-LevelRule(Form::in_place_bits, 5, false).in_place())},
                          {"record of a split", rule(SplitRule::record(0))},
                          {complaint, word(3, 65)},  // bits of 3 words
                          {complaint, word(3, 0x7FFFFFFF)},
                          {complaint, word(0, 0x80000006)},
                          {complaint, word(0, 0xFFFFFFFF)},
                          {complaint, word(1, 5000)},  // not ascending
                          {complaint, [=](Parts& p) { --p.first_set[1]; }},
                          {"parts of trees", [](Parts& p) { p.first_set.clear(); }},
                          {"parts of trees", [](Parts& p) { p.level_sets.pop_back(); }},
                          {"parts of trees", [](Parts& p) { p.first_set.push_back(12); }},
                          {complaint, [](Parts& p) { p.level_sets.clear(), p.first_set.clear(); }},
                      });
    }
}

// A root of these children, all leaves; of classes, all of them the first.
Tree of_one(const Branching& branching) {
    Tree tree;
    tree.n_features = 3;
    const std::size_t n = branching.n_children + 1;
    tree.max_depth = 1;
    tree.nodes.resize(n);
    BranchRecord::append(branching, tree.branches);
    for (std::uint32_t k = 0; k < branching.n_children; ++k)
        tree.branches[BranchRecord::child_offset(0, k)] = k + 1;
    tree.nodes[0] = {SplitRule::record(0), 1, 2};
    tree.n_node_samples.assign(n, 1);
    tree.weighted_n_node_samples.assign(n, 1.0);
    tree.impurity.assign(n, 0.0);
    tree.n_classes = {2};
    for (std::size_t t = 0; t < n; ++t) tree.node_values.insert(tree.node_values.end(), {1.0, 0.0});
    return tree;
}

Branching oblique(std::uint32_t n_children, std::vector<double> cuts) {
    Branching of;
    of.n_children = n_children;
    of.missing_child = of.other_child = n_children - 1;
    of.terms = {{0, 1.0, 0.5F}, {2, -1.0, 0.5F}};
    of.thresholds = std::move(cuts);
    return of;
}

TEST_CASE("damaged records are refused") {
    const Tree tree = of_one(oblique(3, {0.5}));
    const Parts good(shared({tree, tree}));
    const std::size_t size = tree.branches.size();
    REQUIRE(good.branches.size() == 2 * size);
    for (const std::size_t m : {0U, 1U}) {
        const char* const complaint = "record of a split";
        const auto node = [=](const PackedNode& to) { return [=](Parts& p) { at(p, m, 0) = to; }; };
        const auto word = [=](std::size_t i, std::uint32_t to) {
            return [=](Parts& p) { p.branches[p.first_branch[m] + i] = to; };
        };
        const SplitRule record = tree.nodes[0].rule();
        const Child none = Child::inner(0);
        const auto elsewhere = [](std::uint64_t place, bool others = false) {
            return SplitRule(LevelRule(LevelRule::Form::record, place, others));
        };
        check_refused(good,
                      {
                          {complaint, node({elsewhere(1), 1, false, none, none})},
                          {complaint, node({elsewhere(size), 1, false, none, none})},
                          {complaint, node({elsewhere(LevelRule::kContent), 1, false, none, none})},
                          {complaint, node({elsewhere(0, true), 1, false, none, none})},
                          {complaint, node({-record.stored(), 1, false, none, none})},
                          {complaint, node({record, 1, false, Child::leaf(0), none})},
                          {complaint, node({record, 1, false, none, Child::inner(1)})},
                          {"variable of a split", node({record, 3, false, none, none})},
                          {complaint, word(0, 3)},           // no test
                          {complaint, word(1, 0)},           // no child
                          {complaint, word(1, 0xFFFFFFFF)},  // more than there is room for
                          {complaint, word(2, 3)},           // missing values go nowhere
                          {complaint, word(4, 0x40000000)},  // terms
                          {complaint, word(5, 0x80000000)},  // cuts
                          {complaint, word(5, 0xFFFFFFFF)},  // cuts
                          {complaint, word(BranchRecord::child_offset(0, 3), 3)},  // a variable
                          {kOrder, word(BranchRecord::child_offset(0, 0), 0)},     // places
                          {kOrder, word(BranchRecord::child_offset(0, 2), 1)},
                          {"content of a leaf",
                           word(BranchRecord::child_offset(0, 1), Child::leaf(2).bits())},
                          {"children of a node", [](Parts& p) { p.both_children = true; }},
                          {complaint, [](Parts& p) { --p.first_branch[1]; }},
                          {complaint, [](Parts& p) { p.branches.clear(), p.first_branch.clear(); }},
                          {"parts of trees", [](Parts& p) { p.first_branch.clear(); }},
                          {"parts of trees", [](Parts& p) { p.branches.push_back(0); }},
                      });
    }
}

TEST_CASE("a record belongs to one node, all of it") {
    // A plain split; both its children have records of two leaves.
    const Tree one = of_one(oblique(2, {0.5}));
    Tree tree = one;
    tree.nodes = {{0.0, 0, 0}};
    tree.nodes[0].set_second(4, false);
    tree.branches.clear();
    for (const NodeId first : {1U, 4U}) {
        const std::size_t at = tree.branches.size();
        tree.branches.insert(tree.branches.end(), one.branches.begin(), one.branches.end());
        tree.branches[BranchRecord::child_offset(at, 0)] = first + 1;
        tree.branches[BranchRecord::child_offset(at, 1)] = first + 2;
        tree.nodes.push_back({SplitRule::record(at), 1, first + 2});
        tree.nodes.resize(tree.nodes.size() + 2);
    }
    tree.max_depth = 2;
    tree.n_node_samples.assign(7, 1);
    tree.weighted_n_node_samples.assign(7, 1.0);
    tree.impurity.assign(7, 0.0);
    tree.node_values.assign(14, 0.5);
    Parts parts(shared({tree}));
    PackedForest good = parts.forest();
    CHECK_NOTHROW(check_packed(good));
    parts.nodes[2] = parts.nodes[1];
    PackedForest bad = parts.forest();
    CHECK_THROWS_AS(check_packed(bad), std::invalid_argument);
}

}  // namespace
}  // namespace silvics
