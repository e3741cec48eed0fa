// Extra-Trees: one cut, uniform on [min, max[ of the node's values (Algorithm 4.3).
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "sampling/random_stream.hpp"
#include "splitter/scan_thresholds.hpp"

namespace silvics {

// The stream is that of (node, variable): a cut does not depend on what else was drawn.
inline double draw_threshold(StreamKey node, FeatureId feature, double low, double high) {
    const double u = RandomStream(derive(node, kCutPart + feature)).uniform();
    const double range = high - low;
    const double v =
        range <= std::numeric_limits<double>::max() ? low + u * range : low * (1.0 - u) + high * u;
    return v < high && v >= low ? v : low;
}

// The largest code of the node whose value is at most the threshold, or one between it and the
// next of the node. In a small node few values need to be looked up; in a large one, a search.
inline Code last_code_below(std::span<const Code> codes, CodeRange range,
                            std::span<const double> values, double threshold) {
    if (codes.size() > 16) {
        const auto first = values.begin() + range.low, last = values.begin() + range.high;
        return static_cast<Code>(std::upper_bound(first, last, threshold) - values.begin()) - 1;
    }
    Code left = range.low;
    for (const Code code : codes)
        if (code > left && code < range.high && values[code] <= threshold) left = code;
    return left;
}

// Scores the cut at `threshold`; codes are ranks. `cells` is scratch.
template <Criterion C>
void score_threshold(C& criterion, std::span<const Code> codes, CodeRange range,
                     std::span<const double> values, double threshold, const CutLimits& limits,
                     std::vector<double>& cells, Cut& best) {
    const Code left = last_code_below(codes, range, values, threshold);
    criterion.begin_scan();
    std::size_t n_left = 0;
    if constexpr (C::kSummable) {  // a cell for each side: no branch that cannot be foreseen
        const std::size_t width = criterion.histogram_width();
        cells.assign(2 * width, 0.0);
        for (std::size_t i = 0; i < codes.size(); ++i) {
            const bool goes_left = codes[i] <= left;
            criterion.add_to(cells.data() + (goes_left ? 0 : width), static_cast<Position>(i));
            n_left += goes_left;
        }
        criterion.move_cell(cells.data());
    } else {
        for (std::size_t i = 0; i < codes.size(); ++i)
            if (codes[i] <= left) {
                criterion.move(static_cast<Position>(i));
                ++n_left;
            }
    }
    if (limits.allow(n_left, criterion.left_weight(), criterion.right_weight()))
        keep_if_better(criterion, limits, left, left + 1, best);
}

}  // namespace silvics
