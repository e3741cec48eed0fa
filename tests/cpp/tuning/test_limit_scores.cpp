#include <memory>
#include <stdexcept>

#include "doctest/doctest.h"
#include "support/build_problem.hpp"
#include "tuning/limit_scores.hpp"

namespace silvics {
namespace {

struct Example {
    test::BuildProblem problem;
    DetailedTree tree;
    std::vector<double> outputs, scale;
    std::vector<std::uint32_t> n_classes;
    std::vector<std::int64_t> leaves;

    std::vector<const DetailedTree*> trees(std::size_t n) const { return {n, &tree}; }
};

Example example_of(test::Rng& rng, const char* criterion) {
    Example of{test::random_problem(rng, find_criterion(criterion)), {}, {}, {}, {}, {}};
    test::BuildProblem& problem = of.problem;
    problem.rules.detailed = true;
    of.tree = *build_tree(problem.context(), problem.subset, 7).detailed;
    const Target& y = problem.target;
    for (std::size_t i = 0; i < problem.X.rows; ++i) {
        for (std::size_t k = 0; k < y.n_outputs; ++k)
            of.outputs.push_back(y.classification() ? y.classes[k * y.n_rows + i] : y.value(k, i));
        of.leaves.push_back(test::descend(of.tree.plain(), problem.X.row(i)));
    }
    for (std::size_t k = 0; k < y.n_outputs; ++k)
        of.scale.push_back(1.0 / static_cast<double>(k + 1));
    of.n_classes.assign(y.n_classes.begin(), y.n_classes.end());
    return of;
}

std::vector<TreeLimits> some_limits() {
    return {{},
            {.max_depth = 2},
            {.min_samples_split = 9},
            {.min_impurity_decrease = 0.01},
            {.max_leaf_nodes = 5},
            {.max_depth = 4, .shrinkage = 3.0},
            {.shrinkage = 20.0}};
}

// The first of the most likely classes gets one.
std::vector<double> vote(std::span<const double> value) {
    std::vector<double> one(value.size(), 0.0);
    one[static_cast<std::size_t>(std::ranges::max_element(value) - value.begin())] = 1.0;
    return one;
}

TEST_CASE("scores are those of the collapsed trees, one by one") {
    test::Rng rng(430);
    ThreadTeam team(2, nullptr);
    for (const char* criterion : {"gini", "entropy", "squared_error", "absolute_error"})
        for (int repeat = 0; repeat < 8; ++repeat) {
            const Example of = example_of(rng, criterion);
            const std::vector<TreeLimits> limits = some_limits();
            const bool majority = of.n_classes.size() == 1 && repeat % 2 == 1;
            LimitScores scores(limits, of.outputs, of.scale, of.n_classes, majority);
            std::vector<std::int64_t> leaves = of.leaves;
            for (std::size_t i = 0; i < leaves.size(); i += 3) leaves[i] = LimitScores::kNoVote;
            scores.add(of.trees(1), leaves, team);
            for (std::size_t s = 0; s < limits.size(); ++s) {
                const Tree tree = expand(collapse(of.tree, limits[s]));
                CHECK(scores.n_leaves[s] == static_cast<std::int64_t>(tree.n_leaves()));
                const std::vector<double> values = tree.all_values();
                for (std::size_t i = 0; i < leaves.size(); ++i) {
                    const std::size_t w = scores.width(), at = i * limits.size() + s;
                    if (i % 3 == 0) {
                        CHECK(scores.counts[i] == 0);
                        continue;
                    }
                    const NodeId leaf = test::descend(tree, of.problem.X.row(i));
                    const auto own = std::span(values).subspan(leaf * w, w);
                    const std::vector<double> value =
                        majority ? vote(own) : std::vector<double>(own.begin(), own.end());
                    double error = 0.0;
                    std::size_t first = 0;
                    for (std::size_t k = 0; k < of.scale.size(); ++k) {
                        const double y = of.outputs[i * of.scale.size() + k];
                        const std::size_t n = of.n_classes.empty() ? 1 : of.n_classes[k];
                        for (std::size_t c = 0; c < n; ++c) {
                            const double wanted = of.n_classes.empty()
                                                      ? y
                                                      : (static_cast<double>(c) == y ? 1.0 : 0.0);
                            error += of.scale[k] * (value[first + c] - wanted) *
                                     (value[first + c] - wanted);
                        }
                        first += n;
                    }
                    CHECK(scores.counts[i] == 1);
                    CHECK(scores.squares[at] == doctest::Approx(error).epsilon(1e-9));
                    for (std::size_t c = 0; c < w; ++c)
                        CHECK(scores.votes[at * w + c] == doctest::Approx(value[c]));
                }
            }
        }
}

TEST_CASE("trees add up, for any number of threads") {
    test::Rng rng(431);
    const Example of = example_of(rng, "gini");
    std::vector<std::int64_t> twice;
    for (const std::int64_t leaf : of.leaves) twice.insert(twice.end(), 2, leaf);
    std::vector<double> first;
    for (const std::size_t threads : {1U, 3U}) {
        ThreadTeam team(threads, nullptr);
        LimitScores scores(some_limits(), of.outputs, of.scale, of.n_classes, false);
        scores.add(of.trees(2), twice, team);
        if (first.empty()) first = scores.votes;
        LimitScores one_by_one(some_limits(), of.outputs, of.scale, of.n_classes, false);
        for (int repeat = 0; repeat < 2; ++repeat) one_by_one.add(of.trees(1), of.leaves, team);
        CHECK(one_by_one.votes == first);
        CHECK(scores.votes == first);
    }
}

TEST_CASE("limits and outputs that do not fit are refused") {
    CHECK_THROWS_AS(LimitScores({}, {0.0}, {1.0}, {}, false), std::invalid_argument);
    CHECK_THROWS_AS(LimitScores(std::vector<TreeLimits>(65), {0.0}, {1.0}, {}, false),
                    std::invalid_argument);
    CHECK_THROWS_AS(LimitScores({{}}, {0.0, 1.0, 2.0}, {1.0, 1.0}, {}, false),
                    std::invalid_argument);
    CHECK_THROWS_AS(LimitScores({{}}, {2.0}, {1.0}, {2}, false), std::invalid_argument);
    test::Rng rng(432);
    const Example of = example_of(rng, "gini");
    LimitScores scores({{}}, {0.0}, {1.0}, {9}, false);
    ThreadTeam team(1, nullptr);
    CHECK_THROWS_AS(scores.add(of.trees(1), of.leaves, team), std::invalid_argument);
    const std::vector<std::int64_t> root{0};
    CHECK_THROWS_AS(scores.add(of.trees(1), root, team), std::invalid_argument);
}

}  // namespace
}  // namespace silvics
