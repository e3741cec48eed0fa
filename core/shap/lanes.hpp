// The innermost loops of Shapley values, over lanes: the points of the quadrature. They are
// compiled once for any processor and once for processors with AVX2 (see base/kernels.hpp), and
// give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shap/quadrature.hpp"

namespace silvics {

// What an edge does to the product of its path, by the state of a row: whether the row passes the
// earlier edges of the variable, and this one.
enum RowState : std::uint32_t { kFailsBefore = 0, kFailsHere = 1, kPasses = 2, kOwnState = 3 };

// The factor of a variable at point p is p o + (1 - p) q, where o is one if the row passes its
// edges and q their share. Its slope is (o - q) divided by that.
struct EdgeLanes {
    double* factors;  // a row of lanes for each state: the new factor divided by the old one
    double* slopes;   // the same: the new slope minus the old one, times the weight of the point
    double* inverse;  // one divided by the factor of rows that pass
    double* slope;    // the slope of rows that pass
};

struct LaneKernels {
    // Fills the first three states of an edge. `before`: the previous edge of the variable, or
    // null pointers. `ratio`: the new share divided by the old one.
    void (*prepare_edge)(const double* points, const double* weights, std::size_t n, double share,
                         double ratio, const EdgeLanes& before, const EdgeLanes& edge);
    // products[r] = above[r] * factors[states[r]]
    void (*descend)(const double* above, const double* factors, const std::uint32_t* states,
                    std::size_t n_rows, std::size_t n, double* products);
    // found[r] += sums[r] * slopes[states[r]] in kLanes sums that are `stride` apart, and
    // above[r] += sums[r].
    void (*ascend)(const double* sums, const double* slopes, const std::uint32_t* states,
                   std::size_t n_rows, std::size_t n, double* found, std::size_t stride,
                   double* above);
    // The same for a leaf, whose sums are its value times the products.
    void (*add_leaf)(const double* above_products, const EdgeLanes& edge, double value,
                     const std::uint32_t* states, std::size_t n_rows, std::size_t n, double* found,
                     std::size_t stride, double* above);
    // found[i] = the sum over lanes of sums * slopes * others[i]
    void (*sum_pairs)(const double* sums, const double* slopes, const double* const* others,
                      std::size_t n_others, std::size_t n, double* found);
};

// The best table for this processor, or the one that SILVICS_CPU names.
const LaneKernels& lane_kernels();

}  // namespace silvics
