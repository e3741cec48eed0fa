// Problems for whole trees, and what holds for every tree that is grown on them.
#pragma once

#include <cmath>
#include <vector>

#include "doctest/doctest.h"
#include "support/descend.hpp"
#include "support/problem.hpp"

namespace silvics::test {

struct BuildProblem {
    Matrix X;
    Table table;
    Target target;
    LearningSubset subset;
    const char* criterion;
    GrowthRules rules;

    BuildContext context() const {
        return {find_criterion(criterion), table, target, rules, kNeverStop};
    }
    Tree tree() const { return tree_by(nullptr, nullptr); }
    // With several threads, or with nodes in a pool.
    Tree tree_by(ThreadTeam* team, PagePool* pool) const {
        BuildContext with = context();
        with.team = team;
        with.pool = pool;
        return expand(build_tree(with, subset, 7).tree);
    }
};

inline Target target_for(Rng& rng, const CriterionEntry& criterion, std::size_t n,
                         std::size_t outputs) {
    if (criterion.classification) return random_classes(rng, n, std::vector<ClassId>(outputs, 3));
    return criterion.centred ? random_reals(rng, n, outputs) : random_counts(rng, n, outputs);
}

inline BuildProblem random_problem(Rng& rng, const CriterionEntry& criterion) {
    const std::size_t n = 20 + pick(rng, 80), p = 1 + pick(rng, 5);
    Matrix X = random_matrix(rng, n, p, pick(rng, 2) == 0 ? 0 : 6);
    Table table = coded(X);
    const GrowthRules rules = full_search(table);
    return {std::move(X),
            std::move(table),
            target_for(rng, criterion, n, 1 + pick(rng, 2)),
            random_subset(rng, n, kAllWeights[pick(rng, 3)]),
            criterion.name.data(),
            rules};
}

// Every training row, sent down the tree, arrives where it was counted.
inline void check_counts(const BuildProblem& problem, const Tree& tree) {
    std::vector<std::uint32_t> n(tree.nodes.size(), 0);
    std::vector<double> weight(tree.nodes.size(), 0.0);
    for (const RowId row : problem.subset.rows)
        descend(tree, problem.X.row(row), [&](NodeId t) {
            ++n[t];
            weight[t] += problem.subset.weight(row);
        });
    CHECK(n == tree.n_node_samples);
    bool close = true;
    for (std::size_t t = 0; t < n.size(); ++t)
        close &= std::fabs(weight[t] - tree.weighted_n_node_samples[t]) < 1e-9;
    CHECK(close);
}

// The tree grown by one thread and by three, which must be the same.
inline Tree grown_either_way(const BuildProblem& problem) {
    Tree alone = problem.tree();
    GrowthRules rules = problem.rules;
    rules.search.shared_from = 20;
    ThreadTeam team(3, nullptr);
    const BuildContext context{
        find_criterion(problem.criterion), problem.table, problem.target, rules, kNeverStop, &team};
    CHECK(same_trees(expand(build_tree(context, problem.subset, 7).tree), alone));
    return alone;
}

}  // namespace silvics::test
