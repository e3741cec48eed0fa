// Mean decrease of impurity (equation 6.2), of one tree.
#pragma once

#include <vector>

#include "tree/tree.hpp"

namespace silvics {

// Sum of p(t) times the decrease over the nodes that split on each variable; `normalize`
// makes them sum to one where they are not all zero.
std::vector<double> impurity_decrease(const Tree& tree, bool normalize);

}  // namespace silvics
