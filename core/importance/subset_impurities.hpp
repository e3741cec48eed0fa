// The mean impurity of Y given each set of variables, i(Y|B) (equation 6.29). Theorem 6.1 and
// equation 6.31 follow from it, since G(Y; X_j | B) = i(Y|B) - i(Y|B, X_j).
#pragma once

#include <vector>

#include "base/thread_team.hpp"
#include "importance/distribution.hpp"

namespace silvics {

inline constexpr std::size_t kMaxVariablesOfLattice = 26;

// Weight times i(Y|B) of every set B of at most `max_size` variables, at the index whose bits are
// the variables of B; NaN for larger sets.
std::vector<double> subset_impurities(const Distribution& distribution, std::size_t max_size,
                                      ThreadTeam& team);

}  // namespace silvics
