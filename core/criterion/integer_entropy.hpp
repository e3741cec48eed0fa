// Entropy of any number of classes in integers.
//
// With l and n the weights of a class left of the cut and in the node, and L and W those of all
// classes, the score is the sum over classes of t(l) + t(n - l), minus t(L) + t(W - L), with
// t(n) = n log2 n from a table in fixed point. It is never positive, and zero if both sides are
// pure.
#pragma once

#include <algorithm>
#include <vector>

#include "base/kernels.hpp"
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
    double decrease(double score, std::size_t outputs = 1) const {
        const double whole = in_bits(classes_ - outputs * t_(weight_));
        return std::max(0.0, (score - whole) / static_cast<double>(weight_));
    }
    // Moves a weight w of a class, of which l is left of the cut, and n in the node.
    void move(LeftSums& left, std::uint64_t l, std::uint64_t n, std::uint64_t w) const {
        left.more += t_(l + w) - t_(l) + t_(n - l - w) - t_(n - l);
    }
    double score(const LeftSums& left, std::size_t outputs = 1) const {
        return in_bits(classes_ + left.more -
                       outputs * (t_(left.weight) + t_(weight_ - left.weight)));
    }

    // Scores of bins are exact. With u(l) = t(l) + t(n - l), a score is the sum of u over classes
    // plus T(L) = -t(L) - t(W - L). Every u is convex, so that within a bin it is largest at one of
    // its ends. T is concave, so that a line through two of its neighbouring values is above it
    // everywhere. Together these bound the scores of cuts within a bin, in bits.
    static constexpr double kBinError = 1e-12;
    static constexpr std::size_t kBinnedClasses = 4;  // nodes of more are slower to search in bins
    static bool scores_bins() { return true; }
    void score_bins(const ClassBins& bins, const double* node, bool, double* score,
                    double* bound) const {
        const std::size_t n = bins.n;
        sums_.assign(n, 0);
        slopes_.resize(n);
        for (std::size_t b = 0; b < n; ++b) {
            const std::uint64_t low = bins.weight[b], high = bins.weight[b + 1];
            const std::uint64_t at = low + (high - low) / 2;
            if (at == weight_) {  // an empty bin after all samples
                slopes_[b] = bound[b] = 0.0;
                continue;
            }
            const std::uint64_t here = t_(at) + t_(weight_ - at);
            slopes_[b] = in_bits(here - t_(at + 1) - t_(weight_ - at - 1));
            bound[b] =
                slopes_[b] * (static_cast<double>(low) - static_cast<double>(at)) - in_bits(here);
        }
        for (std::size_t k = 0; k < bins.n_classes; ++k) {
            const std::uint32_t* const plane = bins.classes + k * (n + 1);
            const auto total = static_cast<std::uint64_t>(node[k + 1]);
            std::uint32_t before = 0;
            std::uint64_t u_before = t_(total);
            double u_bits = in_bits(u_before);
            for (std::size_t b = 0; b < n; ++b) {
                const std::uint32_t l = plane[b + 1];
                if (l != before) {
                    u_before = t_(l) + t_(total - l);
                    const double u = in_bits(u_before), part = static_cast<double>(l - before);
                    bound[b] += std::max(u_bits, u + slopes_[b] * part);
                    u_bits = u;
                    before = l;
                } else {
                    bound[b] += u_bits;
                }
                sums_[b] += u_before;
            }
        }
        for (std::size_t b = 0; b + 1 < n; ++b)
            score[b] =
                in_bits(sums_[b] - t_(bins.weight[b + 1]) - t_(weight_ - bins.weight[b + 1]));
    }
    double open_from(double score, std::size_t outputs = 1) const {  // rounding included
        return score - 1e-6 - 1e-12 * in_bits(outputs * t_(weight_));
    }

private:
    static double in_bits(std::uint64_t sum) {
        return static_cast<double>(static_cast<std::int64_t>(sum)) * kNLogNUnit;
    }

    NLogN t_;
    std::uint64_t weight_ = 0, classes_ = 0;
    mutable std::vector<std::uint64_t> sums_;  // of u over classes, after each bin
    mutable std::vector<double> slopes_;       // of the lines above T
};

using IntegerEntropy = IntegerCounts<EntropyOfCounts>;

}  // namespace silvics
