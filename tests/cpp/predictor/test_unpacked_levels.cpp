#include <numeric>

#include "doctest/doctest.h"
#include "predictor/made_trees.hpp"
#include "predictor/unpacked_levels.hpp"
#include "support/descend.hpp"

namespace silvics {
namespace {

using test::Matrix;
using test::Packed;
using test::Rng;
using test::Trials;

// Levels that have a bit; for others, rules of more levels need the packed tree.
void use_few_levels(Rng& rng, Matrix& X) {
    for (double& x : X.values)
        if (x >= 47.0) x = static_cast<double>(test::pick(rng, 47));
}

// Some samples in any order.
std::vector<std::uint32_t> some_of(Rng& rng, std::size_t n) {
    std::vector<std::uint32_t> some;
    for (std::uint32_t i = 0; i < n; ++i)
        if (i == 0 || test::pick(rng, 5) > 0) some.push_back(i);
    std::shuffle(some.begin(), some.end(), rng);
    return some;
}

void check_leaves(Rng& rng, const Packed& of, const Matrix& X) {
    const LevelColumns columns(of.forest());
    const RowBlock rows{0, X.rows, X.cols, X.values.data(), !any_missing(X.values)};
    const LevelBlock block(columns, rows);
    UnpackedLevels unpacked(block);
    const std::vector<std::uint32_t> some = some_of(rng, X.rows);
    for (int repeat = 0; repeat < 2; ++repeat) {  // in the same memory
        unpacked.unpack(of.packed());
        std::size_t n_ends = 0;
        unpacked.down(rows, block.values(), some, [&](std::uint32_t i, PackedLeaf leaf) {
            CHECK(i == some[n_ends++]);
            CHECK(of.id(leaf) == test::descend(of.tree(), X.row(i)));
        });
        CHECK(n_ends == some.size());
    }
}

TEST_CASE("samples arrive at their leaves, by thresholds and by rules of levels") {
    Rng rng(338);
    for (const test::TreeCase& each : test::all_tree_cases())
        for (const Trials& trials : test::kAllTrials)
            for (const bool few_levels : {false, true}) {
                const Packed of(
                    test::with_other_splits(rng, test::tree_example(each).tree, trials));
                for (const std::size_t n : {1U, 8U, 9U, 100U}) {
                    Matrix X = test::samples_for(rng, n, trials);
                    if (few_levels) use_few_levels(rng, X);
                    check_leaves(rng, of, X);
                }
            }
}

TEST_CASE("chains and a root alone are unpacked as well") {
    Rng rng(339);
    for (const std::uint32_t depth : {0U, 1U, 50U}) {
        const Packed of(test::chain_of(depth, [](std::uint32_t level) { return level % 3 == 0; }));
        Matrix X = test::samples_for(rng, 60, {.missing = true, .n_features = 2});
        check_leaves(rng, of, X);
        for (std::size_t i = 0; i < X.rows; ++i)  // ends at any depth
            X.values[i * X.cols] = test::pick_real(rng, 0.0, 2.0 * depth);
        check_leaves(rng, of, X);
    }
}

TEST_CASE("unpacking pays with samples enough, of trees that have no records") {
    Rng rng(343);
    const StoredTree tree = test::tree_example(test::all_tree_cases()[0]).tree;
    const Packed ruled(test::with_other_splits(rng, tree, {.categories = true}));
    REQUIRE(ruled.packed().shape().ruled);
    CHECK(UnpackedLevels::pays(ruled.forest(), 0, 1000));
    CHECK_FALSE(UnpackedLevels::pays(ruled.forest(), 0, 0));
    PackedForest other = ruled.forest();
    other.both_children = true;
    CHECK_FALSE(UnpackedLevels::pays(other, 0, 1000));
    other = ruled.forest();
    other.shapes[0].records = true;
    CHECK_FALSE(UnpackedLevels::pays(other, 0, 1000));
}

}  // namespace
}  // namespace silvics
