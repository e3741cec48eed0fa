#include "doctest/doctest.h"
#include "predictor/forest_example.hpp"
#include "proximity/numbered_rows.hpp"

namespace silvics {
namespace {

// Every leaf has its weight, and the number and the weight of each of its rows in bag.
void check(const LeafMembership& membership, bool narrow) {
    std::vector<std::uint32_t> numbers(membership.n_rows);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<std::uint32_t>(i * 77 % numbers.size());
    for (const std::size_t threads : {1U, 3U}) {
        ThreadTeam team(threads, nullptr);
        const NumberedRows rows(membership, numbers, team);
        rows.with_words([&](const auto& words) {
            CHECK(std::is_same_v<decltype(words), const NumberedRows::NarrowWords&> == narrow);
            for (std::size_t m = 0; m < membership.n_trees(); ++m) {
                const TreeMembership tree = membership.tree(m);
                for (std::size_t leaf = 0; leaf < tree.n_leaves(); ++leaf) {
                    const std::size_t begin = rows.begin(m, leaf), n = tree.in_bag(leaf).size();
                    REQUIRE(rows.begin(m, leaf + 1) - begin == n + 1);
                    double whole = 0.0;
                    for (std::size_t k = 0; k < n; ++k) {
                        const auto word = words.words[begin + 1 + k];
                        const double weight = membership.weight(m, tree.begin(leaf) + k);
                        whole += weight;
                        CHECK(words.number(word) == numbers[tree.in_bag(leaf)[k]]);
                        CHECK(words.weight(word) == weight);
                    }
                    CHECK(words.of_leaf(words.words[begin]) == whole);
                }
            }
        });
    }
}

LeafMembership membership_of(test::ForestExample& forest, const Predictor& predictor) {
    ThreadTeam team;
    return leaf_membership(predictor, forest.X.view(), forest.target,
                           {0, forest.plan.seeds, forest.plan.sampling}, team);
}

TEST_CASE("rows in bag are side by side with their weights, in one word if they fit") {
    test::ForestExample forest = test::forest_example("squared_error", 200, 5);
    const Predictor predictor = forest.predictor();
    LeafMembership membership = membership_of(forest, predictor);
    check(membership, true);
    // The same weights as numbers of 64 bits, half of them, and too large ones.
    for (const double factor : {1.0, 0.5, 0x1.0p24, 0x1.0p40}) {
        std::vector<double> weights(membership.rows.size());
        for (std::size_t i = 0; i < weights.size(); ++i)
            weights[i] = factor * membership.weight(i / 200, i % 200);
        LeafMembership other = membership;
        other.weights = std::span<const double>(weights);
        check(other, factor == 1.0);
    }
}

TEST_CASE("without bootstrap, weights are those of the rows") {
    for (const double weight : {0.0, 3.0, 0.75}) {
        test::ForestExample forest = test::forest_example("squared_error", 100, 3);
        forest.plan.sampling.bootstrap = false;
        forest.plan.sampling.n_draws = 0;
        if (weight > 0.0) forest.plan.sampling.weights.assign(100, weight);
        forest.plan.sampling.prepare();
        check(membership_of(forest, forest.predictor()), weight != 0.75);
    }
}

}  // namespace
}  // namespace silvics
