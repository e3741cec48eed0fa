// The coded table: everything about X that growing needs.
#pragma once

#include <cstddef>
#include <vector>

#include "base/view.hpp"
#include "data/column.hpp"

namespace silvics {

class ThreadTeam;

struct BinRule {
    enum class Widths { equal_frequency, equal_width };

    std::size_t max_bins = 0;  // 0: exact, every distinct value its own code
    Widths widths = Widths::equal_frequency;
};

struct Table {
    std::size_t n_rows = 0;
    std::vector<Column> columns;

    std::size_t n_features() const { return columns.size(); }
};

// Codes every column of X, the columns shared out over the team.
Table code_table(const MatrixView& X, const BinRule& rule, ThreadTeam& team);

}  // namespace silvics
