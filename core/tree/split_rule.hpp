// The test of an inner node: a threshold, a rule of levels, or the offset of a branch record.
//
// It takes the 8 bytes of a double. A threshold is stored as it is; the other two are NaNs, whose
// bits are those of a LevelRule. A threshold is never NaN.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "tree/level_rule.hpp"

namespace silvics {

class SplitRule {
public:
    SplitRule(double threshold) : stored_(threshold) {}
    SplitRule(LevelRule levels) : stored_(levels.in_place()) {}
    // The record that begins at this offset in the records of the tree.
    static SplitRule record(std::size_t offset) {
        return LevelRule(LevelRule::Form::record, offset, false);
    }
    // From the 8 bytes that stored() returned.
    static SplitRule from_stored(double stored) { return {stored}; }
    double stored() const { return stored_; }

    bool is_threshold() const { return !std::isnan(stored_); }
    bool is_record() const {
        return !is_threshold() && LevelRule(stored_).form() == LevelRule::Form::record;
    }
    bool is_levels() const { return !is_threshold() && !is_record(); }

    // Each is valid for rules of its kind only.
    double threshold() const { return stored_; }
    LevelRule levels() const { return LevelRule(stored_); }
    std::size_t record_offset() const {
        return static_cast<std::size_t>(LevelRule(stored_).content());
    }

    bool operator==(const SplitRule& other) const {
        return std::bit_cast<std::uint64_t>(stored_) == std::bit_cast<std::uint64_t>(other.stored_);
    }

private:
    double stored_;
};

}  // namespace silvics
