// Importances that count what a variable would have done in the place of the one that was taken
// (equation 6.1).
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
    // [i * variables + j]: how well j mimics the splits on i, from 0, no better than all rows to
    // the larger side, to 1; times the decrease of those splits, and summed. Where asked for.
    std::vector<double> mimicry;
};

// At every node, of each variable, the split that parts the rows most like the node's own does: a
// cut, or a set of levels (`categories`); at nodes with a child for each value, levels also of
// numbers. Missing values go where most of them are. As in CART, a split counts only if it agrees
// better than sending all rows to the larger child. A variable's own splits, and those of a copy,
// are what they are; of x and -x the importances are equal to the last bit.
Surrogates surrogate_importances(const Predictor& predictor, std::span<const SharedTree> trees,
                                 const Matrix& X, const Target& target, const DrawnTrees& drawn,
                                 const std::vector<bool>& categories, Impurity impurity,
                                 bool wants_mimicry, ThreadTeam& team);

}  // namespace silvics
