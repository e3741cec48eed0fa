// Predictions by the trees that did not draw a row.
#include "doctest/doctest.h"
#include "predictor/forest_example.hpp"
#include "predictor/made_forests.hpp"

namespace silvics {
namespace {

using test::ForestExample;

void check_out_of_bag(const std::vector<SharedTree>& trees, const test::Matrix& X,
                      const std::vector<std::uint32_t>& seeds, const SamplingPlan& sampling) {
    const test::OutOfBag expected = test::PlainForest(trees).out_of_bag(X, seeds, sampling);
    const Predictor predictor(trees, false);
    test::with_teams([&](ThreadTeam& team) {
        CHECK(test::out_of_bag_by(predictor, X.view(), seeds, sampling, team) == expected);
    });
}

void check_out_of_bag(const ForestExample& forest) {
    check_out_of_bag(forest.trees, forest.X, forest.plan.seeds, forest.plan.sampling);
}

TEST_CASE("each row is predicted by the trees that did not draw it, for any team") {
    for (const auto& [criterion, outputs] :
         {std::pair{"gini", 1U}, {"gini", 2U}, {"squared_error", 1U}, {"squared_error", 2U}})
        check_out_of_bag(test::forest_example(criterion, 300, 9, outputs));
}

TEST_CASE("more trees than a batch are summed in tree order") {
    check_out_of_bag(test::forest_example("entropy", 40, 130));
}

TEST_CASE("rows out of bag go down trees of every kind, with missing values and categories") {
    test::Rng rng(330);
    for (const test::Kind& kind : test::all_kinds())
        for (const test::Trials& trials : test::kAllTrials) {
            CAPTURE(kind.name);
            const auto trees = kind.forest(rng, 66, trials);
            for (const std::size_t rows : {1U, 8U, 257U}) {
                const test::Matrix X = test::samples_for(rng, rows, trials);
                SamplingPlan sampling;
                sampling.n_rows = rows;
                sampling.n_draws = rows;
                sampling.bootstrap = true;
                sampling.prepare();
                std::vector<std::uint32_t> seeds(trees.size());
                for (auto& seed : seeds) seed = static_cast<std::uint32_t>(rng());
                check_out_of_bag(trees, X, seeds, sampling);
            }
        }
}

TEST_CASE("if all rows are drawn none is predicted, and nearly all if one is drawn") {
    ForestExample forest = test::forest_example("gini", 300, 9);
    SUBCASE("all") {
        forest.plan.sampling.n_draws = 20000;
        ThreadTeam team;
        const auto found = test::out_of_bag_by(forest.predictor(), forest.X.view(),
                                               forest.plan.seeds, forest.plan.sampling, team);
        CHECK(found.counts == std::vector<std::int64_t>(300, 0));
        CHECK(found.sums == std::vector<double>(900, 0.0));
    }
    SUBCASE("one") { forest.plan.sampling.n_draws = 1; }
    check_out_of_bag(forest);
}

TEST_CASE("parts that do not belong together are refused") {
    ForestExample forest = test::forest_example("gini", 30, 3);
    MatrixView X = forest.X.view();
    SUBCASE("a seed too many") { forest.plan.seeds.push_back(1); }
    SUBCASE("other rows") { X.rows = 29; }
    SUBCASE("another width") { X.cols = 3; }
    SUBCASE("another width of the trees") {
        forest.trees[1] = std::make_shared<const StoredTree>(
            test::changed(*forest.trees[1], [](TreeBase& tree) { tree.n_features = 5; }));
    }
    std::vector<double> sums(X.rows * 3);
    std::vector<std::int64_t> counts(X.rows);
    SUBCASE("no place for a sum") { sums.pop_back(); }
    SUBCASE("no place for a count") { counts.pop_back(); }
    ThreadTeam team(1, nullptr);
    CHECK_THROWS_AS(forest.predictor().out_of_bag(X, {0, forest.plan.seeds, forest.plan.sampling},
                                                  {sums, counts}, team),
                    std::invalid_argument);
}

}  // namespace
}  // namespace silvics
