// Exact Shapley values of the predictions of a forest.
#pragma once

#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "data/matrix.hpp"
#include "forest/forest.hpp"
#include "predictor/predictor.hpp"
#include "shap/path_values.hpp"

namespace silvics {

// Results to fill, which begin as zeros: rows x variables x value width, and, unless it is empty,
// rows x variables x variables x value width. The base is the prediction without any variable.
struct ShapValues {
    std::span<double> values, interactions, base;
};

// The parts of each prediction that are due to each variable: their sum is the prediction minus
// the base. A variable without value follows the training weights of the nodes. `trees` are those
// of the predictor. The interactions of a row add up to its values.
void shap_of_paths(const Predictor& predictor, std::span<const SharedTree> trees, const Matrix& X,
                   const ShapValues& found, ThreadTeam& team);

// The same with values of background rows for the variables without value: means over all pairs of
// a row and a background row. There are no interactions, and the base is left as it is. A forest
// that sends missing values to both children is refused if there are any.
void shap_against_rows(const Predictor& predictor, const Matrix& X, const Matrix& background,
                       const ShapValues& found, ThreadTeam& team);

}  // namespace silvics
