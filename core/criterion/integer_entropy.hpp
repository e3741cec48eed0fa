// Entropy of any number of classes in integers.
//
// With l and n the weights of a class left of the cut and in the node, and L and W those of all
// classes, the score is the sum over classes of t(l) + t(n - l), minus t(L) + t(W - L), with
// t(n) = n log2 n from a table in fixed point. It is never positive, and zero if both sides are
// pure.
#pragma once

#include <algorithm>

#include "base/n_log_n.hpp"
#include "criterion/integer_counts.hpp"

namespace silvics {

class EntropyOfCounts {
public:
    using Function = Entropy;
    static constexpr double kMaxWeight = 0x1.0p25;  // sums of t fit a word

    explicit EntropyOfCounts(const LearningSubset& subset)
        : t_(static_cast<std::size_t>(subset.whole)) {}

    // The weight left of the cut, and what the sum over classes is more than without a cut. Sums
    // wrap around, and their differences are right.
    struct LeftSums {
        std::uint64_t weight = 0, more = 0;
    };

    void enter(std::uint64_t weight, std::span<const ClassId> present,
               std::span<const std::uint64_t> total) {
        weight_ = weight;
        classes_ = 0;
        for (const ClassId c : present) classes_ += t_(total[c]);
    }
    static double perfect_score(double, double) { return 0.0; }
    // The exact decrease is never negative; the table is rounded.
    double decrease(double score) const {
        const double whole = in_bits(classes_ - t_(weight_));
        return std::max(0.0, (score - whole) / static_cast<double>(weight_));
    }
    // Moves a weight w of a class, of which l is left of the cut, and n in the node.
    void move(LeftSums& left, std::uint64_t l, std::uint64_t n, std::uint64_t w) const {
        left.more += t_(l + w) - t_(l) + t_(n - l - w) - t_(n - l);
    }
    double score(const LeftSums& left) const {
        return in_bits(classes_ + left.more - t_(left.weight) - t_(weight_ - left.weight));
    }

private:
    static double in_bits(std::uint64_t sum) {
        return static_cast<double>(static_cast<std::int64_t>(sum)) * kNLogNUnit;
    }

    NLogN t_;
    std::uint64_t weight_ = 0, classes_ = 0;
};

using IntegerEntropy = IntegerCounts<EntropyOfCounts>;

}  // namespace silvics
