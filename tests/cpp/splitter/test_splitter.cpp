#include <cstdlib>
#include <set>

#include "criterion/catalogue.hpp"
#include "doctest/doctest.h"
#include "splitter/splitter.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

// A splitter at the root of a small problem.
struct AtRoot {
    Table table;
    Target target;
    LearningSubset subset;
    SearchRules rules;
    StopFlag stop;

    AtRoot(const test::Matrix& X, Target y)
        : table(test::coded(X)), target(std::move(y)), subset(test::subset_of(X.rows)) {
        rules.max_features = X.cols;
    }
    std::optional<Split> find(StreamKey key, const char* criterion = "gini") {
        Constants constants(table.n_features());
        return find(key, constants, criterion);
    }
    std::optional<Split> find(StreamKey key, Constants& constants, const char* criterion = "gini") {
        const auto splitter =
            find_criterion(criterion).make_splitter({table, target, subset, rules, stop});
        const NodeSamples node{subset.rows, key, {}};
        splitter->enter(node);
        return splitter->find_split(node, constants);
    }
};

Target alternating(std::size_t n) {
    std::vector<std::int64_t> y(n);
    for (std::size_t i = 0; i < n; ++i) y[i] = static_cast<std::int64_t>(i % 2);
    return class_target(y, n, {2});
}

TEST_CASE("facts of a node are its size, weight, impurity and homogeneity") {
    test::Rng rng(80);
    AtRoot root(test::random_matrix(rng, 4, 1), alternating(4));
    const auto splitter = find_criterion("gini").make_splitter(
        {root.table, root.target, root.subset, root.rules, root.stop});
    const std::vector<RowId> all = {0, 1, 2, 3}, even = {0, 2};
    const NodeFacts facts = splitter->enter({all, 0, {}});
    CHECK(facts.n == 4);
    CHECK(facts.weight == 4.0);
    CHECK(facts.impurity == 0.5);
    CHECK_FALSE(facts.homogeneous);
    CHECK(splitter->enter({even, 0, {}}).homogeneous);
    CHECK(splitter->only_class() == 0);
}

TEST_CASE("with K = p the best variable is found from any draw order") {
    test::Rng rng(81);
    test::Matrix X = test::random_matrix(rng, 60, 6);
    for (std::size_t i = 0; i < 60; ++i) X.values[i * 6 + 4] += i % 2 == 0 ? -5.0 : 5.0;
    AtRoot root(X, alternating(60));
    for (StreamKey key = 0; key < 30; ++key) {
        const auto split = root.find(key);
        REQUIRE(split);
        CHECK(split->feature == 4);
        CHECK(split->decrease == doctest::Approx(0.5));
        CHECK(split->threshold > -4.0);
        CHECK(split->threshold < 4.0);
    }
}

TEST_CASE("with K = 1 every variable has its turn") {
    test::Rng rng(82);
    AtRoot root(test::random_matrix(rng, 30, 5), alternating(30));
    root.rules.max_features = 1;
    std::set<FeatureId> chosen;
    for (StreamKey key = 0; key < 200; ++key) chosen.insert(root.find(derive(1, key))->feature);
    CHECK(chosen.size() == 5);
}

TEST_CASE("constants count among the K or are skipped, and a useful variable is found either way") {
    // One variable separates, one is noise, four are constant.
    test::Rng rng(83);
    test::Matrix X{40, 6, std::vector<double>(240, 3.0)};
    for (std::size_t i = 0; i < 40; ++i) {
        X.values[i * 6 + 1] = static_cast<double>(i % 2);
        X.values[i * 6 + 5] = test::pick_real(rng, 0.0, 1.0);
    }
    AtRoot root(X, alternating(40));
    root.rules.max_features = 2;
    const auto times_best = [&] {
        int times = 0;
        for (StreamKey key = 0; key < 300; ++key) {
            const auto split = root.find(derive(2, key));
            REQUIRE(split);
            times += split->feature == 1;
        }
        return times;
    };
    SUBCASE("skipped: both useful variables are always tried") {
        root.rules.constants_count = false;
        CHECK(times_best() == 300);
    }
    SUBCASE("counted: the noise is sometimes alone") {
        // Among the first two of six with probability 1/3; or neither useful variable is (2/5),
        // and it comes before the other (1/2): 8/15 of 300, within five standard deviations.
        CHECK(std::abs(times_best() - 160) < 43);
    }
}

TEST_CASE("variables found constant are told, and known ones are not looked at again") {
    test::Matrix X{6, 3, std::vector<double>(18, 1.0)};
    for (std::size_t i = 0; i < 6; ++i) X.values[i * 3 + 2] = static_cast<double>(i);
    AtRoot root(X, alternating(6));
    Constants constants(3);
    REQUIRE(root.find(5, constants));
    const auto list = constants.inherit();
    constants.load(list);
    CHECK(constants.known(0));
    CHECK(constants.known(1));
    CHECK_FALSE(constants.known(2));
    // A variable said to be constant is believed: then nothing is left to split on.
    constants.found(2);
    constants.load(constants.inherit());
    CHECK_FALSE(root.find(5, constants));
}

TEST_CASE("a node of constant variables has no split") {
    AtRoot root(test::Matrix{4, 2, std::vector<double>(8, 1.0)}, alternating(4));
    CHECK_FALSE(root.find(1));
    root.rules.constants_count = false;
    CHECK_FALSE(root.find(1));
    root.rules.random_cut = true;
    CHECK_FALSE(root.find(1));
}

TEST_CASE("sort, histogram and the automatic choice find the same split") {
    test::Rng rng(84);
    for (int repeat = 0; repeat < 20; ++repeat) {
        const std::size_t n = 5 + test::pick(rng, 300);
        AtRoot root(test::random_matrix(rng, n, 4, repeat % 2 == 0 ? 0 : 9),
                    test::random_classes(rng, n, {3}));
        root.subset = test::random_subset(rng, n, test::Weights::fractional);
        for (const char* criterion : {"gini", "entropy"}) {
            std::vector<Split> splits;
            for (const Search search : {Search::automatic, Search::sort, Search::histogram}) {
                root.rules.search = search;
                const auto split = root.find(9, criterion);
                REQUIRE(split);
                splits.push_back(*split);
            }
            for (const Split& split : splits) {
                CHECK(split.feature == splits[0].feature);
                CHECK(split.threshold == splits[0].threshold);
                CHECK(split.last_left == splits[0].last_left);
                CHECK(split.decrease == splits[0].decrease);
            }
        }
    }
}

TEST_CASE("a random cut parts the node inside its range") {
    test::Rng rng(85);
    const test::Matrix X = test::random_matrix(rng, 50, 3);
    AtRoot root(X, alternating(50));
    root.rules.random_cut = true;
    std::set<double> thresholds;
    for (StreamKey key = 0; key < 100; ++key) {
        const auto split = root.find(derive(3, key));
        REQUIRE(split);
        thresholds.insert(split->threshold);
        for (std::size_t i = 0; i < 50; ++i) {
            const bool left = X.values[i * 3 + split->feature] <= split->threshold;
            const Code rank = test::code_at(test::numeric(root.table, split->feature).ranks, i);
            REQUIRE(left == (rank <= split->last_left));
        }
    }
    CHECK(thresholds.size() == 100);
}

TEST_CASE("a split found on a sample has the decrease of the whole node") {
    test::Rng rng(86);
    test::Matrix X = test::random_matrix(rng, 400, 3);
    for (std::size_t i = 0; i < 400; ++i) X.values[i * 3] += i % 2 == 0 ? -1.2 : 1.2;
    AtRoot root(X, alternating(400));
    root.rules.split_sample = 50;
    std::set<double> thresholds;
    for (StreamKey key = 0; key < 20; ++key) {
        const auto split = root.find(key);
        REQUIRE(split);
        thresholds.insert(split->threshold);
        CHECK(split->feature == 0);
        double left[2] = {}, right[2] = {};
        for (std::size_t i = 0; i < 400; ++i)
            ++(X.values[i * 3] <= split->threshold ? left : right)[i % 2];
        const auto gini = [](const double* c) {
            const double w = c[0] + c[1], p = w > 0 ? c[0] / w : 0.0;
            return w * 2 * p * (1 - p);
        };
        CHECK(split->decrease == doctest::Approx(0.5 - (gini(left) + gini(right)) / 400.0));
    }
    CHECK(thresholds.size() > 1);
}

TEST_CASE("where the sample finds no cut, the whole node is searched") {
    // One row in a hundred differs: a sample of two almost never sees it.
    test::Matrix X = test::column_of(std::vector<double>(100, 0.0));
    X.values[42] = 1.0;
    AtRoot root(X, alternating(100));
    root.rules.split_sample = 2;
    for (StreamKey key = 0; key < 50; ++key) {
        const auto split = root.find(key);
        REQUIRE(split);
        CHECK(split->threshold == 0.5);
    }
}

TEST_CASE("a search feels a stop request") {
    test::Rng rng(87);
    AtRoot root(test::random_matrix(rng, 10, 2), alternating(10));
    root.stop.request();
    CHECK_THROWS_AS(root.find(1), Interrupted);
}

}  // namespace
}  // namespace silvics
