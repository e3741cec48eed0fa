#include "splitter/general/general_parts.hpp"
#include "splitter/general/relief.hpp"

namespace silvics {
namespace {

using test::GeneralParts;

std::vector<double> weights_of(GeneralParts& of, std::size_t n_variables) {
    std::vector<Candidate> candidates(n_variables);
    for (FeatureId f = 0; f < n_variables; ++f) candidates[f].feature = f;
    Relief relief(of.parts());
    relief.weigh(1, of.order, candidates);
    std::vector<double> found;
    for (const Candidate& c : candidates) found.push_back(c.worth);
    return found;
}

TEST_CASE("a variable that separates the classes has the weight one, a constant one zero") {
    GeneralParts of({4, 3, {0.0, 5.0, 0.0, 0.0, 5.0, 1.0, 1.0, 5.0, 0.0, 1.0, 5.0, 1.0}},
                    {-1, -1, -1}, {0, 0, 1, 1});
    of.rules.relief_neighbors = 1;
    const std::vector<double> found = weights_of(of, 3);
    CHECK(found[0] == 1.0);
    CHECK(found[1] == 0.0);
    CHECK(found[2] == -1.0);  // the nearest of the other class agrees in it, that of its own not
}

TEST_CASE("levels differ or not, and a missing value differs by a half") {
    GeneralParts of({4, 2, {0.0, NAN, 0.0, 1.0, 1.0, 2.0, 1.0, 3.0}}, {2, -1}, {0, 0, 1, 1});
    of.rules.relief_neighbors = 2;
    const std::vector<double> found = weights_of(of, 2);
    CHECK(found[0] == 1.0);
    // Differences within classes are all 1/2.
    CHECK(found[1] == doctest::Approx((0.5 + 0.75 + 0.5 + 0.75) / 4.0 - 0.5));
}

TEST_CASE("weights of samples count, and so do more neighbours than there are") {
    GeneralParts of({3, 1, {0.0, 1.0, 4.0}}, {-1}, {0, 0, 1}, 2, {1.0, 2.0, 1.0});
    of.rules.relief_neighbors = 10;
    // Misses: 1, 3/4, and for the last (1 + 2 * 3/4) / 3; hits: 1/4, 1/4, none.
    CHECK(weights_of(of, 1)[0] ==
          doctest::Approx((1.0 - 0.25 + 2.0 * (0.75 - 0.25) + (1.0 + 1.5) / 3.0) / 4.0));
}

}  // namespace
}  // namespace silvics
