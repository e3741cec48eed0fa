#include <numeric>

#include "doctest/doctest.h"
#include "predictor/made_trees.hpp"
#include "predictor/traversal.hpp"
#include "support/descend.hpp"

namespace silvics {
namespace {

using test::Matrix;
using test::Packed;
using test::Rng;
using test::Trials;

RowBlock block_of(const Matrix& X) { return {0, X.rows, X.cols, X.values.data()}; }

std::vector<std::uint32_t> first_numbers(std::size_t n) {
    std::vector<std::uint32_t> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0U);
    return numbers;
}

// Whether those samples are in the leaves of the reference traversal.
bool arrived(const Traversal& traversal, const Packed& of, const Matrix& X,
             std::span<const std::uint32_t> some) {
    return std::ranges::all_of(some, [&](std::uint32_t i) {
        return of.id(traversal.leaf(i)) == test::descend(of.tree(), X.row(i));
    });
}

bool same_leaves(PackedLeaf a, PackedLeaf b) {
    return a.content == b.content && a.parent == b.parent && a.which == b.which;
}

// Both kinds of steps, where the ordered ones may be taken.
std::vector<bool> steps_for(const Trials& trials) {
    return trials.missing || trials.categories ? std::vector<bool>{false}
                                               : std::vector<bool>{false, true};
}

Packed random_tree(Rng& rng, const Trials& trials) {
    const auto cases = test::all_tree_cases();
    const StoredTree tree = test::tree_example(cases[test::pick(rng, cases.size())]).tree;
    return Packed(with_other_splits(rng, tree, trials));
}

TEST_CASE("samples of a block arrive at their leaves of a tree") {
    Rng rng(310);
    for (const Trials& trials : test::kAllTrials)
        for (const std::size_t rows : {1U, 2U, 7U, 8U, 9U, 255U, 256U})
            for (int repeat = 0; repeat < 4; ++repeat) {
                const Packed of = random_tree(rng, trials);
                const Matrix X = test::samples_for(rng, rows, trials);
                for (const bool ordered : steps_for(trials)) {
                    Traversal traversal(true);
                    traversal.down(of.packed(), ordered, block_of(X), first_numbers(rows));
                    CHECK(arrived(traversal, of, X, first_numbers(rows)));
                }
            }
}

TEST_CASE("selected samples of a block descend, in any order, and the others do not move") {
    Rng rng(311);
    for (const Trials& trials : test::kAllTrials) {
        const Packed of = random_tree(rng, trials), other = random_tree(rng, trials);
        const Matrix X = test::samples_for(rng, 256, trials);
        for (const std::size_t n : {0U, 1U, 3U, 100U, 255U, 256U})
            for (const bool ordered : steps_for(trials)) {
                std::vector<std::uint32_t> some = first_numbers(256);
                std::shuffle(some.begin(), some.end(), rng);
                const auto prediction = std::span(some).first(n),
                           staying = std::span(some).subspan(n);
                Traversal traversal(true);
                traversal.down(other.packed(), ordered, block_of(X), some);
                traversal.down(of.packed(), ordered, block_of(X), prediction);
                CHECK(arrived(traversal, of, X, prediction));
                CHECK(arrived(traversal, other, X, staying));
            }
    }
}

TEST_CASE("one sample arrives at its leaves of many trees") {
    Rng rng(312);
    for (const Trials& trials : test::kAllTrials) {
        std::vector<Packed> forest;
        std::vector<PackedTree> trees;
        for (std::size_t m = 0; m < Traversal::kMaxPaths; ++m) {
            if (m % 10 == 3) {  // a root alone among them
                Tree root = test::chain_of(0, {});
                root.n_features = trials.n_features;
                forest.emplace_back(std::move(root));
            } else {
                forest.push_back(random_tree(rng, trials));
            }
            trees.push_back(forest.back().packed());
        }
        const Matrix X = test::samples_for(rng, 30, trials);
        for (const std::size_t n : {1U, 2U, 7U, 255U, 256U})
            for (const bool ordered : steps_for(trials)) {
                Traversal traversal(true);
                bool right = true;
                for (std::size_t i = 0; i < X.rows; ++i) {
                    traversal.down(std::span(trees).first(n), ordered, X.row(i));
                    for (std::size_t m = 0; m < n; ++m)
                        right &= forest[m].id(traversal.leaf(m)) ==
                                 test::descend(forest[m].tree(), X.row(i));
                }
                CHECK(right);
            }
    }
}

TEST_CASE("both kinds of steps lead to the same place where nothing is missing") {
    Rng rng(313);
    const Trials trials;
    for (int repeat = 0; repeat < 20; ++repeat) {
        const Packed of = random_tree(rng, trials);
        const Matrix X = test::samples_for(rng, 256, trials);
        Traversal ordered(true), unordered(true);
        ordered.down(of.packed(), true, block_of(X), first_numbers(256));
        unordered.down(of.packed(), false, block_of(X), first_numbers(256));
        bool same = true;
        for (std::size_t i = 0; i < 256; ++i)
            same &= same_leaves(ordered.leaf(i), unordered.leaf(i));
        CHECK(same);
    }
}

TEST_CASE("a traversal that does not identify leaves has their contents") {
    Rng rng(315);
    for (const Trials& trials : test::kAllTrials)
        for (const bool ordered : steps_for(trials)) {
            const Packed of = random_tree(rng, trials), other = random_tree(rng, trials);
            const Matrix X = test::samples_for(rng, 256, trials);
            Traversal identifying(true), traversal;
            identifying.down(of.packed(), ordered, block_of(X), first_numbers(256));
            traversal.down(of.packed(), ordered, block_of(X), first_numbers(256));
            bool same = true;
            for (std::size_t i = 0; i < 256; ++i)
                same &= identifying.leaf(i).content == traversal.leaf(i).content;
            const std::vector<PackedTree> trees = {of.packed(), other.packed()};
            for (std::size_t i = 0; i < 30; ++i) {
                identifying.down(trees, ordered, X.row(i));
                traversal.down(trees, ordered, X.row(i));
                for (std::size_t m = 0; m < 2; ++m)
                    same &= identifying.leaf(m).content == traversal.leaf(m).content;
            }
            CHECK(same);
        }
}

TEST_CASE("every sample is at once at a root alone") {
    const Packed root(test::chain_of(0, {}));
    for (const bool ordered : {false, true}) {
        Matrix X{3, 2, {0.0, 1.0, -HUGE_VAL, 2.0, HUGE_VAL, 3.0}};
        if (!ordered) X.values[0] = X.values[3] = NAN;
        Traversal traversal(true);
        traversal.down(root.packed(), ordered, block_of(X), first_numbers(3));
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(traversal.leaf(i).content == 0);
            CHECK(traversal.leaf(i).parent == PackedTree::kRoot);
        }
        CHECK(arrived(traversal, root, X, first_numbers(3)));
    }
}

TEST_CASE("chains of 5,000 levels are traversed to every leaf") {
    constexpr std::uint32_t kDepth = 5000;
    Rng rng(314);
    std::vector<Packed> chains;
    chains.emplace_back(test::chain_of(kDepth, [](std::uint32_t) { return true; }));
    chains.emplace_back(test::chain_of(kDepth, [](std::uint32_t) { return false; }));
    chains.emplace_back(test::chain_of(kDepth, [](std::uint32_t level) { return level % 2 == 0; }));
    chains.emplace_back(
        test::chain_of(kDepth, [&](std::uint32_t) { return test::pick(rng, 2) == 0; }));
    chains.emplace_back(test::chain_of(3, [](std::uint32_t) { return true; }));
    std::vector<PackedTree> trees;
    for (const Packed& of : chains) trees.push_back(of.packed());
    for (const bool missing : {false, true}) {
        // From above all thresholds to below them, the ends of the chains between.
        Matrix X{256, 2, std::vector<double>(512)};
        for (std::size_t i = 0; i < 256; ++i)
            X.values[2 * i] = test::pick_real(rng, -1.0, 2.0 * kDepth + 1.0);
        X.values[0] = kDepth;
        X.values[2] = -1.0;
        X.values[4] = 3.0 * kDepth;
        if (missing) X.values[6] = NAN;
        for (const bool ordered : {false, true}) {
            if (ordered && missing) continue;
            Traversal traversal(true);
            for (const Packed& of : chains) {
                traversal.down(of.packed(), ordered, block_of(X), first_numbers(256));
                CHECK(arrived(traversal, of, X, first_numbers(256)));
            }
            bool right = true;
            for (std::size_t i = 0; i < 8; ++i) {
                traversal.down(trees, ordered, X.row(i));
                for (std::size_t m = 0; m < trees.size(); ++m)
                    right &= chains[m].id(traversal.leaf(m)) ==
                             test::descend(chains[m].tree(), X.row(i));
            }
            CHECK(right);
        }
    }
}

}  // namespace
}  // namespace silvics
