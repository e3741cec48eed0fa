// The statistic of regression by means: weighted sums of each output left and right of the cut.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "criterion/concept.hpp"
#include "criterion/impurity.hpp"
#include "criterion/sample_rows.hpp"

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
          n_terms_(Loss::kCountsPositives || Loss::kSumsSquares ? 2 * q_ : q_),
          total_(1 + n_terms_),
          left_(1 + n_terms_),
          same_(q_) {}

    static void fill(const Target& target, const LearningSubset& subset, SampleOrder& order) {
        order.weights = subset.in_order();
        fill_values(target, subset, order);
    }

    void enter(const SampleOrder& order, std::size_t begin, std::size_t n) {
        rows_ = std::span(order.rows).subspan(begin, n);
        const double* weights = order.weights.data() + begin;
        with_width(histogram_width(), [&](auto width) { fill_terms(width, order, begin, n); });
        loss_ = 0.0;
        for (std::size_t k = 0; k < q_; ++k) {
            const double* y = order.values.data() + k * order.size() + begin;
            const double mean = total_[1 + k] / weight();
            bool same = true;
            for (std::size_t i = 1; same && i < n; ++i) same = y[i] == y[0];
            same_[k] = same && target_.same_value(k, rows_);
            if (same_[k]) continue;
            for (std::size_t i = 0; i < n; ++i) loss_ += weights[i] * Loss::loss(y[i], mean);
        }
    }

    double weight() const { return total_[0]; }
    bool homogeneous() const {
        return std::ranges::all_of(same_, [](bool same) { return same; });
    }

    double impurity() const { return loss_ / (weight() * static_cast<double>(q_)); }

    int impurity_exponent() const {
        return -std::ilogb(target_.scale) * (Loss::kComparesMeans ? 2 : 1);
    }

    void write_value(std::span<double> value) const {
        for (std::size_t k = 0; k < q_; ++k) {
            value[k] = same_[k] ? target_.original[k * target_.n_rows + rows_[0]]
                                : target_.unscaled(k, total_[1 + k] / weight());
        }
    }

    void begin_scan() { std::ranges::fill(left_, 0.0); }

    void move(Position i) { add_to(left_.data(), i); }

    void move_group(std::span<const Position> group) {
        if (group.size() == 1) return move(group[0]);
        cell_.assign(histogram_width(), 0.0);
        for (const Position i : group) add_to(cell_.data(), i);
        move_cell(cell_.data());
    }

    double left_weight() const { return left_[0]; }
    double right_weight() const { return weight() - left_[0]; }

    double score() const { return Loss::score(sums(left_), sums(total_)); }

    // The samples as rows of histogram_width() numbers, which add up.
    std::size_t row_width() const { return histogram_width(); }
    const double* sample_rows() { return terms_.data(); }
    const double* total_row() const { return total_.data(); }
    // Where sides are compared by their means: the terms to compare, and a factor of the score.
    static constexpr bool kComparesMeans = Loss::kScoredByTerms;
    std::size_t n_compared() const { return q_; }
    double factor() const { return 1.0; }
    void set_left(const double* row) { std::copy_n(row, histogram_width(), left_.data()); }

    double decrease(double score) const {
        const double q = static_cast<double>(q_);
        if constexpr (Loss::kComparesMeans)
            return score / (weight() * weight() * q);
        else
            return (score - Loss::part(sums(total_))) / (weight() * q);
    }
    double score_per_decrease() const {
        return weight() * (Loss::kComparesMeans ? weight() : 1.0) * static_cast<double>(q_);
    }

    double left_value() const { return target_.unscaled(0, left_[1] / left_weight()); }
    double right_value() const {
        return target_.unscaled(0, (total_[1] - left_[1]) / right_weight());
    }

    // A cell has the weight, then each sum.
    std::size_t histogram_width() const { return 1 + n_terms_; }
    void add_to(double* cell, Position i) const {
        const double* const row = terms_.data() + i * histogram_width();
        for (std::size_t k = 0; k <= n_terms_; ++k) cell[k] += row[k];
    }
    void move_cell(const double* cell) {
        for (std::size_t k = 0; k <= n_terms_; ++k) left_[k] += cell[k];
    }

    // If sides are compared by their means, the best split of levels is a cut in the order of
    // their means.
    bool one_order() const { return Loss::kComparesMeans && q_ == 1; }
    std::size_t mean_to_order_by() const { return 0; }
    std::size_t n_means() const { return q_; }

private:
    // Writes the rows of the samples and their sum, in row order.
    template <class Width>
    void fill_terms(Width width, const SampleOrder& order, std::size_t begin, std::size_t n) {
        const double* const weights = order.weights.data() + begin;
        const double* const values = order.values.data() + begin;
        double* row = terms_.ensure(n * width);
        RowOf<Width> total(width);
        for (std::size_t i = 0; i < n; ++i, row += width) {
            row[0] = weights[i];
            for (std::size_t k = 0; k < q_; ++k) {
                const double y = values[k * order.size() + i];
                row[1 + k] = weights[i] * y;
                if constexpr (Loss::kCountsPositives) row[1 + q_ + k] = y > 0.0 ? 1.0 : 0.0;
                if constexpr (Loss::kSumsSquares) row[1 + q_ + k] = weights[i] * y * y;
            }
            total.add(row);
        }
        std::copy_n(total.data(), static_cast<std::size_t>(width), total_.data());
    }

    Sums sums(std::span<const double> of) const {
        return {of[0], of.subspan(1, q_), of.subspan(1 + q_)};
    }

protected:
    const Target& target_;
    std::size_t q_, n_terms_;
    // The weight, sums of each output, counts of positive outputs or sums of squares.
    std::vector<double> total_, left_;
    std::vector<bool> same_;  // whether each output has a single value

private:
    std::span<const RowId> rows_;
    Scratch<double> terms_;  // the weight and sums of each sample, one after another
    std::vector<double> cell_;
    double loss_ = 0.0;
};

}  // namespace silvics
