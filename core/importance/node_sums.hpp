// What the rows of a learning set say of Y at the nodes of a tree: those that it drew, and those
// that it did not.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/target.hpp"
#include "sampling/learning_subset.hpp"
#include "tree/tree.hpp"

namespace silvics {

// Y in numbers: one for each class of each output, which is 1 where a row is of it; or one for each
// output, less a value in its middle.
struct NodeSums {
    std::size_t width = 1;
    std::vector<double> drawn, held_out;      // weight of the rows at each node
    std::vector<double> drawn_y, held_out_y;  // and sums of Y, nodes x width
    // Of the rows drawn, each counted once: how many, and sums of Y and its squares; and the
    // squares of their weights.
    std::vector<double> n, y, yy, ww;

    double mean(NodeId t, std::size_t k) const { return drawn_y[t * width + k] / drawn[t]; }
    double held_out_mean(NodeId t, std::size_t k) const {
        return held_out_y[t * width + k] / held_out[t];
    }
};

// visit(k, value) for the numbers of Y that are not zero in a row.
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

// `leaves`: of row i, the leaf at [i * stride]. `held_out_weights`: of rows; none: all one.
NodeSums node_sums(const Tree& tree, std::span<const std::int64_t> leaves, std::size_t stride,
                   const Target& target, const LearningSubset& subset,
                   const std::vector<bool>& held_out, std::span<const double> held_out_weights);

// Takes the sums of the rows drawn from what the tree keeps at its nodes, where these rows are not
// at hand; of the rows themselves only their number.
void take_kept_sums(const Tree& tree, const Target& target, NodeSums& sums);

}  // namespace silvics
