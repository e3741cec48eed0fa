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
        const auto rounded = static_cast<double>(rounded_down(x));
        CHECK(rounded == expected);
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
    CHECK(std::isnan(rounded_down(std::numeric_limits<double>::quiet_NaN())));
    Rng rng(330);
    bool below = true, next_above = true;
    for (int repeat = 0; repeat < 10000; ++repeat) {
        const double x = std::ldexp(test::pick_real(rng, -1.0, 1.0),
                                    static_cast<int>(test::pick(rng, 300)) - 150);
        const float rounded = rounded_down(x);
        below &= static_cast<double>(rounded) <= x;
        next_above &= static_cast<double>(std::nextafter(rounded, HUGE_VALF)) > x;
    }
    CHECK(below);
    CHECK(next_above);
}

TEST_CASE("a block is rounded, and told whether that changes anything") {
    const std::vector<double> values = {0.5, NAN, -3.0, 0.1};
    RowBlock block{.first = 7, .size = 2, .width = 2, .values = values.data()};
    SUBCASE("it does") {
        const auto rounded = round_down(block);
        CHECK(block.rounded == rounded.data());
        CHECK_FALSE(block.exact);
        CHECK(rounded[0] == 0.5F);
        CHECK(std::isnan(rounded[1]));
        CHECK(rounded[3] == rounded_down(0.1));
        CHECK(block.part(1, 5).rounded == rounded.data() + 2);
    }
    SUBCASE("it does not, and missing values are no others") {
        block.size = 1;
        const auto rounded = round_down(block);
        CHECK(block.exact);
        CHECK(rounded.size() == 2);
    }
}

// Where the samples of a block end, and who is in doubt.
struct Walked {
    std::vector<PackedLeaf> leaves;
    std::vector<std::uint32_t> doubts;
};

Walked walked(const PackedTree& tree, UnpackedTree& unpacked, RowBlock block) {
    Walked out{std::vector<PackedLeaf>(block.size), {}};
    const auto rounded = round_down(block);
    unpacked.unpack(tree);
    unpacked.down(
        block, [&](std::uint32_t i, PackedLeaf leaf) { out.leaves[i] = leaf; },
        [&](std::uint32_t i) { out.doubts.push_back(i); });
    return out;
}

RowBlock block_of(const Matrix& X) {
    return {0, X.rows, X.cols, X.values.data(), !any_missing(X.values)};
}

// Checks every sample that is not in doubt, and returns how many are.
std::size_t check_leaves(const Packed& of, UnpackedTree& unpacked, const Matrix& X) {
    const Walked out = walked(of.packed(), unpacked, block_of(X));
    for (std::uint32_t i = 0; i < X.rows; ++i)
        if (!std::ranges::count(out.doubts, i))
            CHECK(of.id(out.leaves[i]) == test::descend(of.tree(), X.row(i)));
    return out.doubts.size();
}
std::size_t check_leaves(const Packed& of, const Matrix& X) {
    UnpackedTree unpacked(of.tree().n_features);
    return check_leaves(of, unpacked, X);
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
    use(rng, Trials{.n_features = 2},
        Packed(test::chain_of(50, [](std::uint32_t level) { return level % 3 == 0; })));
    use(rng, Trials{.n_features = 2}, Packed(test::chain_of(0, {})));
}

TEST_CASE("samples arrive at their leaves, or are in doubt") {
    std::size_t n = 0, n_doubts = 0;
    for_trees(331, [&](Rng& rng, const Trials& trials, const Packed& of) {
        for (const std::size_t rows : {1U, 2U, 7U, 8U, 9U, 100U}) {
            n += rows;
            n_doubts += check_leaves(of, test::samples_for(rng, rows, trials));
        }
    });
    CHECK(n_doubts < n);
    CHECK(n_doubts > 0);
}

TEST_CASE("values of single precision are never in doubt") {
    for_trees(332, [](Rng& rng, const Trials& trials, const Packed& of) {
        Matrix X = test::samples_for(rng, 200, trials);
        for (double& x : X.values) x = static_cast<double>(static_cast<float>(x));
        CHECK(check_leaves(of, X) == 0);
    });
}

TEST_CASE("values next to a threshold go their way or are in doubt") {
    for_trees(333, [](Rng& rng, const Trials& trials, const Packed& of) {
        // Thresholds that single precision does not have, and all their neighbours.
        Tree tree = of.tree();
        std::vector<double> values;
        for (Node& node : tree.nodes) {
            if (node.leaf() || std::isinf(node.threshold)) continue;
            node.threshold = test::pick_real(rng, -1.0, 1.0);
            const float low = rounded_down(node.threshold);
            for (const double x : {node.threshold, static_cast<double>(low),
                                   static_cast<double>(std::nextafter(low, HUGE_VALF))})
                for (const double to : {-HUGE_VAL, x, HUGE_VAL})
                    values.push_back(std::nextafter(x, to));
        }
        if (values.empty()) return;
        Matrix X = test::samples_for(rng, 256, trials);
        for (double& x : X.values)
            if (!std::isnan(x)) x = values[test::pick(rng, values.size())];
        check_leaves(Packed(tree), X);
    });
}

TEST_CASE("another tree takes the place of the one before") {
    UnpackedTree unpacked(4);
    for_trees(335, [&](Rng& rng, const Trials& trials, const Packed& of) {
        if (trials.n_features == 4) check_leaves(of, unpacked, test::samples_for(rng, 64, trials));
    });
}

TEST_CASE("unpacking pays with samples enough, of trees that have no rules and few enough nodes") {
    Rng rng(336);
    const auto pays = [](const Packed& of, std::size_t n) {
        return UnpackedTree::pays(of.forest(), 0, n);
    };
    const Tree tree = test::tree_example(test::all_tree_cases()[0]).tree;
    const Packed plain(test::with_other_splits(rng, tree, {}));
    CHECK(pays(plain, plain.packed().n_places()));
    CHECK_FALSE(pays(plain, 0));
    const Packed ruled(test::with_other_splits(rng, tree, {.categories = true}));
    REQUIRE(ruled.packed().shape().ruled);
    CHECK_FALSE(pays(ruled, 1000000));
    // So many variables that a node has no bits left for its children.
    for (const auto& [depth, fits] : {std::pair{126U, true}, {127U, false}}) {
        Tree wide = test::chain_of(depth, [](std::uint32_t) { return true; });
        wide.n_features = PackedNode::kMaxFeature;
        CHECK(pays(Packed(wide), 1000000) == fits);
    }
    PackedForest both = plain.forest();
    both.both_ways = true;
    CHECK_FALSE(UnpackedTree::pays(both, 0, 1000000));
}

}  // namespace
}  // namespace silvics
