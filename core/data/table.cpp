#include "data/table.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "data/rank_code.hpp"
#include "forest/thread_team.hpp"

namespace silvics {
namespace {

// Some neighbouring columns, one after another. Read together, since in a matrix of rows they
// come in the same lines of the cache.
void read_columns(const MatrixView& X, std::size_t first, std::size_t count, double* into) {
    visit_scalar(X.type, [&]<class T>(std::type_identity<T>) {
        for (std::size_t i = 0; i < X.rows; ++i)
            for (std::size_t j = 0; j < count; ++j)
                into[j * X.rows + i] = load_as_double<T>(X.at(i, first + j));
    });
}

constexpr std::size_t kNarrow = 128;  // bytes of a row that are worth reading for a few of them

// Gives the codes of some columns, all of one size, their place in the table.
template <class T>
void place_codes(std::vector<CodedColumn>& coded, std::span<const std::size_t> columns,
                 Table& table, ThreadTeam& team) {
    if (columns.empty()) return;
    const std::size_t n = table.n_rows, m = columns.size();
    const auto view = [&](std::size_t j, const CodeView& codes) {
        NumericColumn& column = coded[columns[j]].column;
        (column.codes.data == nullptr ? column.codes : column.by_rows) = codes;
        table.columns[columns[j]] = column;
    };
    const auto codes = [&](std::size_t j) -> std::vector<T>& {
        return std::get<std::vector<T>>(coded[columns[j]].codes);
    };
    const bool narrow = m > 1 && m * sizeof(T) <= kNarrow;
    T* rows = nullptr;
    if (narrow || (m > 1 && sizeof(T) == 1)) {
        table.buffers.emplace_back(n * m * sizeof(T));
        rows = reinterpret_cast<T*>(table.buffers.back().data());
        const std::size_t n_block =
            std::max((std::size_t{1} << 18) / (m * sizeof(T)), std::size_t{64});
        team.run((n + n_block - 1) / n_block, [&](std::size_t block, std::size_t) {
            const std::size_t begin = block * n_block, end = std::min(n, begin + n_block);
            for (std::size_t j = 0; j < m; ++j) {
                const T* const from = codes(j).data();
                for (std::size_t i = begin; i < end; ++i) rows[i * m + j] = from[i];
            }
        });
    }
    if (!narrow) {
        table.buffers.emplace_back(n * m * sizeof(T));
        T* const columns_first = reinterpret_cast<T*>(table.buffers.back().data());
        team.run(m, [&](std::size_t j, std::size_t) {
            std::ranges::copy(codes(j), columns_first + j * n);
            codes(j) = {};
        });
        for (std::size_t j = 0; j < m; ++j)
            view(j, {reinterpret_cast<const std::byte*>(columns_first + j * n), 1, sizeof(T) == 2});
    }
    if (rows == nullptr) return;
    for (std::size_t j = 0; j < m; ++j)
        view(j, {reinterpret_cast<const std::byte*>(rows + j), m, sizeof(T) == 2});
}

}  // namespace

Table code_table(const MatrixView& X, const BinRule& rule, ThreadTeam& team) {
    checked_id(X.rows, kMaxRows, "rows");
    checked_id(X.cols, kMaxIds, "columns");
    if (X.rows == 0 || X.cols == 0) throw std::invalid_argument("X has no rows or no columns");
    if (rule.max_bins == 1) throw std::invalid_argument("max_bins must be at least 2");
    if (rule.max_bins > kMaxCodes)
        throw std::invalid_argument("max_bins must be at most 65536; None is exact");
    const bool rows_first = std::abs(X.row_stride) > std::abs(X.col_stride);
    const std::size_t width =
        rows_first ? std::clamp(X.cols / (4 * team.size()), std::size_t{1}, std::size_t{16}) : 1;
    std::vector<CodedColumn> coded(X.cols);
    team.run((X.cols + width - 1) / width, [&](std::size_t block, std::size_t) {
        const std::size_t first = block * width, count = std::min(width, X.cols - first);
        std::vector<double> read(count * X.rows);
        read_columns(X, first, count, read.data());
        for (std::size_t j = 0; j < count; ++j) {
            team.stop().check();
            coded[first + j] = rank_code(std::span(read).subspan(j * X.rows, X.rows),
                                         X.column(first + j), rule, team.stop());
        }
    });
    Table table;
    table.n_rows = X.rows;
    table.columns.resize(X.cols);
    std::vector<std::size_t> of_size[2];  // columns of one-byte and of two-byte codes
    for (std::size_t j = 0; j < X.cols; ++j) of_size[coded[j].codes.index()].push_back(j);
    place_codes<std::uint8_t>(coded, of_size[0], table, team);
    place_codes<std::uint16_t>(coded, of_size[1], table, team);
    return table;
}

}  // namespace silvics
