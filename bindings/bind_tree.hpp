// The parts in which a tree is bound.
#pragma once

#include "tree/tree.hpp"
#include "views.hpp"

namespace silvics::bindings {

void bind_tree_arrays(nb::class_<Tree>& tree);  // an array of each attribute of nodes
void bind_tree_state(nb::class_<Tree>& tree);   // all that it holds, for digests and pickles

}  // namespace silvics::bindings
