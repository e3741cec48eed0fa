// Some samples of a node, drawn at random, bound where it may be cut (Denil et al. 2013).
#pragma once

#include <vector>

#include "splitter/splitter.hpp"

namespace silvics {

class CutRange {
public:
    explicit CutRange(const SplitterParts& parts) : table_(parts.table), rules_(parts.rules) {}

    // One draw for all variables; none at a node of no more samples.
    void draw(StreamKey node, std::span<const RowId> rows) {
        rows_.clear();
        feature_ = kNone;
        if (rules_.range_sample == 0 || rows.size() <= rules_.range_sample) return;
        RandomStream stream(derive(node, kRangePart));
        std::size_t wanted = rules_.range_sample;
        for (std::size_t i = 0; wanted > 0; ++i)
            if (stream.below(rows.size() - i) < wanted) {
                rows_.push_back(rows[i]);
                --wanted;
            }
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
    FeatureId feature_ = kNone;  // whose range is known
    double low_ = 0.0, high_ = 0.0;
};

}  // namespace silvics
