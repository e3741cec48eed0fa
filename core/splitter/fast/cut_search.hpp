// The search for cuts that suits a criterion, and the score of one given threshold.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "splitter/fast/exact_counts.hpp"
#include "splitter/fast/exact_sums.hpp"
#include "splitter/fast/scan_thresholds.hpp"

namespace silvics {

template <Criterion C>
auto cut_search_of() {
    if constexpr (ExactSumCriterion<C>)
        return std::type_identity<ExactSumSearch<C>>{};
    else if constexpr (ExactCountsCriterion<C>)
        return std::type_identity<ExactCountsSearch<C>>{};
    else
        return std::type_identity<ThresholdScan<C>>{};
}

template <Criterion C>
using CutSearch = typename decltype(cut_search_of<C>())::type;

// Scores the cut that a threshold makes of the values of a node's samples. If all samples are on
// one side, `best` is unchanged.
template <Criterion C>
void score_values(C& criterion, CutSearch<C>& search, std::span<const double> values,
                  double threshold, const CutLimits& limits, Scratch<std::uint8_t>& goes_left,
                  Cut& best) {
    const std::size_t n = values.size();
    if constexpr (ExactSumCriterion<C>) {
        if (limits.none()) {  // the sum needs no marks
            const auto left = criterion.sum_upto(values.data(), n, threshold);
            const double w = C::weight_of(left);
            if (w > 0.0 && w < criterion.weight())
                search.score_left(criterion, left, 1, limits, best);
            return;
        }
    }
    if constexpr (ExactCountsCriterion<C>) {
        if (limits.none() && criterion.packs()) {
            const auto left = criterion.sums_of_words([&](const std::uint64_t* words) {
                return kernels().sum_words_upto(values.data(), words, n, threshold);
            });
            if (left.weight > 0 && static_cast<double>(left.weight) < criterion.weight())
                search.score_left(criterion, left, 1, limits, best);
            return;
        }
    }
    const std::size_t n_left =
        kernels().mark_upto(values.data(), n, threshold, goes_left.ensure(n));
    if (n_left > 0 && n_left < n)
        search.score_sides(criterion, {goes_left.data(), n}, n_left, limits, best);
}

}  // namespace silvics
