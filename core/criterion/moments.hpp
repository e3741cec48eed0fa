// The statistic of regression by means: weighted sums of each output left and right of the cut.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "criterion/concept.hpp"
#include "criterion/impurity.hpp"

namespace silvics {

// Copies the scaled outputs, one output after another.
inline void fill_values(const Target& target, const LearningSubset& subset, SampleOrder& order) {
    order.values.reserve(with_margin(subset.rows.size() * target.n_outputs));
    for (std::size_t k = 0; k < target.n_outputs; ++k)
        for (const RowId row : subset.rows) order.values.push_back(target.value(k, row));
}

template <class Loss>
class Moments {
public:
    static constexpr bool kSummable = true;

    Moments(const Target& target, const LearningSubset&, const StopFlag&)
        : target_(target),
          q_(target.n_outputs),
          n_terms_(Loss::kCountsPositives ? 2 * q_ : q_),
          total_(n_terms_),
          left_(n_terms_) {}

    static void fill(const Target& target, const LearningSubset& subset, SampleOrder& order) {
        order.weights = subset.in_order();
        fill_values(target, subset, order);
    }

    void enter(const SampleOrder& order, std::size_t begin, std::size_t n) {
        rows_ = std::span(order.rows).subspan(begin, n);
        n_ = n;
        weights_ = order.weights.data() + begin;
        weight_ = 0.0;
        for (std::size_t i = 0; i < n; ++i) weight_ += weights_[i];
        terms_.resize(n_ * n_terms_);
        same_.assign(q_, true);
        loss_ = 0.0;
        for (std::size_t k = 0; k < q_; ++k) {
            const double* y = order.values.data() + k * order.size() + begin;
            for (std::size_t i = 0; i < n_; ++i) {
                same_[k] = same_[k] && y[i] == y[0];
                terms_[k * n_ + i] = weights_[i] * y[i];
            }
            total_[k] = sum_of_terms(k);
            same_[k] = same_[k] && target_.same_value(k, rows_);
            if (!same_[k])
                for (std::size_t i = 0; i < n_; ++i)
                    loss_ += weights_[i] * Loss::loss(y[i], total_[k] / weight_);
            if constexpr (Loss::kCountsPositives) {
                for (std::size_t i = 0; i < n_; ++i)
                    terms_[(q_ + k) * n_ + i] = y[i] > 0.0 ? 1.0 : 0.0;
                total_[q_ + k] = sum_of_terms(q_ + k);
            }
        }
    }

    double weight() const { return weight_; }
    bool homogeneous() const {
        return std::ranges::all_of(same_, [](bool same) { return same; });
    }

    double impurity() const { return loss_ / (weight_ * static_cast<double>(q_)); }

    int impurity_exponent() const {
        return -std::ilogb(target_.scale) * (Loss::kComparesMeans ? 2 : 1);
    }

    void write_value(std::span<double> value) const {
        for (std::size_t k = 0; k < q_; ++k) {
            value[k] = same_[k] ? target_.original[k * target_.n_rows + rows_[0]]
                                : target_.unscaled(k, total_[k] / weight_);
        }
    }

    void begin_scan() {
        left_weight_ = 0.0;
        std::ranges::fill(left_, 0.0);
    }

    void move(Position i) {
        left_weight_ += weights_[i];
        for (std::size_t k = 0; k < n_terms_; ++k) left_[k] += terms_[k * n_ + i];
    }

    void move_group(std::span<const Position> group) {
        if (group.size() == 1) return move(group[0]);
        cell_.assign(histogram_width(), 0.0);
        for (const Position i : group) add_to(cell_.data(), i);
        move_cell(cell_.data());
    }

    double left_weight() const { return left_weight_; }
    double right_weight() const { return weight_ - left_weight_; }

    double score() const { return Loss::score(sums(left_weight_, left_), sums(weight_, total_)); }

    double decrease(double score) const {
        const double q = static_cast<double>(q_);
        if constexpr (Loss::kComparesMeans)
            return score / (weight_ * weight_ * q);
        else
            return (score - Loss::part(sums(weight_, total_))) / (weight_ * q);
    }
    double score_per_decrease() const {
        return weight_ * (Loss::kComparesMeans ? weight_ : 1.0) * static_cast<double>(q_);
    }

    double left_value() const { return target_.unscaled(0, left_[0] / left_weight()); }
    double right_value() const {
        return target_.unscaled(0, (total_[0] - left_[0]) / right_weight());
    }

    // A cell has the weight, then each sum.
    std::size_t histogram_width() const { return 1 + n_terms_; }
    void add_to(double* cell, Position i) const {
        *cell++ += weights_[i];
        for (std::size_t k = 0; k < n_terms_; ++k) cell[k] += terms_[k * n_ + i];
    }
    void move_cell(const double* cell) {
        left_weight_ += *cell++;
        for (std::size_t k = 0; k < n_terms_; ++k) left_[k] += cell[k];
    }

    // If sides are compared by their means, the best split of levels is a cut in the order of
    // their means.
    bool one_order() const { return Loss::kComparesMeans && q_ == 1; }
    std::size_t mean_to_order_by() const { return 0; }
    std::size_t n_means() const { return q_; }

private:
    double sum_of_terms(std::size_t k) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < n_; ++i) sum += terms_[k * n_ + i];
        return sum;
    }

    Sums sums(double weight, std::span<const double> of) const {
        return {weight, of.first(q_), of.subspan(q_)};
    }

    const Target& target_;
    std::size_t q_, n_terms_, n_ = 0;
    std::vector<double> total_, left_;  // sums of each output, then counts of positive outputs
    std::span<const RowId> rows_;
    const double* weights_ = nullptr;  // of the node's samples
    std::vector<double> terms_, cell_;
    std::vector<bool> same_;  // whether each output has a single value
    double weight_ = 0.0, left_weight_ = 0.0, loss_ = 0.0;
};

}  // namespace silvics
