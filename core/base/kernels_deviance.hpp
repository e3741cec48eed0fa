// Poisson deviances of many cuts, with the logarithm of logarithm.hpp on four numbers at a time.
#pragma once

#include "base/kernels_vectors.hpp"

namespace silvics {
namespace {

inline Four all_of(double x) { return Four{x, x, x, x}; }

// ln of normal positive numbers, the same to the last bit as ln_portable().
inline Four ln_four(Four x) {
    constexpr double kLn2OfLogarithm = 0.693147180559945309417232121458, kMagic = 0x1.8p52;
    typedef std::int64_t FourIntegers __attribute__((vector_size(32)));
    const FourWords bits = (FourWords)x;
    Four m = (Four)((bits & 0x000FFFFFFFFFFFFFU) | 0x3FE0000000000000U);  // in [0.5, 1)
    const FourIntegers small = (FourIntegers)(m < 0.70710678118654752);   // -1 where it holds
    m = small ? m * 2.0 : m;
    const FourIntegers exponent = (FourIntegers)(bits >> 52) - 1022 + small;
    const Four e = (Four)(exponent + (FourIntegers)all_of(kMagic)) - kMagic;
    const Four s = (m - 1.0) / (m + 1.0), s2 = s * s;
    Four sum = all_of(0.0);
    for (int k = 21; k >= 3; k -= 2) sum = (sum + 1.0 / k) * s2;
    return (e + (s + s * sum) * (2.0 / kLn2OfLogarithm)) * kLn2OfLogarithm;
}

// t ln(t / w), and what it is where t is zero.
inline Four deviance_part(Four t, Four w, double of_zero) {
    const Four part = t * ln_four(t / w);
    return t > 0.0 ? part : all_of(of_zero);
}

inline Four deviance_of(const CutSums& sums, Four w, Four t, double of_zero) {
    return deviance_part(t, w, of_zero) +
           deviance_part(sums.node_sum_y - t, sums.node_weight - w, of_zero);
}

// Up to four numbers, the last of which is repeated.
inline Four load_some(const double* from, std::size_t n) {
    if (n >= 4) return load<Four>(from);
    return Four{from[0], from[n > 1 ? 1 : 0], from[n > 2 ? 2 : n - 1], from[n - 1]};
}

double score_deviances(const CutSums& sums, std::size_t n, double* score) {
    Four best = all_of(-__builtin_inf());
    for (std::size_t j = 0; j < n; j += 4) {
        const std::size_t rest = n - j;
        const Four four = deviance_of(sums, load_some(sums.weight + j, rest),
                                      load_some(sums.sum_y + j, rest), -__builtin_inf());
        __builtin_memcpy(score + j, &four, (rest < 4 ? rest : 4) * sizeof(double));
        best = four > best ? four : best;
    }
    const double a = best[0] > best[1] ? best[0] : best[1];
    const double b = best[2] > best[3] ? best[2] : best[3];
    return a > b ? a : b;
}

// Outputs are not negative, so that the sums of every part of a bin lie in the rectangle of the
// sums at its ends. The score, being convex, is largest at one of its corners.
std::size_t bins_above_deviance(const CutSums& sums, const double* score, const double* spread,
                                std::size_t n, double wanted, std::uint8_t* open) {
    const double *w = sums.weight, *t = sums.sum_y;
    std::size_t count = 0;
    for (std::size_t b = 1; b + 1 < n; b += 4) {
        const std::size_t rest = n - 1 - b;
        const Four t0 = load_some(t + b - 1, rest), t1 = load_some(t + b, rest);
        const Four w0 = load_some(w + b - 1, rest), w1 = load_some(w + b, rest);
        const Four low = deviance_of(sums, w0, t1, 0.0), high = deviance_of(sums, w1, t0, 0.0);
        for (std::size_t k = 0; k < 4 && k < rest; ++k) {
            const double s0 = score[b + k - 1], s1 = score[b + k];
            const bool reaches = low[k] >= wanted || high[k] >= wanted || s0 >= wanted ||
                                 s1 >= wanted || t0[k] == 0.0 || t1[k] == sums.node_sum_y;
            const bool is_open = reaches && spread[b + k] > 0.0;
            open[b + k] = is_open;
            count += is_open;
        }
    }
    return count;
}

// The sum of w y ln(y / mean), added up in four lanes.
double sum_deviances(const double* weights, const double* y, std::size_t n, double mean) {
    Four lanes = all_of(0.0);
    for (std::size_t i = 0; i < n; i += 4) {
        const std::size_t rest = n - i;
        const Four w = weights == nullptr ? all_of(1.0) : load_some(weights + i, rest);
        const Four term = w * deviance_part(load_some(y + i, rest), all_of(mean), 0.0);
        if (rest >= 4)
            lanes += term;
        else
            for (std::size_t lane = 0; lane < rest; ++lane) lanes[lane] += term[lane];
    }
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

}  // namespace
}  // namespace silvics
