// The two layouts of a tree: compact for those who keep it, plain for those who analyse it.
#pragma once

#include "tree/tree.hpp"

namespace silvics {

// The tree in a quarter of the bytes, where its inner nodes follow from the leaves in the way
// said, to rounding; otherwise the plain tree as it is.
Tree compact(Tree tree, Derivation derivation);
// The plain tree, whatever the layout.
Tree expand(const Tree& tree);

}  // namespace silvics
