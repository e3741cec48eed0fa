// A forest is a list of trees. They are shared with estimators, predictors and importances.
#pragma once

#include <memory>
#include <vector>

#include "tree/stored_tree.hpp"

namespace silvics {

using SharedTree = std::shared_ptr<const StoredTree>;

}  // namespace silvics
