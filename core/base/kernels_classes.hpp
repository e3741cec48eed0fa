// Scores of cuts between bins of class weights, and bounds on the scores of cuts within the bins.
#pragma once

#include "base/kernels_vectors.hpp"

namespace silvics {
namespace {

typedef std::int32_t FourInts __attribute__((vector_size(16)));

inline Four four_weights(const std::uint32_t* from) {
    return __builtin_convertvector(load<FourInts>(from), Four);
}

inline Four root(Four x) {
    const Four zero = {0, 0, 0, 0};
    x = x > zero ? x : zero;
#ifdef __AVX2__
    return (Four)_mm256_sqrt_pd((__m256d)x);
#else
    return Four{__builtin_sqrt(x[0]), __builtin_sqrt(x[1]), __builtin_sqrt(x[2]),
                __builtin_sqrt(x[3])};
#endif
}

// The vector d at one end of a bin: its square, and its sums over the samples of the bin.
struct EndOfBin {
    Four square = {0, 0, 0, 0}, sum = square, sum_of_squares = square;

    void add(Four d, Four part) {
        const Four of_part = part * d;
        square += d * d;
        sum += of_part;
        sum_of_squares += of_part * d;
    }
    // How much larger the square may be at a cut within the bin. The sum over a part of a bin
    // differs from its proportional share by at most half the square root of the spread, and so
    // does its component along d, whose spread is another.
    Four more(Four weight_of_bin, Four spread, double W) const {
        const Four all = weight_of_bin * sum_of_squares;
        const Four along = all - sum * sum;
        const Four zero = {0, 0, 0, 0};
        return W * root((along > zero ? along : zero) + 1e-13 * all) + 0.25 * W * W * spread;
    }
};

// Every cut within a bin lies around the chord of the bin, and the score, being convex, is largest
// at one of the ends.
void score_four_class_bins(const ClassBins& bins, const double* node, std::size_t b, double* score,
                           double* bound) {
    const double W = node[0];
    const Four before = four_weights(bins.weight + b), weight = four_weights(bins.weight + b + 1);
    const Four of_bin = weight - before, none = {0, 0, 0, 0};
    EndOfBin low, high;
    Four squares = {0, 0, 0, 0};
    const std::uint32_t* plane = bins.classes + b;
    for (std::size_t k = 1; k <= bins.n_classes; ++k, plane += bins.n + 1) {
        const Four left = four_weights(plane + 1), first = four_weights(plane);
        const Four part = left - first;
        low.add(first * W - node[k] * before, part);
        high.add(left * W - node[k] * weight, part);
        squares += part * part;
    }
    const Four spread = of_bin * of_bin - squares;
    const Four area = weight * (W - weight), area_before = before * (W - before);
    const Four at_low = (low.square + low.more(of_bin, spread, W)) / area_before;
    const Four at_high = (high.square + high.more(of_bin, spread, W)) / area;
    const Four four = high.square / area, least = none - __builtin_inf();
    const Four most = spread > none ? (at_low > at_high ? at_low : at_high) : least;
    __builtin_memcpy(score + b, &four, sizeof four);
    __builtin_memcpy(bound + b, &most, sizeof most);
}

void score_class_bins(const ClassBins& bins, const double* node, double* score, double* bound) {
    std::size_t b = 0;
    for (; b + 4 <= bins.n; b += 4) score_four_class_bins(bins, node, b, score, bound);
    if (b < bins.n) score_four_class_bins(bins, node, bins.n - 4, score, bound);
}

// The weights of the samples, each moved to the field of its class; returns their sum.
template <bool kept>
inline std::uint64_t shift_samples(const std::uint64_t* samples, std::size_t n, unsigned bits,
                                   std::uint64_t* words, std::uint64_t* weight) {
    std::size_t i = 0;
    std::uint64_t sum = 0, whole = 0;
#ifdef __AVX2__
    __m256i four_sum = _mm256_setzero_si256(), four_whole = four_sum;
    const __m256i width = _mm256_set1_epi64x(bits);
    for (; i + 4 <= n; i += 4) {
        const __m256i sample = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(samples + i));
        const __m256i w = _mm256_srli_epi64(sample, 32);
        const __m256i word = _mm256_sllv_epi64(w, _mm256_mul_epu32(sample, width));
        if constexpr (kept) _mm256_storeu_si256(reinterpret_cast<__m256i*>(words + i), word);
        four_sum = _mm256_add_epi64(four_sum, word);
        four_whole = _mm256_add_epi64(four_whole, w);
    }
    const FourWords s = (FourWords)four_sum, w = (FourWords)four_whole;
    sum = (s[0] + s[1]) + (s[2] + s[3]);
    whole = (w[0] + w[1]) + (w[2] + w[3]);
#endif
    for (; i < n; ++i) {
        const std::uint64_t w1 = samples[i] >> 32;
        const std::uint64_t word = w1 << (static_cast<std::uint32_t>(samples[i]) * bits);
        if constexpr (kept) words[i] = word;
        sum += word;
        whole += w1;
    }
    *weight = whole;
    return sum;
}

std::uint64_t pack_classes(const std::uint64_t* samples, std::size_t n, unsigned bits,
                           std::uint64_t* words, std::uint64_t* weight) {
    return words != nullptr ? shift_samples<true>(samples, n, bits, words, weight)
                            : shift_samples<false>(samples, n, bits, words, weight);
}

}  // namespace
}  // namespace silvics
