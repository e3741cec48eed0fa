#include <cmath>

#include "doctest/doctest.h"
#include "tree/goes_left.hpp"

namespace silvics {
namespace {

TEST_CASE("levels go by the rule, unseen ones with the others, and missing ones by the node") {
    const std::vector<Level> left{1, 3}, right{0, 2};
    std::vector<std::uint32_t> sets;
    for (const bool others_left : {false, true})
        for (const bool missing_left : {false, true}) {
            const LevelRule rule = LevelRule::of(left, right, others_left, sets);
            const auto goes_left = [&](double x) {
                return level_goes_left(rule, missing_left, x, sets);
            };
            for (const Level level : left) CHECK(goes_left(level));
            for (const Level level : right) CHECK_FALSE(goes_left(level));
            for (const double other : {4.0, 60.0, 4294967295.0, kUnknownLevel})
                CHECK(goes_left(other) == others_left);
            for (const double missing : {-1.0, -7.0, 4294967296.0, double{NAN}})
                CHECK(goes_left(missing) == missing_left);
        }
}

}  // namespace
}  // namespace silvics
