// A grown forest, with the data that a reference prediction needs.
#pragma once

#include "forest/grower.hpp"
#include "predictor/plain_forest.hpp"
#include "support/problem.hpp"

namespace silvics::test {

struct ForestExample {
    Matrix X;
    ForestPlan plan;
    std::vector<SharedTree> trees;
    Target target;

    std::size_t width() const { return trees[0]->base().value_width(); }
    Predictor predictor(bool as_float32 = false) const { return Predictor(trees, as_float32); }
};

// `n` rows, ties among them so that leaves are impure too.
inline ForestExample forest_example(const char* criterion, std::size_t n, std::uint32_t n_trees,
                                    std::size_t outputs = 1) {
    Rng rng(150);
    Matrix X = random_matrix(rng, n, 4, 7);
    const Table table = coded(X);
    Target target = find_criterion(criterion).classification
                        ? random_classes(rng, n, std::vector<ClassId>(outputs, 3))
                        : random_reals(rng, n, outputs);
    ForestPlan plan{find_criterion(criterion), full_search(table), {}, {}};
    plan.rules.search.max_features = 2;
    plan.sampling.n_rows = n;
    plan.sampling.n_draws = n;
    plan.sampling.bootstrap = true;
    plan.sampling.prepare();
    for (std::uint32_t m = 0; m < n_trees; ++m) plan.seeds.push_back(tree_seed(1, m));
    ThreadTeam team(2, nullptr);
    auto trees = grow_forest(table, target, plan, team).trees;
    return {std::move(X), std::move(plan), std::move(trees), std::move(target)};
}

}  // namespace silvics::test
