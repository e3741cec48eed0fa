#include <set>

#include "doctest/doctest.h"
#include "splitter/general/combination.hpp"

namespace silvics {
namespace {

TEST_CASE("a combination has its first variable, others without repetition, and scaled terms") {
    SearchRules rules;
    rules.n_combined = 3;
    rules.ranges = {{0.0, 2.0}, {5.0, 5.0}, {-1.0, 3.0}, {0.0, 100.0}};
    const std::vector<FeatureId> numbers = {0, 1, 2, 3};
    std::set<FeatureId> seen;
    for (std::uint64_t key = 0; key < 300; ++key) {
        RandomStream stream(derive(3, key));
        const auto terms = draw_combination(2, numbers, rules, stream);
        REQUIRE(terms.size() == 3);
        CHECK(terms[0].feature == 2);
        CHECK(terms[1].feature != terms[2].feature);
        double shares = 0.0, whole = 0.0;
        std::vector<double> sizes;
        for (const Term& term : terms) {
            seen.insert(term.feature);
            const auto [low, high] = rules.ranges[term.feature];
            const double a = term.coefficient * (high > low ? high - low : 1.0);
            CHECK(std::fabs(a) <= 1.0);
            sizes.push_back(std::fabs(a));
            whole += std::fabs(a);
            shares += static_cast<double>(term.share);
        }
        CHECK(shares == doctest::Approx(1.0).epsilon(1e-5));
        for (std::size_t k = 0; k < 3; ++k)
            CHECK(static_cast<double>(terms[k].share) ==
                  doctest::Approx(sizes[k] / whole).epsilon(1e-5));
    }
    CHECK(seen.size() == 4);
}

TEST_CASE("there are no more terms than numbers") {
    SearchRules rules;
    rules.n_combined = 5;
    rules.ranges = {{0.0, 1.0}, {0.0, 1.0}};
    RandomStream stream(1);
    CHECK(draw_combination(1, {0, 1}, rules, stream).size() == 2);
    CHECK(draw_combination(1, {1}, rules, stream).size() == 1);
}

}  // namespace
}  // namespace silvics
