#include <limits>

#include "doctest/doctest.h"
#include "predictor/made_trees.hpp"
#include "predictor/unpacked_tree.hpp"
#include "support/descend.hpp"

namespace silvics {
namespace {

using test::Matrix;
using test::Packed;
using test::Rng;
using test::Trials;

TEST_CASE("a number is rounded to the next one below of single precision") {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kLargest = std::numeric_limits<float>::max();
    constexpr double kLeast = std::numeric_limits<float>::denorm_min();
    const auto check = [&](double x, double expected) {
        CHECK(static_cast<double>(rounded_down(x)) == expected);
    };
    for (const double x :
         {0.0, -0.0, 1.0, -1.5, kLargest, -kLargest, kLeast, -kLeast, kInfinity, -kInfinity})
        check(x, x);
    check(1e300, kLargest);
    check(-1e300, -kInfinity);
    check(1e-300, 0.0);
    check(-1e-300, -kLeast);
    check(0.1, 0.0999999940395355224609375);
    check(-0.1, -0.100000001490116119384765625);
    Rng rng(330);
    bool below = true, next_above = true;
    for (int repeat = 0; repeat < 10000; ++repeat) {
        const int exponent = static_cast<int>(test::pick(rng, 300)) - 150;
        const double x = std::ldexp(test::pick_real(rng, -1.0, 1.0), exponent);
        const float rounded = rounded_down(x);
        below &= static_cast<double>(rounded) <= x;
        next_above &= static_cast<double>(std::nextafter(rounded, HUGE_VALF)) > x;
    }
    CHECK(below);
    CHECK(next_above);
}

TEST_CASE("the values of a block in single precision, if that has them all") {
    std::vector<double> values = {0.5, NAN, -3.0, HUGE_VAL, 0.25, 16777216.0};
    const RowBlock block{.first = 7, .size = 3, .width = 2, .values = values.data()};
    const auto floats = exact_floats(block);
    REQUIRE(floats.size() == 7);
    for (std::size_t k = 0; k < 6; ++k)
        CHECK((std::isnan(values[k]) ? std::isnan(floats[k])
                                     : static_cast<double>(floats[k]) == values[k]));
    for (const double other : {0.1, 16777217.0, 1e300, -1e-300}) {
        values[5] = other;
        CHECK(exact_floats(block).empty());
    }
}

RowBlock block_of(const Matrix& X) {
    return {0, X.rows, X.cols, X.values.data(), !any_missing(X.values)};
}

template <class T>
void check_leaves(const Packed& of, UnpackedTree<T>& unpacked, const Matrix& X,
                  std::span<const std::uint32_t> some) {
    std::vector<T> values(X.values.begin(), X.values.end());
    values.push_back(T{});  // that may be read
    unpacked.unpack(of.packed());
    std::vector<int> n_ends(X.rows, 0);
    unpacked.down(block_of(X), values.data(), some, [&](std::uint32_t i, PackedLeaf leaf) {
        ++n_ends[i];
        CHECK(of.id(leaf) == test::descend(of.tree(), X.row(i)));
    });
    for (std::uint32_t i = 0; i < X.rows; ++i) CHECK(n_ends[i] == std::ranges::count(some, i));
}

// Some samples in any order, by numbers of both kinds.
void check_leaves(Rng& rng, const Packed& of, Matrix X) {
    std::vector<std::uint32_t> some;
    for (std::uint32_t i = 0; i < X.rows; ++i)
        if (i == 0 || test::pick(rng, 5) > 0) some.push_back(i);
    std::shuffle(some.begin(), some.end(), rng);
    UnpackedTree<double> doubles(of.tree()->n_features);
    check_leaves(of, doubles, X, some);
    for (double& x : X.values) x = static_cast<double>(static_cast<float>(x));
    UnpackedTree<float> floats(of.tree()->n_features);
    check_leaves(of, floats, X, some);
}

// Of every tree that has no rules: sides of missing values, thresholds that are no numbers.
template <class Use>
void for_trees(std::uint64_t seed, Use&& use) {
    Rng rng(seed);
    for (const test::TreeCase& of : test::all_tree_cases())
        for (const bool missing : {false, true}) {
            const Trials trials{.missing = missing};
            use(rng, trials,
                Packed(test::with_other_splits(rng, test::tree_example(of).tree, trials)));
        }
    const Trials two{.n_features = 2};
    use(rng, two, Packed(test::chain_of(50, [](std::uint32_t level) { return level % 3 == 0; })));
    use(rng, two, Packed(test::chain_of(0, {})));
}

TEST_CASE("samples arrive at their leaves") {
    for_trees(331, [&](Rng& rng, const Trials& trials, const Packed& of) {
        for (const std::size_t rows : {1U, 2U, 11U, 12U, 13U, 25U, 100U})
            check_leaves(rng, of, test::samples_for(rng, rows, trials));
    });
}

TEST_CASE("the widest and the largest tree that small nodes have bits for") {
    Tree tree = test::chain_of(262143, [](std::uint32_t level) { return level % 3 == 0; });
    tree.n_features = 4095;
    for (NodeId t = 0; t < tree.nodes.size(); ++t)
        if (Node& node = tree.nodes[t]; !node.leaf()) node.feature = t % 2 == 0 ? 0 : 4094;
    Rng rng(337);
    Matrix X = test::samples_for(rng, 13, {.n_features = 4095});
    for (std::size_t i = 1; i < X.rows; ++i)  // ends at any depth
        for (const std::size_t j : {0U, 4094U})
            X.values[i * X.cols + j] = test::pick_real(rng, 0.0, 2.0 * 262143);
    check_leaves(rng, Packed(tree), X);
}

TEST_CASE("values next to a threshold go to the right side") {
    for_trees(333, [](Rng& rng, const Trials& trials, const Packed& of) {
        // Thresholds that single precision does not have, and all their neighbours.
        std::vector<double> values;
        const StoredTree tree = test::changed(of.tree(), [&](TreeBase& base) {
            for (Node& node : base.nodes) {
                if (node.leaf() || std::isinf(node.rule().threshold())) continue;
                const double threshold = test::pick_real(rng, -1.0, 1.0);
                node.set_rule(threshold);
                const float low = rounded_down(threshold);
                for (const double x : {threshold, static_cast<double>(low),
                                       static_cast<double>(std::nextafter(low, HUGE_VALF))})
                    for (const double to : {-HUGE_VAL, x, HUGE_VAL})
                        values.push_back(std::nextafter(x, to));
            }
        });
        if (values.empty()) return;
        Matrix X = test::samples_for(rng, 256, trials);
        for (double& x : X.values)
            if (!std::isnan(x)) x = values[test::pick(rng, values.size())];
        check_leaves(rng, Packed(tree), X);
    });
}

TEST_CASE("another tree takes the place of the one before") {
    UnpackedTree<double> unpacked(4);
    for_trees(335, [&](Rng& rng, const Trials& trials, const Packed& of) {
        if (trials.n_features != 4) return;
        const Matrix X = test::samples_for(rng, 64, trials);
        const std::vector<std::uint32_t> some = {0, 3, 9, 63};
        check_leaves(of, unpacked, X, some);
    });
}

TEST_CASE("unpacking pays with samples enough, of trees that have no rules and few enough nodes") {
    Rng rng(336);
    const auto pays_in = [](auto zero, const Packed& of, std::size_t n) {
        return UnpackedTree<decltype(zero)>::pays(of.forest(), 0, n);
    };
    const auto pays = [&](const Packed& of, std::size_t n) {
        const bool floats = pays_in(0.0F, of, n);
        CHECK(pays_in(0.0, of, n) == floats);
        return floats;
    };
    const StoredTree tree = test::tree_example(test::all_tree_cases()[0]).tree;
    const Packed plain(test::with_other_splits(rng, tree, {}));
    CHECK(pays(plain, plain.packed().n_places()));
    CHECK_FALSE(pays(plain, 0));
    const Packed ruled(test::with_other_splits(rng, tree, {.categories = true}));
    REQUIRE(ruled.packed().shape().ruled);
    CHECK_FALSE(pays(ruled, 1000000));
    // Small nodes have 12 bits for the variable and one value after the last, and 19 for a child.
    for (const auto& [n_features, fits] : {std::pair{4095U, true},
                                           {4096U, false},
                                           {std::uint32_t{PackedNode::kMaxFeature}, false}}) {
        Tree wide = test::chain_of(9, [](std::uint32_t) { return true; });
        wide.n_features = n_features;
        CHECK(pays_in(0.0F, Packed(wide), 1000) == fits);
        CHECK(pays_in(0.0, Packed(wide), 1000));
    }
    for (const auto& [depth, fits] : {std::pair{262143U, true}, {262144U, false}}) {
        const Packed deep(test::chain_of(depth, [](std::uint32_t) { return true; }));
        CHECK(pays_in(0.0F, deep, 1000000) == fits);
        CHECK(pays_in(0.0, deep, 1000000));
    }
    PackedForest both = plain.forest();
    both.both_children = true;
    CHECK_FALSE(UnpackedTree<double>::pays(both, 0, 1000000));
}

}  // namespace
}  // namespace silvics
