// The estimation samples of an honest tree: they fill its leaves, and limit where it may be cut.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "sampling/sample_order.hpp"
#include "splitter/general/column_reader.hpp"

namespace silvics {

class EstimationSamples {
public:
    explicit EstimationSamples(const SearchRules& rules) : rules_(rules) {}

    SampleOrder samples;  // of the node

    // Sorts the samples by a variable, or a combination of variables; missing values come last.
    void set_order(const ColumnReader& reader, FeatureId f, std::span<const Term> terms) {
        reader.numbers(f, samples.rows, terms, values_);
        order_.resize(samples.size());
        std::iota(order_.begin(), order_.end(), Position{0});
        const auto rest = std::ranges::stable_partition(
            order_, [&](Position i) { return !std::isnan(values_[i]); });
        n_known_ = static_cast<std::size_t>(rest.begin() - order_.begin());
        std::ranges::stable_sort(std::span(order_).first(n_known_), {},
                                 [&](Position i) { return values_[i]; });
        weight_upto_.assign(1, 0.0);
        for (const Position i : order_)
            weight_upto_.push_back(weight_upto_.back() + samples.weights[i]);
    }

    // Whether a threshold leaves enough samples on both sides.
    bool on_both_sides(double threshold, MissingSide missing) const {
        const auto known = std::span(order_).first(n_known_);
        const auto above =
            std::ranges::upper_bound(known, threshold, {}, [&](Position i) { return values_[i]; });
        auto n = static_cast<std::size_t>(above - known.begin());
        double weight = weight_upto_[n];
        if (missing == MissingSide::left) {
            n += order_.size() - n_known_;
            weight += weight_upto_.back() - weight_upto_[n_known_];
        }
        const std::size_t both = n_on_sides();
        return enough(n, weight) && enough(both - n, weight_upto_[both] - weight);
    }

    // Whether a child with as many samples is large enough.
    bool enough(std::size_t n, double weight) const {
        return n >= min_samples() && weight >= rules_.min_weight_leaf;
    }
    std::size_t min_samples() const { return std::max<std::size_t>(rules_.min_samples_leaf, 1); }
    // The number of samples that go to one of two sides by the current variable.
    std::size_t n_on_sides() const {
        return rules_.missing == MissingRule::apart ? n_known_ : samples.size();
    }

    // The number of samples of each level; the last are the missing ones.
    std::vector<std::uint32_t> count_levels(const ColumnReader& reader, FeatureId f) {
        const std::size_t n = reader.column(f).n_codes;
        std::vector<std::uint32_t> counts(n + 1, 0);
        for (const Code level : reader.levels(f, samples.rows, levels_))
            ++counts[std::min<std::size_t>(level, n)];
        n_known_ = samples.size() - counts[n];
        return counts;
    }

private:
    const SearchRules& rules_;
    std::vector<Position> order_;
    std::size_t n_known_ = 0;
    std::vector<double> values_, weight_upto_;
    std::vector<Code> levels_;
};

}  // namespace silvics
