#include "doctest/doctest.h"
#include "importance/impurity_decrease.hpp"
#include "splitter/make_splitter.hpp"
#include "support/made_branches.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

Tree example(const char* criterion, std::size_t p, std::size_t informative) {
    test::Rng rng(160);
    test::Matrix X = test::random_matrix(rng, 100, p, 9);
    std::vector<std::int64_t> classes(100);
    std::vector<double> values(100);
    for (std::size_t i = 0; i < 100; ++i) {
        const double x = X.values[i * p + informative];
        classes[i] = x > 0.0 || test::pick(rng, 10) == 0;
        values[i] = 10.0 * x + test::pick_real(rng, 0.0, 1.0);
    }
    const Table table = test::coded(X);
    const Target target = find_criterion(criterion).classification
                              ? class_target(classes, 100, {2})
                              : real_target(values, 100, 1, true);
    const LearningSubset subset = test::random_subset(rng, 100, test::Weights::fractional);
    return test::grown(criterion, table, target, subset, test::full_search(table));
}

TEST_CASE("importance is the sum of p(t) times the decrease over a variable's nodes") {
    for (const char* criterion : {"gini", "entropy", "squared_error", "absolute_error"}) {
        const Tree tree = example(criterion, 4, 2);
        std::vector<double> expected(4, 0.0);
        const auto& w = tree.weighted_n_node_samples;
        for (NodeId t = 0; t < tree.nodes.size(); ++t) {
            const Node& node = tree.nodes[t];
            if (node.leaf()) continue;
            const double after =
                w[t + 1] / w[t] * test::users_impurity(tree, t + 1) +
                w[node.second()] / w[t] * test::users_impurity(tree, node.second());
            expected[static_cast<std::size_t>(node.feature)] +=
                w[t] / w[0] * (test::users_impurity(tree, t) - after);
        }
        const auto got = impurity_decrease(tree, false);
        const auto shares = impurity_decrease(tree, true);
        const double whole = std::accumulate(expected.begin(), expected.end(), 0.0);
        for (std::size_t j = 0; j < 4; ++j) {
            CHECK(got[j] == doctest::Approx(expected[j]).epsilon(1e-12));
            CHECK(shares[j] == doctest::Approx(expected[j] / whole).epsilon(1e-12));
        }
        CHECK(std::ranges::max_element(got) - got.begin() == 2);
    }
}

TEST_CASE("importances of a full tree sum to the impurity of the root") {
    test::Rng rng(161);
    const Table table = test::coded(test::random_matrix(rng, 100, 4));
    const Target target = test::random_classes(rng, 100, {3});
    const Tree tree =
        test::grown("entropy", table, target, test::subset_of(100), test::full_search(table));
    const auto importance = impurity_decrease(tree, false);
    CHECK(std::accumulate(importance.begin(), importance.end(), 0.0) ==
          doctest::Approx(test::users_impurity(tree, 0)));
}

TEST_CASE("a variable never used has importance zero, and so has every one of a root alone") {
    const Tree tree = example("gini", 4, 2);
    Tree wider = tree;
    wider.n_features = 6;
    CHECK(impurity_decrease(wider, true)[5] == 0.0);
    const Table table = test::coded(test::column_of({1.0, 1.0}));
    const Target target = class_target(std::vector<std::int64_t>{0, 1}, 2, {2});
    const Tree root =
        test::grown("gini", table, target, test::subset_of(2), test::full_search(table));
    CHECK(impurity_decrease(root, true) == std::vector<double>{0.0});
    CHECK(impurity_decrease(root, false) == std::vector<double>{0.0});
}

TEST_CASE("any number of children, and combinations by the shares of their variables") {
    test::Rng rng(162);
    for (int repeat = 0; repeat < 50; ++repeat) {
        Tree tree = test::random_branches(rng, {});
        for (double& w : tree.weighted_n_node_samples) w = test::pick_real(rng, 0.5, 4.0);
        const auto mass = [&](NodeId t) {
            return tree.weighted_n_node_samples[t] * tree.impurity[t] /
                   tree.weighted_n_node_samples[0];
        };
        std::vector<double> expected(tree.n_features, 0.0);
        for (NodeId t = 0; t < tree.nodes.size(); ++t) {
            const Node& node = tree.nodes[t];
            if (node.leaf()) continue;
            double decrease = mass(t);
            tree.for_children(t, [&](NodeId child) { decrease -= mass(child); });
            if (!tree.has_record(node) || tree.record(node).n_terms() == 0)
                expected[static_cast<std::size_t>(node.feature)] += decrease;
            else
                for (std::size_t i = 0; i < tree.record(node).n_terms(); ++i) {
                    const Term term = tree.record(node).term(i);
                    expected[term.feature] += decrease * static_cast<double>(term.share);
                }
        }
        const auto got = impurity_decrease(tree, false);
        for (std::size_t j = 0; j < got.size(); ++j)
            CHECK(got[j] == doctest::Approx(expected[j]).epsilon(1e-12));
    }
}

}  // namespace
}  // namespace silvics
