// A block of samples for unpacked trees that test levels: the values of a sample are followed by
// masks, one for each variable of levels, in the bits of doubles.
//
// A mask has one bit for each level that a rule can list in place of a threshold, and one each for
// all other levels and for missing values; the bit of the sample's level is set. The unpacked node
// has the same bits for what goes left, so that one `and` decides.
#pragma once

#include <bit>
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

    // The samples, each with its masks. Valid as long as this object.
    const RowBlock& rows() const { return rows_; }
    // The place of the masks of a variable among the values of a sample.
    FeatureId place_of(FeatureId f) const {
        return static_cast<FeatureId>(n_values_ + columns_.number_of(f));
    }
    // The bits of what goes left by the rule of a node; none if the rule distinguishes levels of
    // the block that have no bit.
    std::optional<std::uint64_t> bits_of(const PackedNode& node,
                                         std::span<const std::uint32_t> sets) const;

    LevelBlock(const LevelBlock&) = delete;
    LevelBlock& operator=(const LevelBlock&) = delete;

private:
    // The bits after those of the levels.
    static constexpr unsigned kOther = LevelRule::kInlineLevels, kMissing = kOther + 1;

    const LevelColumns& columns_;
    std::size_t n_values_;
    std::vector<double> values_;
    std::vector<Level> n_levels_;  // of each variable of levels: those below it occur in the block
    RowBlock rows_;
};

}  // namespace silvics
