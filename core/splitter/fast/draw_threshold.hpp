// Extra-Trees: one cut, uniform on [min, max[ of the values of the node (Algorithm 4.3).
#pragma once

#include <limits>

#include "sampling/random_stream.hpp"
#include "splitter/gather.hpp"

namespace silvics {

// The stream depends on the node and the variable only: a cut does not depend on what else was
// drawn.
inline double draw_threshold(StreamKey node, FeatureId feature, double low, double high) {
    const double u = RandomStream(derive(node, kCutPart + feature)).uniform();
    const double range = high - low;
    const double v =
        range <= std::numeric_limits<double>::max() ? low + u * range : low * (1.0 - u) + high * u;
    return v < high && v >= low ? v : low;
}

}  // namespace silvics
