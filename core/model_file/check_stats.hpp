// Checks of statistics that come from a file.
#pragma once

#include "model_file/training_stats.hpp"

namespace silvics {

// Throws std::invalid_argument unless the forest and these statistics are valid trees. The forest
// must have been checked.
void check_stats(const PackedForest& forest, const TrainingStats& stats, ThreadTeam& team);
inline void check_stats(const PackedForest& forest, const TrainingStats& stats) {
    ThreadTeam alone;
    check_stats(forest, stats, alone);
}

}  // namespace silvics
