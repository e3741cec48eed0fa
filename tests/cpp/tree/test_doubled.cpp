#include <cmath>

#include "doctest/doctest.h"
#include "support/tree_example.hpp"
#include "tree/check_tree.hpp"
#include "tree/compact.hpp"
#include "tree/doubled.hpp"

namespace silvics {
namespace {

Tree tree_of(const char* criterion, std::size_t outputs, std::size_t smallest, double factor) {
    test::Rng rng(77);
    const std::size_t n = 120;
    const test::Matrix X = test::random_matrix(rng, n, 3);
    const Table table = test::coded(X);
    std::vector<double> y(n * outputs);
    for (double& v : y) v = factor * test::pick_real(rng, -3.0, 5.0);
    const Target target = real_target(y, n, outputs, true);
    const LearningSubset subset = test::random_subset(rng, n, test::Weights::whole);
    GrowthRules rules = test::full_search(table);
    rules.search.min_samples_leaf = smallest;
    const StoredTree tree =
        build_tree({find_criterion(criterion), table, target, rules, test::kNeverStop}, subset, 3)
            .tree;
    return expand(factor == 1.0 ? doubled(tree, criterion[0] == 's' ? 2 : 1) : tree);
}

TEST_CASE("a doubled tree is the tree that is grown on outputs which are twice as large") {
    for (const char* criterion : {"squared_error", "absolute_error"})
        for (const std::size_t outputs : {1U, 2U})
            for (const std::size_t smallest : {1U, 6U}) {
                const Tree made = tree_of(criterion, outputs, smallest, 1.0);
                const Tree grown = tree_of(criterion, outputs, smallest, 2.0);
                CHECK_NOTHROW(check_tree(made));
                REQUIRE(made.nodes.size() == grown.nodes.size());
                CHECK(made.nodes.size() > 10);
                CHECK(made.all_values() == grown.all_values());
                CHECK(made.n_node_samples == grown.n_node_samples);
                bool same = true;
                for (NodeId t = 0; t < made.nodes.size(); ++t)
                    same &= std::ldexp(made.impurity[t], made.impurity_exponent) ==
                            std::ldexp(grown.impurity[t], grown.impurity_exponent);
                CHECK(same);
            }
}

TEST_CASE("both forms of a tree can be doubled, and the tree stays as it is") {
    for (const auto weights : test::kAllWeights)
        for (const std::size_t smallest : {1U, 5U}) {
            const StoredTree tree =
                test::tree_example({"squared_error", {}, weights, smallest}, 10.0).tree;
            const Tree before = expand(tree);
            const StoredTree plain = doubled(StoredTree(before), 2), stored = doubled(tree, 2);
            CHECK((stored.compact() != nullptr) == (tree.compact() != nullptr));
            CHECK(expand(tree).all_values() == before.all_values());
            const auto of_plain = expand(plain).all_values();
            const auto of_stored = expand(stored).all_values();
            bool same = true, twice = true;
            for (std::size_t i = 0; i < of_plain.size(); ++i) {
                same &= std::fabs(of_plain[i] - of_stored[i]) < 1e-12 * of_plain[i];
                twice &= of_plain[i] == 2.0 * before.all_values()[i];
            }
            CHECK(same);
            CHECK(twice);
        }
}

TEST_CASE("trees of classes and other degrees of impurity cannot be doubled") {
    const StoredTree classes = test::tree_example({"gini", {3}, test::Weights::unit, 1}).tree;
    CHECK_THROWS_AS(doubled(classes, 2), std::invalid_argument);
    const StoredTree numbers =
        test::tree_example({"squared_error", {}, test::Weights::unit, 1}).tree;
    CHECK_THROWS_AS(doubled(numbers, 0), std::invalid_argument);
    CHECK_THROWS_AS(doubled(numbers, 3), std::invalid_argument);
}

}  // namespace
}  // namespace silvics
