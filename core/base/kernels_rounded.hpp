// Sums over the samples of a node of weights and weighted outputs that are rounded to grids, so
// that sums do not depend on their order (rounded_moments.hpp).
#pragma once

#include "base/kernels_vectors.hpp"

namespace silvics {
namespace {

template <class Number>
inline Number rounded_weight(const RoundingGrid& grid, Number w) {
    const Number rounded = (w + grid.weight) - grid.weight;
    return rounded > grid.least_weight ? rounded : rounded * 0.0 + grid.least_weight;
}
template <class Number>
inline Number rounded_term(const RoundingGrid& grid, Number rounded_weight, Number y) {
    return (rounded_weight * y + grid.sum) - grid.sum;
}

// Sums over the samples that mask(i) selects among four, or takes(i) for one of the remainder.
template <class Mask, class Takes>
inline void sum_rounded_of(const RoundingGrid& grid, const double* weights, const double* y,
                           std::size_t n, double* sums, Mask mask, Takes takes) {
    Four w4 = {0, 0, 0, 0}, t4 = w4;
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const Four w = rounded_weight(grid, load<Four>(weights + i));
        const Four t = rounded_term(grid, w, load<Four>(y + i));
        const FourWords taken = mask(i);
        w4 += (Four)((FourWords)w & taken);
        t4 += (Four)((FourWords)t & taken);
    }
    sums[0] = (w4[0] + w4[1]) + (w4[2] + w4[3]);
    sums[1] = (t4[0] + t4[1]) + (t4[2] + t4[3]);
    for (; i < n; ++i) {
        const double w = rounded_weight(grid, weights[i]);
        sums[0] += takes(i) ? w : 0.0;
        sums[1] += takes(i) ? rounded_term(grid, w, y[i]) : 0.0;
    }
}

void sum_rounded(const RoundingGrid& grid, const double* weights, const double* y, std::size_t n,
                 double* sums) {
    sum_rounded_of(
        grid, weights, y, n, sums, [](std::size_t) { return ~FourWords{}; },
        [](std::size_t) { return true; });
}

void sum_rounded_marked(const RoundingGrid& grid, const double* weights, const double* y,
                        const std::uint8_t* marks, std::size_t n, double* sums) {
    sum_rounded_of(
        grid, weights, y, n, sums,
        [=](std::size_t i) {
            return -FourWords{marks[i], marks[i + 1], marks[i + 2], marks[i + 3]};
        },
        [=](std::size_t i) { return marks[i] != 0; });
}

void sum_rounded_below(const RoundingGrid& grid, const std::uint16_t* codes, const double* weights,
                       const double* y, std::size_t n, std::uint32_t limit, double* sums) {
    sum_rounded_of(
        grid, weights, y, n, sums, [=](std::size_t i) { return below(codes + i, limit); },
        [=](std::size_t i) { return codes[i] < limit; });
}

void sum_rounded_upto(const RoundingGrid& grid, const double* values, const double* weights,
                      const double* y, std::size_t n, double limit, double* sums) {
    sum_rounded_of(
        grid, weights, y, n, sums, [=](std::size_t i) { return upto(values + i, limit); },
        [=](std::size_t i) { return values[i] <= limit; });
}

void make_rounded_moments(const RoundingGrid& grid, const double* weights, const double* y,
                          std::size_t n, double mean, double* moments) {
    for (std::size_t i = 0; i < n; ++i, moments += 4) {
        // The output that the rounded numbers stand for: bounds of scores hold for these alone.
        const double w = rounded_weight(grid, weights[i]), t = rounded_term(grid, w, y[i]);
        const double e = t / w - mean;
        moments[0] = w;
        moments[1] = t;
        moments[2] = 0.0;
        moments[3] = w * (e * e);
    }
}

}  // namespace
}  // namespace silvics
