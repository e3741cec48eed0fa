// Importances from surrogate splits: what a variable would achieve in place of the one chosen at a
// node (equation 6.1).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "data/matrix.hpp"
#include "data/target.hpp"
#include "forest/forest.hpp"
#include "importance/distribution.hpp"
#include "predictor/predictor.hpp"

namespace silvics {

struct Surrogates {
    std::vector<double> importances;  // trees x variables, in the user's units
    // [i * variables + j]: the sum, over the splits on i, of their decrease times how well j mimics
    // them: from 0 (no better than sending all rows to the larger child) to 1. Empty unless wanted.
    std::vector<double> mimicry;
};

// At every node, each variable has the surrogate split that agrees most with the node's split: a
// cut, or a set of levels for categories. At multiway nodes, numbers are treated as levels too.
// Missing values go to the child of most of them. As in CART, a surrogate counts only if it agrees
// better than sending all rows to the larger child. The surrogate on the split variable itself, or
// on a copy of it, is the split. The importances of x and -x are equal to the last bit.
Surrogates surrogate_importances(const Predictor& predictor, std::span<const SharedTree> trees,
                                 const Matrix& X, const Target& target, const DrawnTrees& drawn,
                                 const std::vector<bool>& categories, Impurity impurity,
                                 bool wants_mimicry, ThreadTeam& team);

}  // namespace silvics
