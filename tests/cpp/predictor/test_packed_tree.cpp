#include <cmath>
#include <limits>
#include <map>

#include "doctest/doctest.h"
#include "predictor/made_trees.hpp"
#include "predictor/packed_tree.hpp"
#include "predictor/plain_forest.hpp"
#include "support/descend.hpp"
#include "support/made_branches.hpp"

namespace silvics {
namespace {

using test::Packed;

Tree tree_of(std::vector<Node> nodes) {
    Tree tree;
    tree.n_features = 2;
    tree.nodes = std::span<const Node>(nodes);
    tree.node_values.assign(nodes.size(), 0.0);
    return tree;
}

// Step by step, by the packed nodes.
struct PartialPath {
    std::vector<Place> places;
    PackedLeaf leaf;

    bool operator==(const PartialPath& other) const {
        return places == other.places && leaf.content == other.leaf.content &&
               leaf.parent == other.leaf.parent && leaf.which == other.leaf.which;
    }
};

template <bool kOrdered>
PartialPath way(const PackedTree& tree, const double* sample) {
    PartialPath way;
    for (Child at = Child::inner(PackedTree::kRoot); !at.leaf();) {
        const Place t = at.place();
        way.places.push_back(t);
        const auto [to, which] = tree.next<kOrdered>(t, sample);
        CHECK(to.bits() == tree.child(t, which).bits());
        way.leaf = {to.content(), t, which};
        at = to;
    }
    return way;
}

// The leaf by packed steps, which must be that of the reference traversal.
NodeId leaf_of(const Packed& of, const double* sample) {
    const NodeId leaf = of.id(way<false>(of.packed(), sample).leaf);
    CHECK(leaf == test::descend(of.tree(), sample));
    return leaf;
}

//      0: x0 <= 1
//   1       2: x1 <= -1
//          3      4
const Packed kTree(tree_of({{1.0, 0, 2}, {}, {-1.0, 1, 4}, {}, {}}));

NodeId leaf_of(double x0, double x1) {
    const double sample[] = {x0, x1};
    return leaf_of(kTree, sample);
}

// ---- the step

TEST_CASE("a sample at or below the threshold goes to the first child, any other to the second") {
    CHECK(leaf_of(0.0, 0.0) == 1);
    CHECK(leaf_of(1.0, 0.0) == 1);
    CHECK(leaf_of(1.0 + std::numeric_limits<double>::epsilon(), 0.0) == 4);
    CHECK(leaf_of(2.0, -1.0) == 3);
    CHECK(leaf_of(std::numeric_limits<double>::quiet_NaN(), -5.0) == 3);
}

TEST_CASE("the decision path visits every node, the leaf last") {
    const double sample[] = {5.0, -2.0};
    std::vector<NodeId> plain;
    CHECK(test::descend(kTree.tree(), sample, [&](NodeId t) { plain.push_back(t); }) == 3);
    CHECK(plain == std::vector<NodeId>{0, 2, 3});
    std::vector<NodeId> stored;
    kTree.numbers().for_path(kTree.packed(), 3, [&](NodeId t) { stored.push_back(t); });
    CHECK(stored == plain);
    // The inner nodes at 0 and 1; of the leaves, the root's is the first.
    const PartialPath expected{{0, 1}, {.content = 1, .parent = 1, .which = 0}};
    CHECK(way<false>(kTree.packed(), sample) == expected);
    CHECK(way<true>(kTree.packed(), sample) == expected);
}

TEST_CASE("a root alone is the leaf of everything") {
    const Packed root(tree_of({Node{}}));
    for (const double x : {-1.0, 0.0, static_cast<double>(NAN), HUGE_VAL}) {
        CHECK(leaf_of(root, &x) == 0);
        if (!std::isnan(x)) CHECK(way<true>(root.packed(), &x) == way<false>(root.packed(), &x));
    }
    CHECK(root.packed().n_places() == 1);
    CHECK(root.packed().n_children(PackedTree::kRoot) == 1);
}

// One split, and which child a value goes to: the first, or the second.
struct Stump {
    Tree tree = tree_of({{}, {}, {}});

    Stump(double threshold, bool missing_left) {
        tree.nodes[0] = {threshold, 0, 0};
        tree.nodes[0].set_second(2, missing_left);
    }
    bool goes_left(double x) const {
        const Packed packed(tree);
        const NodeId leaf = leaf_of(packed, &x);
        CHECK((leaf == 1 || leaf == 2));
        if (!std::isnan(x) && tree.nodes[0].rule().is_threshold())
            CHECK(way<true>(packed.packed(), &x) == way<false>(packed.packed(), &x));
        return leaf == 1;
    }
};

TEST_CASE("at a threshold, only NaN goes to the side of missing values") {
    for (const bool missing_left : {false, true})
        for (const double threshold : {-3.5, 0.0, 7.0}) {
            const Stump stump(threshold, missing_left);
            CHECK(stump.tree.nodes[0].second() == 2);
            CHECK(stump.tree.nodes[0].missing_left() == missing_left);
            CHECK(stump.goes_left(NAN) == missing_left);
            CHECK(stump.goes_left(-NAN) == missing_left);
            CHECK(stump.goes_left(threshold));
            CHECK(stump.goes_left(std::nextafter(threshold, -INFINITY)));
            CHECK_FALSE(stump.goes_left(std::nextafter(threshold, INFINITY)));
            CHECK(stump.goes_left(-INFINITY));
            CHECK_FALSE(stump.goes_left(INFINITY));
            // Numbers, here, and no marks of levels.
            CHECK(stump.goes_left(-1.0) == (-1.0 <= threshold));
            CHECK(stump.goes_left(kUnknownLevel) == (kUnknownLevel <= threshold));
        }
}

TEST_CASE("an infinite threshold parts missing values from all others") {
    const double most = std::numeric_limits<double>::max();
    const Stump last(INFINITY, false), first(-INFINITY, true);
    for (const double known : {-most, -1.0, 0.0, 5e-324, most}) {
        CHECK(last.goes_left(known));
        CHECK_FALSE(first.goes_left(known));
    }
    CHECK_FALSE(last.goes_left(NAN));
    CHECK(first.goes_left(NAN));
}

TEST_CASE("at a category node levels go by its rule, and marks of other things by its bits") {
    std::vector<std::uint32_t> sets;
    const Level few_left[] = {0, 3, 46}, few_right[] = {1, 2}, far_left[] = {2, 5, 90000},
                far_right[] = {0, 1, 80000};
    for (const bool missing_left : {false, true})
        for (const bool others_left : {false, true}) {
            CAPTURE(missing_left);
            CAPTURE(others_left);
            const auto check = [&](std::span<const Level> left, std::span<const Level> right) {
                sets.clear();
                Stump stump(LevelRule::of(left, right, others_left, sets).in_place(), missing_left);
                stump.tree.level_sets = sets;
                for (const Level level : left) CHECK(stump.goes_left(level));
                for (const Level level : right) CHECK_FALSE(stump.goes_left(level));
                for (const Level other : {7U, 45U, 47U, 48U, 1000U, 100000U, 0xFFFFFFFFU})
                    CHECK(stump.goes_left(other) == others_left);
                CHECK(stump.goes_left(kUnknownLevel) == others_left);
                for (const double missing :
                     {static_cast<double>(NAN), -1.0, -3.0, -0.5, -HUGE_VAL, HUGE_VAL, 0x1.0p32})
                    CHECK(stump.goes_left(missing) == missing_left);
            };
            check(few_left, few_right);
            check(far_left, far_right);
            const std::uint64_t seed = 0x123456789ABC;
            const Stump coins(LevelRule(LevelRule::Form::coin, seed, others_left).in_place(),
                              missing_left);
            for (Level level = 0; level < 200; ++level)
                CHECK(coins.goes_left(level) == LevelRule::coin(seed & LevelRule::kContent, level));
            CHECK(coins.goes_left(kUnknownLevel) == others_left);
            CHECK(coins.goes_left(NAN) == missing_left);
            CHECK(coins.goes_left(-1.0) == missing_left);
        }
}

TEST_CASE("minus zero is the first level") {
    std::vector<std::uint32_t> sets;
    const Level first = 0;
    const Stump stump(LevelRule::of({&first, 1}, {}, false, sets).in_place(), false);
    CHECK(stump.goes_left(-0.0));
    CHECK(stump.goes_left(0.0));
    CHECK_FALSE(stump.goes_left(1.0));
}

// ---- the nodes

TEST_CASE("a packed node returns what was stored") {
    const Child children[] = {Child::inner(0), Child::inner(0x7FFFFFFF), Child::leaf(0),
                              Child::leaf(0x7FFFFFFF)};
    const SplitRule rules[] = {0.0, -0.0, 1.5e300, -HUGE_VAL,
                               LevelRule(LevelRule::Form::coin, 77, true)};
    for (const SplitRule rule : rules)
        for (const FeatureId feature : {0U, 1U, 0x123456U, 0x7FFFFFU})
            for (const bool missing_first : {false, true})
                for (const Child first : children)
                    for (const Child second : children) {
                        PackedNode node(rule, feature, missing_first, first, second);
                        const auto says = [&](Child a, Child b) {
                            return node.rule() == rule && node.feature() == feature &&
                                   node.missing_first() == missing_first &&
                                   node.child(0).bits() == a.bits() &&
                                   node.child(1).bits() == b.bits();
                        };
                        CHECK(says(first, second));
                        node.set_child(0, second);
                        node.set_child(1, first);
                        CHECK(says(second, first));
                    }
}

TEST_CASE("a packed node knows a threshold, a rule of levels and a record") {
    const auto with = [](SplitRule rule) {
        return PackedNode(rule, 0, false, Child::leaf(0), Child::leaf(1));
    };
    for (const double threshold : {-1.0, 0.0, HUGE_VAL, -HUGE_VAL}) {
        CHECK_FALSE(with(threshold).rule().is_levels());
        CHECK_FALSE(with(threshold).rule().is_record());
    }
    using Form = LevelRule::Form;
    for (const Form form : {Form::in_place_bits, Form::coin, Form::apart, Form::record}) {
        const PackedNode node = with(LevelRule(form, 123, false));
        CHECK_FALSE(node.rule().is_threshold());
        CHECK(node.rule().is_record() == (form == Form::record));
        CHECK(node.rule().levels().content() == 123);
    }
}

TEST_CASE("a child is an inner node or a leaf, with its place or its content") {
    for (const std::uint32_t number : {0U, 1U, 70000U, 0x7FFFFFFFU}) {
        CHECK_FALSE(Child::inner(number).leaf());
        CHECK(Child::inner(number).place() == number);
        CHECK(Child::leaf(number).leaf());
        CHECK(Child::leaf(number).content() == number);
        for (const Child child : {Child::inner(number), Child::leaf(number)})
            CHECK(Child(child.bits()).leaf() == child.leaf());
    }
}

TEST_CASE("packed steps lead to the leaf of the reference traversal") {
    test::Rng rng(301);
    for (const StoredTree& tree : test::many_trees()) {
        const Packed of(tree);
        for (const test::Trials& kind : test::kAllTrials) {
            const test::Trials trials{kind.missing, kind.categories, tree->n_features};
            const test::Matrix X = test::samples_for(rng, 40, trials);
            bool right = true;
            for (std::size_t i = 0; i < X.rows; ++i) {
                const NodeId leaf = test::descend(tree, X.row(i));
                const PartialPath free = way<false>(of.packed(), X.row(i));
                right &= of.id(free.leaf) == leaf;
                if (!trials.missing && !of.packed().shape().ruled)
                    right &= way<true>(of.packed(), X.row(i)) == free;
            }
            CHECK(right);
        }
    }
}

// Leaves come in the order of node numbers, each with the place from which it is reached.
void check_leaf_numbers(const Packed& tree) {
    const std::vector<NumberedLeaf> leaves = numbered_leaves(tree.packed());
    const NodeNumbers numbers = NodeNumbers::of_leaves(tree.packed());
    REQUIRE(leaves.size() == tree.packed().shape().n_leaves);
    for (std::size_t k = 0; k < leaves.size(); ++k) {
        CHECK(leaves[k].id == tree.id(leaves[k].leaf));
        CHECK(numbers.of(tree.packed(), leaves[k].leaf) == k);
        if (k > 0) CHECK(leaves[k - 1].id < leaves[k].id);
    }
}

TEST_CASE("leaves are numbered in the order of nodes") {
    for (const StoredTree& tree : test::many_trees()) check_leaf_numbers(Packed(tree));
    test::Rng rng(303);
    for (int repeat = 0; repeat < 30; ++repeat)
        check_leaf_numbers(Packed(test::random_branches(rng, {})));
}

TEST_CASE("packed steps through trees with records lead to the leaf of the reference traversal") {
    test::Rng rng(302);
    for (int repeat = 0; repeat < 100; ++repeat) {
        const Packed of(test::random_branches(rng, {}));
        const test::Matrix X = test::samples_of_branches(rng, 40, of.tree()->n_features);
        for (std::size_t i = 0; i < X.rows; ++i) leaf_of(of, X.row(i));
    }
}

TEST_CASE("the leaves of both children, and their shares, are those of the reference traversal") {
    test::Rng rng(303);
    for (int repeat = 0; repeat < 100; ++repeat) {
        test::Shape shape;
        shape.kinds = {test::Branches::plain, test::Branches::thresholds, test::Branches::levels};
        const Packed of(test::random_branches(rng, shape));
        test::Matrix X = test::samples_of_branches(rng, 20, of.tree()->n_features);
        for (double& x : X.values)
            if (test::pick(rng, 4) == 0) x = NAN;
        bool same = true;
        for (std::size_t i = 0; i < X.rows; ++i) {
            std::map<NodeId, double> expected, found;
            test::descend_both(of.tree(), X.row(i), [&](NodeId t, double share) {
                if (of.tree()->nodes[t].leaf()) expected[t] += share;
            });
            of.packed().both_children(
                X.row(i), [&](PackedLeaf leaf, double share) { found[of.id(leaf)] += share; });
            same &= found == expected;
        }
        CHECK(same);
    }
}

// ---- what leaves tell

// The contents of leaves, in the order of the leaves.
std::vector<std::uint32_t> stored_contents(const Packed& of) {
    std::map<NodeId, std::uint32_t> by_id;
    for (Place t = 0; t < of.packed().n_places(); ++t)
        for (std::uint32_t k = 0; k < of.packed().n_children(t); ++k)
            if (const Child child = of.packed().child(t, k); child.leaf())
                by_id[of.numbers().child(of.packed(), t, k)] = child.content();
    std::vector<std::uint32_t> stored;
    for (const auto& [id, content] : by_id) {
        CHECK(of.tree()->nodes[id].leaf());
        stored.push_back(content);
    }
    CHECK(stored.size() == of.tree()->n_leaves());
    return stored;
}

TEST_CASE("a pure leaf stores its class, other leaves a row") {
    for (const test::TreeCase& of : test::all_tree_cases()) {
        const StoredTree kept = test::tree_example(of).tree;
        if (!kept->classification()) continue;
        for (const StoredTree& tree : {kept, StoredTree(expand(kept))}) {
            const Packed packed(tree);
            const auto stored = stored_contents(packed);
            std::size_t leaf = 0;
            bool right = true;
            for (const Node& node : tree->nodes) {
                if (!node.leaf()) continue;
                const std::uint32_t content = stored[leaf++];
                right &= node.pure() ? content == node.pure_class()
                                     : content >= packed.forest().n_pure();
            }
            CHECK(right);
        }
    }
}

TEST_CASE("if nodes have values, links of leaves are ignored, and single classes are recognized") {
    Tree tree = expand(test::tree_example({"gini", {2}, test::Weights::unit, 1}).tree);
    tree.node_values = tree.all_values();
    tree.leaf_weights.clear();
    std::vector<std::uint32_t> expected;
    std::uint32_t rows = 0;
    for (NodeId t = 0; t < tree.nodes.size(); ++t) {
        if (!tree.nodes[t].leaf()) continue;
        tree.nodes[t].link = kPureBit | 1;
        const double share = t % 3 == 0 ? 1.0 : t % 3 == 1 ? 0.0 : 1.0 / (2.0 + t);
        tree.node_values[2 * t] = share;
        tree.node_values[2 * t + 1] = 1.0 - share;
        expected.push_back(share == 1.0 ? 0 : share == 0.0 ? 1 : 2 + rows++);
    }
    CHECK_NOTHROW(check_tree(tree));
    CHECK(rows > 5);
    CHECK(stored_contents(Packed(tree)) == expected);
}

TEST_CASE("any number of classes is stored in leaves, and predicted") {
    const std::vector<std::uint32_t> classes = {0, 65533, 65534, 65535, 65536, 131071, 131072};
    const auto n = static_cast<std::uint32_t>(classes.size());
    Tree tree = test::chain_of(n - 1, [](std::uint32_t) { return true; });
    tree.n_classes = {140000};
    tree.node_values.clear();
    std::size_t leaf = 0;
    for (Node& node : tree.nodes)
        if (node.leaf()) node.link = kPureBit | classes[leaf++];
    tree.impurity.assign(tree.nodes.size(), 0.0);
    // Counts of inner nodes, so that the compact tree can be told from it.
    for (NodeId t = 0; t < tree.nodes.size(); t += 2) {
        tree.n_node_samples[t] = n - t / 2;
        tree.weighted_n_node_samples[t] = n - t / 2;
        const double share = 1.0 / tree.weighted_n_node_samples[t];
        tree.impurity[t] = 1.0 - share;
    }
    const StoredTree kept = stored(tree, CompactionRule::gini);
    REQUIRE(kept.compact());
    for (const StoredTree& of : {StoredTree(tree), kept}) {
        REQUIRE_NOTHROW(check_tree(of));
        CHECK(stored_contents(Packed(of)) == classes);
        const Predictor predictor({std::make_shared<const StoredTree>(of)}, false);
        for (const std::uint32_t rows : {1U, n, n + 1}) {  // below a block, and one
            test::Matrix X{rows, 2, std::vector<double>(rows * 2, 0.0)};
            for (std::uint32_t i = 0; i < rows; ++i) X.values[2 * i] = i;
            std::vector<double> out(rows * of->value_width(), -1.0);
            ThreadTeam team;
            predictor.average(X.view(), out, team);
            bool right = true;
            for (std::size_t i = 0; i < rows; ++i)
                for (std::size_t c = 0; c < of->value_width(); ++c)
                    right &= out[i * of->value_width() + c] ==
                             (c == classes[std::min<std::size_t>(i, n - 1)] ? 1.0 : 0.0);
            CHECK(right);
        }
    }
}

}  // namespace
}  // namespace silvics
