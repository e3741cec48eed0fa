// Minimal cost-complexity pruning (Breiman et al. 1984): the weakest link goes first.
#pragma once

#include <vector>

#include "tree/tree.hpp"

namespace silvics {

struct PruningPath {
    std::vector<double> alphas, impurities;  // effective alpha, and what is left after each step
};

PruningPath pruning_path(const Tree& tree);
// The smallest subtree whose every link is worth more than alpha.
Tree prune(const Tree& tree, double alpha);

}  // namespace silvics
