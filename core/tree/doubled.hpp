// The tree of outputs that are twice as large, for forests whose trees are averaged although each
// of them predicts a part of a sum of two.
#pragma once

#include "tree/stored_tree.hpp"

namespace silvics {

// A regression tree, which must not be of classes. All values are doubled, which is exact unless
// they overflow. `impurity_degree` is the power of the outputs in the unit of impurities: 2 for
// variances, 1 for absolute deviations.
StoredTree doubled(const StoredTree& tree, int impurity_degree);

}  // namespace silvics
