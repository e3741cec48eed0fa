// The side of a value at a category split.
#pragma once

#include <span>

#include "tree/level_rule.hpp"

namespace silvics {

// A level that was not seen in training, and that is not treated as missing.
inline constexpr double kUnknownLevel = -2.0;

// `x` is a level, kUnknownLevel, or missing; `sets` are the level sets of the tree.
inline bool level_goes_left(LevelRule rule, bool missing_left, double x,
                            std::span<const std::uint32_t> sets) {
    if (x >= 0.0 && x < 0x1.0p32) return rule.goes_left(static_cast<Level>(x), sets);
    return x == kUnknownLevel ? rule.others_left() : missing_left;
}

}  // namespace silvics
