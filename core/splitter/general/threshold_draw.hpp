// The rules by which a random threshold is drawn (CutDraw).
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "splitter/fast/draw_threshold.hpp"
#include "splitter/general/pair_draw.hpp"
#include "splitter/splitter.hpp"

namespace silvics {

class ThresholdDraw {
public:
    explicit ThresholdDraw(const SplitterParts& parts)
        : rules_(parts.rules), pair_(parts.target, parts.stop) {}

    // Draws pairs of samples of different output among these (CutDraw::pair).
    void begin_pairs(const SampleOrder& samples) { pair_.begin(samples); }
    // Draws the pair of a trial, whose key the thresholds depend on; false if there is none.
    bool draw_pair(StreamKey trial_key, RandomStream& stream) {
        pair_key_ = trial_key;
        return pair_.draw(stream);
    }

    // A threshold in [low, high[. `read` has the values of all structure samples, `values` those of
    // the samples entered. There is none if the samples of the pair have the same value.
    std::optional<double> draw(const NodeSamples& node, FeatureId f, double low, double high,
                               std::span<const double> read, std::span<const double> values) const {
        switch (rules_.cut_draw) {
            case CutDraw::gap:
                return draw_in_gap(node, f, values);
            case CutDraw::pair: {
                const double a = read[pair_.first()], b = read[pair_.second()];
                if (std::isnan(a) || std::isnan(b) || a == b) return std::nullopt;
                return draw_threshold(pair_key_, f, std::min(a, b), std::max(a, b));
            }
            case CutDraw::middle:
            case CutDraw::cell_middle:
                return middle_of_gap(low, high);
            case CutDraw::relevance:
                if (rules_.relevant[f] != 0) return middle_of_gap(low, high);
                break;
            default:
                break;
        }
        return draw_threshold(node.key, f, low, high);
    }

private:
    // Each gap between neighbouring values is equally likely.
    static double draw_in_gap(const NodeSamples& node, FeatureId f,
                              std::span<const double> values) {
        RandomStream stream(derive(node.key, kCutPart + f));
        std::vector<double> distinct;
        for (const double x : values)
            if (std::isfinite(x)) distinct.push_back(x);
        std::ranges::sort(distinct);
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
        const auto gap = static_cast<std::size_t>(stream.below(distinct.size() - 1));
        const double a = distinct[gap], b = distinct[gap + 1];
        const double v = a + stream.uniform() * (b - a);
        return v < b ? v : a;
    }

    const SearchRules& rules_;
    PairDraw pair_;
    StreamKey pair_key_ = 0;
};

}  // namespace silvics
