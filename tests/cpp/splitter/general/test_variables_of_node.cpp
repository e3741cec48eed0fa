#include <cmath>
#include <map>
#include <set>

#include "doctest/doctest.h"
#include "splitter/general/variables_of_node.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

using Drawn = std::vector<FeatureId>;

const Constants kNone(20);

// All variables that a node looks at, all of use.
Drawn drawn(VariablesOfNode& variables, StreamKey key, const Constants& constants = kNone) {
    Drawn all;
    variables.for_each(key, nullptr, constants, [&](FeatureId f) {
        all.push_back(f);
        return true;
    });
    return all;
}

bool near(double count, double expected, double variance) {
    return std::fabs(count - expected) <= 5.0 * std::sqrt(variance) + 1e-9;
}

TEST_CASE("K variables are drawn, each of them evenly, in any order") {
    const Drawn features = {1, 3, 4, 8};
    SearchRules rules;
    rules.max_features = 2;
    VariablesOfNode variables(features, rules);
    std::map<Drawn, double> counts;
    const std::size_t nodes = 24000;
    for (std::size_t i = 0; i < nodes; ++i) ++counts[drawn(variables, derive(1, i))];
    CHECK(counts.size() == 12);
    for (const auto& [pair, n] : counts) {
        CHECK(pair[0] != pair[1]);
        CHECK(near(n, 2000.0, 2000.0));
    }
}

TEST_CASE("weighted draws are in proportion to what is left, without replacement") {
    const Drawn features = {0, 2, 3, 5};
    SearchRules rules;
    rules.max_features = 3;
    rules.variable_draw = VariableDraw::weighted;
    rules.probabilities = {0.4, 9.0, 0.3, 0.2, 9.0, 0.1};  // of the others no matter
    VariablesOfNode variables(features, rules);
    std::map<Drawn, double> counts;
    const double nodes = 40000.0;
    for (std::size_t i = 0; i < 40000; ++i) ++counts[drawn(variables, derive(2, i))];
    CHECK(counts.size() == 24);
    for (const auto& [order, n] : counts) {
        double probability = 1.0, left = 1.0;
        for (const FeatureId f : order) {
            probability *= rules.probabilities[f] / left;
            left -= rules.probabilities[f];
        }
        CHECK(near(n, nodes * probability, nodes * probability));
    }
}

TEST_CASE("a variable of no probability is drawn only when none other is left") {
    const Drawn features = {0, 1, 2, 3};
    SearchRules rules;
    rules.variable_draw = VariableDraw::weighted;
    rules.probabilities = {0.0, 1.0, 0.0, 2.0};
    for (const std::size_t K : {1U, 2U, 3U, 4U}) {
        rules.max_features = K;
        VariablesOfNode variables(features, rules);
        for (std::size_t i = 0; i < 300; ++i) {
            const Drawn all = drawn(variables, derive(3, i));
            REQUIRE(all.size() == K);
            for (std::size_t k = 0; k < K; ++k) CHECK((all[k] % 2 == 1) == (k < 2));
            if (K == 4) CHECK(all[2] == 0);
        }
    }
    rules.probabilities.assign(4, 0.0);
    VariablesOfNode variables(features, rules);
    CHECK(drawn(variables, 4) == features);
}

TEST_CASE("Poisson: one, and as many as the distribution says, as far as there are any") {
    const auto features = FeatureDraw::first_features(12);
    SearchRules rules;
    rules.max_features = 3;
    rules.variable_draw = VariableDraw::poisson;
    VariablesOfNode variables(features, rules);
    std::vector<double> counts(13, 0.0), of_variable(12, 0.0);
    const double nodes = 30000.0;
    double whole = 0.0;
    for (std::size_t i = 0; i < 30000; ++i) {
        const Drawn all = drawn(variables, derive(5, i));
        CHECK(std::set<FeatureId>(all.begin(), all.end()).size() == all.size());
        ++counts[all.size()];
        for (const FeatureId f : all) ++of_variable[f];
        whole += static_cast<double>(all.size());
    }
    CHECK(counts[0] == 0.0);
    double probability = std::exp(-3.0), rest = 1.0;
    for (std::size_t n = 0; n < 11; ++n) {
        CHECK(near(counts[n + 1], nodes * probability, nodes * probability));
        rest -= probability;
        probability *= 3.0 / static_cast<double>(n + 1);
    }
    CHECK(near(counts[12], nodes * rest, nodes * rest + 1.0));
    for (const double n : of_variable) CHECK(near(n, whole / 12.0, whole / 12.0));
}

TEST_CASE("a Poisson variable has its mean and variance, small or large") {
    for (const double mean : {0.0, 0.3, 5.0, 64.0, 200.0}) {
        CAPTURE(mean);
        RandomStream stream(derive(6, 1));
        const double n = 20000.0;
        double sum = 0.0, squares = 0.0;
        for (int i = 0; i < 20000; ++i) {
            const auto x = static_cast<double>(draw_poisson(mean, stream));
            sum += x;
            squares += (x - mean) * (x - mean);
        }
        CHECK(near(sum, n * mean, n * mean));
        // The fourth central moment of a Poisson variable is mean + 3 mean^2.
        CHECK(near(squares, n * mean, n * (mean + 2.0 * mean * mean)));
    }
}

TEST_CASE(
    "constants count among those drawn, or they do not; drawing goes on until one is of use") {
    const auto features = FeatureDraw::first_features(6);
    test::Rng rng(451);
    for (int repeat = 0; repeat < 400; ++repeat) {
        Constants constants(6);
        std::vector<char> known(6, 0), useful(6, 0);
        for (FeatureId f = 0; f < 6; ++f) {
            known[f] = test::pick(rng, 3) == 0;
            useful[f] = known[f] == 0 && test::pick(rng, 3) != 0;
            if (known[f] != 0) constants.found(f);
        }
        constants.load(constants.inherit());
        SearchRules rules;
        rules.max_features = 1 + test::pick(rng, 6);
        rules.constants_count = test::pick(rng, 2) == 0;
        rules.variable_draw =
            test::pick(rng, 2) == 0 ? VariableDraw::uniform : VariableDraw::unused;
        const bool count = rules.constants_count && rules.variable_draw == VariableDraw::uniform;
        const StreamKey key = derive(7, static_cast<std::uint64_t>(repeat));
        Drawn expected;
        FeatureDraw draw(features);
        draw.begin(key);
        for (std::size_t counted = 0, of_use = 0;
             !draw.done() && (counted < rules.max_features || of_use == 0);) {
            const FeatureId f = draw.next();
            if (known[f] == 0) expected.push_back(f);
            of_use += static_cast<std::size_t>(useful[f]);
            if (useful[f] != 0 || count) ++counted;
        }
        VariablesOfNode variables(features, rules);
        Drawn all;
        variables.for_each(key, nullptr, constants, [&](FeatureId f) {
            all.push_back(f);
            return useful[f] != 0;
        });
        CHECK(all == expected);
    }
}

TEST_CASE("unused: K of those that the branch has not used, evenly, while there are any") {
    const auto features = FeatureDraw::first_features(6);
    SearchRules rules;
    rules.max_features = 2;
    rules.variable_draw = VariableDraw::unused;
    VariablesOfNode variables(features, rules);
    Constants constants(6);
    constants.found(1);
    constants.found(4);
    constants.load(constants.inherit());
    std::map<Drawn, double> counts;
    for (std::size_t i = 0; i < 24000; ++i) ++counts[drawn(variables, derive(8, i), constants)];
    CHECK(counts.size() == 12);
    for (const auto& [pair, n] : counts) CHECK(near(n, 2000.0, 2000.0));
    for (const FeatureId f : {0U, 2U, 3U, 5U}) constants.found(f);
    constants.load(constants.inherit());
    CHECK(drawn(variables, 9, constants).empty());
}

TEST_CASE("a Poisson variable of a huge mean is drawn as far as it matters") {
    RandomStream stream(derive(6, 2));
    CHECK(draw_poisson(0x1.0p62, stream, 10) >= 10);
    for (const double mean : {0.3, 5.0, 64.0, 200.0}) {
        RandomStream all(derive(6, 3)), some(derive(6, 3));
        CHECK(std::min<std::size_t>(draw_poisson(mean, all), 12) ==
              std::min<std::size_t>(draw_poisson(mean, some, 12), 12));
    }
}

TEST_CASE("variables that are always tried come first, and do not count among the K") {
    const Drawn features = {1, 3, 4, 8, 9};
    SearchRules rules;
    rules.max_features = 2;
    rules.always = {3, 9};
    VariablesOfNode variables(features, rules);
    std::map<Drawn, double> others;
    for (std::size_t i = 0; i < 6000; ++i) {
        const Drawn all = drawn(variables, derive(2, i));
        REQUIRE(all.size() == 4);
        CHECK(Drawn(all.begin(), all.begin() + 2) == rules.always);
        ++others[Drawn(all.begin() + 2, all.end())];
    }
    CHECK(others.size() == 6);  // ordered pairs of the other three
    for (const auto& [pair, n] : others) CHECK(near(n, 1000.0, 1000.0));
    // A constant one is not tried; if all others are constant, drawing goes on until one is not.
    Constants constants(20);
    constants.found(3);
    constants.load(constants.inherit());
    CHECK(drawn(variables, 1, constants).front() == 9);
}

TEST_CASE("only variables that are allowed at a node are drawn, evenly") {
    const Drawn features = {1, 3, 4, 8, 9}, allowed = {0, 3, 8, 9};
    SearchRules rules;
    rules.max_features = 2;
    VariablesOfNode variables(features, rules);
    std::map<FeatureId, double> counts;
    for (std::size_t i = 0; i < 6000; ++i)
        variables.for_each(derive(3, i), &allowed, kNone, [&](FeatureId f) { return ++counts[f]; });
    CHECK(counts.size() == 3);
    for (const auto& [f, n] : counts) CHECK(near(n, 4000.0, 6000.0 * 2.0 / 9.0));
    rules.max_features = 5;
    std::size_t n = 0;
    variables.for_each(1, &allowed, kNone, [&](FeatureId) { return ++n > 100; });
    CHECK(n == 3);  // none of them was of use, and there are no more
}

}  // namespace
}  // namespace silvics
