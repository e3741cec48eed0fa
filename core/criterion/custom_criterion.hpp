// Criteria whose impurity is a function of the user, of class weights or of moments.
//
// A call of the function takes much longer than a sum, so that the cuts of a variable are scored
// together: begin_batch(), add_to_batch() at each cut, score_batch().
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "criterion/class_counts.hpp"
#include "criterion/moments.hpp"
#include "data/impurity_function.hpp"

namespace silvics {

template <class Derived>
class CustomScores {
public:
    static constexpr bool kComparesMeans = false;

    explicit CustomScores(const Target& target) : function_(target.impurity.get()) {
        if (function_ == nullptr) throw std::invalid_argument("the criterion has no function");
    }

    // The score of a cut is the impurity of both sides times their weights, with a minus, summed
    // over the outputs.
    double score() const {
        begin_batch();
        add_to_batch();
        return score_batch()[0];
    }
    void begin_batch() const {
        for (std::vector<double>& of_output : rows_) of_output.clear();
        weights_.clear();
    }
    void add_to_batch() const {
        const Derived& self = derived();
        weights_.push_back(self.left_weight());
        weights_.push_back(self.right_weight());
        for (std::size_t k = 0; k < self.n_custom_outputs(); ++k) {
            if (rows_.size() <= k) rows_.emplace_back();
            self.append_row(k, true, rows_[k]);
            self.append_row(k, false, rows_[k]);
        }
    }
    std::size_t batch_size() const { return weights_.size() / 2; }
    std::span<const double> score_batch() const {
        scores_.assign(batch_size(), 0.0);
        for (std::size_t k = 0; k < rows_.size(); ++k) {
            const std::vector<double>& impurities = impurities_of(rows_[k]);
            for (std::size_t i = 0; i < scores_.size(); ++i)
                scores_[i] -= weights_[2 * i] * impurities[2 * i] +
                              weights_[2 * i + 1] * impurities[2 * i + 1];
        }
        return scores_;
    }

protected:
    void forget_node() { node_impurity_.reset(); }
    // Summed over the outputs.
    double impurity_of_node() const {
        if (!node_impurity_) {
            node_impurity_ = 0.0;
            std::vector<double> row;
            for (std::size_t k = 0; k < derived().n_custom_outputs(); ++k) {
                row.clear();
                derived().append_node(k, row);
                *node_impurity_ += impurities_of(row)[0];
            }
        }
        return *node_impurity_;
    }

private:
    const Derived& derived() const { return static_cast<const Derived&>(*this); }

    const std::vector<double>& impurities_of(const std::vector<double>& rows) const {
        const std::size_t width = derived().custom_width(), n = rows.size() / width;
        impurities_.resize(n);
        function_->impurities(rows.data(), n, width, impurities_.data());
        return impurities_;
    }

    const ImpurityFunction* function_;
    // Buffers of a batch: by output, the rows of both sides of each cut.
    mutable std::vector<std::vector<double>> rows_;
    mutable std::vector<double> weights_, scores_, impurities_;
    mutable std::optional<double> node_impurity_;
};

// The function reads the weight of each class.
class CustomCounts : public ClassCounts<Gini>, public CustomScores<CustomCounts> {
    using Counts = ClassCounts<Gini>;
    using Scores = CustomScores<CustomCounts>;
    friend Scores;

public:
    using Scores::kComparesMeans;
    using Scores::score;

    CustomCounts(const Target& target, const LearningSubset& subset, const StopFlag& stop)
        : Counts(target, subset, stop),
          Scores(target),
          width_(*std::ranges::max_element(target.n_classes)) {}

    void enter(const SampleOrder& order, std::size_t begin, std::size_t n) {
        Counts::enter(order, begin, n);
        forget_node();
    }
    double impurity() const { return impurity_of_node() / n_outputs(); }
    double scored_impurity() const { return impurity(); }
    double decrease(double score) const {
        return (score / weight() + impurity_of_node()) / n_outputs();
    }
    double score_per_decrease() const { return weight() * n_outputs(); }
    bool one_order() const { return false; }

private:
    std::size_t custom_width() const { return width_; }
    std::size_t n_custom_outputs() const { return outputs_.size(); }
    void append_row(std::size_t k, bool left, std::vector<double>& rows) const {
        append(k, rows, [&](std::size_t at) { return left ? left_[at] : total_[at] - left_[at]; });
    }
    void append_node(std::size_t k, std::vector<double>& rows) const {
        append(k, rows, [&](std::size_t at) { return total_[at]; });
    }
    // Classes that an output does not have, or that are not at the node, have the weight zero.
    template <class WeightAt>
    void append(std::size_t k, std::vector<double>& rows, WeightAt&& weight_at) const {
        const Output& out = outputs_[k];
        const std::size_t first = rows.size();
        rows.resize(first + width_, 0.0);
        for (std::size_t c = 0; c < out.present.size(); ++c)
            rows[first + out.present[c]] = weight_at(out.first + c);
    }

    std::size_t width_;  // the largest number of classes of an output
};

// The function reads the weight, the mean and the variance.
class CustomMoments : public Moments<SumsOfSquares>, public CustomScores<CustomMoments> {
    using Sums = Moments<SumsOfSquares>;
    using Scores = CustomScores<CustomMoments>;
    friend Scores;

public:
    using Scores::kComparesMeans;
    using Scores::score;

    CustomMoments(const Target& target, const LearningSubset& subset, const StopFlag& stop)
        : Sums(target, subset, stop), Scores(target), centre_(target.n_outputs) {}

    // The outputs are summed around their mean at the node: variances of sides that are much purer
    // than the whole table would be lost in the rounding of its squares.
    void enter(const SampleOrder& order, std::size_t begin, std::size_t n) {
        order.copy_range(begin, n, samples_);
        for (std::size_t k = 0; k < q_; ++k) {
            double* const y = samples_.values.data() + k * n;
            double sum = 0.0, weight = 0.0;
            for (std::size_t i = 0; i < n; ++i) {
                sum += samples_.weights[i] * y[i];
                weight += samples_.weights[i];
            }
            centre_[k] = sum / weight;
            for (std::size_t i = 0; i < n; ++i) y[i] -= centre_[k];
        }
        Sums::enter(samples_, 0, n);
        forget_node();
    }
    void write_value(std::span<double> value) const {
        Sums::write_value(value);
        for (std::size_t k = 0; k < q_; ++k)
            if (!same_[k]) value[k] = value_of(k, total_[1 + k] / weight());
    }
    double left_value() const { return value_of(0, left_[1] / left_weight()); }
    double right_value() const { return value_of(0, (total_[1] - left_[1]) / right_weight()); }
    double impurity() const { return impurity_of_node() / static_cast<double>(q_); }
    double scored_impurity() const { return impurity(); }
    int impurity_exponent() const { return 0; }
    double decrease(double score) const {
        return (score / weight() + impurity_of_node()) / static_cast<double>(q_);
    }
    double score_per_decrease() const { return weight() * static_cast<double>(q_); }
    bool one_order() const { return false; }

private:
    std::size_t custom_width() const { return 3; }
    std::size_t n_custom_outputs() const { return q_; }
    void append_row(std::size_t k, bool left, std::vector<double>& rows) const {
        append(k, rows, [&](std::size_t at) { return left ? left_[at] : total_[at] - left_[at]; });
    }
    void append_node(std::size_t k, std::vector<double>& rows) const {
        append(k, rows, [&](std::size_t at) { return total_[at]; });
        if (same_[k]) rows.back() = 0.0;
    }
    template <class SumAt>
    void append(std::size_t k, std::vector<double>& rows, SumAt&& sum_at) const {
        const double weight = sum_at(0), mean = sum_at(1 + k) / weight;
        const double variance = std::max(0.0, sum_at(1 + q_ + k) / weight - mean * mean);
        rows.push_back(weight);
        rows.push_back(value_of(k, mean));
        rows.push_back(variance / target_.scale / target_.scale);
    }
    double value_of(std::size_t k, double mean) const {
        return target_.unscaled(k, centre_[k] + mean);
    }

    std::vector<double> centre_;
    SampleOrder samples_;
};

}  // namespace silvics
