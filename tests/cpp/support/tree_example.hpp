// Trees as they are kept, of all kinds, with what they were grown from.
#pragma once

#include <vector>

#include "support/problem.hpp"

namespace silvics::test {

struct TreeExample {
    Matrix X;
    Target target;
    LearningSubset subset;
    StoredTree tree;

    double weight(RowId row) const { return subset.weight(row) * subset.unit; }
};

struct TreeCase {
    const char* criterion;
    std::vector<ClassId> n_classes;  // empty: one real output
    Weights weights;
    std::size_t min_samples_leaf;
};

inline TreeExample tree_example(const TreeCase& of, double offset = 0.0, std::size_t outputs = 1) {
    Rng rng(130);
    const std::size_t n = 150;
    Matrix X = random_matrix(rng, n, 3);
    const Table table = coded(X);
    std::vector<double> y(n * outputs);
    for (double& v : y) v = offset + pick_real(rng, 1.0, 3.0);
    Target target = of.n_classes.empty() ? real_target(y, n, outputs, true)
                                         : random_classes(rng, n, of.n_classes);
    LearningSubset subset = random_subset(rng, n, of.weights);
    GrowthRules rules = full_search(table);
    rules.search.min_samples_leaf = of.min_samples_leaf;
    StoredTree tree =
        build_tree({find_criterion(of.criterion), table, target, rules, kNeverStop}, subset, 7)
            .tree;
    return {std::move(X), std::move(target), std::move(subset), std::move(tree)};
}

inline std::vector<TreeCase> all_tree_cases() {
    std::vector<TreeCase> cases;
    for (const Weights weights : kAllWeights)
        for (const std::size_t smallest : {1U, 5U}) {
            for (const char* criterion : {"gini", "entropy", "misclassification"})
                for (const auto& n_classes : {std::vector<ClassId>{2}, {7}, {2, 3}})
                    cases.push_back({criterion, n_classes, weights, smallest});
            for (const char* criterion : {"squared_error", "friedman_mse"})
                cases.push_back({criterion, {}, weights, smallest});
        }
    return cases;
}

}  // namespace silvics::test
