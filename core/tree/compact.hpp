// The two layouts of a tree: compact for those who keep it, plain for those who analyse it.
#pragma once

#include <vector>

#include "tree/tree.hpp"

namespace silvics {

// What the leaves of a tree have, in their order.
struct Leaves {
    std::vector<NodeId> ids;
    std::vector<std::uint32_t> n;
    std::vector<double> weight, impurity;
    std::vector<double> value;          // where they predict one number
    std::vector<double> class_weights;  // of those that are not pure, where they predict classes
};

// The compact tree of these nodes, whose leaves have all of this. `nodes` has a header and nodes,
// and nothing else.
Tree compact_tree(Tree nodes, const Leaves& leaves, Derivation derivation);
// The tree in a quarter of the bytes, where its inner nodes follow from the leaves in the way
// said, to rounding; otherwise the plain tree as it is.
Tree compact(Tree tree, Derivation derivation);
// The plain tree, whatever the layout.
Tree expand(const Tree& tree);

}  // namespace silvics
