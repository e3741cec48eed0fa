// Squared error of one output with whole weights, by exact sums.
#pragma once

#include "criterion/cut_scores.hpp"
#include "criterion/exact_moments.hpp"

namespace silvics {

class ExactSquaredError : public ExactMoments {
public:
    using Scores = MeanScores;
    static constexpr double kFactor = 1.0;
    using ExactMoments::ExactMoments;

    double impurity() const {
        return same_ ? 0.0 : kernels_.sum_squares(weights_, y_, rows_.size(), mean_) / weight_;
    }
    int impurity_exponent() const { return -2 * std::ilogb(target_.scale); }
    double decrease(double score) const { return score / (weight_ * weight_); }
    double score_per_decrease() const { return weight_ * weight_; }
};

}  // namespace silvics
