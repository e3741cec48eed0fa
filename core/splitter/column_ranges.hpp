// Properties of whole columns that some recipes need, computed once per table.
#pragma once

#include "base/thread_team.hpp"
#include "data/table.hpp"
#include "splitter/split.hpp"

namespace silvics {

// The smallest and the largest value of every column of numbers; {0, 0} for categories.
std::vector<std::pair<double, double>> column_ranges(const Table& table, ThreadTeam& team);

// Thresholds between the values that a multiway split separates: between all of them, if there are
// at most `most`, or between as many groups of about equally many rows.
std::vector<std::vector<double>> column_edges(const Table& table, std::size_t most,
                                              ThreadTeam& team);

}  // namespace silvics
