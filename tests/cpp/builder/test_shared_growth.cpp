#include "builder/shared_growth.hpp"
#include "doctest/doctest.h"
#include "support/build_problem.hpp"

namespace silvics {
namespace {

TEST_CASE("threads that share a tree grow the tree of one thread, with every criterion") {
    test::Rng rng(820);
    for (const CriterionEntry& criterion : criteria())
        for (int repeat = 0; repeat < 6; ++repeat) {
            CAPTURE(std::string(criterion.name));
            CAPTURE(repeat);
            test::BuildProblem problem = test::random_problem(rng, criterion);
            problem.rules.search.max_features = 1 + test::pick(rng, problem.table.n_features());
            problem.rules.search.random_cut = repeat % 2 == 1;
            problem.rules.search.min_samples_leaf = repeat % 3 == 2 ? 4 : 1;
            problem.rules.search.shared_from = 8;
            const Tree alone = problem.tree();
            for (const std::size_t n_threads : {1U, 2U, 5U}) {
                ThreadTeam team(n_threads, nullptr);
                CHECK(test::same_trees(problem.tree_by(&team, nullptr), alone));
            }
        }
}

TEST_CASE("the work of all threads is counted") {
    test::Rng rng(821);
    test::BuildProblem problem = test::random_problem(rng, find_criterion("gini"));
    problem.rules.search.shared_from = 8;
    const Work alone = build_tree(problem.context(), problem.subset, 7).work;
    ThreadTeam team(3, nullptr);
    BuildContext context = problem.context();
    context.team = &team;
    const Work shared = build_tree(context, problem.subset, 7).work;
    CHECK(alone.samples > problem.subset.rows.size());
    CHECK(shared.samples == alone.samples);
}

TEST_CASE("a stop request is felt by threads that share a tree") {
    test::Rng rng(822);
    test::BuildProblem problem = test::random_problem(rng, find_criterion("gini"));
    problem.rules.search.shared_from = 8;
    StopFlag stop;
    stop.request();
    ThreadTeam team(3, nullptr);
    const BuildContext context{find_criterion("gini"), problem.table, problem.target,
                               problem.rules,          stop,          &team};
    CHECK_THROWS_AS(build_tree(context, problem.subset, 7), Interrupted);
}

}  // namespace
}  // namespace silvics
