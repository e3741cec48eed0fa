// Gini of any number of classes in integers.
//
// With l and n the weights of a class left of the cut and in the node, and L and W those of all
// classes, the score is sum (l W - n L)^2 / (L (W - L)), whose numerator is W^2 ll - 2 W L ln +
// L^2 nn with ll = sum l^2, ln = sum l n, nn = sum n^2.
#pragma once

#include <cmath>
#include <limits>

#include "base/kernels.hpp"
#include "criterion/integer_counts.hpp"

namespace silvics {

class GiniOfCounts {
public:
    using Function = Gini;
    __extension__ using Wide = unsigned __int128;
    static constexpr double kMaxWeight = 0x1.0p31;

    explicit GiniOfCounts(const LearningSubset&) {}

    // The sums over the samples left of the cut.
    struct LeftSums {
        std::uint64_t weight = 0, ll = 0, ln = 0;
    };

    void enter(std::uint64_t weight, std::span<const ClassId> present,
               std::span<const std::uint64_t> total) {
        weight_ = weight;
        squares_ = 0;
        for (const ClassId c : present) squares_ += total[c] * total[c];
    }
    static double perfect_score(double a, double b) {
        const double product = a * b;
        return 2.0 * (product * product) / product;
    }
    // Scores of several outputs are sums, and so are decreases.
    double decrease(double score, std::size_t = 1) const {
        return Gini::decrease(score, static_cast<double>(weight_), 0.0);
    }
    // Moves a weight w of a class, of which l is left of the cut, and n in the node.
    void move(LeftSums& left, std::uint64_t l, std::uint64_t n, std::uint64_t w) const {
        left.ll += w * (2 * l + w);
        left.ln += w * n;
    }
    [[gnu::always_inline]] double score(const LeftSums& left, std::size_t = 1) const {
        const std::uint64_t W = weight_, L = left.weight;
        double sum;
        if (W <
            kMaxWeightOfWord)  // the result fits a word, although intermediate products wrap around
            sum = static_cast<double>(static_cast<std::int64_t>(
                W * W * left.ll - 2 * W * L * left.ln + L * L * squares_));
        else
            sum = static_cast<double>(Wide{W * W} * left.ll - Wide{2 * W * L} * left.ln +
                                      Wide{L * L} * squares_);
        return sum / (static_cast<double>(L) * static_cast<double>(W - L));
    }

    // Scores of bins have a relative error of less than kBinError. Cuts within a pure bin are worse
    // than those at its ends, if all are allowed.
    static constexpr double kBinError = 1e-12;
    static constexpr std::size_t kBinnedClasses = 12;  // nodes of more are slower to search in bins
    bool scores_bins() const { return weight_ < std::uint64_t{1} << 26; }  // l W is exact then
    void score_bins(const ClassBins& bins, const double* node, bool all_allowed, double* score,
                    double* bound) const {
        kernels_.score_class_bins(bins, node, score, bound);
        const double W = node[0];
        for (const std::size_t b : {std::size_t{0}, bins.n - 1}) {
            // A part of the bin explains at most all its squares.
            double product = 0.0, squares = 0.0, own = 0.0;
            const std::uint32_t* plane = bins.classes + b;
            for (std::size_t k = 1; k <= bins.n_classes; ++k, plane += bins.n + 1) {
                const double part = plane[1] - plane[0];
                product += node[k] * part;
                squares += node[k] * node[k];
                own += part * part;
            }
            const double w = bins.weight[b + 1] - bins.weight[b];
            const double all = w - 2.0 * product / W + w * (squares / W / W);
            bound[b] =
                own == w * w ? -std::numeric_limits<double>::infinity() : W * W * all / (W - w);
        }
        if (all_allowed) return;
        for (std::size_t b = 0; b < bins.n; ++b)
            if (std::isinf(bound[b]) && bins.weight[b] != bins.weight[b + 1])
                bound[b] = std::numeric_limits<double>::infinity();
    }
    // The least bound of a bin in which a cut may have this score.
    static double open_from(double score, std::size_t = 1) { return score * (1.0 - 1e-9); }

private:
    static constexpr std::uint64_t kMaxWeightOfWord = 46000;

    const Kernels& kernels_ = kernels();
    std::uint64_t weight_ = 0, squares_ = 0;
};

using IntegerGini = IntegerCounts<GiniOfCounts>;

}  // namespace silvics
