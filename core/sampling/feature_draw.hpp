// Draws the variables of a node without replacement (Algorithm 4.1): a Fisher-Yates shuffle of an
// array that is restored afterwards, so that the work per node does not grow with p.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "sampling/random_stream.hpp"

namespace silvics {

class FeatureDraw {
public:
    // Draws among these variables.
    explicit FeatureDraw(std::vector<FeatureId> features)
        : order_(std::move(features)), swaps_(order_.size()) {}
    explicit FeatureDraw(std::size_t n_features) : FeatureDraw(first_features(n_features)) {}

    static std::vector<FeatureId> first_features(std::size_t n) {
        std::vector<FeatureId> features(n);
        std::iota(features.begin(), features.end(), FeatureId{0});
        return features;
    }

    void begin(StreamKey node) {
        while (drawn_ > 0) {
            --drawn_;
            std::swap(order_[drawn_], order_[swaps_[drawn_]]);
        }
        stream_ = RandomStream(derive(node, kVariablesPart));
    }

    std::size_t size() const { return order_.size(); }

    bool done() const { return drawn_ == order_.size(); }

    FeatureId next() {
        const std::size_t i = drawn_++;
        const std::size_t j = i + static_cast<std::size_t>(stream_.below(order_.size() - i));
        std::swap(order_[i], order_[j]);
        swaps_[i] = static_cast<FeatureId>(j);
        return order_[i];
    }

private:
    std::vector<FeatureId> order_;
    std::vector<FeatureId> swaps_;  // one for each variable drawn
    std::size_t drawn_ = 0;
    RandomStream stream_{0};
};

// The variables of a tree: `wanted` of the given ones, in ascending order; 0 means all.
inline std::vector<FeatureId> draw_columns(std::vector<FeatureId> features, std::size_t wanted,
                                           std::uint32_t seed) {
    if (wanted == 0 || wanted >= features.size()) return features;
    RandomStream stream(derive(root_key(seed), kColumnsPart));
    for (std::size_t i = 0; i < wanted; ++i)
        std::swap(features[i],
                  features[i + static_cast<std::size_t>(stream.below(features.size() - i))]);
    features.resize(wanted);
    std::ranges::sort(features);
    return features;
}
inline std::vector<FeatureId> draw_columns(std::size_t n_features, std::size_t wanted,
                                           std::uint32_t seed) {
    return draw_columns(FeatureDraw::first_features(n_features), wanted, seed);
}

}  // namespace silvics
