// Squared error of one output, and Gini of two classes, with weights that are not whole numbers.
//
// Weights, and weighted outputs, are rounded to grids of the node that are coarse enough for their
// sums never to round: the sums are exact in any order, as with whole weights. What the grids leave
// out is no more than what each addition of floating-point numbers would: 2^-52 of the sum.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "criterion/cut_scores.hpp"
#include "criterion/exact_moments.hpp"

namespace silvics {

class RoundedMoments : public ExactMoments {
public:
    using Scores = MeanScores;
    using ExactMoments::ExactMoments;

    // Weights that differ by more than any in use would leave the range of the grids.
    static bool suits(const Target& target, const LearningSubset& subset) {
        return target.n_outputs == 1 && std::ranges::all_of(subset.rows, [&](RowId row) {
                   const double w = subset.weight(row);
                   return w > 0x1p-200 && w < 0x1p200;
               });
    }
    static void fill(const Target& target, const LearningSubset& subset, SampleOrder& order) {
        order.weights = subset.in_order();
        fill_values(target, subset, order);
    }

    void enter(const SampleOrder& order, std::size_t begin, std::size_t n) {
        rows_ = std::span(order.rows).subspan(begin, n);
        weights_ = order.weights.data() + begin;
        y_ = order.values.data() + begin;
        if (n == 1) {
            weight_ = weights_[0];
            total_ = weight_ * y_[0];
            mean_ = y_[0];
            same_ = true;
            return;
        }
        double sums[3], low, high;
        kernels_.sum_outputs(grid_, weights_, y_, n, sums);
        kernels_.value_range(y_, n, &low, &high);
        // The weight, and the largest output, are less than these powers of two.
        const int of_weight = exponent(sums[0]) + 1;
        const int of_output =
            std::max(exponent(std::max(std::fabs(low), std::fabs(high))) + 1, kLeastExponent);
        rounding_ = {.weight = 1.5 * power(of_weight + 1),
                     .least_weight = power(of_weight - kBits),
                     .sum = 1.5 * power(of_weight + of_output + 1)};
        kernels_.sum_rounded(rounding_, weights_, y_, n, sums);
        weight_ = sums[0];
        total_ = sums[1];
        mean_ = total_ / weight_;
        same_ = low == high;
    }

    void prepare_search() {
        Moment* const samples = samples_.ensure(rows_.size());
        kernels_.make_rounded_moments(rounding_, weights_, y_, rows_.size(), mean_,
                                      &samples->weight);
    }
    Statistic sample(std::size_t i) const {
        Moment made;
        kernels_.make_rounded_moments(rounding_, weights_ + i, y_ + i, 1, mean_, &made.weight);
        return made;
    }
    Statistic sum_marked(std::span<const std::uint8_t> marks) const {
        Statistic sum;
        kernels_.sum_rounded_marked(rounding_, weights_, y_, marks.data(), marks.size(),
                                    &sum.weight);
        return sum;
    }
    Statistic sum_below(const std::uint16_t* codes, std::size_t n, Code limit) const {
        Statistic sum;
        kernels_.sum_rounded_below(rounding_, codes, weights_, y_, n, limit, &sum.weight);
        return sum;
    }
    Statistic sum_upto(const double* values, std::size_t n, double limit) const {
        Statistic sum;
        kernels_.sum_rounded_upto(rounding_, values, weights_, y_, n, limit, &sum.weight);
        return sum;
    }
    // Outputs may differ from the mean by few units of rounding, which are added to the spread.
    double spread_of(const Statistic& s) const {
        const double of_mean = mean_ * s.weight, t = s.high - of_mean;
        const double whole = s.weight * s.squares;
        const double rounding = 0x1p-50 * (std::fabs(s.high) + std::fabs(of_mean));
        return whole - t * t + 1e-12 * whole + rounding * (4.0 * std::sqrt(whole) + rounding);
    }
    double decrease(double score) const { return score / (weight_ * weight_); }
    double score_per_decrease() const { return weight_ * weight_; }

private:
    static constexpr int kBits = 51;  // of the largest sum
    // Outputs below 2^kLeastExponent, in a node that has no larger ones, are rounded to zero.
    static constexpr int kLeastExponent = -600;

    // Of normal numbers.
    static int exponent(double x) {
        return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52) - 1023;
    }
    static double power(int e) {
        return std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52);
    }

    RoundingGrid rounding_;
};

class RoundedSquaredError : public RoundedMoments {
public:
    static constexpr double kFactor = 1.0;
    using RoundedMoments::RoundedMoments;

    void enter(const SampleOrder& order, std::size_t begin, std::size_t n) {
        RoundedMoments::enter(order, begin, n);
        same_ = same_ && target_.same_value(0, rows_);
    }
    double impurity() const {
        return same_ ? 0.0 : kernels_.sum_squares(weights_, y_, rows_.size(), mean_) / weight_;
    }
    int impurity_exponent() const { return -2 * std::ilogb(target_.scale); }
};

// The output is one for the first class and zero for the second.
class RoundedGini : public RoundedMoments {
public:
    static constexpr double kFactor = 2.0;
    using RoundedMoments::RoundedMoments;

    static bool suits(const Target& target, const LearningSubset& subset) {
        return RoundedMoments::suits(target, subset) && target.n_classes[0] == 2;
    }
    static void fill(const Target& target, const LearningSubset& subset, SampleOrder& order) {
        order.weights = subset.in_order();
        order.values.reserve(with_margin(subset.rows.size()));
        for (const RowId row : subset.rows)
            order.values.push_back(target.classes[row] == 0 ? 1.0 : 0.0);
    }

    double impurity() const {
        const double of[] = {total_, weight_ - total_};
        return same_ ? 0.0 : Gini::impurity({weight_, of});
    }
    int impurity_exponent() const { return 0; }
    void write_value(std::span<double> value) const {
        value[0] = value[1] = 0.0;
        for (std::size_t i = 0; i < rows_.size(); ++i) value[y_[i] == 0.0 ? 1 : 0] += weights_[i];
    }
    ClassId only_class() const { return y_[0] == 0.0 ? 1 : 0; }
    // The probability of the second class.
    static double value_of(double w, double t) { return (w - t) / w; }
    static double mean_of(const Statistic& s) { return value_of(weight_of(s), sum_y_of(s)); }
};

}  // namespace silvics
