// Scores of cuts between bins of class weights, and bounds on the scores of cuts within the bins.
#pragma once

#include "base/kernels_vectors.hpp"

namespace silvics {
namespace {

typedef std::int32_t FourInts __attribute__((vector_size(16)));

inline Four four_weights(const std::uint32_t* from) {
    return __builtin_convertvector(load<FourInts>(from), Four);
}

void score_class_bins(const ClassBins& bins, const double* node, double* score, double* spread) {
    const std::size_t n = bins.n;
    const double W = node[0];
    std::size_t b = 0;
    for (; b + 4 <= n; b += 4) {
        const Four weight = four_weights(bins.weight + b + 1);
        const Four of_bin = weight - four_weights(bins.weight + b);
        Four sum = {0, 0, 0, 0}, squares = {0, 0, 0, 0};
        const std::uint32_t* plane = bins.classes + b;
        for (std::size_t k = 1; k <= bins.n_classes; ++k, plane += n + 1) {
            const Four left = four_weights(plane + 1), part = left - four_weights(plane);
            const Four d = left * W - node[k] * weight;
            sum += d * d;
            squares += part * part;
        }
        const Four four = sum / (weight * (W - weight)), rest = of_bin * of_bin - squares;
        __builtin_memcpy(score + b, &four, sizeof four);
        __builtin_memcpy(spread + b, &rest, sizeof rest);
    }
    for (; b < n; ++b) {
        const double weight = bins.weight[b + 1], of_bin = weight - bins.weight[b];
        double sum = 0.0, squares = 0.0;
        const std::uint32_t* plane = bins.classes + b;
        for (std::size_t k = 1; k <= bins.n_classes; ++k, plane += n + 1) {
            const double left = plane[1], part = left - plane[0];
            const double d = left * W - node[k] * weight;
            sum += d * d;
            squares += part * part;
        }
        score[b] = sum / (weight * (W - weight));
        spread[b] = of_bin * of_bin - squares;
    }
}

// As in bins_above_bound: the vector d of the terms of all classes takes the place of one term.
std::size_t class_bins_above_bound(const ClassBins& bins, double node_weight, const double* score,
                                   const double* spread, double wanted, std::uint8_t* open) {
    const double W = node_weight, bar = wanted * (1.0 - 1e-9);
    std::size_t count = 0;
    for (std::size_t b = 1; b + 1 < bins.n; ++b) {
        const double w0 = bins.weight[b], w1 = bins.weight[b + 1];
        const double q0 = w0 * (W - w0), q1 = w1 * (W - w1);
        const double e = __builtin_sqrt(spread[b] * (0.25 * W * W));
        const double a0 = __builtin_sqrt(score[b - 1] * q0) + e;
        const double a1 = __builtin_sqrt(score[b] * q1) + e;
        const bool is_open = (a0 * a0 >= bar * q0 || a1 * a1 >= bar * q1) && spread[b] > 0.0;
        open[b] = is_open;
        count += is_open;
    }
    return count;
}

}  // namespace
}  // namespace silvics
