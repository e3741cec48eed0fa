// The rule of a category split: which levels go left.
//
// The rule takes 64 bits, those of a NaN, so that it can stand where other nodes have a threshold:
//   in_place_bits  one bit for each of the first 47 levels;
//   coin           a seed, from which the side of each level is computed (Extra-Trees);
//   apart          the offset of a larger set in the tree's level sets: bits, or a sorted list;
//   pending        the offset of the levels in the growing tree; a stored tree never has this form;
//   record         not a rule of levels: the offset of a branch record (split_rule.hpp).
// One more bit is the side of the levels that the rule does not list: that of the heavier child.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.hpp"
#include "base/types.hpp"

namespace silvics {

using Level = Code;

class LevelRule {
public:
    enum class Form : std::uint8_t { none, in_place_bits, coin, apart, record, pending };

    static constexpr std::size_t kInlineLevels = 47;  // levels that fit
    static constexpr std::uint64_t kContent = (std::uint64_t{1} << kInlineLevels) - 1;

    explicit LevelRule(double in_place) : bits_(std::bit_cast<std::uint64_t>(in_place)) {}
    LevelRule(Form form, std::uint64_t content, bool others_left)
        : bits_(kNaN | static_cast<std::uint64_t>(form) << 48 |
                std::uint64_t{others_left} << kInlineLevels | (content & kContent)) {}
    static LevelRule pending(std::size_t offset) { return {Form::pending, offset, false}; }

    // The NaN that stands in the place of a threshold.
    double in_place() const { return std::bit_cast<double>(bits_); }
    Form form() const { return static_cast<Form>(bits_ >> 48 & 7); }
    std::uint64_t content() const { return bits_ & kContent; }
    bool others_left() const { return (bits_ >> kInlineLevels & 1) != 0; }
    LevelRule sending_others(bool left) const { return {form(), content(), left}; }

    // Each level has a fair coin.
    static bool coin(std::uint64_t seed, Level level) {
        return scatter(seed + (std::uint64_t{level} + 1) * 0x9E3779B97F4A7C15ULL) >> 63 != 0;
    }

    // `sets` are the level sets of the tree.
    bool goes_left(Level level, std::span<const std::uint32_t> sets) const {
        switch (form()) {
            case Form::in_place_bits:
                return level < kInlineLevels ? (bits_ >> level & 1) != 0 : others_left();
            case Form::coin:
                return coin(content(), level);
            default:
                return goes_left_apart(level, sets);
        }
    }

    // The rule that sends the levels `left` and `right` to these sides, and all others by
    // `others_left`. A set that does not fit in place is appended to `sets`.
    static LevelRule of(std::span<const Level> left, std::span<const Level> right, bool others_left,
                        std::vector<std::uint32_t>& sets);
    // The same rule in another tree: a set apart is appended to the level sets of that tree.
    LevelRule copied(std::span<const std::uint32_t> from, std::vector<std::uint32_t>& to) const;
    // The number of words that the rule has in the level sets; 0 if it is not a rule.
    std::size_t n_words(std::span<const std::uint32_t> sets) const;
    // Whether these bits are a rule of a stored tree with these level sets.
    bool valid(std::span<const std::uint32_t> sets) const;

private:
    static constexpr std::uint64_t kNaN = std::uint64_t{0x7FF8} << 48;

    bool goes_left_apart(Level level, std::span<const std::uint32_t> sets) const;

    std::uint64_t bits_;
};

}  // namespace silvics
