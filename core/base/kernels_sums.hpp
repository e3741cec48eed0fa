// Sums over the samples of a node: all of them, or those on one side of a cut.
#pragma once

#include "base/kernels_vectors.hpp"

namespace silvics {
namespace {

std::uint64_t sum_words(const std::uint64_t* words, std::size_t n) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += words[i];
    return sum;
}

std::uint64_t sum_words_marked(const std::uint64_t* words, const std::uint8_t* marks,
                               std::size_t n) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += words[i] & (std::uint64_t{0} - marks[i]);
    return sum;
}

std::uint64_t sum_words_below(const std::uint16_t* codes, const std::uint64_t* words, std::size_t n,
                              std::uint32_t limit) {
    FourWords lanes = {0, 0, 0, 0};
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) lanes += load<FourWords>(words + i) & below(codes + i, limit);
    std::uint64_t sum = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    for (; i < n; ++i) sum += codes[i] < limit ? words[i] : 0;
    return sum;
}

std::uint64_t sum_words_upto(const double* values, const std::uint64_t* words, std::size_t n,
                             double limit) {
    FourWords lanes = {0, 0, 0, 0};
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) lanes += load<FourWords>(words + i) & upto(values + i, limit);
    std::uint64_t sum = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    for (; i < n; ++i) sum += words[i] & (std::uint64_t{0} - (values[i] <= limit ? 1 : 0));
    return sum;
}

// The weight of each sample, given or one.
struct Weighted {
    const double* weights;
    Four four(std::size_t i) const { return load<Four>(weights + i); }
    double one(std::size_t i) const { return weights[i]; }
};
struct Unweighted {
    static Four four(std::size_t) { return Four{1.0, 1.0, 1.0, 1.0}; }
    static double one(std::size_t) { return 1.0; }
};
template <class F>
inline void with_weights(const double* weights, F&& f) {
    if (weights != nullptr)
        f(Weighted{weights});
    else
        f(Unweighted{});
}

// Sums over the samples that mask(i) selects among four, or takes(i) for one of the remainder.
template <class Mask, class Takes>
inline void sum_outputs_of(const OutputGrid& grid, const double* weights, const double* y,
                           std::size_t n, double* sums, Mask mask, Takes takes) {
    with_weights(weights, [&](auto weight) {
        const double high = grid.high, low = grid.low;
        Four w4 = {0, 0, 0, 0}, h4 = w4, l4 = w4;
        std::size_t i = 0;
        for (; i + 4 <= n; i += 4) {
            const Four w = (Four)((FourWords)weight.four(i) & mask(i));
            const Four v = load<Four>(y + i), h = (v + high) - high;
            w4 += w;
            h4 += w * h;
            l4 += w * (((v - h) + low) - low);
        }
        sums[0] = (w4[0] + w4[1]) + (w4[2] + w4[3]);
        sums[1] = (h4[0] + h4[1]) + (h4[2] + h4[3]);
        sums[2] = (l4[0] + l4[1]) + (l4[2] + l4[3]);
        for (; i < n; ++i) {
            const double w = takes(i) ? weight.one(i) : 0.0, h = (y[i] + high) - high;
            sums[0] += w;
            sums[1] += w * h;
            sums[2] += w * (((y[i] - h) + low) - low);
        }
    });
}

void sum_outputs(const OutputGrid& grid, const double* weights, const double* y, std::size_t n,
                 double* sums) {
    sum_outputs_of(
        grid, weights, y, n, sums, [](std::size_t) { return ~FourWords{}; },
        [](std::size_t) { return true; });
}

void sum_outputs_marked(const OutputGrid& grid, const double* weights, const double* y,
                        const std::uint8_t* marks, std::size_t n, double* sums) {
    sum_outputs_of(
        grid, weights, y, n, sums,
        [=](std::size_t i) {
            return -FourWords{marks[i], marks[i + 1], marks[i + 2], marks[i + 3]};
        },
        [=](std::size_t i) { return marks[i] != 0; });
}

void sum_outputs_below(const OutputGrid& grid, const std::uint16_t* codes, const double* weights,
                       const double* y, std::size_t n, std::uint32_t limit, double* sums) {
    sum_outputs_of(
        grid, weights, y, n, sums, [=](std::size_t i) { return below(codes + i, limit); },
        [=](std::size_t i) { return codes[i] < limit; });
}

void sum_outputs_upto(const OutputGrid& grid, const double* values, const double* weights,
                      const double* y, std::size_t n, double limit, double* sums) {
    sum_outputs_of(
        grid, weights, y, n, sums, [=](std::size_t i) { return upto(values + i, limit); },
        [=](std::size_t i) { return values[i] <= limit; });
}

void make_moments(const OutputGrid& grid, const double* weights, const double* y, std::size_t n,
                  double mean, double* moments) {
    const double high = grid.high, low = grid.low;
    with_weights(weights, [&](auto weight) {
        std::size_t i = 0;
#ifdef __AVX2__
        for (; i + 4 <= n; i += 4) {
            const Four w = weight.four(i), v = load<Four>(y + i);
            const Four h = (v + high) - high, l = ((v - h) + low) - low, e = v - mean;
            const Four b = w * h, c = w * l, d = w * (e * e);
            // Transpose: four vectors of one quantity each become four samples of four quantities.
            const __m256d wb0 = _mm256_unpacklo_pd(w, b), wb1 = _mm256_unpackhi_pd(w, b);
            const __m256d cd0 = _mm256_unpacklo_pd(c, d), cd1 = _mm256_unpackhi_pd(c, d);
            double* const to = moments + 4 * i;
            _mm256_storeu_pd(to, _mm256_permute2f128_pd(wb0, cd0, 0x20));
            _mm256_storeu_pd(to + 4, _mm256_permute2f128_pd(wb1, cd1, 0x20));
            _mm256_storeu_pd(to + 8, _mm256_permute2f128_pd(wb0, cd0, 0x31));
            _mm256_storeu_pd(to + 12, _mm256_permute2f128_pd(wb1, cd1, 0x31));
        }
#endif
        for (; i < n; ++i) {
            const double w = weight.one(i), h = (y[i] + high) - high, e = y[i] - mean;
            moments[4 * i] = w;
            moments[4 * i + 1] = w * h;
            moments[4 * i + 2] = w * (((y[i] - h) + low) - low);
            moments[4 * i + 3] = w * (e * e);
        }
    });
}

double sum_squares(const double* weights, const double* y, std::size_t n, double mean) {
    Four lanes = {0, 0, 0, 0};
    with_weights(weights, [&](auto weight) {
        std::size_t i = 0;
        for (; i + 4 <= n; i += 4) {
            const Four e = load<Four>(y + i) - mean;
            lanes += weight.four(i) * (e * e);
        }
        for (std::size_t lane = 0; i < n; ++i, ++lane) {
            const double e = y[i] - mean;
            lanes[lane] += weight.one(i) * (e * e);
        }
    });
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

}  // namespace
}  // namespace silvics
