// The statistic of regression by means: weighted sums of each output left and right of the
// cut, and the losses on it: squared error, Friedman's improvement, Poisson deviance.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/logarithm.hpp"
#include "criterion/concept.hpp"

namespace silvics {

struct Sums {
    double weight = 0.0;
    std::span<const double> of;  // one sum per output
    double mean(std::size_t k) const { return of[k] / weight; }
};

// A loss gives the loss of one value against the node's mean, and scores a cut. Those that
// compare the means of both sides (the last step in the proof of proposition 3.2) lose nothing
// to cancellation; their decrease is score / weight^2.
struct SquaredError {
    static constexpr bool kComparesMeans = true;
    static double loss(double y, double mean) { return (y - mean) * (y - mean); }
    static double score(const Sums& left, const Sums& right) {
        double sum = 0.0;
        for (std::size_t k = 0; k < left.of.size(); ++k) {
            const double d = left.mean(k) - right.mean(k);
            sum += d * d;
        }
        return left.weight * right.weight * sum;
    }
};

// Friedman 2001, eq. 35: the squared difference of the means over all outputs together.
struct FriedmanImprovement : SquaredError {
    static double score(const Sums& left, const Sums& right) {
        double d = 0.0;
        for (std::size_t k = 0; k < left.of.size(); ++k) d += left.mean(k) - right.mean(k);
        return left.weight * right.weight * d * d / static_cast<double>(left.of.size());
    }
};

// Half the Poisson deviance, in natural logarithms. A child without any count has no
// logarithm: such cuts are not taken.
struct PoissonDeviance {
    static constexpr bool kComparesMeans = false;
    static double loss(double y, double mean) { return y > 0.0 ? y * ln_portable(y / mean) : 0.0; }
    static double part(const Sums& side) {
        double sum = 0.0;
        for (std::size_t k = 0; k < side.of.size(); ++k) {
            if (!(side.of[k] > 0.0)) return -INFINITY;
            sum += side.of[k] * ln_portable(side.mean(k));
        }
        return sum;
    }
    static double score(const Sums& left, const Sums& right) { return part(left) + part(right); }
};

template <class Loss>
class Moments {
public:
    static constexpr bool kSummable = true;

    Moments(const Target& target, const LearningSubset& subset)
        : target_(target),
          subset_(subset),
          q_(target.n_outputs),
          total_(q_),
          left_(q_),
          right_(q_) {}

    void enter(std::span<const RowId> rows) {
        first_row_ = rows[0];
        n_ = rows.size();
        weights_.resize(n_);
        weight_ = 0.0;
        for (std::size_t i = 0; i < n_; ++i) {
            weights_[i] = subset_.weight(rows[i]);
            weight_ += weights_[i];
        }
        y_.resize(n_ * q_);
        homogeneous_ = true;
        loss_ = 0.0;
        for (std::size_t k = 0; k < q_; ++k) {
            const double* value = target_.values.data() + k * target_.n_rows;
            double* y = y_.data() + k * n_;
            double sum = 0.0;
            for (std::size_t i = 0; i < n_; ++i) {
                y[i] = value[rows[i]];
                sum += weights_[i] * y[i];
            }
            total_[k] = sum;
            const auto [low, high] = std::minmax_element(y, y + n_);
            if (*low == *high) continue;
            homogeneous_ = false;
            for (std::size_t i = 0; i < n_; ++i)
                loss_ += weights_[i] * Loss::loss(y[i], sum / weight_);
        }
    }

    double weight() const { return weight_; }
    bool homogeneous() const { return homogeneous_; }

    double impurity() const {
        const double unit = Loss::kComparesMeans ? target_.scale * target_.scale : target_.scale;
        return loss_ / (weight_ * static_cast<double>(q_)) / unit;
    }

    void write_value(std::span<double> value) const {
        for (std::size_t k = 0; k < q_; ++k) {
            const double* y = y_.data() + k * n_;
            const bool same = std::all_of(y, y + n_, [&](double v) { return v == y[0]; });
            value[k] = same ? target_.original[k * target_.n_rows + first_row_]
                            : target_.centre[k] + total_[k] / weight_ / target_.scale;
        }
    }

    void begin_scan() {
        left_weight_ = 0.0;
        std::ranges::fill(left_, 0.0);
        right_ = total_;
    }

    void move(Position i) {
        const double w = weights_[i];
        left_weight_ += w;
        for (std::size_t k = 0; k < q_; ++k) shift(k, w * y_[k * n_ + i]);
    }

    void move_group(std::span<const std::uint64_t> group) {
        if (group.size() == 1) return move(static_cast<Position>(group[0]));
        cell_.assign(histogram_width(), 0.0);
        for (const std::uint64_t key : group) add_to(cell_.data(), static_cast<Position>(key));
        move_cell(cell_.data());
    }

    double left_weight() const { return left_weight_; }
    double right_weight() const { return weight_ - left_weight_; }

    double score() const { return Loss::score({left_weight(), left_}, {right_weight(), right_}); }

    double decrease(double score) const {
        const double q = static_cast<double>(q_);
        if constexpr (Loss::kComparesMeans)
            return score / (weight_ * weight_ * q) / (target_.scale * target_.scale);
        else
            return (score - Loss::part({weight_, total_})) / (weight_ * q) / target_.scale;
    }

    double left_value() const {
        return left_[0] / left_weight() / target_.scale + target_.centre[0];
    }
    double right_value() const {
        return right_[0] / right_weight() / target_.scale + target_.centre[0];
    }

    std::size_t histogram_width() const { return 1 + q_; }
    void add_to(double* cell, Position i) const {
        const double w = weights_[i];
        *cell++ += w;
        for (std::size_t k = 0; k < q_; ++k) cell[k] += w * y_[k * n_ + i];
    }
    void move_cell(const double* cell) {
        left_weight_ += *cell++;
        for (std::size_t k = 0; k < q_; ++k) shift(k, cell[k]);
    }

private:
    void shift(std::size_t k, double amount) {
        left_[k] += amount;
        right_[k] = total_[k] - left_[k];
    }

    const Target& target_;
    const LearningSubset& subset_;
    std::size_t q_, n_ = 0;
    std::vector<double> total_, left_, right_;  // sums of each output
    std::vector<double> weights_, y_, cell_;    // of the node's samples
    double weight_ = 0.0, left_weight_ = 0.0, loss_ = 0.0;
    bool homogeneous_ = false;
    RowId first_row_ = 0;
};

}  // namespace silvics
