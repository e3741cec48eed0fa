// Where a sample goes that no comparison with a threshold tells of.
#pragma once

#include <span>

#include "tree/level_rule.hpp"

namespace silvics {

// A level that the trees have not seen, and that is not to be taken for a missing one.
inline constexpr double kUnknownLevel = -2.0;

// At a category node, by its rule and the tree's sets of levels.
inline bool level_goes_left(LevelRule rule, bool missing_left, double x,
                            std::span<const std::uint32_t> sets) {
    if (x >= 0.0 && x < 0x1.0p32) return rule.goes_left(static_cast<Level>(x), sets);
    return x == kUnknownLevel ? rule.others_left() : missing_left;
}

}  // namespace silvics
