// The prediction of every tree for every sample.
#pragma once

#include <span>

#include "predictor/predictor.hpp"

namespace silvics {

// X.rows x trees x value width. If trees vote by majority, their votes.
void tree_predictions(const Predictor& predictor, const Matrix& X, std::span<double> out,
                      ThreadTeam& team);

}  // namespace silvics
