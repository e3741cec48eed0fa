#include "splitter/general/general_parts.hpp"
#include "splitter/general/search_multiway.hpp"

namespace silvics {
namespace {

using test::GeneralParts;
using test::GiniCounts;

std::vector<Candidate> candidates(GeneralParts& of, FeatureId f, bool* varies = nullptr) {
    NodeSearch<GiniCounts> search(of.parts());
    MultiwaySearch<GiniCounts> multiway(search);
    of.begin(search);
    const bool use = multiway.try_values(f);
    if (varies != nullptr) *varies = use;
    return search.candidates;
}

// A category of three levels and missing values, a number of two values, and a constant.
GeneralParts six_rows() {
    return {{6,
             3,
             {0.0, 1.5, 4.0, 0.0, 1.5, 4.0, 1.0, 1.5, 4.0,  //
              2.0, 7.0, 4.0, 2.0, 7.0, 4.0, -1.0, 7.0, 4.0}},
            {3, -1, -1},
            {0, 0, 1, 0, 1, 1}};
}

TEST_CASE("each level has a child, and so have missing values") {
    GeneralParts of = six_rows();
    const auto found = candidates(of, 0);
    REQUIRE(found.size() == 1);
    CHECK(found[0].test == Candidate::Test::values);
    CHECK(found[0].values == std::vector<Code>{0, 1, 2});
    CHECK(found[0].missing_child);
    CHECK(found[0].decrease == doctest::Approx(0.5 - 2.0 / 6.0 * 0.5));  // one child is impure
    CHECK(found[0].information == doctest::Approx(1.9182958));
}

TEST_CASE("each interval of a number has a child") {
    GeneralParts of = six_rows();
    const auto found = candidates(of, 1);
    REQUIRE(found.size() == 1);
    CHECK(found[0].values == std::vector<Code>{0, 1});
    CHECK_FALSE(found[0].missing_child);
}

TEST_CASE("a constant has no candidate, unless each variable is used once on a branch") {
    GeneralParts of = six_rows();
    bool varies = true;
    CHECK(candidates(of, 2, &varies).empty());
    CHECK_FALSE(varies);
    of.rules.variable_draw = VariableDraw::unused;
    CHECK(candidates(of, 2, &varies).size() == 1);
    CHECK(varies);
}

TEST_CASE("at least two children must be large enough") {
    GeneralParts of = six_rows();
    of.rules.min_samples_leaf = 2;
    CHECK(candidates(of, 0).size() == 1);
    of.rules.min_samples_leaf = 3;
    CHECK(candidates(of, 0).empty());
    CHECK(candidates(of, 1).size() == 1);
}

}  // namespace
}  // namespace silvics
