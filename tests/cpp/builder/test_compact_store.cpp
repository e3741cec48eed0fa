#include "builder/compact_store.hpp"
#include "builder/full_store.hpp"
#include "doctest/doctest.h"
#include "support/planned_growth.hpp"

namespace silvics {
namespace {

constexpr std::size_t kFeatures = 4;

Target one_output() { return real_target(std::vector<double>{1.0, 2.0}, 2, 1, true); }
Target five_classes() { return class_target(std::vector<std::int64_t>{0, 4}, 2, {5}); }

FullStore full_store(const test::PlannedGrowth& growth) {
    GrowingTree growing;
    growing.depth_first = true;
    FullStore store(std::move(growing), growth.target.value_width(),
                    !growth.target.classification());
    test::store_all(store, growth);
    return store;
}

CompactStore compact_store(const test::PlannedGrowth& growth, int exponent = 0,
                           PagePool* pool = nullptr) {
    CompactStore store(pool, growth.nodes.size(), growth.target, exponent, growth.weighted);
    test::store_all(store, growth);
    return store;
}

void check_same_trees(const test::PlannedGrowth& growth, CompactionRule rule, int exponent = 0) {
    const auto full =
        full_store(growth).finish_from_leaves(growth.target, kFeatures, rule, exponent);
    REQUIRE(full.has_value());
    CHECK_NOTHROW(check_tree(*full));
    PagePool pool;
    for (PagePool* const from : {static_cast<PagePool*>(nullptr), &pool}) {
        const auto compact = compact_store(growth, exponent, from)
                                 .finish_from_leaves(growth.target, kFeatures, rule, exponent);
        REQUIRE(compact.has_value());
        CHECK_NOTHROW(check_tree(*compact));
        CHECK(test::same_trees(*compact, *full));
    }
}

TEST_CASE("both stores give the same tree of classes for the same growth") {
    test::Rng rng(810);
    for (const std::size_t n_splits : {0U, 1U, 2U, 7U, 200U})
        for (const bool weighted : {false, true})
            for (const CompactionRule rule : {CompactionRule::gini, CompactionRule::entropy})
                check_same_trees(test::planned_growth(rng, five_classes(), n_splits, weighted),
                                 rule);
}

TEST_CASE("both stores give the same tree of numbers for the same growth") {
    test::Rng rng(811);
    for (const std::size_t n_splits : {0U, 1U, 2U, 7U, 200U})
        for (const bool weighted : {false, true})
            for (const int exponent : {0, -40})
                check_same_trees(test::planned_growth(rng, one_output(), n_splits, weighted),
                                 CompactionRule::variance, exponent);
}

TEST_CASE("leaves that do not suffice give the same tree in full") {
    test::Rng rng(812);
    for (const std::size_t n_splits : {0U, 1U, 7U, 200U})
        for (const bool weighted : {false, true}) {
            auto growth = test::planned_growth(rng, one_output(), n_splits, weighted);
            test::PlannedNode& leaf = growth.nodes.back();
            REQUIRE(leaf.left == 0);
            leaf.n = 3;  // not a sole sample
            leaf.weight = weighted ? 7.0 : 3.0;
            leaf.impurity = 0.125;
            test::sum_over_children(growth);
            FullStore full = full_store(growth);
            PagePool pool;
            CompactStore compact = compact_store(growth, 0, &pool);
            const auto finish = [&](auto& store) {
                return store.finish_from_leaves(growth.target, kFeatures, CompactionRule::variance,
                                                0);
            };
            REQUIRE_FALSE(finish(full).has_value());
            REQUIRE_FALSE(finish(compact).has_value());
            GrowingTree expected = std::move(full).take_growing();
            GrowingTree growing = std::move(compact).take_growing();
            CHECK(test::same_trees(finish_tree(growing, growth.target, kFeatures, true),
                                   finish_tree(expected, growth.target, kFeatures, true)));
        }
}

TEST_CASE("what a node has not seen goes to its heavier child, the second of equals") {
    test::Rng rng(813);
    for (const std::uint32_t n_left : {1U, 2U, 3U})
        for (const bool by_levels : {false, true}) {
            auto growth = test::planned_growth(rng, five_classes(), 1, false);
            test::PlannedNode& root = growth.nodes[0];
            root.split.missing = MissingSide::unseen;
            root.split.by_levels = by_levels;
            root.levels = {3, 1, 2, 0};
            for (const std::size_t k : {1U, 2U}) {
                test::PlannedNode& leaf = growth.nodes[k];
                leaf.n = k == 1 ? n_left : 2;
                leaf.weight = leaf.n;
                leaf.value = {leaf.weight, 0.0, 0.0, 0.0, 0.0};
            }
            root.weight = n_left + 2.0;
            const auto tree = compact_store(growth).finish_from_leaves(growth.target, kFeatures,
                                                                       CompactionRule::gini, 0);
            REQUIRE(tree.has_value());
            CHECK(tree->nodes[0].missing_left() == (n_left > 2));
            CHECK(tree->nodes[0].rule().is_levels() == by_levels);
            if (by_levels) CHECK(tree->nodes[0].rule().levels().others_left() == (n_left > 2));
        }
}

}  // namespace
}  // namespace silvics
