// Gini of any number of classes in integers.
//
// With l and n the weights of a class left of the cut and in the node, and L and W those of all
// classes, the score is sum (l W - n L)^2 / (L (W - L)), whose numerator is W^2 ll - 2 W L ln +
// L^2 nn with ll = sum l^2, ln = sum l n, nn = sum n^2.
#pragma once

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
    double decrease(double score) const {
        return Gini::decrease(score, static_cast<double>(weight_), 0.0);
    }
    // Moves a weight w of a class, of which l is left of the cut, and n in the node.
    void move(LeftSums& left, std::uint64_t l, std::uint64_t n, std::uint64_t w) const {
        left.ll += w * (2 * l + w);
        left.ln += w * n;
    }
    double score(const LeftSums& left) const {
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

private:
    static constexpr std::uint64_t kMaxWeightOfWord = 46000;

    std::uint64_t weight_ = 0, squares_ = 0;
};

using IntegerGini = IntegerCounts<GiniOfCounts>;

}  // namespace silvics
