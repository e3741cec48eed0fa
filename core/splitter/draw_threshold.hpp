// Extra-Trees: one cut, uniform on [min, max[ of the node's values (Algorithm 4.3).
#pragma once

#include <algorithm>
#include <span>

#include "sampling/random_stream.hpp"
#include "splitter/scan_thresholds.hpp"

namespace silvics {

// The stream is that of (node, variable): a cut does not depend on what else was drawn.
inline double draw_threshold(StreamKey node, FeatureId feature, double low, double high) {
    const double u = RandomStream(derive(node, kCutPart + feature)).uniform();
    const double range = high - low;
    const double v = range <= std::numeric_limits<double>::max() ? low + u * range
                                                                 : low * (1.0 - u) + high * u;
    return v < high && v >= low ? v : low;
}

// Scores the cut at `threshold`; codes are ranks. Returns the last rank on the left.
template <Criterion C>
Code score_threshold(C& criterion, std::span<const Code> codes, CodeRange range,
                     std::span<const double> values, double threshold, const CutLimits& limits,
                     Cut& best) {
    const auto first = values.begin() + range.low, last = values.begin() + range.high;
    const Code left = static_cast<Code>(std::upper_bound(first, last, threshold) - values.begin()) - 1;
    criterion.begin_scan();
    std::size_t n_left = 0;
    for (std::size_t i = 0; i < codes.size(); ++i)
        if (codes[i] <= left) {
            criterion.move(static_cast<Position>(i));
            ++n_left;
        }
    if (limits.allow(criterion, n_left)) keep_if_better(criterion, limits, left, left + 1, best);
    return left;
}

}  // namespace silvics
