// Draws a random combination of variables (Forest-RC, Breiman 2001).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "splitter/split.hpp"

namespace silvics {

// Combines the first variable with some of the others; the coefficients are uniform on [-1, 1],
// divided by the range of each variable.
inline std::vector<Term> draw_combination(FeatureId first, std::vector<FeatureId> numbers,
                                          const SearchRules& rules, RandomStream& stream) {
    std::erase(numbers, first);
    const std::size_t n = std::min(rules.n_combined, numbers.size() + 1);
    std::vector<Term> terms;
    double whole = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
        FeatureId f = first;
        if (k > 0) {
            const auto at = static_cast<std::size_t>(stream.below(numbers.size() + 1 - k));
            std::swap(numbers[k - 1], numbers[k - 1 + at]);
            f = numbers[k - 1];
        }
        const double a = 2.0 * stream.uniform() - 1.0;
        const auto [low, high] = rules.ranges[f];
        const double range = high > low ? high - low : 1.0;
        terms.push_back({f, a / range, static_cast<float>(std::fabs(a))});
        whole += std::fabs(a);
    }
    for (Term& term : terms)
        term.share = whole > 0.0 ? static_cast<float>(term.share / whole) : 0.0F;
    return terms;
}

}  // namespace silvics
