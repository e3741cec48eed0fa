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
    // continues until one was. Variables that every node tries come first. Only the variables
    // allowed at the node are drawn; null allows all.
    template <class Try>
    void for_each(StreamKey key, const std::vector<FeatureId>* allowed, const Constants& constants,
                  Try&& try_variable) {
        std::size_t wanted = rules_.max_features;
        if (rules_.variable_draw == VariableDraw::poisson) {
            RandomStream stream(derive(key, kNumberPart));
            wanted = 1 + draw_poisson(static_cast<double>(wanted), stream, features_.size());
        }
        const bool unused = rules_.variable_draw == VariableDraw::unused;
        std::size_t useful = 0;
        for (const FeatureId f : rules_.always)
            if (!constants.known(f) && (allowed == nullptr || contains(*allowed, f)))
                useful += try_variable(f);
        begin(key, allowed);
        draw_variables(
            *this, constants, {wanted, rules_.constants_count && !unused, 1, useful}, batch_,
            [](const std::vector<FeatureId>&) {},
            [&](std::size_t, FeatureId f) { return try_variable(f); }, [] { return false; });
    }

    bool done() const { return some_ ? next_ == left_.size() : draw_.done(); }
    // Weighted draws are proportional among the variables left; those of probability zero come
    // last, in their order.
    FeatureId next() {
        if (!some_) return draw_.next();
        if (rules_.variable_draw != VariableDraw::weighted) {
            const auto at = static_cast<std::size_t>(stream_.below(left_.size() - next_));
            std::swap(left_[next_], left_[next_ + at]);
            return left_[next_++];
        }
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
    void begin(StreamKey key, const std::vector<FeatureId>* allowed) {
        some_ = rules_.variable_draw == VariableDraw::weighted || allowed != nullptr ||
                !rules_.always.empty();
        if (!some_) return draw_.begin(key);
        stream_ = RandomStream(derive(key, kVariablesPart));
        next_ = 0;
        left_.clear();
        for (const FeatureId f : features_)
            if ((allowed == nullptr || contains(*allowed, f)) && !contains(rules_.always, f))
                left_.push_back(f);
    }

    static bool contains(const std::vector<FeatureId>& ascending, FeatureId f) {
        return std::ranges::binary_search(ascending, f);
    }

    const SearchRules& rules_;
    const std::vector<FeatureId>& features_;
    FeatureDraw draw_;
    RandomStream stream_{0};
    bool some_ = false;  // whether variables are drawn from `left_`, those of the node
    std::vector<FeatureId> left_, batch_;
    std::size_t next_ = 0;
};

}  // namespace silvics
