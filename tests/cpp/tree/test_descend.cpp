#include <cmath>
#include <limits>

#include "doctest/doctest.h"
#include "tree/descend.hpp"

namespace silvics {
namespace {

Tree tree_of(std::vector<Node> nodes) {
    Tree tree;
    tree.n_features = 2;
    tree.nodes = std::move(nodes);
    return tree;
}

//      0: x0 <= 1
//   1       2: x1 <= -1
//          3      4
const Tree kTree = tree_of({{1.0, 0, 2}, {}, {-1.0, 1, 4}, {}, {}});

NodeId leaf_of(double x0, double x1) {
    const double sample[] = {x0, x1};
    return descend(kTree, sample);
}

TEST_CASE("a sample at or below the threshold goes to the first child, any other to the second") {
    CHECK(leaf_of(0.0, 0.0) == 1);
    CHECK(leaf_of(1.0, 0.0) == 1);
    CHECK(leaf_of(1.0 + std::numeric_limits<double>::epsilon(), 0.0) == 4);
    CHECK(leaf_of(2.0, -1.0) == 3);
    CHECK(leaf_of(std::numeric_limits<double>::quiet_NaN(), -5.0) == 3);
}

TEST_CASE("the way down visits every node, the leaf last") {
    const double sample[] = {5.0, -2.0};
    std::vector<NodeId> way;
    const NodeId leaf = descend(kTree, sample, [&](NodeId t) { way.push_back(t); });
    CHECK(way == std::vector<NodeId>{0, 2, 3});
    CHECK(leaf == 3);
}

TEST_CASE("a root alone is the leaf of everything") {
    CHECK(descend(tree_of({Node{}}), nullptr) == 0);
}

// One split, and which child a value goes to: the first, or the second.
struct Stump {
    Tree tree = tree_of({{}, {}, {}});

    Stump(double threshold, bool missing_left) {
        tree.nodes[0] = {threshold, 0, 0};
        tree.nodes[0].set_second(2, missing_left);
    }
    bool goes_left(double x) const {
        const NodeId leaf = descend(tree, &x);
        CHECK((leaf == 1 || leaf == 2));
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

}  // namespace
}  // namespace silvics
