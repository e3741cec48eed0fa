// The templates that visit leaves, against the tree arrays.
#include <numeric>

#include "doctest/doctest.h"
#include "predictor/forest_example.hpp"
#include "predictor/leaf_visits.hpp"

namespace silvics {
namespace {

// The first `n` rows of an example as a block, with the value after the last.
struct Block {
    std::vector<double> values;
    RowBlock block;

    Block(const test::ForestExample& forest, std::size_t n)
        : values(forest.X.values.begin(),
                 forest.X.values.begin() + static_cast<std::ptrdiff_t>(n * forest.X.cols)) {
        values.push_back(0.0);
        block = {
            .first = 0, .size = n, .width = forest.X.cols, .values = values.data(), .whole = true};
    }
};

std::vector<std::int64_t> leaves_of(const test::ForestExample& forest) {
    std::vector<std::int64_t> leaves(forest.X.rows * forest.trees.size());
    ThreadTeam team;
    forest.predictor().apply(forest.X.view(), leaves, team);
    return leaves;
}

TEST_CASE("a visit adds the value of the sample's leaf") {
    for (const auto& [criterion, outputs] :
         {std::pair{"gini", 1U}, {"gini", 2U}, {"squared_error", 1U}, {"squared_error", 2U}}) {
        CAPTURE(criterion);
        CAPTURE(outputs);
        const test::ForestExample forest = test::forest_example(criterion, 100, 3, outputs);
        const Predictor predictor = forest.predictor();
        const Block rows(forest, 100);
        const std::vector<std::int64_t> leaves = leaves_of(forest);
        const std::vector<std::uint32_t> samples = {0, 3, 4, 99};
        const std::size_t width = forest.width();
        for (std::size_t m = 0; m < 3; ++m) {
            const std::vector<double> values = expand(*forest.trees[m]).all_values();
            Traversal traversal;
            std::vector<std::uint32_t> visited;
            predictor.leaves_of(predictor.tree(m), rows.block, samples, traversal,
                                [&](std::uint32_t i, PackedLeaf leaf, auto&& add) {
                                    visited.push_back(i);
                                    std::vector<double> sum(width, 0.0);
                                    add(leaf, std::span(sum));
                                    const auto t = static_cast<std::size_t>(leaves[i * 3 + m]);
                                    for (std::size_t c = 0; c < width; ++c)
                                        CHECK(sum[c] == doctest::Approx(values[t * width + c]));
                                });
            CHECK(visited == samples);
        }
    }
}

TEST_CASE("a tree votes for the most likely class of its leaf") {
    const test::ForestExample forest = test::forest_example("gini", 100, 1);
    const Predictor shares(forest.trees, false), votes(forest.trees, false, true);
    for (const NumberedLeaf& leaf : numbered_leaves(shares.tree(0))) {
        std::vector<double> share(3, 0.0), vote(3, 0.0);
        shares.with_leaves(shares.tree(0), [&](auto&& add) { add(leaf.leaf, std::span(share)); });
        votes.with_leaves(votes.tree(0), [&](auto&& add) { add(leaf.leaf, std::span(vote)); });
        std::vector<double> expected(3, 0.0);
        expected[static_cast<std::size_t>(std::ranges::max_element(share) - share.begin())] = 1.0;
        CHECK(vote == expected);
        CHECK(std::accumulate(share.begin(), share.end(), 0.0) == doctest::Approx(1.0));
    }
}

TEST_CASE("for_out_of_bag visits the rows that a tree did not draw, and finishes each block") {
    const test::ForestExample forest = test::forest_example("gini", 50, 4);
    const Predictor predictor = forest.predictor();
    struct Visits {
        std::vector<std::vector<bool>>& seen;
        std::size_t& n_finished;
        std::size_t first;
        void operator()(std::size_t m, std::span<const std::uint32_t> samples) {
            for (const std::uint32_t i : samples) {
                CHECK_FALSE(seen[m][first + i]);
                seen[m][first + i] = true;
            }
        }
        void finish() { ++n_finished; }
    };
    std::vector<std::vector<bool>> seen(4, std::vector<bool>(50, false));
    std::size_t n_finished = 0;
    ThreadTeam team;
    predictor.for_out_of_bag(
        forest.X.view(), {0, forest.plan.seeds, forest.plan.sampling}, 20, team,
        [&](const RowBlock& block) { return Visits{seen, n_finished, block.first}; });
    for (std::size_t m = 0; m < 4; ++m)
        CHECK(seen[m] == silvics::out_of_bag(forest.plan.sampling, forest.plan.seeds[m]));
    CHECK(n_finished == 3);
}

}  // namespace
}  // namespace silvics
