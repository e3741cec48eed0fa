#include "data/sparse_cells.hpp"

#include <algorithm>

namespace silvics {

void SparseCells::index_rows(std::size_t n_rows, const StopFlag& stop) {
    row_starts.assign(n_rows + 1, 0);
    for (const RowId row : rows) ++row_starts[row + std::size_t{1}];
    for (std::size_t i = 0; i < n_rows; ++i) row_starts[i + 1] += row_starts[i];
    std::vector<std::size_t> next(row_starts.begin(), row_starts.end() - 1);
    std::size_t longest = 0;
    for (const Head& head : heads) longest = std::max<std::size_t>(longest, head.n_cells);
    columns = IndexArray(n_cells(), heads.size());
    numbers = IndexArray(n_cells(), longest);
    columns.visit([&]<class J>(J* to_columns) {
        numbers.visit([&]<class K>(K* to_numbers) {
            for (std::size_t j = 0; j < heads.size(); ++j) {
                stop.check();
                const auto of_column = rows_of(j);
                for (std::size_t k = 0; k < of_column.size(); ++k) {
                    const std::size_t at = next[of_column[k]]++;
                    to_columns[at] = static_cast<J>(j);
                    to_numbers[at] = static_cast<K>(k);
                }
            }
        });
    });
}

}  // namespace silvics
