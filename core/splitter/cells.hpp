// The cells of nodes: boxes that the splits cut out of the input space, whether or not they
// contain samples.
//
// A cell is stored as the cut that made it and the cell that was cut, so that its cost does not
// depend on the number of variables.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace silvics {

class Cells {
public:
    using CellId = std::uint32_t;

    static constexpr CellId whole() { return 0; }

    // The cell on one side of a cut.
    CellId cut(CellId cell, FeatureId feature, double at, bool left) {
        cuts_.push_back({cell, feature, at, left});
        return checked_id(cuts_.size(), kMaxIds, "cells");
    }

    // The interval of a cell along a variable, whose whole range is given.
    std::pair<double, double> side(CellId cell, FeatureId feature,
                                   std::pair<double, double> range) const {
        bool low_known = false, high_known = false;
        for (; cell != whole() && !(low_known && high_known); cell = cuts_[cell - 1].of) {
            const Side& cut = cuts_[cell - 1];
            if (cut.feature != feature) continue;
            // The innermost cut comes first.
            if (cut.left && !std::exchange(high_known, true)) range.second = cut.at;
            if (!cut.left && !std::exchange(low_known, true)) range.first = cut.at;
        }
        return range;
    }

private:
    struct Side {
        CellId of;
        FeatureId feature;
        double at;
        bool left;
    };

    std::vector<Side> cuts_;
};

}  // namespace silvics
