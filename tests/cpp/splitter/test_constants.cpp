#include <set>

#include "doctest/doctest.h"
#include "splitter/constants.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

std::set<FeatureId> known(const Constants& constants, std::size_t p) {
    std::set<FeatureId> features;
    for (FeatureId f = 0; f < p; ++f)
        if (constants.known(f)) features.insert(f);
    return features;
}

TEST_CASE("nothing is known at the root") {
    Constants constants(5);
    constants.load(constants.root());
    CHECK(known(constants, 5).empty());
    CHECK(constants.inherit() == constants.root());
}

TEST_CASE("what a node finds is known in its children, not in its siblings") {
    Constants constants(5);
    constants.load(constants.root());
    constants.found(2);
    const auto below = constants.inherit();
    constants.load(below);
    CHECK(known(constants, 5) == std::set<FeatureId>{2});
    constants.found(4);
    const auto left = constants.inherit();
    constants.load(below);
    constants.found(0);
    const auto right = constants.inherit();
    constants.load(left);
    CHECK(known(constants, 5) == std::set<FeatureId>{2, 4});
    constants.load(right);
    CHECK(known(constants, 5) == std::set<FeatureId>{0, 2});
    constants.load(constants.root());
    CHECK(known(constants, 5).empty());
}

TEST_CASE("what a node finds is forgotten if it does not split") {
    Constants constants(3);
    constants.load(constants.root());
    constants.found(1);
    constants.load(constants.root());
    CHECK(constants.inherit() == constants.root());
    CHECK_FALSE(constants.known(1));
}

TEST_CASE("a node that finds nothing shares its parent's list") {
    Constants constants(3);
    constants.load(constants.root());
    constants.found(1);
    const auto list = constants.inherit();
    constants.load(list);
    CHECK(constants.inherit() == list);
}

TEST_CASE("loading follows any sequence of branches") {
    test::Rng rng(62);
    const std::size_t p = 60;
    Constants constants(p);
    std::vector<std::pair<Constants::ListId, std::set<FeatureId>>> nodes = {{constants.root(), {}}};
    for (int step = 0; step < 400; ++step) {
        const auto [list, expected] = nodes[test::pick(rng, nodes.size())];
        constants.load(list);
        REQUIRE(known(constants, p) == expected);
        std::set<FeatureId> below = expected;
        for (std::size_t count = test::pick(rng, 3); count > 0; --count)
            if (const auto f = static_cast<FeatureId>(test::pick(rng, p)); below.insert(f).second)
                constants.found(f);
        nodes.push_back({constants.inherit(), below});
    }
}

TEST_CASE("depth first, lists of branches that are done with may be forgotten") {
    test::Rng rng(63);
    const std::size_t p = 40;
    Constants constants(p);
    std::vector<std::pair<Constants::ListId, std::set<FeatureId>>> open = {{constants.root(), {}}};
    Constants::ListId last = 0;
    std::size_t forgotten = 0;
    for (int step = 0; step < 2000 && !open.empty(); ++step) {
        const auto [list, expected] = open.back();
        open.pop_back();
        constants.load(list);
        constants.forget_later();
        forgotten += list < last;
        REQUIRE(known(constants, p) == expected);
        if (step > 0 && test::pick(rng, 10) < 4) continue;  // a leaf
        std::set<FeatureId> below = expected;
        for (std::size_t count = test::pick(rng, 3); count > 0; --count)
            if (const auto f = static_cast<FeatureId>(test::pick(rng, p)); below.insert(f).second)
                constants.found(f);
        last = constants.inherit();
        CHECK(last <= list + 1);  // numbers are given again
        for (std::size_t child = 0; child < 2; ++child) open.push_back({last, below});
    }
    CHECK(forgotten > 10);
}

}  // namespace
}  // namespace silvics
