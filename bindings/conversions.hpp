// Conversions that several bindings share.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "forest/forest.hpp"
#include "importance/distribution.hpp"
#include "views.hpp"

namespace silvics::bindings {

inline Impurity impurity_named(const std::string& name) {
    if (name == "entropy") return Impurity::entropy;
    if (name == "gini") return Impurity::gini;
    if (name == "variance") return Impurity::variance;
    throw std::invalid_argument("unknown impurity '" + name + "'");
}

inline std::vector<SharedTree> const_trees(const std::vector<std::shared_ptr<StoredTree>>& trees) {
    return {trees.begin(), trees.end()};
}

}  // namespace silvics::bindings
