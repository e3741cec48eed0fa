// The variables of a node, one after another, without replacement (Algorithm 4.1).
// Fisher-Yates on a standing array, undone afterwards: no work per node that grows with p.
#pragma once

#include <numeric>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "sampling/random_stream.hpp"

namespace silvics {

class FeatureDraw {
public:
    explicit FeatureDraw(std::size_t n_features) : order_(n_features), swaps_(n_features) {
        std::iota(order_.begin(), order_.end(), FeatureId{0});
    }

    void begin(StreamKey node) {
        while (drawn_ > 0) {
            --drawn_;
            std::swap(order_[drawn_], order_[swaps_[drawn_]]);
        }
        stream_ = RandomStream(derive(node, kVariablesPart));
    }

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
    std::vector<FeatureId> swaps_;  // as many as drawn
    std::size_t drawn_ = 0;
    RandomStream stream_{0};
};

}  // namespace silvics
