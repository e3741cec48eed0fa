// Checks of stored trees that come from outside, such as pickles.
#pragma once

#include "tree/stored_tree.hpp"

namespace silvics {

// Throws std::invalid_argument unless every index of the tree is in range, every node has one
// parent before it, and the lengths of the arrays are consistent. A tree that passes can be
// traversed without further checks.
void check_tree(const Tree& tree);
void check_tree(const CompactTree& tree);
void check_tree(const StoredTree& tree);

}  // namespace silvics
