// Which levels of a category go left at a node.
//
// A category node has no threshold; in its place stands a NaN whose bits are the rule:
//   few    one bit for each of the first 47 levels;
//   coin   a seed, from which each level's side follows (Extra-Trees);
//   apart  where the tree keeps a larger set: as bits, or as a list of those that differ;
//   record where it keeps a node of another kind altogether (branches.hpp).
// One more bit says where levels go that no other says anything about: to the heavier child.
// A node without categories pays nothing for any of this.
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
    enum class Form : std::uint8_t { none, in_place_bits, coin, apart, record };

    static constexpr std::size_t kInlineLevels = 47;  // levels that fit
    static constexpr std::uint64_t kContent = (std::uint64_t{1} << kInlineLevels) - 1;

    explicit LevelRule(double in_place) : bits_(std::bit_cast<std::uint64_t>(in_place)) {}
    LevelRule(Form form, std::uint64_t content, bool others_left)
        : bits_(kNaN | static_cast<std::uint64_t>(form) << 48 |
                std::uint64_t{others_left} << kInlineLevels | (content & kContent)) {}

    // What a node keeps in the place of its threshold.
    double in_place() const { return std::bit_cast<double>(bits_); }
    Form form() const { return static_cast<Form>(bits_ >> 48 & 7); }
    std::uint64_t content() const { return bits_ & kContent; }
    bool others_left() const { return (bits_ >> kInlineLevels & 1) != 0; }
    LevelRule sending_others(bool left) const { return {form(), content(), left}; }

    // Each level has a fair coin of its own.
    static bool coin(std::uint64_t seed, Level level) {
        return scatter(seed + (std::uint64_t{level} + 1) * 0x9E3779B97F4A7C15ULL) >> 63 != 0;
    }

    // `sets` are the tree's.
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

    // The rule by which these levels go left and right, and others as said. A large set is put at
    // the end of `sets`.
    static LevelRule of(std::span<const Level> left, std::span<const Level> right, bool others_left,
                        std::vector<std::uint32_t>& sets);
    // The same rule in another tree: a set apart is put at the end of its sets.
    LevelRule copied(std::span<const std::uint32_t> from, std::vector<std::uint32_t>& to) const;
    // How many of the tree's words are its own, if it is a rule.
    std::size_t n_words(std::span<const std::uint32_t> sets) const;
    // Whether it is a rule at all.
    bool valid(std::span<const std::uint32_t> sets) const;

private:
    static constexpr std::uint64_t kNaN = std::uint64_t{0x7FF8} << 48;

    bool goes_left_apart(Level level, std::span<const std::uint32_t> sets) const;

    std::uint64_t bits_;
};

}  // namespace silvics
