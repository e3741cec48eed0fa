// Sums of Y at the nodes of a tree, over the rows that the tree drew and over those held out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/target.hpp"
#include "sampling/learning_subset.hpp"
#include "tree/tree.hpp"

namespace silvics {

// Y is coded in `width` numbers per row: an indicator for each class of each output, or each real
// output minus a central value.
struct NodeSums {
    std::size_t width = 1;
    std::vector<double> drawn, held_out;      // weight of the rows at each node
    std::vector<double> drawn_y, held_out_y;  // weighted sums of Y, nodes x width
    // For the distinct drawn rows: their number, sums of Y and of its squares, and the sum of the
    // squared weights.
    std::vector<double> n, y, yy, ww;

    double mean(NodeId t, std::size_t k) const { return drawn_y[t * width + k] / drawn[t]; }
    double held_out_mean(NodeId t, std::size_t k) const {
        return held_out_y[t * width + k] / held_out[t];
    }
};

// visit(k, value) for the numbers of a row's Y that are not zero.
template <class Visit>
void for_outputs(const Target& target, std::size_t row, Visit&& visit) {
    std::size_t first = 0;
    for (std::size_t k = 0; k < target.n_outputs; ++k)
        if (target.classification()) {
            visit(first + target.classes[k * target.n_rows + row], 1.0);
            first += target.n_classes[k];
        } else {
            visit(k, target.value(k, row));
        }
}

// `leaves`: the leaf of row i is at [i * stride]. `held_out_weights`: by row; empty if all are one.
NodeSums node_sums(const Tree& tree, std::span<const std::int64_t> leaves, std::size_t stride,
                   const Target& target, const LearningSubset& subset,
                   const std::vector<bool>& held_out, std::span<const double> held_out_weights);

// Replaces the sums of the drawn rows by the stored statistics of the nodes, if the drawn rows are
// not available. Only the number of the distinct rows is set, not their sums.
void take_stored_sums(const Tree& tree, const Target& target, NodeSums& sums);

}  // namespace silvics
