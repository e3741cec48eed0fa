// A split found, and the rules that a search for one obeys.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "sampling/random_stream.hpp"

namespace silvics {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Split {
    FeatureId feature = 0;
    double threshold = 0.0;  // x <= threshold goes left
    Code last_left = 0;      // the same cut in ranks: rank <= last_left goes left
    double decrease = 0.0;   // of impurity, not yet weighted by p(t)
    double middle = 0.0;     // between the children's values, for monotonic constraints
};

enum class Search : std::uint8_t {
    automatic,
    sort,       // sort the node's samples, then scan
    histogram,  // sum the samples of each code, then scan
};

struct SearchRules {
    std::size_t max_features = 1;  // K
    bool constants_count = true;   // among the K drawn (scikit-learn), or are they skipped
    bool random_cut = false;       // Extra-Trees: one uniform cut instead of the best
    Search search = Search::automatic;
    std::size_t split_sample = 0;  // N_0: search on that many samples of a larger node; 0: all
    std::size_t min_samples_leaf = 1;
    double min_weight_leaf = 0.0;
    std::vector<std::int8_t> monotonic;  // per variable: -1, 0, 1; empty: none

    int monotonic_sign(FeatureId f) const { return monotonic.empty() ? 0 : monotonic[f]; }
};

// Bounds that monotonic constraints above a node put on its value.
struct ValueBounds {
    double lower = -kInfinity, upper = kInfinity;
};

struct NodeSamples {
    std::span<const RowId> rows;
    StreamKey key;
    ValueBounds bounds;
};

}  // namespace silvics
