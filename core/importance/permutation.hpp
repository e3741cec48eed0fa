// Predictions of samples whose values come from other samples, variable by variable: what a
// permutation does (thesis 6.1.2).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "importance/loss_of_rows.hpp"
#include "predictor/predictor.hpp"

namespace silvics {

// Groups of variables whose values each row takes from another row: what a permutation does.
struct PermutedGroups {
    std::vector<std::vector<FeatureId>> variables;  // of each group; a variable is in one at most
    std::size_t n_repeats = 1;                      // at most 64
    std::span<const std::uint32_t> rows;  // to take from: [(group * repeats + repeat) * rows + row]
};

// What `out_of_bag` of the forest gives, and how those sums change when a group of variables is
// permuted: groups x repeats x X.rows x value_width. Only what leaves its path is traversed again,
// from where it does.
void permuted_out_of_bag(const Predictor& forest, const Matrix& X, const DrawnTrees& trees,
                         const PermutedGroups& groups, std::span<double> changes,
                         OutOfBagSums as_they_are, ThreadTeam& team);
// How the loss of single trees changes, summed over the samples that they did not draw:
// groups x repeats x parts of the loss.
void permuted_losses(const Predictor& forest, const Matrix& X, const DrawnTrees& trees,
                     const PermutedGroups& groups, const LossOfRows& loss,
                     std::span<double> changes, ThreadTeam& team);

}  // namespace silvics
