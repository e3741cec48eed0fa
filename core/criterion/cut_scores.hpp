// How the search by exact sums scores cuts. A score is a convex function of the weight and the sum
// of outputs left of the cut, so that the sums at the ends of a bin bound the scores within it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/kernels.hpp"
#include "criterion/impurity.hpp"

namespace silvics {

// The scores of the cuts between bins, or of all cuts, and what they are computed from.
struct ScoredCuts {
    const double *weight, *sum_y, *score;
    std::size_t n;
};

// Squared error and Gini compare the means of both sides: C::kFactor * d^2 / (w (W - w)).
struct MeanScores {
    // Whether scoring several cuts together is so much faster that small nodes do it, too.
    static constexpr bool kTogether = false;
    // Whether the best allowed split of levels is a cut in the order of their means.
    static constexpr bool kOrdersLevels = true;

    template <class C>
    static double score(const C& criterion, double w, double t) {
        const double W = criterion.weight();
        const double d = t * W - criterion.sum_y() * w;
        return C::kFactor * (d * d) / (w * (W - w));
    }
    // Writes the scores of n cuts and returns the largest.
    template <class C>
    static double score_all(const C& criterion, const double* w, const double* t, std::size_t n,
                            double* score) {
        return kernels().score_cuts(sums(criterion, w, t), n, score);
    }
    // The score of a cut that gains nothing.
    template <class C>
    static double score_of_none(const C&) {
        return 0.0;
    }
    // Whether a cut that separates a part of this first or last bin could have the wanted score: a
    // part of the bin explains at most all its squares.
    template <class C>
    static bool end_may_reach(const C& criterion, const typename C::Statistic& bin, double wanted) {
        const double W = criterion.weight(), w = C::weight_of(bin);
        return C::kFactor * W * W * criterion.squares_of(bin) / (W - w) * (1.0 + 1e-9) >= wanted;
    }
    // Sets open[b] to one for the bins 1 .. n - 2 in which a cut could have the wanted score, by
    // the sums left of the cut at their upper end. Bins of no spread have no better cut within.
    // Returns how many are open.
    template <class C>
    static std::size_t open_bins(const C& criterion, const ScoredCuts& cuts, const double* spread,
                                 double wanted, std::uint8_t* open) {
        return kernels().bins_above_bound(sums(criterion, cuts.weight, cuts.sum_y), spread, cuts.n,
                                          wanted, open);
    }

private:
    template <class C>
    static CutSums sums(const C& criterion, const double* w, const double* t) {
        return {w, t, criterion.weight(), criterion.sum_y(), C::kFactor};
    }
};

// The Poisson deviance has the score t ln(t / w) + (T - t) ln((T - t) / (W - w)), which is
// undefined where the outputs of a side are all zero: such cuts are not taken.
struct DevianceScores {
    static constexpr bool kTogether = true;
    static constexpr bool kOrdersLevels = false;  // a side of zeros is not allowed

    static double part(double t, double w) { return PoissonDeviance::part(t, w, t); }

    template <class C>
    static double score(const C& criterion, double w, double t) {
        return part(t, w) + part(criterion.sum_y() - t, criterion.weight() - w);
    }
    template <class C>
    static double score_all(const C& criterion, const double* w, const double* t, std::size_t n,
                            double* score) {
        return kernels().score_deviances(sums(criterion, w, t), n, score);
    }
    template <class C>
    static double score_of_none(const C& criterion) {
        return part(criterion.sum_y(), criterion.weight()) + rounding(criterion);
    }
    // The sums of a part of the bin lie in a polygon: no part has a larger mean than the largest
    // output.
    template <class C>
    static bool end_may_reach(const C& criterion, const typename C::Statistic& bin, double wanted) {
        const double w = C::weight_of(bin), t = C::sum_y_of(bin);
        const double top = std::max({limit(criterion, w, 0.0), limit(criterion, w, t),
                                     limit(criterion, t / criterion.largest(), t)});
        return top + rounding(criterion) >= wanted;
    }
    template <class C>
    static std::size_t open_bins(const C& criterion, const ScoredCuts& cuts, const double* spread,
                                 double wanted, std::uint8_t* open) {
        return kernels().bins_above_deviance(sums(criterion, cuts.weight, cuts.sum_y), cuts.score,
                                             spread, cuts.n, wanted - rounding(criterion), open);
    }

private:
    // Terms of outputs of at most 1 are at most 1/e of the weight, so that this exceeds all
    // rounding errors of a score.
    template <class C>
    static double rounding(const C& criterion) {
        return 0x1.0p-46 * criterion.weight();
    }
    // The limit of scores towards sums of which one side may be zero.
    template <class C>
    static double limit(const C& criterion, double w, double t) {
        const double rest = criterion.sum_y() - t;
        return (t > 0.0 ? part(t, w) : 0.0) +
               (rest > 0.0 ? part(rest, criterion.weight() - w) : 0.0);
    }
    template <class C>
    static CutSums sums(const C& criterion, const double* w, const double* t) {
        return {w, t, criterion.weight(), criterion.sum_y(), 1.0};
    }
};

}  // namespace silvics
