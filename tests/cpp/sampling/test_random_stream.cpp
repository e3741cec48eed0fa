#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "doctest/doctest.h"
#include "sampling/random_stream.hpp"

namespace silvics {
namespace {

TEST_CASE("below is uniform, by chi-square") {
    for (const std::uint64_t n : {2ULL, 3ULL, 10ULL, 1000ULL}) {
        CAPTURE(n);
        RandomStream stream(derive(42, n));
        const std::size_t draws = 200000;
        std::vector<double> counts(n, 0.0);
        for (std::size_t i = 0; i < draws; ++i) ++counts.at(stream.below(n));
        const double expected = static_cast<double>(draws) / static_cast<double>(n);
        double chi = 0.0;
        for (const double c : counts) chi += (c - expected) * (c - expected) / expected;
        const double freedom = static_cast<double>(n - 1);
        CHECK(std::fabs(chi - freedom) < 5.0 * std::sqrt(2.0 * freedom));
    }
}

TEST_CASE("below rejects what would be biased") {
    // Of 3 * 2^62 values a stream without rejection gives every third twice as often.
    const std::uint64_t n = 3ULL << 62;
    RandomStream stream(1);
    std::size_t in_third[3] = {};
    for (int i = 0; i < 30000; ++i) {
        const std::uint64_t v = stream.below(n);
        REQUIRE(v < n);
        ++in_third[v % 3];
    }
    for (const std::size_t count : in_third) CHECK(std::fabs(count - 10000.0) < 5.0 * 82.0);
}

TEST_CASE("below one is always zero") {
    RandomStream stream(3);
    for (int i = 0; i < 100; ++i) CHECK(stream.below(1) == 0);
}

TEST_CASE("uniform lies in [0, 1) with the right mean and variance") {
    RandomStream stream(7);
    double sum = 0.0, squares = 0.0, low = 1.0, high = 0.0;
    const int n = 100000;
    for (int i = 0; i < n; ++i) {
        const double u = stream.uniform();
        sum += u;
        squares += u * u;
        low = std::min(low, u);
        high = std::max(high, u);
    }
    CHECK(low >= 0.0);
    CHECK(high < 1.0);
    CHECK(std::fabs(sum / n - 0.5) < 0.005);
    CHECK(std::fabs(squares / n - 1.0 / 3.0) < 0.005);
}

TEST_CASE("a stream is a function of its key alone") {
    RandomStream a(99), b(99), c(100);
    const std::uint64_t first = a.next();
    CHECK(first == b.next());
    CHECK(first != c.next());
}

TEST_CASE("no two of a million trees share a seed") {
    for (const std::uint64_t forest : {0ULL, 1ULL, 0xFFFFFFFFFFFFFFFFULL}) {
        std::vector<std::uint32_t> seeds(1000000);
        for (std::uint32_t tree = 0; tree < seeds.size(); ++tree)
            seeds[tree] = tree_seed(forest, tree);
        std::ranges::sort(seeds);
        CHECK(std::ranges::adjacent_find(seeds) == seeds.end());
    }
}

TEST_CASE("seeds of trees spread over 32 bits and differ between forests") {
    std::size_t high = 0, same = 0;
    for (std::uint32_t tree = 0; tree < 10000; ++tree) {
        high += tree_seed(5, tree) >> 31;
        same += tree_seed(5, tree) == tree_seed(6, tree);
    }
    CHECK(std::fabs(static_cast<double>(high) - 5000.0) < 5.0 * 50.0);
    CHECK(same <= 1);
}

TEST_CASE("all nodes of a full tree have keys of their own") {
    std::vector<StreamKey> keys = {root_key(0)};
    for (std::size_t i = 0; i < (std::size_t{1} << 15) - 1; ++i) {
        keys.push_back(child_key(keys[i], 0));
        keys.push_back(child_key(keys[i], 1));
    }
    std::ranges::sort(keys);
    CHECK(std::ranges::adjacent_find(keys) == keys.end());
}

TEST_CASE("what a node's streams are used for never meets") {
    const StreamKey node = root_key(3);
    std::set<StreamKey> keys = {derive(node, kRowsPart), derive(node, kVariablesPart),
                                derive(node, kSplitSamplePart), child_key(node, 0),
                                child_key(node, 1)};
    for (std::uint64_t f = 0; f < 1000; ++f) keys.insert(derive(node, kCutPart + f));
    keys.insert(derive(node, kCutPart + 0x7FFFFFFF));
    CHECK(keys.size() == 1006);
}

TEST_CASE("a selection is ascending, without repetition, and each number is as likely") {
    std::vector<int> times(10, 0);
    for (std::uint64_t key = 0; key < 4000; ++key) {
        RandomStream stream(derive(7, key));
        std::vector<std::size_t> drawn;
        for_selected(10, 3, stream, [&](std::size_t i) { drawn.push_back(i); });
        REQUIRE(drawn.size() == 3);
        CHECK(drawn[0] < drawn[1]);
        CHECK(drawn[1] < drawn[2]);
        for (const std::size_t i : drawn) ++times[i];
    }
    for (const int n : times) {  // 1200, to five standard deviations
        CHECK(n > 1055);
        CHECK(n < 1345);
    }
    RandomStream stream(1);
    std::size_t n = 0;
    for_selected(5, 5, stream, [&](std::size_t i) { CHECK(i == n++); });
    CHECK(n == 5);
}

}  // namespace
}  // namespace silvics
