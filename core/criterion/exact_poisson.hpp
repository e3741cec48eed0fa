// Poisson deviance of one output with whole weights, by exact sums.
#pragma once

#include <algorithm>

#include "criterion/cut_scores.hpp"
#include "criterion/exact_moments.hpp"

namespace silvics {

class ExactPoisson : public ExactMoments {
public:
    using Scores = DevianceScores;

    using ExactMoments::ExactMoments;

    // A sum of outputs must be zero only if all outputs are. All of them are so far from zero that
    // the difference of two sums cannot lose one.
    static bool suits(const Target& target, const LearningSubset& subset) {
        return ExactMoments::suits(target, subset) &&
               std::ranges::all_of(subset.rows, [&](RowId row) {
                   const double y = target.value(0, row);
                   return y == 0.0 || y >= subset.whole * 0x1.0p-50;
               });
    }

    void enter(const SampleOrder& order, std::size_t begin, std::size_t n) {
        ExactMoments::enter(order, begin, n);
        if (n == 1) return;
        double least;
        kernels_.value_range(y_, n, &least, &largest_);
    }
    double largest() const { return largest_; }  // output of the node

    double impurity() const {
        return same_ ? 0.0
                     : std::max(0.0, kernels_.sum_deviances(weights_, y_, rows_.size(), mean_)) /
                           weight_;
    }
    int impurity_exponent() const { return -std::ilogb(target_.scale); }
    double decrease(double score) const {
        return (score - DevianceScores::part(total_, weight_)) / weight_;
    }
    double score_per_decrease() const { return weight_; }

private:
    double largest_ = 1.0;
};

}  // namespace silvics
