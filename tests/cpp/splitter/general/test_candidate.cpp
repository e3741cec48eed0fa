#include <cmath>
#include <map>

#include "doctest/doctest.h"
#include "splitter/general/candidate.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

Candidate made(FeatureId number, double gain, double information = 1.0) {
    Candidate c;
    c.feature = number;  // tells which it is
    c.decrease = c.worth = gain;
    c.information = information;
    return c;
}

FeatureId chosen(Choice choice, const std::vector<Candidate>& from, StreamKey key = 0,
                 SearchRules rules = {}, std::size_t depth = 0) {
    rules.choice = choice;
    NodeSamples::Place place;
    place.depth = depth;
    NodeSamples node;
    node.key = key;
    node.place = &place;
    return Chooser(rules, node, 1e-13).choose(from).feature;
}

TEST_CASE("information is the entropy of the parts, in bits") {
    test::Rng rng(460);
    CHECK(information_of(std::vector<double>{1.0, 1.0}) == doctest::Approx(1.0));
    CHECK(information_of(std::vector<double>{5.0, 5.0, 5.0, 5.0}) == doctest::Approx(2.0));
    CHECK(information_of(std::vector<double>{3.0, 0.0}) == doctest::Approx(0.0));
    for (int repeat = 0; repeat < 50; ++repeat) {
        std::vector<double> weights(2 + test::pick(rng, 5));
        double whole = 0.0, expected = 0.0;
        for (double& w : weights) whole += w = test::pick_real(rng, 0.01, 9.0);
        for (const double w : weights) expected -= w / whole * std::log2(w / whole);
        CHECK(information_of(weights) == doctest::Approx(expected));
    }
}

TEST_CASE("the best is the first of the largest worth, not of the largest decrease") {
    std::vector<Candidate> from = {made(0, 0.1), made(1, 0.7), made(2, 0.7), made(3, 0.9)};
    from[3].worth = 0.5;  // what its levels gain by chance is taken off
    CHECK(chosen(Choice::best, from) == 1);
}

TEST_CASE("gain ratio: of gains no less than their mean, the largest share of information") {
    test::Rng rng(461);
    for (int repeat = 0; repeat < 500; ++repeat) {
        std::vector<Candidate> from(1 + test::pick(rng, 6));
        double sum = 0.0;
        for (std::size_t i = 0; i < from.size(); ++i) {
            const double information = test::pick_real(rng, 0.05, 3.0);
            from[i] = made(static_cast<FeatureId>(i), test::pick_real(rng, 0.01, 1.0), information);
            sum += from[i].decrease;
        }
        const double mean = sum / static_cast<double>(from.size());
        FeatureId best = 0;
        double most = -1.0;
        for (const Candidate& c : from)
            if (c.decrease >= mean && c.decrease / c.information > most) {
                most = c.decrease / c.information;
                best = c.feature;
            }
        CHECK(chosen(Choice::gain_ratio, from) == best);
    }
}

TEST_CASE("gain ratio: splits that gain nothing count neither for the mean nor by their ratio") {
    // With the zeros the mean would be .25, and the third would win by its ratio.
    CHECK(chosen(Choice::gain_ratio, {made(0, 0.0, 0.5), made(1, 0.0, 0.5), made(2, 0.3, 0.1),
                                      made(3, 0.7, 1.0)}) == 3);
    // All alike: none is below the mean, whatever rounding says.
    std::vector<Candidate> alike;
    for (FeatureId i = 0; i < 10; ++i) alike.push_back(made(i, 0.1, 1.0));
    alike[7].information = 0.9;
    CHECK(chosen(Choice::gain_ratio, alike) == 7);
    CHECK(chosen(Choice::gain_ratio, {made(0, 0.0), made(1, -1e-17)}) == 0);
}

TEST_CASE("one of the best is drawn evenly, and by the node alone") {
    std::vector<Candidate> from;
    for (FeatureId i = 0; i < 5; ++i) from.push_back(made(i, 0.1 * i));
    std::vector<double> counts(5, 0.0);
    for (StreamKey key = 0; key < 20000; ++key) {
        const FeatureId f = chosen(Choice::one_of_best, from, derive(1, key));
        CHECK(f == chosen(Choice::one_of_best, from, derive(1, key)));
        ++counts[f];
    }
    for (const double n : counts) CHECK(std::fabs(n - 4000.0) < 5.0 * std::sqrt(3200.0));
}

TEST_CASE("near the root, one of those that lose little; below, the best") {
    SearchRules rules;
    rules.near_best = 0.25;
    rules.near_best_depth = 2;
    const std::vector<Candidate> from = {made(0, 0.74), made(1, 0.75), made(2, 1.0), made(3, 0.9),
                                         made(4, 0.1)};
    for (std::size_t depth = 0; depth < 4; ++depth) {
        std::map<FeatureId, double> counts;
        for (StreamKey key = 0; key < 9000; ++key)
            ++counts[chosen(Choice::near_best, from, derive(2, key), rules, depth)];
        if (depth >= 2) {
            CHECK(counts == std::map<FeatureId, double>{{2, 9000.0}});
            continue;
        }
        CHECK(counts.size() == 3);
        for (const FeatureId f : {1U, 2U, 3U})
            CHECK(std::fabs(counts[f] - 3000.0) < 5.0 * std::sqrt(2000.0));
    }
}

TEST_CASE("the most significant is the least p-value, then the largest worth") {
    std::vector<Candidate> from = {made(0, 0.9), made(1, 0.2), made(2, 0.3), made(3, 0.3)};
    from[0].p_value = 0.04;
    from[1].p_value = from[2].p_value = from[3].p_value = 0.01;
    CHECK(chosen(Choice::significant, from) == 2);
}

}  // namespace
}  // namespace silvics
