#include <cmath>

#include "doctest/doctest.h"
#include "support/descend.hpp"
#include "support/made_branches.hpp"
#include "support/tree_example.hpp"
#include "tree/check_tree.hpp"
#include "tree/compact.hpp"
#include "tree/on_combinations.hpp"

namespace silvics {
namespace {

std::vector<std::vector<Term>> random_combinations(test::Rng& rng, std::size_t n,
                                                   std::size_t n_features) {
    std::vector<std::vector<Term>> all(n);
    for (auto& terms : all) {
        for (std::size_t i = 1 + test::pick(rng, 3); i > 0; --i)
            terms.push_back({static_cast<FeatureId>(test::pick(rng, n_features)),
                             test::pick_real(rng, -2.0, 2.0), 0.5F});
        if (test::pick(rng, 3) == 0) terms = {{terms[0].feature, 1.0, 1.0F}};
    }
    return all;
}

double combined(const std::vector<Term>& terms, const double* sample) {
    if (terms.size() == 1 && terms[0].coefficient == 1.0) return sample[terms[0].feature];
    double sum = 0.0;
    for (const Term& term : terms) sum += term.coefficient * sample[term.feature];
    return sum;
}

TEST_CASE("a tree on combinations predicts for samples what it predicted for the combinations") {
    test::Rng rng(430);
    const std::size_t n_features = 5;
    for (const auto& of : {test::TreeCase{"gini", {3}, test::Weights::unit, 5},
                           test::TreeCase{"gini", {2, 3}, test::Weights::fractional, 1},
                           test::TreeCase{"squared_error", {}, test::Weights::whole, 5}}) {
        std::size_t number = 0;
        const StoredTree tree = test::changed(test::tree_example(of).tree, [&](TreeBase& base) {
            for (Node& node : base.nodes)
                if (!node.leaf()) node.set_second(node.second(), ++number % 3 == 0);
        });
        const auto combinations = random_combinations(rng, tree->n_features, n_features);
        const Tree turned = on_combinations(tree, combinations, n_features);
        CHECK_NOTHROW(check_tree(turned));
        CHECK(turned.n_features == n_features);
        REQUIRE(turned.nodes.size() == tree->nodes.size());
        const Tree plain = expand(tree);
        const auto before = plain.all_values(), after = turned.all_values();
        bool same = true;
        for (std::size_t i = 0; i < before.size(); ++i)
            same &= std::fabs(before[i] - after[i]) < 1e-14;
        same &= turned.impurity == plain.impurity && turned.n_node_samples == plain.n_node_samples;
        CHECK(same);
        test::Matrix X = test::random_matrix(rng, 300, n_features);
        for (double& x : X.values)
            if (test::pick(rng, 15) == 0) x = NAN;
        std::vector<double> made(tree->n_features);
        bool same_leaves = true;
        for (std::size_t i = 0; i < X.rows; ++i) {
            for (std::size_t j = 0; j < made.size(); ++j)
                made[j] = combined(combinations[j], X.row(i));
            same_leaves &= test::descend(turned, X.row(i)) == test::descend(tree, made.data());
        }
        CHECK(same_leaves);
        // Shares stay what they were.
        for (std::size_t t = 0; t < turned.nodes.size(); ++t) {
            if (!turned.has_record(turned.nodes[t])) continue;
            const auto& terms = combinations[static_cast<std::size_t>(tree->nodes[t].feature)];
            const BranchRecord record = turned.record(turned.nodes[t]);
            REQUIRE(record.n_terms() == terms.size());
            for (std::size_t i = 0; i < terms.size(); ++i)
                CHECK(record.term(i).share == terms[i].share);
        }
    }
}

TEST_CASE("one variable as it is stays a plain split, a category too") {
    test::Rng rng(431);
    Tree tree = expand(test::tree_example({"squared_error", {}, test::Weights::unit, 20}).tree);
    const Level left[] = {0, 2}, right[] = {1};
    tree.nodes[0].feature = 0;
    tree.nodes[0].set_rule(LevelRule::of(left, right, false, tree.level_sets));
    std::vector<std::vector<Term>> combinations = {
        {{4, 1.0, 1.0F}}, {{0, 1.0, 1.0F}}, {{1, 1.0, 1.0F}}};
    const Tree turned = on_combinations(tree, combinations, 5);
    CHECK(turned.branches.empty());
    for (std::size_t t = 0; t < tree.nodes.size(); ++t)
        if (!tree.nodes[t].leaf())
            CHECK(turned.nodes[t].feature == (tree.nodes[t].feature + 4) % 5);
    CHECK(turned.nodes[0].rule().levels().goes_left(2, turned.level_sets));

    combinations[0][0].coefficient = 2.0;  // of a category
    CHECK_THROWS_AS(on_combinations(tree, combinations, 5), std::invalid_argument);
}

TEST_CASE("combinations that make no sense are refused") {
    const StoredTree tree = test::tree_example({"gini", {3}, test::Weights::unit, 5}).tree;
    const std::vector<std::vector<Term>> good(3, {{0, 0.5, 0.5F}, {1, 2.0, 0.5F}});
    CHECK_NOTHROW(on_combinations(tree, good, 2));
    CHECK_THROWS_AS(on_combinations(tree, good, 1), std::invalid_argument);
    CHECK_THROWS_AS(on_combinations(tree, {good[0], good[1]}, 2), std::invalid_argument);
    CHECK_THROWS_AS(on_combinations(on_combinations(tree, good, 3), good, 2),
                    std::invalid_argument);
    for (const Term& bad :
         {Term{0, NAN, 1.0F}, Term{0, INFINITY, 1.0F}, Term{0, 0.5, 2.0F}, Term{9, 0.5, 1.0F}}) {
        auto terms = good;
        for (auto& of : terms) of.push_back(bad);
        CHECK_THROWS_AS(on_combinations(tree, terms, 2), std::invalid_argument);
    }
    CHECK_THROWS_AS(on_combinations(tree, {{}, {}, {}}, 2), std::invalid_argument);
}

}  // namespace
}  // namespace silvics
