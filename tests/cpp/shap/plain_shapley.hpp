// Shapley values from their definition, over all subsets of few variables.
#pragma once

#include <bit>
#include <vector>

#include "predictor/predictor.hpp"

namespace silvics::test {

// Of the prediction for a row against one background row: variables x columns.
inline std::vector<double> plain_shapley(const Predictor& predictor, const double* row,
                                         const double* other) {
    const std::size_t p = predictor.n_features(), width = predictor.value_width();
    const std::size_t n_subsets = std::size_t{1} << p;
    std::vector<double> games(n_subsets * width), cells(p), found(p * width, 0.0);
    for (std::size_t subset = 0; subset < n_subsets; ++subset) {
        for (std::size_t f = 0; f < p; ++f) cells[f] = (subset >> f & 1 ? row : other)[f];
        predictor.average(cells, std::span<double>(games).subspan(subset * width, width));
    }
    std::vector<double> factorial{1.0};
    for (std::size_t k = 1; k <= p; ++k)
        factorial.push_back(factorial.back() * static_cast<double>(k));
    for (std::size_t subset = 0; subset < n_subsets; ++subset)
        for (std::size_t f = 0; f < p; ++f) {
            if (subset >> f & 1) continue;
            const auto size = static_cast<std::size_t>(std::popcount(subset));
            const double weight = factorial[size] * factorial[p - size - 1] / factorial[p];
            const std::size_t with = subset | std::size_t{1} << f;
            for (std::size_t c = 0; c < width; ++c)
                found[f * width + c] +=
                    weight * (games[with * width + c] - games[subset * width + c]);
        }
    return found;
}

}  // namespace silvics::test
