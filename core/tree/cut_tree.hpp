// A copy of a tree in which some inner nodes are leaves.
#pragma once

#include <span>
#include <vector>

#include "tree/tree.hpp"

namespace silvics {

// `cut`: for each node, whether it becomes a leaf. `class_weights`: of a tree without node values,
// rows for all nodes; if empty, the weights of a node are the sums over its leaves. The order of
// nodes stays, and level sets and records that are no longer needed are left out.
Tree cut_tree(const Tree& tree, const std::vector<char>& cut,
              std::span<const double> class_weights = {});

}  // namespace silvics
