#include "splitter/general/general_parts.hpp"
#include "splitter/general/search_numbers.hpp"

namespace silvics {
namespace {

using test::GeneralParts;
using test::GiniCounts;

// The candidates of the only variable.
std::vector<Candidate> candidates(GeneralParts& of, bool* varies = nullptr) {
    NodeSearch<GiniCounts> search(of.parts());
    NumberSearch<GiniCounts> numbers(of.parts(), search);
    of.begin(search);
    numbers.begin(1);
    const bool use = numbers.try_number(of.node(), 0, {});
    if (varies != nullptr) *varies = use;
    return search.candidates;
}

TEST_CASE("the best cut of a number is found, missing values on the better side") {
    GeneralParts of({6, 1, {1.0, 2.0, NAN, 3.0, 4.0, NAN}}, {-1}, {0, 0, 0, 1, 1, 0});
    const auto found = candidates(of);
    REQUIRE(found.size() == 1);
    CHECK(found[0].threshold == 2.5);
    CHECK(found[0].missing == MissingSide::left);
    CHECK(found[0].decrease == doctest::Approx(2.0 * 4.0 / 6.0 * 2.0 / 6.0));
    CHECK(found[0].information == doctest::Approx(0.9182958));
}

TEST_CASE("missing values alone can be separated from known ones") {
    GeneralParts of({4, 1, {1.0, 1.0, NAN, NAN}}, {-1}, {0, 0, 1, 1});
    const auto found = candidates(of);
    REQUIRE(found.size() == 1);
    CHECK(std::isinf(found[0].threshold));
    CHECK(found[0].decrease == doctest::Approx(0.5));
}

TEST_CASE("a constant number has no candidate") {
    GeneralParts of({4, 1, {1.0, 1.0, 1.0, 1.0}}, {-1}, {0, 0, 1, 1});
    bool varies = true;
    CHECK(candidates(of, &varies).empty());
    CHECK_FALSE(varies);
}

TEST_CASE("where one of the best is drawn, every cut is a candidate") {
    GeneralParts of({4, 1, {1.0, 2.0, 3.0, 4.0}}, {-1}, {0, 0, 1, 1});
    of.rules.choice = Choice::one_of_best;
    const auto found = candidates(of);
    REQUIRE(found.size() == 3);
    CHECK(found[0].threshold == 2.5);  // the best first
    of.rules.n_best = 2;
    CHECK(candidates(of).size() == 2);
}

TEST_CASE("a random cut is one candidate within the range of the values") {
    GeneralParts of({4, 1, {1.0, 2.0, 3.0, 4.0}}, {-1}, {0, 1, 0, 1});
    of.rules.random_cut = true;
    const auto found = candidates(of);
    REQUIRE(found.size() == 1);
    CHECK(found[0].threshold >= 1.0);
    CHECK(found[0].threshold < 4.0);
    of.rules.cut_draw = CutDraw::middle;
    CHECK(candidates(of)[0].threshold == 2.5);
}

}  // namespace
}  // namespace silvics
