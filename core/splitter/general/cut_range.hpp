// The range in which a node may be cut: that of some of its samples, drawn at random (Denil et al.
// 2013).
#pragma once

#include <vector>

#include "splitter/splitter.hpp"

namespace silvics {

class CutRange {
public:
    explicit CutRange(const SplitterParts& parts) : table_(parts.table), rules_(parts.rules) {}

    // Draws the samples, once for all variables; nodes of no more samples have no bounds.
    void draw(StreamKey node, std::span<const RowId> rows) {
        rows_.clear();
        feature_ = kNone;
        if (rules_.range_sample == 0 || rows.size() <= rules_.range_sample) return;
        RandomStream stream(derive(node, kRangePart));
        for_selected(rows.size(), rules_.range_sample, stream,
                     [&](std::size_t i) { rows_.push_back(rows[i]); });
    }

    // Whether a cut between these neighbours is within the range.
    bool holds(FeatureId f, double below, double above) {
        if (rows_.empty()) return true;
        if (f != feature_) {
            feature_ = f;
            low_ = kInfinity;
            high_ = -kInfinity;
            for (const RowId row : rows_) {
                const double x = table_.columns[f].value(row);
                low_ = x < low_ ? x : low_;
                high_ = x > high_ ? x : high_;
            }
        }
        return below >= low_ && above <= high_;
    }

private:
    static constexpr FeatureId kNone = ~FeatureId{0};

    const Table& table_;
    const SearchRules& rules_;
    std::vector<RowId> rows_;
    FeatureId feature_ = kNone;  // variable whose range is known
    double low_ = 0.0, high_ = 0.0;
};

}  // namespace silvics
