// Pruning: minimal cost-complexity (Breiman et al. 1984), where the weakest link goes first; and by
// errors.
#pragma once

#include <span>
#include <vector>

#include "tree/tree.hpp"

namespace silvics {

struct PruningPath {
    std::vector<double> alphas, impurities;  // effective alpha, and what is left after each step
};

PruningPath pruning_path(const Tree& tree);
// The smallest subtree whose every link is worth more than alpha.
Tree prune(const Tree& tree, double alpha);
// From the leaves up: a node becomes a leaf where its errors as one, told for every node, are not
// more, beyond the slack, than those of what is left below it (reduced-error and pessimistic
// pruning, Quinlan 1987).
Tree prune_by_errors(const Tree& tree, std::span<const double> errors, double slack);

}  // namespace silvics
