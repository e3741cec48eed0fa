// Relief's weights of variables at a node: how much more a variable differs between near samples of
// different outputs than between near samples of the same one (Kira and Rendell 1992; ReliefF for
// several classes, Kononenko 1994; RReliefF for numbers, Robnik-Sikonja and Kononenko 1997).
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "splitter/general/candidate.hpp"
#include "splitter/general/column_reader.hpp"
#include "splitter/splitter.hpp"

namespace silvics {

class Relief {
public:
    explicit Relief(const SplitterParts& parts)
        : target_(parts.target),
          rules_(parts.rules),
          stop_(parts.stop),
          features_(parts.features),
          reader_(parts.table, parts.rules) {}

    // Sets the worth of each candidate to the weight of its variable, the mean over the outputs.
    void weigh(StreamKey node, const SampleOrder& samples, std::vector<Candidate>& candidates) {
        if (candidates.empty()) return;
        draw_references(node, samples.size());
        pairs_.clear();
        of_output_.assign(target_.n_outputs, {});
        whole_ = std::accumulate(samples.weights.begin(), samples.weights.end(), 0.0);
        for (std::size_t first = 0; first < references_.size(); first += kBlock) {
            const std::size_t last = std::min(first + kBlock, references_.size());
            measure(samples, first, last);
            for (std::size_t r = first; r < last; ++r) {
                stop_.check();
                add_pairs(samples, references_[r],
                          distances_.data() + (r - first) * samples.size());
            }
        }
        for (Candidate& c : candidates) {
            const Differences differ(*this, samples, c.feature);
            c.worth = target_.classification() ? of_classes(differ) : of_numbers(differ);
        }
    }

private:
    static constexpr std::size_t kBlock = 8;  // references whose distances are kept at a time

    // Two near samples, and by how much their difference counts.
    struct Pair {
        Position a, b;
        double weight;
        std::size_t output = 0;
        double distance = 0.0;  // of numeric outputs, between zero and one
    };

    // The difference of two samples in one variable, between zero and one; a half where a value is
    // missing.
    class Differences {
    public:
        Differences(Relief& relief, const SampleOrder& samples, FeatureId f)
            : category_(relief.reader_.category(f)) {
            if (category_) {
                relief.reader_.levels(f, samples.rows, levels_);
                return;
            }
            relief.reader_.numbers(f, samples.rows, {}, values_);
            double low = kInfinity, high = -kInfinity;
            for (const double x : values_) {
                low = x < low ? x : low;
                high = x > high ? x : high;
            }
            range_ = high > low ? high - low : 1.0;
            if (std::isinf(range_)) {  // of half the values it is finite
                for (double& x : values_) x /= 2;
                range_ = high / 2 - low / 2;
            }
        }
        double operator()(std::size_t a, std::size_t b) const {
            if (category_) {
                const bool missing =
                    levels_[a] == ColumnReader::kMissing || levels_[b] == ColumnReader::kMissing;
                return missing ? 0.5 : levels_[a] != levels_[b] ? 1.0 : 0.0;
            }
            const double difference = std::fabs(values_[a] - values_[b]) / range_;
            return std::isnan(difference) ? 0.5 : difference;
        }

    private:
        bool category_;
        std::vector<Code> levels_;
        std::vector<double> values_;
        double range_ = 1.0;
    };

    // What the pairs of an output of numbers add up to.
    struct OfOutput {
        double references = 0.0, differ = 0.0;
    };

    void draw_references(StreamKey node, std::size_t n) {
        references_.clear();
        RandomStream stream(derive(node, kReliefPart));
        if (n <= rules_.relief_samples) {
            references_.resize(n);
            std::iota(references_.begin(), references_.end(), Position{0});
            return;
        }
        for_selected(n, rules_.relief_samples, stream,
                     [&](std::size_t i) { references_.push_back(static_cast<Position>(i)); });
    }

    // The distances of some references from all samples, summed over the variables of the tree.
    void measure(const SampleOrder& samples, std::size_t first, std::size_t last) {
        const std::size_t n = samples.size();
        distances_.assign((last - first) * n, 0.0);
        for (const FeatureId f : features_) {
            stop_.check();
            const Differences differ(*this, samples, f);
            for (std::size_t r = first; r < last; ++r) {
                double* const of = distances_.data() + (r - first) * n;
                for (std::size_t i = 0; i < n; ++i) of[i] += differ(references_[r], i);
            }
        }
    }

    ClassId class_of(std::size_t k, RowId row) const {
        return target_.classes[k * target_.n_rows + row];
    }

    // The nearest samples of a reference, in each class or in all.
    void add_pairs(const SampleOrder& samples, Position reference, const double* distances) {
        order_.resize(samples.size());
        std::iota(order_.begin(), order_.end(), Position{0});
        std::erase(order_, reference);
        std::ranges::stable_sort(order_, {}, [&](Position i) { return distances[i]; });
        for (std::size_t k = 0; k < target_.n_outputs; ++k)
            if (target_.classification())
                add_classes(samples, reference, k);
            else
                add_numbers(samples, reference, k);
    }

    void add_classes(const SampleOrder& samples, Position reference, std::size_t k) {
        std::vector<double> weight_of(target_.n_classes[k], 0.0);
        for (std::size_t i = 0; i < samples.size(); ++i)
            weight_of[class_of(k, samples.rows[i])] += samples.weights[i];
        const ClassId own = class_of(k, samples.rows[reference]);
        const double others = whole_ - weight_of[own], weight = samples.weights[reference] / whole_;
        std::vector<std::vector<Position>> nearest(target_.n_classes[k]);
        for (const Position i : order_) {
            auto& of_class = nearest[class_of(k, samples.rows[i])];
            if (of_class.size() < rules_.relief_neighbors) of_class.push_back(i);
        }
        for (ClassId c = 0; c < nearest.size(); ++c) {
            double sum = 0.0;
            for (const Position i : nearest[c]) sum += samples.weights[i];
            const double share = c == own ? -1.0 : weight_of[c] / others;
            for (const Position i : nearest[c])
                pairs_.push_back({reference, i, weight * share * samples.weights[i] / sum, k});
        }
        of_output_[k].references += weight;
    }

    void add_numbers(const SampleOrder& samples, Position reference, std::size_t k) {
        double low = kInfinity, high = -kInfinity, sum = 0.0;
        for (const RowId row : samples.rows) {
            low = std::min(low, target_.value(k, row));
            high = std::max(high, target_.value(k, row));
        }
        const std::size_t n = std::min(order_.size(), rules_.relief_neighbors);
        for (std::size_t i = 0; i < n; ++i) sum += samples.weights[order_[i]];
        const double own = target_.value(k, samples.rows[reference]);
        for (std::size_t i = 0; i < n; ++i) {
            const Position other = order_[i];
            const double weight =
                samples.weights[reference] / whole_ * samples.weights[other] / sum;
            const double difference = std::fabs(own - target_.value(k, samples.rows[other]));
            const double distance = high > low ? difference / (high - low) : 0.0;
            pairs_.push_back({reference, other, weight, k, distance});
            of_output_[k].references += weight;
            of_output_[k].differ += weight * distance;
        }
    }

    double of_classes(const Differences& differ) const {
        double sum = 0.0;
        for (const Pair& pair : pairs_)
            sum += pair.weight * differ(pair.a, pair.b) / of_output_[pair.output].references;
        return sum / static_cast<double>(target_.n_outputs);
    }

    double of_numbers(const Differences& differ) const {
        std::vector<double> alone(target_.n_outputs, 0.0), both(target_.n_outputs, 0.0);
        for (const Pair& pair : pairs_) {
            const double x = pair.weight * differ(pair.a, pair.b);
            alone[pair.output] += x;
            both[pair.output] += x * pair.distance;
        }
        double sum = 0.0;
        for (std::size_t k = 0; k < target_.n_outputs; ++k) {
            const double different = of_output_[k].differ,
                         same = of_output_[k].references - different;
            if (different > 0.0) sum += both[k] / different;
            if (same > 0.0) sum -= (alone[k] - both[k]) / same;
        }
        return sum / static_cast<double>(target_.n_outputs);
    }

    const Target& target_;
    const SearchRules& rules_;
    const StopFlag& stop_;
    const std::vector<FeatureId>& features_;
    ColumnReader reader_;
    std::vector<Position> references_, order_;
    std::vector<double> distances_;
    std::vector<Pair> pairs_;
    std::vector<OfOutput> of_output_;
    double whole_ = 0.0;
};

}  // namespace silvics
