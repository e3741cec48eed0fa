// Pruning: minimal cost-complexity (Breiman et al. 1984), which cuts the weakest link first, and
// pruning by errors.
#pragma once

#include <span>
#include <vector>

#include "tree/stored_tree.hpp"

namespace silvics {

// The effective alpha of each step, and the impurity of the tree after it.
struct PruningPath {
    std::vector<double> alphas, impurities;
};

PruningPath pruning_path(const StoredTree& tree);
// The smallest subtree whose every link has an alpha above this one. The result is compact if the
// tree is.
StoredTree prune(const StoredTree& tree, double alpha);
// Reduced-error and pessimistic pruning (Quinlan 1987), from the leaves up: a node becomes a leaf
// if its errors as a leaf, one entry per node, exceed those of the pruned subtree below it by at
// most the slack.
StoredTree prune_by_errors(const StoredTree& tree, std::span<const double> errors, double slack);

}  // namespace silvics
