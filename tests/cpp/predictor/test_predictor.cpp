// Predictions of grown forests; other kinds of trees are in test_predictor_kinds.cpp.
#include "doctest/doctest.h"
#include "predictor/forest_example.hpp"
#include "predictor/made_trees.hpp"
#include "predictor/predictor.hpp"

namespace silvics {
namespace {

using test::ForestExample;

std::vector<double> averages(const ForestExample& forest, const MatrixView& X,
                             std::size_t team_size, bool as_float32 = false) {
    std::vector<double> out(X.rows * forest.width(), -1.0);
    ThreadTeam team(team_size, nullptr);
    forest.predictor(as_float32).average(X, out, team);
    return out;
}

std::vector<ForestExample> examples(std::size_t n) {
    std::vector<ForestExample> forests;
    forests.push_back(test::forest_example("gini", n, 7));
    forests.push_back(test::forest_example("entropy", n, 5, 2));
    forests.push_back(test::forest_example("squared_error", n, 6));
    forests.push_back(test::forest_example("absolute_error", n, 3, 2));
    return forests;
}

TEST_CASE(
    "an average is the sum in tree order over the number of trees, to the last bit, for any team") {
    for (const std::size_t n :
         {600, 3000})  // several blocks of rows; so large that a tree is traversed
        for (const ForestExample& forest : examples(n)) {  // by a part of them at a time
            const auto expected = test::PlainForest(forest.trees).predict(forest.X).averages;
            for (std::size_t size = 1; size <= 8; ++size)
                CHECK(test::same_bits(averages(forest, forest.X.view(), size), expected));
        }
}

TEST_CASE("a part of the rows has its part of the averages") {
    const ForestExample forest = test::forest_example("gini", 600, 4);
    const auto all = averages(forest, forest.X.view(), 2);
    MatrixView part = forest.X.view();
    part.data = part.at(200, 0);
    part.rows = 55;
    const auto of_part = averages(forest, part, 2);
    CHECK(std::equal(of_part.begin(), of_part.end(), all.begin() + 200 * 3));
}

TEST_CASE("samples are read through any strides") {
    const ForestExample forest = test::forest_example("squared_error", 80, 4);
    test::Matrix transposed{4, 80, std::vector<double>(320)};
    for (std::size_t i = 0; i < 80; ++i)
        for (std::size_t j = 0; j < 4; ++j)
            transposed.values[j * 80 + i] = forest.X.values[i * 4 + j];
    MatrixView fortran = transposed.view();
    std::swap(fortran.rows, fortran.cols);
    std::swap(fortran.row_stride, fortran.col_stride);
    CHECK(averages(forest, fortran, 2) == averages(forest, forest.X.view(), 1));
}

TEST_CASE("as_float32 rounds the samples first") {
    const ForestExample forest = test::forest_example("gini", 100, 5);
    test::Rng rng(151);
    test::Matrix X = test::random_matrix(rng, 300, 4);
    // Just above a threshold: float32 brings it back to the other side.
    for (std::size_t i = 0; i < X.values.size(); ++i)
        X.values[i] = static_cast<double>(i % 7) / 4.0 - 0.875 + 1e-12;
    test::Matrix rounded = X;
    for (double& x : rounded.values) x = static_cast<float>(x);
    const auto expected = averages(forest, rounded.view(), 1);
    CHECK(averages(forest, X.view(), 2, true) == expected);
    CHECK(averages(forest, X.view(), 2, false) != expected);
}

TEST_CASE("every sample has a leaf in every tree, and its paths are listed tree by tree") {
    for (const ForestExample& forest : examples(300)) {
        const test::Predictions expected = test::PlainForest(forest.trees).predict(forest.X);
        test::with_teams([&](ThreadTeam& team) {
            CHECK(test::predictions_of(forest.predictor(), forest.X.view(), team) == expected);
        });
    }
}

TEST_CASE("a predictor has the sizes of its forest") {
    const ForestExample forest = test::forest_example("gini", 60, 5);
    const Predictor predictor = forest.predictor();
    std::size_t n_nodes = 0, n_steps = 0;
    for (const SharedTree& tree : forest.trees) {
        n_nodes += tree->base().nodes.size();
        n_steps += tree->base().max_depth + 1;
    }
    CHECK(predictor.n_trees() == 5);
    CHECK(predictor.n_features() == 4);
    CHECK(predictor.value_width() == 3);
    CHECK(predictor.n_nodes() == n_nodes);
    CHECK(predictor.n_steps() == n_steps);
}

TEST_CASE("a predictor does not need the trees after its construction") {
    ForestExample forest = test::forest_example("gini", 60, 5);
    const test::Predictions expected = test::PlainForest(forest.trees).predict(forest.X);
    const Predictor predictor = forest.predictor();
    forest.trees.clear();
    ThreadTeam team;
    CHECK(test::predictions_of(predictor, forest.X.view(), team) == expected);
}

TEST_CASE("trees of different kinds are refused") {
    const ForestExample forest = test::forest_example("gini", 30, 3);
    auto trees = forest.trees;
    const auto refused = [&](const char* why) {
        CHECK_THROWS_WITH_AS(Predictor(trees, false), why, std::invalid_argument);
    };
    SUBCASE("none") {
        trees.clear();
        refused("no trees");
    }
    SUBCASE("one that is not there") {
        trees[2] = nullptr;
        refused("no trees");
    }
    SUBCASE("another number of variables") {
        trees[1] = std::make_shared<const StoredTree>(
            test::changed(*trees[1], [](TreeBase& tree) { tree.n_features = 5; }));
        refused("trees of different kinds");
    }
    SUBCASE("missing values go another way") {
        trees[1] = std::make_shared<const StoredTree>(
            test::changed(*trees[1], [](TreeBase& tree) { tree.both_children = true; }));
        refused("trees of different kinds");
    }
    SUBCASE("another number of classes") {
        Tree other = expand(*trees[2]);
        other.n_classes = {4};
        trees[2] = std::make_shared<const StoredTree>(other);
        refused("trees of different kinds");
    }
}

TEST_CASE("a packed forest predicts what its trees predict") {
    for (const ForestExample& forest : examples(100)) {
        ThreadTeam team;
        PackedForest packed = pack(forest.trees);
        check_packed(packed);
        const Predictor predictor(packed, false);
        CHECK(predictor.forest().nodes.data() == packed.nodes.data());
        CHECK(test::predictions_of(predictor, forest.X.view(), team) ==
              test::PlainForest(forest.trees).predict(forest.X));
    }
}

TEST_CASE("no rows give no predictions") {
    const ForestExample forest = test::forest_example("gini", 30, 2);
    MatrixView none = forest.X.view();
    none.rows = 0;
    test::with_teams([&](ThreadTeam& team) {
        const test::Predictions found = test::predictions_of(forest.predictor(), none, team);
        CHECK(found.averages.empty());
        CHECK(found.leaves.empty());
        CHECK(found.path_starts == std::vector<std::int64_t>{0});
        CHECK(found.path_nodes.empty());
    });
}

TEST_CASE("samples of another width are refused") {
    const ForestExample forest = test::forest_example("gini", 30, 2);
    const Predictor predictor = forest.predictor();
    MatrixView X = forest.X.view();
    X.cols = 3;
    ThreadTeam team(1, nullptr);
    std::vector<std::int64_t> leaves(60);
    CHECK_THROWS_AS(averages(forest, X, 1), std::invalid_argument);
    CHECK_THROWS_AS(predictor.apply(X, leaves, team), std::invalid_argument);
    CHECK_THROWS_AS(predictor.paths(X, team), std::invalid_argument);
}

TEST_CASE("a monitor is asked while paths are written, and not only while leaves are found") {
    struct Stopper : Monitor {
        bool poll(std::size_t done, std::size_t total) override {
            runs += done == total;
            return runs < 2;
        }
        int runs = 0;
    };
    const ForestExample forest = test::forest_example("gini", 300, 5);
    Stopper stopper;
    ThreadTeam team(2, &stopper);
    CHECK_THROWS_AS(forest.predictor().paths(forest.X.view(), team), Interrupted);
}

TEST_CASE("a mean of values whose sum overflows is finite, and other means keep every bit") {
    constexpr double most = std::numeric_limits<double>::max();
    const auto leaf = [](double value) {
        Tree tree = test::chain_of(1, [](std::uint32_t) { return true; });
        std::ranges::fill(tree.node_values, value);
        return std::make_shared<const StoredTree>(std::move(tree));
    };
    const auto mean = [&](const std::vector<double>& values) {
        std::vector<SharedTree> trees;
        for (const double value : values) trees.push_back(leaf(value));
        std::vector<double> sample(2, 0.0), out(1);
        Predictor(trees, false).average(sample, out);
        test::Matrix X;
        X.rows = 3, X.cols = 2;
        X.values.assign(6, 0.0);
        std::vector<double> of_rows(3);
        ThreadTeam team(2, nullptr);
        Predictor(trees, false).average(X.view(), of_rows, team);
        CHECK(of_rows == std::vector<double>(3, out[0]));
        return out[0];
    };
    CHECK(mean({1e308, 1e308}) == 1e308);
    CHECK(mean({-1e308, -1e308, -1e308}) == doctest::Approx(-1e308).epsilon(1e-15));
    CHECK(mean({1e308, 1e308, -1e308, -1e308}) == 0.0);
    CHECK(mean({most, most, most, most, most}) == doctest::Approx(most).epsilon(1e-15));
    CHECK(mean({1e308, 0.1, 0.2}) == (1e308 + 0.1 + 0.2) / 3.0);
    CHECK(mean({0.1, 0.2, 0.3}) == (0.1 + 0.2 + 0.3) / 3.0);
    CHECK(std::isinf(mean({INFINITY, 1.0})));
}

}  // namespace
}  // namespace silvics
