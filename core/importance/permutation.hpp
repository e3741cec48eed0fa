// Predictions with permuted variables: the values of a group of variables come from other rows
// (thesis 6.1.2).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "importance/loss_of_rows.hpp"
#include "predictor/predictor.hpp"

namespace silvics {

// Groups of variables, and the rows from which each row takes their values.
struct PermutedGroups {
    std::vector<std::vector<FeatureId>> variables;  // for each group; a variable is in at most one
    std::size_t n_repeats = 1;                      // at most 64
    std::span<const std::uint32_t> rows;  // sources: [(group * repeats + repeat) * rows + row]
};

// The sums of Predictor::out_of_bag, and their changes when a group of variables is permuted:
// groups x repeats x X.rows x value_width. A permuted sample is traversed again only from the node
// at which it leaves the path of the unpermuted sample.
void permuted_out_of_bag(const Predictor& forest, const Matrix& X, const DrawnTrees& trees,
                         const PermutedGroups& groups, std::span<double> changes,
                         OutOfBagSums unpermuted, ThreadTeam& team);
// The changes of the losses of single trees, summed over the samples that they did not draw: groups
// x repeats x parts of the loss.
void permuted_losses(const Predictor& forest, const Matrix& X, const DrawnTrees& trees,
                     const PermutedGroups& groups, const LossOfRows& loss,
                     std::span<double> changes, ThreadTeam& team);

}  // namespace silvics
