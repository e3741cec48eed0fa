#include <map>

#include "splitter/general/general_parts.hpp"
#include "splitter/general/pair_draw.hpp"

namespace silvics {
namespace {

using test::GeneralParts;

TEST_CASE("pairs differ in their output, and are drawn by the product of their weights") {
    GeneralParts of({4, 1, {0.0, 1.0, 2.0, 3.0}}, {-1}, {0, 0, 1, 1}, 2, {1.0, 3.0, 1.0, 1.0});
    PairDraw pair(of.target, test::kNeverStop);
    pair.begin(of.order);
    std::map<std::pair<Position, Position>, double> times;
    const double n = 16000.0;
    RandomStream stream(5);
    for (int i = 0; i < 16000; ++i) {
        REQUIRE(pair.draw(stream));
        CHECK((pair.first() < 2) != (pair.second() < 2));
        ++times[std::minmax(pair.first(), pair.second())];
    }
    // 1 : 1 for the first sample, 3 : 3 for the second.
    const auto near = [&](Position a, Position b, double share) {
        return std::fabs(times[{a, b}] - n * share) <= 5.0 * std::sqrt(n * share);
    };
    CHECK(near(0, 2, 0.125));
    CHECK(near(0, 3, 0.125));
    CHECK(near(1, 2, 0.375));
    CHECK(near(1, 3, 0.375));
}

TEST_CASE("samples of one output have no pair, and a rare output has one") {
    GeneralParts same({3, 1, {0.0, 1.0, 2.0}}, {-1}, {1, 1, 1});
    RandomStream stream(6);
    PairDraw none(same.target, test::kNeverStop);
    none.begin(same.order);
    CHECK_FALSE(none.draw(stream));
    GeneralParts rare({3, 1, {0.0, 1.0, 2.0}}, {-1}, {1, 0, 1}, 2, {1.0, 1e-9, 1.0});
    PairDraw one(rare.target, test::kNeverStop);
    one.begin(rare.order);
    REQUIRE(one.draw(stream));
    CHECK(((one.first() == 1) || (one.second() == 1)));
}

}  // namespace
}  // namespace silvics
