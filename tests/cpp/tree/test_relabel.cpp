#include <cmath>
#include <map>
#include <set>

#include "doctest/doctest.h"
#include "support/descend.hpp"
#include "support/made_branches.hpp"
#include "support/tree_example.hpp"
#include "tree/check_tree.hpp"
#include "tree/compact.hpp"
#include "tree/relabel.hpp"

namespace silvics {
namespace {

using Form = LevelRule::Form;
using Numbers = std::vector<std::int32_t>;

// Levels up to this are in made trees.
constexpr std::int32_t kOld = 145;

Relabelling unchanged(const TreeBase& tree) {
    Relabelling by;
    by.n_classes = tree.n_classes;
    for (const ClassId n : tree.n_classes) {
        by.classes.emplace_back(n);
        std::iota(by.classes.back().begin(), by.classes.back().end(), ClassId{0});
    }
    by.levels.resize(tree.n_features);
    return by;
}

// The old levels in their order, others between them.
Numbers with_others(test::Rng& rng, std::int32_t n_old, bool missing = true) {
    Numbers numbers;
    for (std::int32_t old = 0; old < n_old; ++old) {
        while (test::pick(rng, 3) == 0)
            numbers.push_back(missing && test::pick(rng, 2) == 0 ? Relabelling::kMissing
                                                                 : Relabelling::kUnknown);
        numbers.push_back(old);
    }
    return numbers;
}

LevelRule random_rule(test::Rng& rng, std::vector<std::uint32_t>& sets) {
    const bool others_left = test::pick(rng, 2) == 0;
    const std::size_t kind = test::pick(rng, 4);
    if (kind == 0) return {Form::coin, rng() & LevelRule::kContent, others_left};
    std::vector<Level> sides[2];
    const Level n = kind == 1 ? 30 : kOld, some = kind == 3 ? 40 : 3;
    for (Level level = 0; level < n; ++level)
        if (const std::size_t side = test::pick(rng, some); side < 2) sides[side].push_back(level);
    return LevelRule::of(sides[0], sides[1], others_left, sets);
}

// A tree that knows levels only, with rules of every form.
Tree random_levels(test::Rng& rng, const test::Shape& shape) {
    Tree tree = test::random_branches(rng, shape);
    for (Node& node : tree.nodes)
        if (!node.leaf() && node.rule().is_threshold())
            node.set_rule(random_rule(rng, tree.level_sets));
    check_tree(tree);
    return tree;
}

// Samples in new numbers go where they went in old ones.
bool same_ways(test::Rng& rng, const TreeBase& before, const TreeBase& after,
               const std::vector<Numbers>& numbers) {
    std::vector<double> x(before.n_features), old(before.n_features);
    for (int repeat = 0; repeat < 300; ++repeat) {
        for (std::size_t f = 0; f < x.size(); ++f) {
            const std::size_t n = numbers[f].empty() ? kOld : numbers[f].size();
            const std::size_t kind = test::pick(rng, 12);
            x[f] = kind == 0   ? NAN
                   : kind == 1 ? kUnknownLevel
                   : kind == 2 ? -1.0
                               : static_cast<double>(test::pick(rng, n));
            old[f] = x[f] >= 0.0 && !numbers[f].empty() ? numbers[f][static_cast<std::size_t>(x[f])]
                                                        : x[f];
        }
        if (test::descend(before, old.data()) != test::descend(after, x.data())) return false;
    }
    return true;
}

TEST_CASE("every level goes where it went, by rules of every form") {
    test::Rng rng(610);
    std::set<Form> forms;
    bool some_missing = false, sets_apart = false;
    for (int repeat = 0; repeat < 400; ++repeat) {
        test::Shape shape;
        shape.kinds = {test::Branches::plain};
        if (repeat % 2 == 0)
            shape.kinds = {test::Branches::plain, test::Branches::levels, test::Branches::subset};
        shape.n_features = 1 + test::pick(rng, 3);
        shape.deepest = 6;
        const Tree tree = random_levels(rng, shape);
        std::vector<Numbers> numbers(tree.n_features);
        Relabelling by = unchanged(tree);
        for (std::size_t f = 0; f < tree.n_features; ++f) {
            if (test::pick(rng, 4) > 0) numbers[f] = with_others(rng, kOld);
            by.levels[f] = numbers[f];
        }
        const Tree made = expand(relabelled(tree, by));
        CHECK_NOTHROW(check_tree(made));
        CHECK(same_ways(rng, tree, made, numbers));
        CHECK(made.node_values == tree.node_values);
        CHECK(made.impurity == tree.impurity);
        CHECK(relabels(by, tree) == std::ranges::any_of(tree.nodes, [&](const Node& node) {
                  return !node.leaf() && !numbers[static_cast<std::size_t>(node.feature)].empty();
              }));
        for (NodeId t = 0; t < tree.nodes.size(); ++t) {
            const Node &from = tree.nodes[t], &to = made.nodes[t];
            if (from.leaf()) continue;
            forms.insert(from.rule().levels().form());
            if (made.has_record(to)) some_missing |= made.record(to).some_missing();
            // A coin is of the numbers of levels.
            if (!numbers[static_cast<std::size_t>(from.feature)].empty())
                CHECK(to.rule().levels().form() != Form::coin);
        }
        sets_apart |= !made.level_sets.empty();
        // And on to a third set of levels, in one step and in two.
        std::vector<Numbers> further(tree.n_features), both(tree.n_features);
        Relabelling next = unchanged(made), at_once = unchanged(tree);
        for (std::size_t f = 0; f < tree.n_features; ++f) {
            if (!numbers[f].empty()) {
                further[f] = with_others(rng, static_cast<std::int32_t>(numbers[f].size()), false);
                for (const std::int32_t level : further[f])
                    both[f].push_back(level < 0 ? level
                                                : numbers[f][static_cast<std::size_t>(level)]);
            }
            next.levels[f] = further[f];
            at_once.levels[f] = both[f];
        }
        CHECK(same_ways(rng, tree, relabelled(made, next), both));
        CHECK(test::same_trees(relabelled(made, next), relabelled(tree, at_once)));
    }
    CHECK(forms == std::set{Form::in_place_bits, Form::coin, Form::apart, Form::record});
    CHECK(some_missing);
    CHECK(sets_apart);
}

TEST_CASE("a set names only levels that come to its node") {
    test::Rng rng(611);
    test::Shape shape;
    shape.kinds = {test::Branches::plain};
    shape.n_features = 1;
    shape.deepest = 12;
    Tree tree = test::random_branches(rng, shape);
    while (tree.nodes.size() < 200) tree = test::random_branches(rng, shape);
    for (Node& node : tree.nodes)
        if (!node.leaf()) node.set_rule(LevelRule(Form::coin, rng() & LevelRule::kContent, false));
    const std::int32_t n = 20000;
    Numbers numbers{Relabelling::kMissing};
    for (std::int32_t level = 0; level < n; ++level) numbers.push_back(level);
    Relabelling by = unchanged(tree);
    by.levels[0] = numbers;
    const Tree made = expand(relabelled(tree, by));
    CHECK(same_ways(rng, tree, made, {numbers}));
    // As bits they would be n / 32 words at each node; lists and bits of what comes are fewer.
    const std::size_t inner = tree.nodes.size() - tree.n_leaves();
    CHECK(made.level_sets.size() < inner * static_cast<std::size_t>(n) / 64);
}

TEST_CASE("classes that a tree has not seen have no share in it") {
    test::Rng rng(612);
    for (const auto& of : test::all_tree_cases()) {
        if (of.n_classes.empty()) continue;
        const StoredTree kept = test::tree_example(of).tree;
        for (const StoredTree& tree : {kept, StoredTree(expand(kept))}) {
            Relabelling by = unchanged(tree);
            CHECK_FALSE(relabels(by, tree));
            CHECK(test::same_trees(relabelled(tree, by), tree));
            for (std::size_t k = 0; k < by.classes.size(); ++k) {
                ClassId next = 0;
                for (ClassId& c : by.classes[k]) {
                    next += static_cast<ClassId>(test::pick(rng, 3));
                    c = next++;
                }
                by.n_classes[k] = next + 1;
            }
            CHECK(relabels(by, tree));
            const StoredTree relabelled_tree = relabelled(tree, by);
            CHECK(relabelled_tree.compaction() == tree.compaction());
            const Tree made = expand(relabelled_tree), plain = expand(tree);
            CHECK(made.n_classes == by.n_classes);
            const auto before = plain.all_values(), after = made.all_values();
            const std::size_t old_width = plain.value_width(), width = made.value_width();
            std::vector<double> expected(made.nodes.size() * width, 0.0);
            for (std::size_t t = 0; t < made.nodes.size(); ++t) {
                std::size_t from = t * old_width, to = t * width;
                for (std::size_t k = 0; k < by.classes.size(); to += by.n_classes[k++])
                    for (const ClassId c : by.classes[k]) expected[to + c] = before[from++];
            }
            CHECK(after == expected);
            CHECK(made.impurity == plain.impurity);
            CHECK(made.weighted_n_node_samples == plain.weighted_n_node_samples);
        }
    }
}

TEST_CASE("shares of every node are spread as well") {
    test::Rng rng(613);
    test::Shape shape;
    shape.n_classes = {2, 3};
    const Tree tree = test::random_branches(rng, shape);
    Relabelling by = unchanged(tree);
    by.n_classes = {3, 4};
    by.classes = {{0, 2}, {1, 2, 3}};
    const Tree made = expand(relabelled(tree, by));
    for (std::size_t t = 0; t < tree.nodes.size(); ++t) {
        const double* const old = tree.node_values.data() + 5 * t;
        const std::vector<double> expected{old[0], 0.0, old[1], 0.0, old[2], old[3], old[4]};
        CHECK(std::equal(expected.begin(), expected.end(),
                         made.node_values.begin() + static_cast<std::ptrdiff_t>(7 * t)));
    }
}

TEST_CASE("numbers that do not fit the tree are refused") {
    test::Rng rng(614);
    const StoredTree tree = test::tree_example({"gini", {3}, test::Weights::unit, 1}).tree;
    const auto refused = [&](auto&& change) {
        Relabelling by = unchanged(tree);
        change(by);
        CHECK_THROWS_AS(relabelled(tree, by), std::invalid_argument);
    };
    refused([](Relabelling& by) { by.classes.clear(); });
    refused([](Relabelling& by) { by.n_classes = {3, 3}; });
    refused([](Relabelling& by) { by.n_classes = {2}; });
    refused([](Relabelling& by) { by.classes[0] = {0, 1}; });
    refused([](Relabelling& by) { by.classes[0] = {0, 2, 1}; });
    refused([](Relabelling& by) { by.classes[0] = {0, 1, 3}; });
    refused([](Relabelling& by) { by.levels.clear(); });
    test::Shape shape;
    shape.n_features = 1;
    shape.kinds = {test::Branches::levels};
    const Tree levels = test::random_branches(rng, shape);
    const Numbers none{Relabelling::kMissing};
    Relabelling by = unchanged(levels);
    by.levels[0] = none;  // levels of the tree have no number any more
    CHECK_THROWS_AS(relabelled(levels, by), std::invalid_argument);
}

TEST_CASE("a missing level cannot go to both children") {
    test::Rng rng(615);
    test::Shape shape;
    shape.n_features = 1;
    shape.kinds = {test::Branches::plain};
    Tree tree = random_levels(rng, shape);
    tree.both_children = true;
    Numbers numbers = with_others(rng, kOld, false);
    Relabelling by = unchanged(tree);
    by.levels[0] = numbers;
    CHECK(same_ways(rng, tree, relabelled(tree, by), {numbers}));
    numbers.push_back(Relabelling::kMissing);
    by.levels[0] = numbers;
    CHECK_THROWS_AS(relabelled(tree, by), std::invalid_argument);
}

}  // namespace
}  // namespace silvics
