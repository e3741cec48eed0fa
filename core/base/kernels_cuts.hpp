// Scores of cuts, and bounds on the scores of cuts within bins.
#pragma once

#include "base/kernels_vectors.hpp"

namespace silvics {
namespace {

double score_cuts(const CutSums& sums, std::size_t n, double* score) {
    const double *w = sums.weight, *t = sums.sum_y;
    const double W = sums.node_weight, T = sums.node_sum_y, factor = sums.factor;
    if (n < 4) {
        double best = 0.0;
        for (std::size_t j = 0; j < n; ++j) {
            const double d = t[j] * W - T * w[j];
            score[j] = factor * (d * d) / (w[j] * (W - w[j]));
            best = j == 0 || score[j] > best ? score[j] : best;
        }
        return best;
    }
    const auto score_four = [&](std::size_t j) {
        const Four weight = load<Four>(w + j), d = load<Four>(t + j) * W - T * weight;
        const Four four = factor * (d * d) / (weight * (W - weight));
        __builtin_memcpy(score + j, &four, sizeof four);
        return four;
    };
    Four best = score_four(
        n - 4);  // the last four overlap with others, which saves a loop for the remainder
    for (std::size_t j = 0; j + 4 < n; j += 4) {
        const Four four = score_four(j);
        best = four > best ? four : best;
    }
    const double a = best[0] > best[1] ? best[0] : best[1];
    const double b = best[2] > best[3] ? best[2] : best[3];
    return a > b ? a : b;
}

void score_planes(const CutPlanes& planes, std::size_t n, double* score) {
    const double *w = planes.left, *node = planes.node;
    const double W = node[0], factor = planes.factor;
    std::size_t j = 0;
    for (; j + 4 <= n; j += 4) {
        const Four weight = load<Four>(w + j);
        Four sum = {0, 0, 0, 0};
        for (std::size_t k = 1; k <= planes.n_terms; ++k) {
            const Four d = load<Four>(w + k * planes.stride + j) * W - node[k] * weight;
            sum += d * d;
        }
        const Four four = factor * sum / (weight * (W - weight));
        __builtin_memcpy(score + j, &four, sizeof four);
    }
    for (; j < n; ++j) {
        double sum = 0.0;
        for (std::size_t k = 1; k <= planes.n_terms; ++k) {
            const double d = w[k * planes.stride + j] * W - node[k] * w[j];
            sum += d * d;
        }
        score[j] = factor * sum / (w[j] * (W - w[j]));
    }
}

// The sum over a part of a bin differs from its proportional share by at most half the square root
// of the spread. Every cut within a bin thus lies in a parallelogram around the chord of the bin,
// and the score, being convex, is largest at one of its corners.
std::size_t bins_above_bound(const CutSums& sums, const double* spread, std::size_t n,
                             double wanted, std::uint8_t* open) {
    const double *w = sums.weight, *t = sums.sum_y;
    const double W = sums.node_weight, T = sums.node_sum_y, factor = sums.factor;
    const double bar = wanted * (1.0 - 1e-9);
    std::size_t count = 0;
    for (std::size_t b = 1; b + 1 < n; ++b) {
        const double d0 = t[b - 1] * W - T * w[b - 1], d1 = t[b] * W - T * w[b];
        const double e2 = spread[b] * (0.25 * W * W);
        const double b0 = bar * (w[b - 1] * (W - w[b - 1])), b1 = bar * (w[b] * (W - w[b]));
        const double e = __builtin_sqrt(e2);
        const double a0 = (d0 < 0 ? -d0 : d0) + e, a1 = (d1 < 0 ? -d1 : d1) + e;
        const bool is_open =
            (factor * (a0 * a0) >= b0 || factor * (a1 * a1) >= b1) && spread[b] > 0.0;
        open[b] = is_open;
        count += is_open;
    }
    return count;
}

}  // namespace
}  // namespace silvics
