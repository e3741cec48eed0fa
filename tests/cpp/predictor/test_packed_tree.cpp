#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "doctest/doctest.h"
#include "predictor/made_trees.hpp"
#include "predictor/packed_tree.hpp"
#include "predictor/plain_forest.hpp"
#include "support/descend.hpp"

namespace silvics {
namespace {

using test::Packed;

Tree tree_of(std::vector<Node> nodes) {
    Tree tree;
    tree.n_features = 2;
    tree.nodes = std::move(nodes);
    return tree;
}

// Step by step, by the packed nodes: all nodes' places, the leaf last.
template <bool kOrdered>
std::vector<Place> way(const PackedTree& tree, const double* sample) {
    std::vector<Place> places;
    for (Place t = PackedTree::kRoot, next;; t = next) {
        places.push_back(t);
        next = tree.next<kOrdered>(t, sample);
        if (next == t) return places;
    }
}

// The leaf by packed steps, which the plain walk must confirm.
NodeId leaf_of(const Packed& of, const double* sample) {
    const NodeId leaf = of.packed().leaf(way<false>(of.packed(), sample).back()).id();
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

TEST_CASE("the way down visits every node, the leaf last") {
    const double sample[] = {5.0, -2.0};
    std::vector<NodeId> plain;
    CHECK(test::descend(kTree.tree(), sample, [&](NodeId t) { plain.push_back(t); }) == 3);
    CHECK(plain == std::vector<NodeId>{0, 2, 3});
    // The root at 1, its children at 2 and 3, those of the second at 4 and 5.
    CHECK(way<false>(kTree.packed(), sample) == std::vector<Place>{1, 3, 4});
    CHECK(way<true>(kTree.packed(), sample) == std::vector<Place>{1, 3, 4});
}

TEST_CASE("a root alone is the leaf of everything") {
    const Packed root(tree_of({Node{}}));
    for (const double x : {-1.0, 0.0, static_cast<double>(NAN), HUGE_VAL}) {
        CHECK(leaf_of(root, &x) == 0);
        CHECK(way<true>(root.packed(), &x) == std::vector<Place>{PackedTree::kRoot});
    }
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
        if (!std::isnan(x) && !tree.nodes[0].category())  // then every comparison says something
            CHECK(way<true>(packed.packed(), &x) == way<false>(packed.packed(), &x));
        return leaf == 1;
    }
};

TEST_CASE("at a threshold, NaN goes where the node says and nothing else does") {
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

static_assert(sizeof(PackedNode) == 16);

// Trees of all kinds: their layouts, chains, a root alone.
std::vector<Tree> many_trees() {
    test::Rng rng(300);
    std::vector<Tree> trees;
    for (const test::TreeCase& of : test::all_tree_cases())
        for (const test::Trials& trials : test::kAllTrials) {
            const Tree tree = with_other_splits(rng, test::tree_example(of).tree, trials);
            trees.push_back(tree);
            trees.push_back(expand(tree));
        }
    trees.push_back(test::chain_of(50, [](std::uint32_t) { return true; }));
    trees.push_back(test::chain_of(50, [](std::uint32_t) { return false; }));
    trees.push_back(test::chain_of(50, [](std::uint32_t level) { return level % 3 == 0; }));
    trees.push_back(test::chain_of(0, [](std::uint32_t) { return true; }));
    return trees;
}

bool untouched(const PackedNode& node) {
    return node.threshold == Packed::kUntouched.threshold &&
           node.feature == Packed::kUntouched.feature && node.first == Packed::kUntouched.first;
}

TEST_CASE(
    "every node has one place, its children one after the other, the largest subtrees first") {
    for (const Tree& tree : many_trees()) {
        const Packed of(tree);
        const auto& nodes = of.nodes();
        const auto ends = tree.subtree_ends();
        CHECK(untouched(nodes.front()));  // before the root
        CHECK(untouched(nodes.back()));
        bool right = true, any_category = false;
        std::set<Place> places;
        std::map<Place, NodeId> size_at;  // of inner nodes, by the place of their children
        std::vector<std::pair<NodeId, Place>> waiting = {{0, PackedTree::kRoot}};
        while (!waiting.empty()) {
            const auto [id, place] = waiting.back();
            waiting.pop_back();
            right &= places.insert(place).second && place >= 1 && place <= tree.nodes.size();
            const Node& node = tree.nodes[id];
            const PackedNode& packed = nodes[place];
            if (node.leaf()) {
                right &= std::isnan(packed.threshold) && packed.feature == 0 &&
                         packed.first == place - 1 && of.packed().leaf(place).id() == id;
                continue;
            }
            right &= test::same_bits({&packed.threshold, 1}, {&node.threshold, 1}) &&
                     packed.feature == static_cast<std::uint32_t>(node.feature);
            any_category |= node.category();
            const NodeId second = node.second();
            size_at[packed.first] = ends[id] - id;
            waiting.push_back({id + 1, packed.first});
            waiting.push_back({second, packed.first + 1});
        }
        CHECK(right);
        CHECK(places.size() == tree.nodes.size());
        const auto larger = [](const auto& a, const auto& b) { return a.second > b.second; };
        const auto hot = size_at.lower_bound(2048);
        CHECK(std::is_sorted(size_at.begin(), hot, larger));
        CHECK(of.packed().has_categories() == any_category);
        CHECK(&of.packed().nodes()[0] == nodes.data());
    }
}

TEST_CASE("a leaf is its own next place, whatever the sample") {
    const Packed of(test::chain_of(9, [](std::uint32_t level) { return level % 2 == 0; }));
    for (Place t = 1; t <= of.tree().nodes.size(); ++t) {
        if (!std::isnan(of.nodes()[t].threshold)) continue;
        for (const double x : {-2.0, -1.0, 0.0, 1.0, HUGE_VAL, -HUGE_VAL, std::nan("")}) {
            CHECK(of.packed().next<false>(t, &x) == t);
            CHECK(of.packed().next<true>(t, &x) == t);
        }
    }
}

TEST_CASE("packed steps lead to the leaf of the plain walk") {
    test::Rng rng(301);
    for (const Tree& tree : many_trees()) {
        const Packed of(tree);
        for (const test::Trials& kind : test::kAllTrials) {
            const test::Trials trials{kind.missing, kind.categories, tree.n_features};
            const test::Matrix X = test::samples_for(rng, 40, trials);
            bool right = true;
            for (std::size_t i = 0; i < X.rows; ++i) {
                const NodeId leaf = test::descend(tree, X.row(i));
                const auto free = way<false>(of.packed(), X.row(i));
                right &= of.packed().leaf(free.back()).id() == leaf;
                if (!trials.missing && !of.packed().has_categories())
                    right &= way<true>(of.packed(), X.row(i)) == free;
            }
            CHECK(right);
        }
    }
}

// ---- what leaves tell

TEST_CASE("a packed leaf keeps its number and its class in a NaN") {
    for (const NodeId id : {0U, 1U, 0x7FFFFFFFU, 0xFFFFFFFFU})
        for (const std::uint32_t only : {0U, 1U, 65534U, PackedLeaf::kNotPure}) {
            const PackedNode node{PackedLeaf(id, only).in_place(), 0, 0};
            CHECK(std::isnan(node.threshold));
            CHECK(PackedLeaf(node).id() == id);
            CHECK(PackedLeaf(node).only_class() == only);
        }
}

TEST_CASE("a node's form says what it was made of") {
    CHECK(NodeForm::of_leaf().leaf());
    for (const bool category : {false, true})
        for (const bool missing_left : {false, true}) {
            const NodeForm form(category, missing_left);
            CHECK_FALSE(form.leaf());
            CHECK(form.category() == category);
            CHECK(form.missing_left() == missing_left);
        }
}

// The class that each leaf tells, in the order of the leaves.
std::vector<std::uint32_t> told_classes(const Tree& tree) {
    const Packed of(tree);
    std::vector<std::uint32_t> by_id(tree.nodes.size()), told;
    for (Place t = 1; t <= tree.nodes.size(); ++t)
        if (of.nodes()[t].first == t - 1)  // no inner node comes after its children
            by_id[of.packed().leaf(t).id()] = of.packed().leaf(t).only_class();
    for (NodeId t = 0; t < tree.nodes.size(); ++t)
        if (tree.nodes[t].leaf()) told.push_back(by_id[t]);
    return told;
}

TEST_CASE("a pure leaf tells its class, others and those with values none") {
    for (const test::TreeCase& of : test::all_tree_cases()) {
        const Tree kept = test::tree_example(of).tree;
        for (const Tree& tree : {kept, expand(kept)}) {
            std::vector<std::uint32_t> expected;
            for (const Node& node : tree.nodes)
                if (node.leaf())
                    expected.push_back(tree.classification() && node.link & kPureBit
                                           ? node.link & ~kPureBit
                                           : PackedLeaf::kNotPure);
            CHECK(told_classes(tree) == expected);
        }
    }
    // Links of leaves mean nothing where nodes have values.
    Tree tree = expand(test::tree_example({"gini", {2}, test::Weights::unit, 1}).tree);
    tree.node_values = tree.all_values();
    tree.leaf_weights.clear();
    CHECK_NOTHROW(check_tree(tree));
    for (const std::uint32_t told : told_classes(tree)) CHECK(told == PackedLeaf::kNotPure);
}

TEST_CASE("classes beyond 65534 are not told in the leaf, but predicted") {
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
    const Tree kept = compact(tree, Derivation::gini);
    REQUIRE(kept.compact());
    for (const Tree& of : {tree, kept}) {
        REQUIRE_NOTHROW(check_tree(of));
        const auto none = PackedLeaf::kNotPure;
        CHECK(told_classes(of) ==
              std::vector<std::uint32_t>{0, 65533, 65534, none, none, none, none});
        const Walker walker({std::make_shared<const Tree>(of)}, false);
        for (const std::uint32_t rows : {1U, n, n + 1}) {  // below a block, and one
            test::Matrix X{rows, 2, std::vector<double>(rows * 2, 0.0)};
            for (std::uint32_t i = 0; i < rows; ++i) X.values[2 * i] = i;
            std::vector<double> out(rows * of.value_width(), -1.0);
            ThreadTeam team;
            walker.average(X.view(), out, team);
            bool right = true;
            for (std::size_t i = 0; i < rows; ++i)
                for (std::size_t c = 0; c < of.value_width(); ++c)
                    right &= out[i * of.value_width() + c] ==
                             (c == classes[std::min<std::size_t>(i, n - 1)] ? 1.0 : 0.0);
            CHECK(right);
        }
    }
}

}  // namespace
}  // namespace silvics
