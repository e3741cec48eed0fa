#include "doctest/doctest.h"
#include "predictor/forest_example.hpp"
#include "predictor/out_of_bag.hpp"

namespace silvics {
namespace {

using test::ForestExample;

struct Sums {
    std::vector<double> sums;
    std::vector<std::int64_t> counts;
};

Sums out_of_bag_of(const ForestExample& forest, std::size_t team_size) {
    Sums got{std::vector<double>(forest.X.rows * forest.width(), -1.0),
             std::vector<std::int64_t>(forest.X.rows, -1)};
    ThreadTeam team(team_size, nullptr);
    out_of_bag_sums(forest.trees, forest.plan.seeds, forest.plan.sampling, forest.X.view(),
                    got.sums, got.counts, team);
    return got;
}

Sums naive(const ForestExample& forest) {
    const std::size_t n = forest.X.rows, width = forest.width();
    Sums sums{std::vector<double>(n * width, 0.0), std::vector<std::int64_t>(n, 0)};
    for (std::size_t m = 0; m < forest.trees.size(); ++m) {
        const auto drawn = draw_rows(forest.plan.sampling, forest.plan.seeds[m]);
        for (std::size_t i = 0; i < n; ++i) {
            if (std::ranges::find(drawn, static_cast<RowId>(i)) != drawn.end()) continue;
            ++sums.counts[i];
            const auto value = forest.said(m, forest.X.row(i));
            for (std::size_t c = 0; c < width; ++c) sums.sums[i * width + c] += value[c];
        }
    }
    return sums;
}

TEST_CASE("each row is predicted by the trees that did not draw it, for any team") {
    for (const auto& [criterion, outputs] :
         {std::pair{"gini", 1U}, {"gini", 2U}, {"squared_error", 2U}}) {
        const ForestExample forest = test::forest_example(criterion, 300, 9, outputs);
        const Sums expected = naive(forest);
        for (const std::size_t size : {1U, 2U, 5U}) {
            const Sums got = out_of_bag_of(forest, size);
            CHECK(got.sums == expected.sums);
            CHECK(got.counts == expected.counts);
        }
    }
}

TEST_CASE("more trees than a batch are summed in tree order") {
    const ForestExample forest = test::forest_example("entropy", 40, 130);
    const Sums expected = naive(forest), got = out_of_bag_of(forest, 3);
    CHECK(got.sums == expected.sums);
    CHECK(got.counts == expected.counts);
}

TEST_CASE("parts that do not belong together are refused") {
    ForestExample forest = test::forest_example("gini", 30, 3);
    MatrixView X = forest.X.view();
    SUBCASE("a seed missing") { forest.plan.seeds.pop_back(); }
    SUBCASE("other rows") { X.rows = 29; }
    SUBCASE("another width") { X.cols = 3; }
    SUBCASE("another width of the trees") {
        Tree wider = *forest.trees[1];
        wider.n_features = 5;
        forest.trees[1] = std::make_shared<const Tree>(wider);
    }
    std::vector<double> sums(90);
    std::vector<std::int64_t> counts(30);
    ThreadTeam team(1, nullptr);
    CHECK_THROWS_AS(out_of_bag_sums(forest.trees, forest.plan.seeds, forest.plan.sampling, X, sums,
                                    counts, team),
                    std::invalid_argument);
}

}  // namespace
}  // namespace silvics
