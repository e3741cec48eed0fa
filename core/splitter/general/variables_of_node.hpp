// The variables that a node looks at: any of the ways of drawing them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sampling/feature_draw.hpp"
#include "splitter/constants.hpp"
#include "splitter/draw_variables.hpp"
#include "splitter/split.hpp"

namespace silvics {

// A Poisson variable, by the product of uniform ones; a large mean is the sum of smaller ones.
// Drawing ends once the variable is known to be `enough` or more.
inline std::size_t draw_poisson(double mean, RandomStream& stream,
                                std::size_t enough = std::numeric_limits<std::size_t>::max()) {
    constexpr double kLargest = 64.0;
    std::size_t n = 0;
    for (double left = mean; left > 0.0 && n < enough; left -= kLargest) {
        const double limit = std::exp(-std::min(left, kLargest));
        for (double product = stream.uniform(); product > limit; product *= stream.uniform()) ++n;
    }
    return n;
}

class VariablesOfNode {
public:
    VariablesOfNode(const std::vector<FeatureId>& features, const SearchRules& rules)
        : rules_(rules), features_(features), draw_(features) {}

    // try_variable(f) for each variable drawn; it answers whether it was of use. Drawing goes on
    // until one was.
    template <class Try>
    void for_each(StreamKey key, const Constants& constants, Try&& try_variable) {
        std::size_t wanted = rules_.max_features;
        if (rules_.variable_draw == VariableDraw::poisson) {
            RandomStream stream(derive(key, kNumberPart));
            wanted = 1 + draw_poisson(static_cast<double>(wanted), stream, features_.size());
        }
        const bool unused = rules_.variable_draw == VariableDraw::unused;
        begin(key);
        draw_variables(
            *this, constants, {wanted, rules_.constants_count && !unused, 1}, batch_,
            [](const std::vector<FeatureId>&) {},
            [&](std::size_t, FeatureId f) { return try_variable(f); }, [] { return false; });
    }

    bool done() const {
        return rules_.variable_draw == VariableDraw::weighted ? left_.empty() : draw_.done();
    }
    // By probabilities: among those left, in proportion; those of none come last, in their order.
    FeatureId next() {
        if (rules_.variable_draw != VariableDraw::weighted) return draw_.next();
        double whole = 0.0;
        for (const FeatureId f : left_) whole += rules_.probabilities[f];
        double place = stream_.uniform() * whole;
        std::size_t at = 0, last = 0;
        for (std::size_t i = 0; i < left_.size(); ++i) {
            const double p = rules_.probabilities[left_[i]];
            if (!(p > 0.0)) continue;
            last = at = i;
            if (place < p) break;
            place -= p;
        }
        at = whole > 0.0 ? last : 0;
        const FeatureId f = left_[at];
        left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(at));
        return f;
    }

private:
    void begin(StreamKey key) {
        if (rules_.variable_draw != VariableDraw::weighted) return draw_.begin(key);
        stream_ = RandomStream(derive(key, kVariablesPart));
        left_ = features_;
    }

    const SearchRules& rules_;
    const std::vector<FeatureId>& features_;
    FeatureDraw draw_;
    RandomStream stream_{0};
    std::vector<FeatureId> left_, batch_;
};

}  // namespace silvics
