// A block of samples for unpacked trees that test levels: their values as unsigned numbers in the
// same order, followed by masks, one for each variable of levels.
//
// A mask has one bit for each level that a rule can list in place of a threshold, and one each for
// all other levels and for missing values; the bit of the sample's level is set.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "predictor/packed_forest.hpp"
#include "predictor/row_blocks.hpp"

namespace silvics {

// The variables whose levels are tested by some node of a forest.
class LevelColumns {
public:
    LevelColumns() = default;
    explicit LevelColumns(const PackedForest& forest);

    bool empty() const { return features_.empty(); }
    std::span<const FeatureId> features() const { return features_; }
    // The number of such a variable among them.
    std::uint32_t number_of(FeatureId f) const { return number_[f]; }

private:
    std::vector<FeatureId> features_;
    std::vector<std::uint32_t> number_;  // by variable
};

class LevelBlock {
public:
    LevelBlock(const LevelColumns& columns, const RowBlock& block);

    const std::uint64_t* values() const { return values_.data(); }
    std::size_t width() const { return n_values_ + columns_.features().size(); }
    bool whole() const { return whole_; }  // no value is missing

    // Keys compare as numbers do.
    static std::uint64_t key_of(double x) {
        constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
        const auto bits = std::bit_cast<std::uint64_t>(x + 0.0);  // there is one zero
        return (bits & kSign) != 0 ? ~bits : bits | kSign;
    }
    static constexpr std::uint64_t kMissingKey = ~std::uint64_t{0};

    // The place of the masks of a variable among the values of a sample.
    std::uint32_t place_of(FeatureId f) const {
        return static_cast<std::uint32_t>(n_values_) + columns_.number_of(f);
    }
    // The bits of what goes right by the rule of a node; none if the rule distinguishes levels of
    // the block that have no bit.
    std::optional<std::uint64_t> right_of(const PackedNode& node,
                                          std::span<const std::uint32_t> sets) const;

private:
    // The bits after those of the levels.
    static constexpr unsigned kOther = LevelRule::kInlineLevels, kMissing = kOther + 1;
    static constexpr std::uint64_t kAll = (std::uint64_t{1} << (kMissing + 1)) - 1;

    const LevelColumns& columns_;
    std::size_t n_values_;
    bool whole_;
    std::vector<std::uint64_t> values_;
    std::vector<Level> n_levels_;  // of each variable of levels: those below it occur in the block
};

}  // namespace silvics
