#include "doctest/doctest.h"
#include "predictor/level_block.hpp"
#include "predictor/made_trees.hpp"
#include "tree/goes_left.hpp"

namespace silvics {
namespace {

using test::Matrix;
using test::Packed;
using test::Rng;
using test::Trials;

constexpr Trials kCategories{.missing = true, .categories = true};

Packed random_tree(Rng& rng) {
    const StoredTree tree = test::tree_example(test::all_tree_cases()[0]).tree;
    return Packed(test::with_other_splits(rng, tree, kCategories));
}

TEST_CASE("the variables of levels are those that some rule tests") {
    Rng rng(340);
    const Packed of = random_tree(rng);
    std::vector<bool> expected(4), found(4);
    for (const PackedNode& node : of.forest().nodes)
        if (node.rule().is_levels()) expected[node.feature()] = true;
    const LevelColumns columns(of.forest());
    for (std::uint32_t k = 0; k < columns.features().size(); ++k) {
        found[columns.features()[k]] = true;
        CHECK(columns.number_of(columns.features()[k]) == k);
    }
    CHECK(found == expected);
    CHECK(LevelColumns(Packed(test::chain_of(5, [](std::uint32_t) { return true; })).forest())
              .empty());
}

TEST_CASE("masks decide as the rules do") {
    Rng rng(341);
    std::size_t n_checked = 0, n_without = 0;
    for (int repeat = 0; repeat < 60; ++repeat) {
        const Packed of = random_tree(rng);
        const LevelColumns columns(of.forest());
        Matrix X = test::samples_for(rng, 40, kCategories);
        if (repeat % 2 == 0)  // all levels have a bit
            for (double& x : X.values)
                if (x >= 47.0) x = static_cast<double>(test::pick(rng, 47));
        const RowBlock block{3, X.rows, X.cols, X.values.data(), false};
        const LevelBlock levels(columns, block);
        REQUIRE(levels.width() == X.cols + columns.features().size());
        CHECK_FALSE(levels.whole());
        for (const PackedNode& node : of.forest().nodes) {
            if (!node.rule().is_levels()) continue;
            const auto sets = of.packed().level_sets();
            const auto right = levels.right_of(node, sets);
            n_without += !right;
            if (repeat % 2 == 0) CHECK(right);
            for (std::size_t i = 0; i < X.rows && right; ++i) {
                const double x = X.row(i)[node.feature()];
                const std::uint64_t mask =
                    levels.values()[i * levels.width() + levels.place_of(node.feature())];
                CHECK(std::popcount(mask) == 1);
                CHECK(((mask & *right) == 0) ==
                      level_goes_left(node.rule().levels(), node.missing_first(), x, sets));
                ++n_checked;
            }
        }
    }
    CHECK(n_checked > 1000);
    CHECK(n_without > 0);  // rules that the bits do not suffice for
}

TEST_CASE("keys compare as numbers do") {
    Rng rng(342);
    std::vector<double> values = {0.0,       -0.0,   1.0,     -1.0, INFINITY,
                                  -INFINITY, 5e-324, -5e-324, 1e308};
    for (int repeat = 0; repeat < 60; ++repeat) {
        const int exponent = static_cast<int>(test::pick(rng, 300)) - 150;
        values.push_back(std::ldexp(test::pick_real(rng, -1.0, 1.0), exponent));
    }
    for (const double a : values) {
        CHECK(LevelBlock::key_of(a) != LevelBlock::kMissingKey);
        for (const double b : values)
            CHECK((LevelBlock::key_of(a) > LevelBlock::key_of(b)) == (a > b));
    }
}

}  // namespace
}  // namespace silvics
