#include "splitter/general/general_parts.hpp"
#include "splitter/general/search_categories.hpp"

namespace silvics {
namespace {

using test::GeneralParts;
using test::GiniCounts;

std::vector<Candidate> candidates(GeneralParts& of, bool* varies = nullptr) {
    NodeSearch<GiniCounts> search(of.parts());
    CategorySearch<GiniCounts> categories(of.parts(), search);
    of.begin(search);
    const bool use = categories.try_levels(of.node(), 0);
    if (varies != nullptr) *varies = use;
    return search.candidates;
}

// Levels 0 0 1 1 2 2 and two missing ones; the classes follow the levels 0 and 2 against 1.
GeneralParts eight_levels() {
    return {{8, 1, {0.0, 0.0, 1.0, 1.0, 2.0, 2.0, -1.0, -1.0}}, {3}, {0, 0, 1, 1, 0, 0, 1, 1}};
}

TEST_CASE("the best subset of levels is found, missing values as one more level") {
    GeneralParts of = eight_levels();
    const auto found = candidates(of);
    REQUIRE(found.size() == 1);
    CHECK(found[0].decrease == doctest::Approx(0.5));
    const bool one_left = found[0].left == std::vector<Code>{1};
    CHECK((one_left || found[0].left == std::vector<Code>{0, 2}));
    CHECK(found[0].missing == (one_left ? MissingSide::left : MissingSide::right));
    CHECK(found[0].information == doctest::Approx(1.0));
}

TEST_CASE("missing values apart, or on both sides, are no level") {
    for (const MissingRule rule : {MissingRule::apart, MissingRule::both})
        for (const bool random_cut : {false, true}) {
            GeneralParts of = eight_levels();
            of.rules.missing = rule;
            of.rules.random_cut = random_cut;
            const auto found = candidates(of);
            REQUIRE(found.size() == 1);
            CHECK(found[0].missing == MissingSide::unseen);
            CHECK(found[0].coins == random_cut);
            CHECK(found[0].decrease >= -1e-12);
            if (random_cut) continue;
            // Apart, all children are pure; on both sides, a sixth of each child's class differs.
            CHECK((found[0].left == std::vector<Code>{1} ||
                   found[0].left == std::vector<Code>{0, 2}));
            if (rule == MissingRule::apart)
                CHECK(found[0].decrease == doctest::Approx(0.5));
            else
                CHECK(found[0].decrease < 0.5);
        }
}

TEST_CASE("a constant category has no candidate") {
    GeneralParts of({4, 1, {2.0, 2.0, 2.0, 2.0}}, {3}, {0, 0, 1, 1});
    bool varies = true;
    CHECK(candidates(of, &varies).empty());
    CHECK_FALSE(varies);
}

}  // namespace
}  // namespace silvics
