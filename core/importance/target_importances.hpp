// Importances of the variables of one table for many targets, as in GENIE3 (thesis 7.3.3).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "forest/grower.hpp"

namespace silvics {

// Real outputs, each of which is predicted by its own forest.
struct ManyTargets {
    std::span<const double> values;     // target by target: [target * rows + row]
    std::vector<std::int64_t> columns;  // the column of X that is the target itself, or -1
};

struct TargetImportances {
    // The mean decrease of impurity, not normalized: [target * variables + variable].
    std::vector<double> values;
    std::vector<std::uint8_t> finished;  // for each target; not all of them after a stop request
};

// A target is predicted from all columns but its own. The table is coded once, and no forest is
// kept: each tree is reduced to its decreases of impurity. All forests have the seeds of the plan:
// with best cuts, the importances of a target are those of a forest on a table without its column.
// (The random numbers of other cuts depend on the numbers of the columns.) Only rules of the fast
// splitter are allowed.
TargetImportances target_importances(const Table& table, const ManyTargets& targets,
                                     const ForestPlan& plan, ThreadTeam& team);

}  // namespace silvics
