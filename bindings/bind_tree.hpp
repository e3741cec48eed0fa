// The binding of a tree is divided over several files.
#pragma once

#include "tree/stored_tree.hpp"
#include "views.hpp"

namespace silvics::bindings {

void bind_tree_arrays(nb::class_<StoredTree>& tree);  // one array per attribute of nodes
void bind_tree_state(nb::class_<StoredTree>& tree);   // all arrays, for digests and pickles

}  // namespace silvics::bindings
