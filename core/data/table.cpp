#include "data/table.hpp"

#include "data/rank_code.hpp"
#include "forest/thread_team.hpp"

namespace silvics {

Table code_table(const MatrixView& X, const BinRule& rule, ThreadTeam& team) {
    checked_id(X.rows, kMaxRows, "rows");
    checked_id(X.cols, kMaxIds, "columns");
    if (X.rows == 0 || X.cols == 0) throw std::invalid_argument("X has no rows or no columns");
    if (rule.max_bins == 1) throw std::invalid_argument("max_bins must be at least 2");
    Table table;
    table.n_rows = X.rows;
    table.columns.resize(X.cols);
    team.run(X.cols, [&](std::size_t j, std::size_t) {
        table.columns[j] = rank_code(X, j, rule, team.stop());
    });
    return table;
}

}  // namespace silvics
