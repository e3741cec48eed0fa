// Draws the variables of a node by any rule (VariableDraw).
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

// Draws a Poisson number by products of uniform numbers; a large mean is split into a sum of
// smaller ones. The draw ends once the number is known to be at least `enough`.
inline std::size_t draw_poisson(double mean, RandomStream& stream,
                                std::size_t enough = std::numeric_limits<std::size_t>::max()) {
    constexpr double kMaxMeanOfStep = 64.0;
    std::size_t n = 0;
    for (double left = mean; left > 0.0 && n < enough; left -= kMaxMeanOfStep) {
        const double limit = std::exp(-std::min(left, kMaxMeanOfStep));
        for (double product = stream.uniform(); product > limit; product *= stream.uniform()) ++n;
    }
    return n;
}

class VariablesOfNode {
public:
    VariablesOfNode(const std::vector<FeatureId>& features, const SearchRules& rules)
        : rules_(rules), features_(features), draw_(features) {}

    // Calls try_variable(f) for each variable drawn, which returns whether it was useful. Drawing
    // continues until one was.
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
    // Weighted draws are proportional among the variables left; those of probability zero come
    // last, in their order.
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
