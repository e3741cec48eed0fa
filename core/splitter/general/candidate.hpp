// A split that a node may take, of any kind, and the choice among such splits.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/logarithm.hpp"
#include "splitter/split.hpp"

namespace silvics {

struct Candidate {
    FeatureId feature = 0;
    double decrease = -kInfinity;  // decrease of impurity
    double worth = -kInfinity;     // value that candidates are compared by
    double information = 0.0;      // information of the split itself, in bits
    double p_value = 1.0;
    double middle = 0.0;

    // Samples up to the threshold go left; or, for a category, samples of some levels; or each
    // value has a child.
    enum class Test : std::uint8_t { threshold, levels, values };
    Test test = Test::threshold;
    double threshold = 0.0;  // for levels, the rule of their coins
    bool coins = false;
    MissingSide missing = MissingSide::unseen;
    std::vector<Code> left;    // levels that go left, ascending
    std::vector<Code> values;  // levels or interval numbers, ascending, each with a child
    bool missing_child = false;
    std::vector<Term> terms;  // terms of a combination

    bool found() const { return decrease != -kInfinity; }
};

// The information of a split into parts of these weights.
inline double information_of(std::span<const double> weights) {
    double whole = 0.0, sum = 0.0;
    for (const double w : weights) {
        whole += w;
        sum += x_log2_x(w);
    }
    return (x_log2_x(whole) - sum) / whole;
}

// Chooses one of the candidates.
class Chooser {
public:
    // Decreases that differ by at most the tolerance are equal up to rounding.
    Chooser(const SearchRules& rules, const NodeSamples& node, double tolerance)
        : rules_(rules), node_(node), tolerance_(tolerance) {}

    const Candidate& choose(const std::vector<Candidate>& from) const {
        switch (rules_.choice) {
            case Choice::gain_ratio:
                return by_gain_ratio(from);
            case Choice::one_of_best:
                return from[draw_below(from.size())];
            case Choice::near_best:
                return near_best(from);
            case Choice::significant:
                return *std::ranges::min_element(from, [](const Candidate& a, const Candidate& b) {
                    return a.p_value != b.p_value ? a.p_value < b.p_value : a.worth > b.worth;
                });
            default:
                return best(from);
        }
    }

    // The value by which candidates are compared: the gain ratio, Relief's weight, or the decrease
    // times two to the exponent, in the user's units.
    double score_of(const Candidate& c, int exponent) const {
        if (rules_.choice == Choice::gain_ratio)
            return c.information > 0.0 ? c.decrease / c.information : 0.0;
        return rules_.choice == Choice::relief ? c.worth : std::ldexp(c.worth, exponent);
    }

private:
    // The first of equal candidates.
    const Candidate& best(const std::vector<Candidate>& from) const {
        const double most = std::ranges::max_element(from, {}, &Candidate::worth)->worth;
        return *std::ranges::find_if(
            from, [&](const Candidate& c) { return c.worth >= most - tolerance_; });
    }

    std::size_t draw_below(std::size_t n) const {
        return static_cast<std::size_t>(RandomStream(derive(node_.key, kChoicePart)).below(n));
    }

    // Quinlan (1993): the ratio alone would favour splits that separate very few samples.
    const Candidate& by_gain_ratio(const std::vector<Candidate>& from) const {
        constexpr double kRoundingError = 1e-12;  // smaller gains are rounding errors
        double sum = 0.0, n = 0.0;
        for (const Candidate& c : from) {
            if (!(c.decrease > kRoundingError)) continue;
            sum += c.decrease;
            n += 1.0;
        }
        if (n == 0.0) return best(from);
        const Candidate* taken = nullptr;
        double most = -kInfinity;
        for (const Candidate& c : from) {
            if (!(c.decrease > kRoundingError) || c.decrease < sum / n - kRoundingError) continue;
            const double ratio = c.decrease / c.information;
            if (taken != nullptr && !(ratio > most + kRoundingError)) continue;
            taken = &c;
            most = ratio;
        }
        return *taken;
    }

    const Candidate& near_best(const std::vector<Candidate>& from) const {
        const Candidate& top = best(from);
        if (node_.place->depth >= rules_.near_best_depth) return top;
        std::vector<const Candidate*> near;
        for (const Candidate& c : from)
            if (c.worth >= (1.0 - rules_.near_best) * top.worth) near.push_back(&c);
        return near.empty() ? top : *near[draw_below(near.size())];
    }

    const SearchRules& rules_;
    const NodeSamples& node_;
    const double tolerance_;
};

}  // namespace silvics
