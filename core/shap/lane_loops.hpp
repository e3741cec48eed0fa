// The loops behind lanes.hpp, included by one source file for each kind of processor.
// SILVICS_LANES is the name of the table in that file. The loops call nothing from a library (see
// base/kernels_vectors.hpp).
#pragma once

#include "base/kernels_vectors.hpp"
#include "shap/lanes.hpp"

namespace silvics {
namespace {

inline void store(double* to, Four values) { __builtin_memcpy(to, &values, sizeof values); }

inline void prepare_edge(const double* points, const double* weights, std::size_t n, double share,
                         double ratio, const EdgeLanes& before, const EdgeLanes& edge) {
    for (std::size_t i = 0; i < n; i += kLanes) {
        const Four p = load<Four>(points + i), w = load<Four>(weights + i);
        const Four apart = 1.0 - p, old_inverse = before.inverse ? load<Four>(before.inverse + i)
                                                                 : Four{1.0, 1.0, 1.0, 1.0};
        const Four old_slope = before.slope ? load<Four>(before.slope + i) : Four{};
        const Four fails = apart * share, passes = p + fails;
        const Four inverse = 1.0 / passes, slope = (1.0 - share) * inverse;
        store(edge.factors + kFailsBefore * n + i, Four{} + ratio);
        store(edge.factors + kFailsHere * n + i, fails * old_inverse);
        store(edge.factors + kPasses * n + i, passes * old_inverse);
        store(edge.slopes + kFailsBefore * n + i, Four{});
        store(edge.slopes + kFailsHere * n + i, (-1.0 / apart - old_slope) * w);
        store(edge.slopes + kPasses * n + i, (slope - old_slope) * w);
        store(edge.inverse + i, inverse);
        store(edge.slope + i, slope);
    }
}

inline void descend(const double* above, const double* factors, const std::uint32_t* states,
                    std::size_t n_rows, std::size_t n, double* products) {
    for (std::size_t r = 0; r < n_rows; ++r) {
        const double* const factor = factors + states[r] * n;
        for (std::size_t i = 0; i < n; i += kLanes)
            store(products + r * n + i, load<Four>(above + r * n + i) * load<Four>(factor + i));
    }
}

inline void ascend(const double* sums, const double* slopes, const std::uint32_t* states,
                   std::size_t n_rows, std::size_t n, double* found, std::size_t stride,
                   double* above) {
    for (std::size_t r = 0; r < n_rows; ++r) {
        const double* const slope = slopes + states[r] * n;
        Four sum = load<Four>(found + r * stride);
        for (std::size_t i = 0; i < n; i += kLanes) {
            const Four below = load<Four>(sums + r * n + i);
            sum += below * load<Four>(slope + i);
            store(above + r * n + i, load<Four>(above + r * n + i) + below);
        }
        store(found + r * stride, sum);
    }
}

inline void add_leaf(const double* above_products, const EdgeLanes& edge, double value,
                     const std::uint32_t* states, std::size_t n_rows, std::size_t n, double* found,
                     std::size_t stride, double* above) {
    for (std::size_t r = 0; r < n_rows; ++r) {
        const double* const factor = edge.factors + states[r] * n;
        const double* const slope = edge.slopes + states[r] * n;
        Four sum = load<Four>(found + r * stride);
        for (std::size_t i = 0; i < n; i += kLanes) {
            const Four at = load<Four>(above_products + r * n + i) * load<Four>(factor + i) * value;
            sum += at * load<Four>(slope + i);
            store(above + r * n + i, load<Four>(above + r * n + i) + at);
        }
        store(found + r * stride, sum);
    }
}

inline void sum_pairs(const double* sums, const double* slopes, const double* const* others,
                      std::size_t n_others, std::size_t n, double* found) {
    for (std::size_t k = 0; k < n_others; ++k) {
        Four sum = {};
        for (std::size_t i = 0; i < n; i += kLanes)
            sum += load<Four>(sums + i) * load<Four>(slopes + i) * load<Four>(others[k] + i);
        found[k] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

}  // namespace

extern const LaneKernels SILVICS_LANES;
const LaneKernels SILVICS_LANES = {
    .prepare_edge = prepare_edge,
    .descend = descend,
    .ascend = ascend,
    .add_leaf = add_leaf,
    .sum_pairs = sum_pairs,
};

}  // namespace silvics
