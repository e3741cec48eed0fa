#include "data/table.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "base/kernels.hpp"
#include "base/thread_team.hpp"
#include "data/byte_code.hpp"
#include "data/level_code.hpp"
#include "data/rank_code.hpp"
#include "data/sparse_code.hpp"

namespace silvics {
namespace {

// Reads neighbouring columns, one after another. In a matrix stored by rows they share cache
// lines.
void read_columns(const MatrixView& X, std::size_t first, std::size_t count, double* into) {
    visit_scalar(X.type, [&]<class T>(std::type_identity<T>) {
        for (std::size_t i = 0; i < X.rows; ++i)
            for (std::size_t j = 0; j < count; ++j)
                into[j * X.rows + i] = load_as_double<T>(X.at(i, first + j));
    });
}

// A matrix of at most kMaxCachedBytes is read as values instead of codes: it fits the cache. Rows
// of more than kMaxNearRowBytes have each value in another cache line, and the bound is lower for
// them.
constexpr std::size_t kMaxCachedBytes = std::size_t{1} << 25, kMaxNearRowBytes = 512;

// Columns of at least this size are copied to large pages. Smaller ones stay where they were made,
// since copying all of them would take as much memory again.
constexpr std::size_t kMinLargePageBytes = std::size_t{1} << 20;

// Places the codes of some columns, all of one size, in the table.
template <class T>
void place_codes(std::vector<CodedColumn>& coded, std::span<const std::size_t> columns,
                 Table& table, ThreadTeam& team) {
    if (columns.empty()) return;
    const std::size_t n = table.n_rows, m = columns.size();
    const auto view = [&](std::size_t j, const CodeView& codes) {
        Column& column = coded[columns[j]].column;
        (column.codes.data == nullptr ? column.codes : column.by_rows) = codes;
        table.columns[columns[j]] = column;
    };
    const auto codes = [&](std::size_t j) -> std::vector<T>& {
        return std::get<std::vector<T>>(coded[columns[j]].codes);
    };
    const bool narrow = m > 1 && m * sizeof(T) <= kMaxNarrowRowBytes;
    T* rows = nullptr;
    if (narrow || (m > 1 && sizeof(T) == 1)) {
        table.buffers.emplace_back(checked_product(n, m * sizeof(T)));
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
    if (!narrow && n * sizeof(T) < kMinLargePageBytes) {
        for (std::size_t j = 0; j < m; ++j) {
            const auto& kept = table.arrays.emplace_back(std::move(coded[columns[j]].codes));
            view(j, {reinterpret_cast<const std::byte*>(std::get<std::vector<T>>(kept).data()), 1,
                     sizeof(T) == 2});
        }
    } else if (!narrow) {
        table.buffers.emplace_back(checked_product(n, m * sizeof(T)));
        T* const columns_first = reinterpret_cast<T*>(table.buffers.back().data());
        team.run(m, [&](std::size_t j, std::size_t) {
            std::ranges::copy(codes(j), columns_first + j * n);
            codes(j) = std::vector<T>();  // "= {}" would keep the capacity
        });
        for (std::size_t j = 0; j < m; ++j)
            view(j, {reinterpret_cast<const std::byte*>(columns_first + j * n), 1, sizeof(T) == 2});
    }
    if (rows == nullptr) return;
    for (std::size_t j = 0; j < m; ++j)
        view(j, {reinterpret_cast<const std::byte*>(rows + j), m, sizeof(T) == 2});
}

void check_shape(const Matrix& X) {
    checked_id(X.rows, kMaxRows, "rows");
    checked_id(X.cols, kMaxIds, "columns");
    if (X.rows == 0 || X.cols == 0) throw std::invalid_argument("X has no rows or no columns");
}

bool rows_first(const MatrixView& X) { return std::abs(X.row_stride) > std::abs(X.col_stride); }

std::size_t row_bytes(const MatrixView& X) {
    return X.cols * static_cast<std::size_t>(std::abs(X.col_stride));
}

// Whether most columns seem to fit codes of one byte, judged by the first rows.
bool mostly_bytes(const MatrixView& X) {
    const std::size_t rows = std::min(X.rows, std::size_t{256});
    std::vector<double> read(rows);
    std::size_t bytes = 0;
    for (std::size_t j = 0; j < X.cols; ++j) {
        read_columns({X.at(0, j), rows, 1, X.row_stride, X.col_stride, X.type}, 0, 1, read.data());
        double low, high;
        bytes += kernels().whole_number_range(read.data(), rows, &low, &high) && high - low < 256.0;
    }
    return 2 * bytes > X.cols;
}

// Codes one column, whose content has been read.
CodedColumn coded_column(const Matrix& X, std::size_t j, const ColumnView& values,
                         std::span<const double> read, const BinRule& rule, const StopFlag& stop) {
    if (X.category(j)) return level_code(read, values, static_cast<std::size_t>(X.n_levels[j]));
    return rank_code(read, values, rule, stop);
}

// Places of the columns of a sparse matrix among its cells.
SparseCells sparse_cells(const Matrix& X) {
    const SparseView& sparse = *X.sparse;
    const auto start = [&](std::size_t j) { return static_cast<std::size_t>(sparse.starts[j]); };
    SparseCells cells;
    cells.heads.resize(X.cols);
    std::size_t longest = 0;
    for (std::size_t j = 0; j < X.cols; ++j) {
        cells.heads[j].begin = start(j) - start(0);
        const std::size_t n = start(j + 1) - start(j);
        cells.heads[j].n_cells = static_cast<std::uint32_t>(n);
        longest = std::max(longest, n);
    }
    const std::size_t n = start(X.cols) - start(0);
    cells.rows.resize(n);
    cells.values = sparse.values;
    cells.values.data = sparse.values.at(start(0));
    cells.by_value = IndexArray(n, longest);
    return cells;
}

Table code_sparse(const Matrix& X, const BinRule& rule, ThreadTeam& team) {
    Table table;
    table.n_rows = X.rows;
    table.columns.resize(X.cols);
    SparseCells& cells = table.sparse.emplace(sparse_cells(X));
    std::vector<CodeArray> codes(X.cols);
    team.run(X.cols, [&](std::size_t j, std::size_t) {
        SparseColumn made = sparse_code(X, j, rule, team.stop());
        const std::size_t begin = cells.heads[j].begin;
        if (made.cells.size() != cells.heads[j].n_cells)
            throw std::invalid_argument("the sparse matrix has changed while it was read");
        std::ranges::copy(made.cells, cells.rows.begin() + static_cast<std::ptrdiff_t>(begin));
        cells.by_value.visit([&]<class T>(T* to) {
            std::ranges::transform(made.order, to + begin,
                                   [](std::uint32_t cell) { return static_cast<T>(cell); });
        });
        table.columns[j] = std::move(made.coded.column);
        table.columns[j].cells = cells.rows_of(j);
        codes[j] = std::move(made.coded.codes);
    });
    cells.index_rows(X.rows, team.stop());
    const auto bytes = [](const CodeArray& array) {
        return std::visit([](const auto& v) { return v.size() * sizeof(v[0]); }, array);
    };
    std::size_t whole = 0;
    for (const CodeArray& array : codes) whole += bytes(array) + bytes(array) % 2;
    std::byte* to = table.buffers.emplace_back(whole + 1).data();
    for (std::size_t j = 0; j < X.cols; ++j) {
        table.columns[j].codes = {to, 1, codes[j].index() == 1};
        std::visit(
            [&](const auto& v) {
                if (!v.empty()) std::memcpy(to, v.data(), v.size() * sizeof(v[0]));
            },
            codes[j]);
        SparseCells::Head& head = cells.heads[j];
        const Column& column = table.columns[j];
        head.codes = to;
        head.wide = column.codes.wide;
        head.zero = column.zero;
        head.missing = static_cast<Code>(column.n_codes);
        head.has_missing = column.has_missing;
        head.several_values = column.kind == Column::Kind::several_values;
        to += bytes(codes[j]) + bytes(codes[j]) % 2;
    }
    return table;
}

// Finds the columns with missing values (NaN). Infinity is an error.
std::vector<char> find_missing(const Matrix& X, ThreadTeam& team) {
    std::vector<char> has_missing(X.cols, 0);
    constexpr std::size_t kBlock = std::size_t{1} << 14;
    X.for_blocks([&](const MatrixView& block, std::size_t first) {
        std::atomic<bool> some = false;
        team.run((X.rows + kBlock - 1) / kBlock, [&](std::size_t part, std::size_t) {
            // One row stands for all rows of columns that are the same number everywhere.
            const std::size_t rows = block.row_stride == 0 ? 1 : X.rows;
            const std::size_t begin = part * kBlock, end = std::min(rows, begin + kBlock);
            visit_scalar(block.type, [&]<class T>(std::type_identity<T>) {
                double nothing = 0.0;  // stays zero unless a value is not finite
                for (std::size_t i = begin; i < end; ++i)
                    for (std::size_t j = 0; j < block.cols; ++j)
                        nothing += 0.0 * load_as_double<T>(block.at(i, j));
                if (!(nothing == 0.0)) some = true;
            });
        });
        if (!some) return;
        team.run(block.cols, [&](std::size_t j, std::size_t) {
            const ColumnView values = block.column(j);
            for (std::size_t i = 0; i < X.rows; ++i) {
                const double v = values[i];
                if (std::isinf(v)) throw std::invalid_argument(kInfinite);
                has_missing[first + j] |= std::isnan(v);
            }
        });
    });
    return has_missing;
}

// Whether a column is a single finite number, repeated for all rows without memory. The columns
// that do not belong to the patch of a tree are given so.
bool is_one_number(const MatrixView& block, std::size_t j) {
    return block.row_stride == 0 && std::isfinite(block.column(j)[0]);
}

Column column_of_one_number(const ColumnView& values) {
    static constexpr std::byte kCode{0};
    Column column;
    column.codes = {&kCode, 0, false};
    column.n_codes = 1;
    column.values = values;
    column.code_values = {values[0]};
    return column;
}

}  // namespace

Table code_table(const Matrix& X, const BinRule& rule, ThreadTeam& team) {
    check_shape(X);
    if (rule.max_bins == 1) throw std::invalid_argument("max_bins must be at least 2");
    if (rule.max_bins > kMaxCodes)
        throw std::invalid_argument("max_bins must be at most 65536; None is exact");
    if (X.sparse) return code_sparse(X, rule, team);
    Table table;
    table.n_rows = X.rows;
    table.columns.resize(X.cols);
    std::vector<bool> done(X.cols);
    if (X.simple() && rows_first(X.blocks[0]) && mostly_bytes(X.blocks[0])) {
        const std::size_t most =
            rule.max_bins == 0 ? 256 : std::min<std::size_t>(rule.max_bins, 256);
        done = code_bytes(X.blocks[0], most, table, team);
    }
    struct Run {  // columns to be coded; neighbours in a matrix stored by rows are read together
        const MatrixView* block;
        std::size_t offset, first, last;
    };
    std::vector<Run> runs;
    X.for_blocks([&](const MatrixView& block, std::size_t offset) {
        const std::size_t width = rows_first(block) ? std::clamp(X.cols / (4 * team.size()),
                                                                 std::size_t{1}, std::size_t{4})
                                                    : 1;
        for (std::size_t j = 0; j < block.cols; ++j) {
            if (done[offset + j]) continue;
            if (is_one_number(block, j) && !X.category(offset + j)) {
                table.columns[offset + j] = column_of_one_number(block.column(j));
                done[offset + j] = true;
                continue;
            }
            const bool joins = !runs.empty() && runs.back().block == &block &&
                               runs.back().last == j && j - runs.back().first < width;
            if (!joins) runs.push_back({&block, offset, j, j});
            runs.back().last = j + 1;
        }
    });
    std::vector<CodedColumn> coded(X.cols);
    team.run(runs.size(), [&](std::size_t run, std::size_t) {
        const auto [block, offset, first, last] = runs[run];
        std::vector<double> read((last - first) * X.rows);
        read_columns(*block, first, last - first, read.data());
        for (std::size_t j = first; j < last; ++j) {
            team.stop().check();
            coded[offset + j] = coded_column(X, offset + j, block->column(j),
                                             std::span(read).subspan((j - first) * X.rows, X.rows),
                                             rule, team.stop());
        }
    });
    std::vector<std::size_t> of_size[2];  // columns of one-byte and of two-byte codes
    for (std::size_t j = 0; j < X.cols; ++j) {
        if (done[j]) continue;
        const bool none = std::visit([](const auto& v) { return v.empty(); }, coded[j].codes);
        if (none)
            table.columns[j] = std::move(coded[j].column);
        else
            of_size[coded[j].codes.index()].push_back(j);
    }
    place_codes<std::uint8_t>(coded, of_size[0], table, team);
    place_codes<std::uint16_t>(coded, of_size[1], table, team);
    return table;
}

Table table_of_values(const Matrix& X, ThreadTeam& team, bool rarely_read) {
    constexpr std::size_t kSmallNodeSamples = 33, kWideNodeSamples = 1024,
                          kAllNodes = std::numeric_limits<std::size_t>::max();
    check_shape(X);
    const bool short_table = (X.rows < kWideNodeSamples || rarely_read) && !X.sparse;
    bool cached = false, wide = false;
    if (!short_table && X.simple()) {
        const MatrixView& block = X.blocks[0];
        const bool in_rows = rows_first(block) && !mostly_bytes(block);
        wide = in_rows && row_bytes(block) > kMaxNearRowBytes;
        cached = in_rows &&
                 X.rows * row_bytes(block) <= (wide ? kMaxCachedBytes / 4 * 3 : kMaxCachedBytes);
    }
    if (!short_table && !cached) {
        Table table = code_table(X, {}, team);
        table.values_below = wide ? kWideNodeSamples : kSmallNodeSamples;
        return table;
    }
    const std::vector<char> has_missing = find_missing(X, team);
    Table table;
    table.n_rows = X.rows;
    table.values_below = kAllNodes;
    X.for_blocks([&](const MatrixView& block, std::size_t first) {
        for (std::size_t j = 0; j < block.cols; ++j) {
            Column column;
            column.values = block.column(j);
            column.kind = Column::Kind::several_values;
            column.has_missing = has_missing[first + j] != 0;
            if (X.category(first + j)) {
                column.kind = Column::Kind::category;
                column.n_codes = static_cast<std::size_t>(X.n_levels[first + j]);
                for (std::size_t i = 0; i < X.rows; ++i) {
                    const double number = column.values[i];
                    column.has_missing |= !(number >= 0.0);
                    if (number >= static_cast<double>(column.n_codes))
                        throw std::invalid_argument("a level of a category is out of range");
                }
            }
            column.plain = !column.has_missing && column.kind != Column::Kind::category;
            table.columns.push_back(std::move(column));
        }
    });
    return table;
}

}  // namespace silvics
