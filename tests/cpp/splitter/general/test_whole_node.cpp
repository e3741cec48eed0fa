#include "splitter/general/general_parts.hpp"
#include "splitter/general/whole_node.hpp"

namespace silvics {
namespace {

using test::GeneralParts;
using test::GiniCounts;

struct WholeOf {
    GeneralParts of;
    NodeSearch<GiniCounts> search{of.parts()};
    WholeNode<GiniCounts> whole{search};

    WholeOf(std::vector<double> values, std::int64_t n_levels, std::vector<std::int64_t> y,
            MissingRule missing = MissingRule::learned)
        : of({y.size(), 1, std::move(values)}, {n_levels}, y) {
        of.rules.missing = missing;
        of.begin(search);
    }
    bool score(Candidate& c) { return whole.score(of.node(), c); }
};

TEST_CASE("a threshold found on a sample is scored on all samples") {
    WholeOf made({1.0, 2.0, 3.0, 4.0}, -1, {0, 0, 1, 1});
    Candidate c;
    c.threshold = 2.5;
    REQUIRE(made.score(c));
    CHECK(c.decrease == doctest::Approx(0.5));
    CHECK(c.missing == MissingSide::unseen);
    c.threshold = 0.5;
    CHECK_FALSE(made.score(c));  // no sample goes left
    made.of.rules.min_samples_leaf = 2;
    c.threshold = 1.5;
    CHECK_FALSE(made.score(c));
}

TEST_CASE("missing values that the sample did not have go right, or apart") {
    WholeOf learned({1.0, NAN, 3.0, 4.0}, -1, {0, 1, 1, 1});
    Candidate c;
    c.threshold = 2.0;
    REQUIRE(learned.score(c));
    CHECK(c.missing == MissingSide::right);
    CHECK(c.decrease == doctest::Approx(2.0 * 0.25 * 0.75));
    WholeOf apart({1.0, NAN, 3.0, 4.0}, -1, {0, 1, 1, 0}, MissingRule::apart);
    REQUIRE(apart.score(c));
    CHECK(c.decrease == doctest::Approx(0.5 - 0.5 * 0.5));
}

TEST_CASE("values that the sample did not have go to the largest child") {
    WholeOf made({0.0, 1.0, 1.0, 2.0}, 3, {0, 1, 1, 0});
    Candidate c;
    c.test = Candidate::Test::values;
    c.values = {0, 1};
    REQUIRE(made.score(c));
    CHECK(c.decrease == doctest::Approx(0.5 - 0.75 * (2.0 * 2.0 / 9.0)));
}

}  // namespace
}  // namespace silvics
