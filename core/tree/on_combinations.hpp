// Trees that were grown on combinations of variables (Rotation Forests), as trees of the variables.
#pragma once

#include <vector>

#include "tree/stored_tree.hpp"

namespace silvics {

// Each feature of the tree is one of the combinations. In the result every inner node has a record
// with the combination that it compares; a single variable with coefficient one stays a plain
// split.
Tree on_combinations(const StoredTree& tree, const std::vector<std::vector<Term>>& combinations,
                     std::size_t n_features);

}  // namespace silvics
