// Impurity functions (thesis 3.6.2) of class weights (Gini, entropy in bits, misclassification)
// and of sums of outputs (squared error, Friedman's improvement, Poisson deviance).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "base/logarithm.hpp"
#include "base/n_log_n.hpp"

namespace silvics {

struct ClassWeights {
    double weight = 0.0;
    std::span<const double> of;  // weight of each class of one output
};

// An impurity function computes i(t) of one output, scores a cut by what lies left of it, and
// converts a score (summed over outputs) into the decrease.

// The Gini index is the sum over classes of the variance of the class indicator (Eq. 3.23), and is
// scored like squared error. With whole weights every step before the last division is exact, so
// that equal decreases have equal scores.
struct Gini {
    static constexpr bool kScoredByTerms = true;
    static double impurity(const ClassWeights& node) {
        double squares = 0.0;
        for (const double c : node.of) squares += c * c;
        const double whole = node.weight * node.weight;
        return std::max(0.0, (whole - squares) / whole);
    }
    static double score(const ClassWeights& left, const ClassWeights& node) {
        const auto square = [&](std::size_t c) {
            const double d = left.of[c] * node.weight - node.of[c] * left.weight;
            return d * d;
        };
        double sum = 0.0;
        if (node.of.size() == 2) {  // the terms of the two classes are equal
            sum = 2.0 * square(0);
        } else {
            for (std::size_t c = 0; c < node.of.size(); ++c) sum += square(c);
        }
        return sum / (left.weight * (node.weight - left.weight));
    }
    static double decrease(double score, double weight, double) { return score / weight / weight; }
    static double score_per_decrease(double weight) { return weight * weight; }
    static double part(const ClassWeights&) { return 0.0; }
};

// Entropy and misclassification score each side by itself, and the parts of the sides add up.
template <class Derived>
struct BySides {
    static constexpr bool kScoredByTerms = false;
    static double score(const ClassWeights& left, const ClassWeights& node) {
        const double right_weight = node.weight - left.weight;
        return Derived::part_of(left.of.size(), left.weight,
                                [&](std::size_t c) { return left.of[c]; }) +
               Derived::part_of(node.of.size(), right_weight,
                                [&](std::size_t c) { return node.of[c] - left.of[c]; });
    }
    static double decrease(double score, double weight, double parts) {
        return (score - parts) / weight;
    }
    static double score_per_decrease(double weight) { return weight; }
    static double part(const ClassWeights& node) {
        return Derived::part_of(node.of.size(), node.weight,
                                [&](std::size_t c) { return node.of[c]; });
    }
};

// Shannon's entropy, in bits. Scores of whole weights are sums of rounded terms, which are exact:
// every search finds the same cut, and equal partitions have equal scores.
struct Entropy : BySides<Entropy> {
    template <class Of>
    static double part_of(std::size_t n, double weight, Of&& of) {
        double sum = 0.0;
        for (std::size_t c = 0; c < n; ++c) sum += rounded_x_log2_x(of(c));
        return sum - rounded_x_log2_x(weight);
    }
    // The exact decrease is never negative; terms are rounded.
    static double decrease(double score, double weight, double parts) {
        return std::max(0.0, BySides::decrease(score, weight, parts));
    }
    // The impurity that agrees with the scores to the last bit, rounded terms included.
    static double scored_impurity(const ClassWeights& node) {
        return node.of.size() == 1 ? 0.0 : std::max(0.0, -part(node) / node.weight);
    }
    static double impurity(const ClassWeights& node) {
        if (node.of.size() == 1) return 0.0;
        double sum = 0.0;
        for (const double c : node.of) sum += x_log2_x(c);
        return std::max(0.0, (x_log2_x(node.weight) - sum) / node.weight);
    }
};

struct Misclassification : BySides<Misclassification> {
    template <class Of>
    static double part_of(std::size_t n, double, Of&& of) {
        double largest = of(0);
        for (std::size_t c = 1; c < n; ++c) largest = std::max(largest, of(c));
        return largest;
    }
    static double impurity(const ClassWeights& node) {
        return (node.weight - part(node)) / node.weight;
    }
};

struct Sums {
    double weight = 0.0;
    std::span<const double> of;         // one sum per output
    std::span<const double> positives;  // number of outputs above zero, where the loss needs it
};

// A loss computes the loss of one value against the mean of the node, and scores a cut. Losses
// that compare the means of both sides (the last step in the proof of proposition 3.2) avoid
// cancellation, and with whole weights and outputs equal decreases have equal scores; their
// decrease is score / weight^2.
struct SquaredError {
    static constexpr bool kComparesMeans = true, kCountsPositives = false, kScoredByTerms = true;
    static constexpr bool kSumsSquares = false;
    static double loss(double y, double mean) { return (y - mean) * (y - mean); }
    // The difference of the means of both sides times both weights.
    static double difference(const Sums& left, const Sums& node, std::size_t k) {
        return left.of[k] * node.weight - node.of[k] * left.weight;
    }
    static double score(const Sums& left, const Sums& node) {
        double sum = 0.0;
        for (std::size_t k = 0; k < left.of.size(); ++k) {
            const double d = difference(left, node, k);
            sum += d * d;
        }
        return sum / (left.weight * (node.weight - left.weight));
    }
};

// Friedman 2001, eq. 35: the squared difference of the means over all outputs together.
struct FriedmanImprovement : SquaredError {
    static constexpr bool kScoredByTerms = false;
    static double score(const Sums& left, const Sums& node) {
        double d = 0.0;
        for (std::size_t k = 0; k < left.of.size(); ++k) d += difference(left, node, k);
        const double q = static_cast<double>(left.of.size());
        return d * d / (left.weight * (node.weight - left.weight) * q);
    }
};

// Sums from which means and variances follow.
struct SumsOfSquares : SquaredError {
    static constexpr bool kScoredByTerms = false, kSumsSquares = true;
};

// Half the Poisson deviance, in natural logarithms. The loss of a child whose outputs are all zero
// is undefined: such cuts are not taken. Positive outputs are counted to detect it, since the sum
// of zeros may have a rounding error.
struct PoissonDeviance {
    static constexpr bool kComparesMeans = false, kCountsPositives = true, kScoredByTerms = false;
    static constexpr bool kSumsSquares = false;
    static double loss(double y, double mean) { return y > 0.0 ? y * ln_portable(y / mean) : 0.0; }
    static double part(double sum, double weight, double positives) {
        return positives == 0.0 ? -INFINITY : sum * ln_portable(sum / weight);
    }
    static double part(const Sums& node) {
        double sum = 0.0;
        for (std::size_t k = 0; k < node.of.size(); ++k)
            sum += part(node.of[k], node.weight, node.positives[k]);
        return sum;
    }
    static double score(const Sums& left, const Sums& node) {
        double right = 0.0;
        for (std::size_t k = 0; k < node.of.size(); ++k)
            right += part(node.of[k] - left.of[k], node.weight - left.weight,
                          node.positives[k] - left.positives[k]);
        return part(left) + right;
    }
};

}  // namespace silvics
