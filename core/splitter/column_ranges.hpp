// What some recipes have to know of whole columns, once per table.
#pragma once

#include "base/thread_team.hpp"
#include "data/table.hpp"
#include "splitter/split.hpp"

namespace silvics {

// The least and the largest value of every column of numbers; nothing of categories.
std::vector<std::pair<double, double>> column_ranges(const Table& table, ThreadTeam& team);

// Between the values that a multiway split tells apart: each of them, if there are no more than
// `most`, or as many groups of about equally many rows.
std::vector<std::vector<double>> column_edges(const Table& table, std::size_t most,
                                              ThreadTeam& team);

}  // namespace silvics
