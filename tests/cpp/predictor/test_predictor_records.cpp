// Predictions of trees with nodes of every kind against the reference traversal, cut by cut.
#include <cmath>

#include "doctest/doctest.h"
#include "predictor/plain_forest.hpp"
#include "support/made_branches.hpp"

namespace silvics {
namespace {

std::vector<SharedTree> random_forest(test::Rng& rng, const test::Shape& shape, std::size_t n) {
    std::vector<SharedTree> trees;
    for (std::size_t m = 0; m < n; ++m)
        trees.push_back(std::make_shared<const StoredTree>(test::random_branches(rng, shape)));
    return trees;
}

TEST_CASE("samples descend trees of every kind as in the reference traversal") {
    test::Rng rng(440);
    for (int repeat = 0; repeat < 30; ++repeat) {
        test::Shape shape;
        shape.deepest = 2 + test::pick(rng, 4);
        if (repeat % 3 == 1) shape.n_classes = {3};
        if (repeat % 3 == 2) shape.n_classes = {2, 4};
        const auto trees = random_forest(rng, shape, 1 + test::pick(rng, 9));
        const test::PlainForest plain(trees);
        const Predictor predictor(trees, false);
        // Few samples go down all trees each, many down one tree together.
        for (const std::size_t rows : {1U, 5U, 300U})
            for (const bool missing : {false, true}) {
                const auto X = test::samples_of_branches(rng, rows, shape.n_features, missing);
                const auto expected = plain.predict(X);
                test::with_teams([&](ThreadTeam& team) {
                    CHECK(test::predictions_of(predictor, X.view(), team) == expected);
                });
                std::vector<double> one(predictor.value_width());
                bool same = true;
                for (std::size_t i = 0; i < rows; ++i) {
                    std::vector<double> sample(X.row(i), X.row(i) + X.cols);
                    predictor.average(sample, one);
                    same &= test::same_bits(
                        one, std::span(expected.averages).subspan(i * one.size(), one.size()));
                }
                CHECK(same);
            }
    }
}

TEST_CASE("a tree with more nodes than stay in the cache predicts as well") {
    test::Rng rng(441);
    test::Shape shape;
    shape.deepest = 11;
    shape.leaf_one_in = 6;  // many of the trees are large enough
    Tree tree;
    do tree = test::random_branches(rng, shape);
    while (tree.nodes.size() < 5000);
    const std::vector<SharedTree> trees = {std::make_shared<const StoredTree>(std::move(tree))};
    const auto X = test::samples_of_branches(rng, 2000, shape.n_features);
    ThreadTeam team(1, nullptr);
    CHECK(test::predictions_of(Predictor(trees, false), X.view(), team) ==
          test::PlainForest(trees).predict(X));
}

TEST_CASE("out-of-bag sums are those of the reference traversal") {
    test::Rng rng(442);
    const auto trees = random_forest(rng, {.n_classes = {3}}, 70);
    const auto X = test::samples_of_branches(rng, 90, 4);
    SamplingPlan sampling;
    sampling.n_rows = 90;
    sampling.n_draws = 60;
    std::vector<std::uint32_t> seeds;
    for (std::uint32_t m = 0; m < 70; ++m) seeds.push_back(tree_seed(3, m));
    for (const bool subsample : {false, true}) {
        sampling.bootstrap = !subsample;
        sampling.subsample = subsample;
        sampling.prepare();
        const auto expected = test::PlainForest(trees).out_of_bag(X, seeds, sampling);
        test::with_teams([&](ThreadTeam& team) {
            CHECK(test::out_of_bag_by(Predictor(trees, false), X.view(), seeds, sampling, team) ==
                  expected);
        });
        if (subsample)
            for (std::size_t m = 0; m < 70; ++m)
                CHECK(std::ranges::count(out_of_bag(sampling, seeds[m]), true) == 30);
    }
}

// ---- both children

// The mean over trees of the values at all ends of the sample, by its shares.
std::vector<double> both_children(const std::vector<SharedTree>& trees, const double* sample) {
    const std::size_t width = trees[0]->base().value_width();
    std::vector<double> mean(width, 0.0);
    for (const SharedTree& tree : trees) {
        const auto add = [&](NodeId t, double share) {
            if (!tree->base().nodes[t].leaf()) return;
            for (std::size_t c = 0; c < width; ++c)
                mean[c] += share * tree->plain()->node_values[t * width + c] /
                           static_cast<double>(trees.size());
        };
        if (tree->base().both_children)
            test::descend_both(*tree, sample, add);
        else
            add(test::descend(*tree, sample), 1.0);
    }
    return mean;
}

std::vector<SharedTree> forest_both_ways(test::Rng& rng, const test::Shape& shape, std::size_t n) {
    std::vector<SharedTree> trees;
    for (std::size_t m = 0; m < n; ++m) {
        Tree tree = test::random_branches(rng, shape);
        tree.both_children = true;
        trees.push_back(std::make_shared<const StoredTree>(std::move(tree)));
    }
    return trees;
}

void check_both_ways(test::Rng& rng, const test::Shape& shape) {
    const auto trees = forest_both_ways(rng, shape, 1 + test::pick(rng, 6));
    const Predictor predictor(trees, false);
    const std::size_t width = predictor.value_width();
    for (const std::size_t rows : {1U, 40U}) {
        auto X = test::samples_of_branches(rng, rows, shape.n_features);
        for (double& x : X.values)
            if (test::pick(rng, 4) == 0) x = NAN;
        std::vector<double> found(rows * width, -1.0);
        test::with_teams([&](ThreadTeam& team) {
            predictor.average(X.view(), found, team);
            bool same = true;
            for (std::size_t i = 0; i < rows; ++i) {
                const auto expected = both_children(trees, X.row(i));
                for (std::size_t c = 0; c < width; ++c)
                    same &= std::fabs(found[i * width + c] - expected[c]) < 1e-12;
                std::vector<double> sample(X.row(i), X.row(i) + X.cols), one(width);
                predictor.average(sample, one);
                for (std::size_t c = 0; c < width; ++c)
                    same &= std::fabs(one[c] - expected[c]) < 1e-12;
            }
            CHECK(same);
        });
    }
}

TEST_CASE("a sample whose value is missing goes to both children, half of it to each") {
    test::Rng rng(443);
    for (int repeat = 0; repeat < 60; ++repeat) {
        test::Shape shape;
        if (repeat % 2 == 1) shape.n_classes = {2, 3};
        shape.deepest = 5;
        shape.kinds = {test::Branches::plain};
        check_both_ways(rng, shape);
    }
}

TEST_CASE("missing values go only to their own child, if a node has one") {
    test::Rng rng(444);
    for (int repeat = 0; repeat < 60; ++repeat) {
        test::Shape shape;
        shape.single = false;
        shape.kinds = {test::Branches::plain, test::Branches::thresholds, test::Branches::levels};
        check_both_ways(rng, shape);
    }
}

TEST_CASE("trees whose samples end in several leaves refuse apply") {
    test::Rng rng(445);
    const auto trees = forest_both_ways(rng, {}, 2);
    const auto X = test::samples_of_branches(rng, 3, 4);
    std::vector<std::int64_t> leaves(6);
    ThreadTeam team(1, nullptr);
    CHECK_THROWS_AS(Predictor(trees, false).apply(X.view(), leaves, team), std::invalid_argument);
    CHECK_THROWS_AS(Predictor(trees, false).paths(X.view(), team), std::invalid_argument);
}

// ---- majority

TEST_CASE("each tree has one vote, for the lowest of its most likely classes") {
    test::Rng rng(446);
    for (int repeat = 0; repeat < 40; ++repeat) {
        test::Shape shape;
        shape.n_classes = repeat % 2 == 0 ? std::vector<ClassId>{3} : std::vector<ClassId>{2, 4};
        const bool both = repeat % 3 == 0;
        if (both) shape.kinds = {test::Branches::plain};
        auto trees = both ? forest_both_ways(rng, shape, 7) : random_forest(rng, shape, 7);
        const Predictor predictor(trees, false, true);
        const std::size_t width = predictor.value_width();
        for (const std::size_t rows : {1U, 50U}) {
            const auto X = test::samples_of_branches(rng, rows, shape.n_features);
            std::vector<double> found(rows * width, -1.0);
            ThreadTeam team(2, nullptr);
            predictor.average(X.view(), found, team);
            std::vector<double> votes(rows * width, 0.0);
            for (std::size_t i = 0; i < rows; ++i)
                for (const SharedTree& tree : trees) {
                    const auto shares = both_children({tree}, X.row(i));
                    std::size_t first = 0;
                    for (const ClassId n : shape.n_classes) {
                        std::size_t most = first;
                        for (std::size_t c = first; c < first + n; ++c)
                            if (shares[c] > shares[most]) most = c;
                        votes[i * width + most] += 1.0;
                        first += n;
                    }
                }
            bool same = true;
            for (std::size_t c = 0; c < votes.size(); ++c) same &= found[c] == votes[c] / 7.0;
            CHECK(same);
        }
    }
}

TEST_CASE("of real outputs there is nothing to vote on") {
    test::Rng rng(447);
    const auto trees = random_forest(rng, {}, 4);
    const auto X = test::samples_of_branches(rng, 20, 4);
    ThreadTeam team(1, nullptr);
    CHECK(test::predictions_of(Predictor(trees, false, true), X.view(), team) ==
          test::PlainForest(trees).predict(X));
}

}  // namespace
}  // namespace silvics
