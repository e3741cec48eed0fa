#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "data/rank_code.hpp"
#include "data/table.hpp"
#include "doctest/doctest.h"
#include "support/problem.hpp"

namespace silvics {
namespace {

using Kind = Column::Kind;

// A matrix of `n_few` columns of few values (codes of one byte), then `n_many` of many.
test::Matrix mixed_matrix(test::Rng& rng, std::size_t rows, std::size_t n_few, std::size_t n_many) {
    test::Matrix X = test::random_matrix(rng, rows, n_few + n_many);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < n_few; ++j)
            X.values[i * X.cols + j] = static_cast<double>(test::pick(rng, 50)) / 8;
    return X;
}

// The rank of every row's value among the distinct values of its column, computed plainly.
std::vector<Code> plain_ranks(const test::Matrix& X, std::size_t j) {
    std::vector<double> distinct;
    for (std::size_t i = 0; i < X.rows; ++i) distinct.push_back(X.row(i)[j]);
    std::ranges::sort(distinct);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    std::vector<Code> ranks;
    for (std::size_t i = 0; i < X.rows; ++i)
        ranks.push_back(
            static_cast<Code>(std::ranges::lower_bound(distinct, X.row(i)[j]) - distinct.begin()));
    return ranks;
}

std::vector<Code> codes_of(const CodeView& view, std::size_t n_rows) {
    std::vector<Code> codes;
    for (std::size_t i = 0; i < n_rows; ++i) codes.push_back(view[i]);
    return codes;
}

// Where the codes of some columns stand.
enum class Layout { by_rows, by_columns, both };

void check_layout(const test::Matrix& X, const Table& table, std::size_t first, std::size_t last,
                  Layout layout, bool wide) {
    const std::size_t m = last - first;
    bool right = true;
    for (std::size_t j = first; j < last; ++j) {
        const Column& column = test::numeric(table, j);
        const auto ranks = plain_ranks(X, j);
        right &= codes_of(column.codes, X.rows) == ranks;
        right &= column.codes.wide == wide;
        right &= column.codes.stride == (layout == Layout::by_rows ? m : 1);
        right &= (column.by_rows.data != nullptr) == (layout == Layout::both);
        for (std::size_t i = 0; i < X.rows; ++i) right &= column.values[i] == X.row(i)[j];
        right &= &column.view(Column::kMinSamplesByColumn) == &column.codes;
        if (layout != Layout::both) {
            right &= &column.view(2) == &column.codes;
            continue;
        }
        right &= &column.view(2) == &column.by_rows;
        right &= &column.view(Column::kMinSamplesByColumn - 1) == &column.by_rows;
        right &= column.by_rows.stride == m && column.by_rows.wide == wide;
        right &= codes_of(column.by_rows, X.rows) == ranks;
    }
    CHECK(right);
}

TEST_CASE("a table has the codes of every column, whatever the team") {
    test::Rng rng(4);
    for (const std::size_t levels : {0U, 40U}) {
        const test::Matrix X = test::random_matrix(rng, 300, 9, levels);
        const Table alone = test::coded(X);
        CHECK(alone.n_rows == 300);
        CHECK(alone.n_features() == 9);
        for (std::size_t j = 0; j < 9; ++j)
            CHECK(codes_of(test::numeric(alone, j).codes, 300) == plain_ranks(X, j));
        for (const std::size_t size : {2U, 5U, 16U}) {
            ThreadTeam team(size, nullptr);
            const Table shared = code_table(X.view(), {}, team);
            for (std::size_t j = 0; j < 9; ++j)
                CHECK(test::same_columns(test::numeric(shared, j), test::numeric(alone, j), 300));
        }
    }
}

TEST_CASE("codes stand by rows in a narrow table, by columns in a wide one, or both ways") {
    test::Rng rng(10);
    const auto check = [&](std::size_t n_few, Layout few, std::size_t n_many, Layout many) {
        CAPTURE(n_few);
        CAPTURE(n_many);
        const test::Matrix X = mixed_matrix(rng, 300, n_few, n_many);
        for (const std::size_t size : {1U, 3U}) {
            ThreadTeam team(size, nullptr);
            const Table table = code_table(X.view(), {}, team);
            check_layout(X, table, 0, n_few, few, false);
            check_layout(X, table, n_few, X.cols, many, true);
        }
    };
    SUBCASE("one column") {
        check(1, Layout::by_columns, 0, Layout::by_columns);
        check(0, Layout::by_columns, 1, Layout::by_columns);
        check(1, Layout::by_columns, 1, Layout::by_columns);
    }
    SUBCASE("narrow: up to 128 bytes of a row") {
        check(2, Layout::by_rows, 2, Layout::by_rows);
        check(128, Layout::by_rows, 0, Layout::by_rows);
        check(0, Layout::by_rows, 64, Layout::by_rows);
    }
    SUBCASE("wide, of one byte") { check(129, Layout::both, 0, Layout::both); }
    SUBCASE("wide, of two bytes") { check(0, Layout::by_columns, 65, Layout::by_columns); }
    SUBCASE("of both sizes") {
        check(129, Layout::both, 65, Layout::by_columns);
        check(130, Layout::both, 3, Layout::by_rows);
        check(5, Layout::by_rows, 70, Layout::by_columns);
    }
}

TEST_CASE("columns of both sizes may stand in any order") {
    test::Rng rng(11);
    test::Matrix X = mixed_matrix(rng, 300, 3, 3);
    for (std::size_t i = 0; i < 300; ++i) {  // few, many, few, many, ...
        double* row = X.values.data() + i * 6;
        const std::vector<double> old(row, row + 6);
        for (std::size_t j = 0; j < 6; ++j) row[j] = old[j / 2 + 3 * (j % 2)];
    }
    const Table table = test::coded(X);
    for (std::size_t j = 0; j < 6; ++j) {
        CHECK(test::numeric(table, j).codes.wide == (j % 2 == 1));
        CHECK(codes_of(test::numeric(table, j).codes, 300) == plain_ranks(X, j));
    }
}

TEST_CASE("a table that moves keeps its codes in place") {
    test::Rng rng(12);
    const test::Matrix X = mixed_matrix(rng, 300, 129, 65);
    Table first = test::coded(X);
    const Table table = std::move(first);
    check_layout(X, table, 0, 129, Layout::both, false);
    check_layout(X, table, 129, X.cols, Layout::by_columns, true);
}

TEST_CASE("a matrix in any order of memory gives the same table") {
    test::Rng rng(13);
    const std::size_t rows = 300, cols = 40;
    const test::Matrix X = mixed_matrix(rng, rows, cols / 2, cols / 2);
    const Table expected = test::coded(X);
    std::vector<double> other;
    MatrixView view{nullptr, rows, cols, 0, 0, Scalar::f64};
    const auto put = [&](std::size_t i, std::size_t j) -> double& {
        return other[(view.at(i, j) - view.data) / sizeof(double)];
    };
    SUBCASE("Fortran") {
        other.resize(rows * cols);
        view.row_stride = sizeof(double);
        view.col_stride = rows * sizeof(double);
    }
    SUBCASE("every third row, every second column of a larger one") {
        other.resize(6 * rows * cols);
        view.row_stride = 6 * cols * sizeof(double);
        view.col_stride = 2 * sizeof(double);
    }
    SUBCASE("backwards") {
        other.resize(rows * cols + 1);
        view.row_stride = -static_cast<std::ptrdiff_t>(cols * sizeof(double));
        view.col_stride = -static_cast<std::ptrdiff_t>(sizeof(double));
    }
    view.data = reinterpret_cast<const std::byte*>(other.data());
    if (view.row_stride < 0) {
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < cols; ++j) other[rows * cols - i * cols - j] = X.row(i)[j];
        view.data += rows * cols * sizeof(double);
    } else {
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < cols; ++j) put(i, j) = X.row(i)[j];
    }
    for (const std::size_t size : {1U, 4U}) {
        ThreadTeam team(size, nullptr);
        const Table table = code_table(view, {}, team);
        for (std::size_t j = 0; j < cols; ++j)
            CHECK(test::same_columns(test::numeric(table, j), test::numeric(expected, j), rows));
    }
}

TEST_CASE("a column of any scalar type is read at its strides") {
    ThreadTeam team(1, nullptr);
    const std::int16_t values[] = {5, 99, -7, 99, 5, 99, 300, 99};
    const MatrixView X{reinterpret_cast<const std::byte*>(values), 4, 2, 4, 2, Scalar::i16};
    const Table table = code_table(X, {}, team);
    CHECK(test::numeric(table, 0).code_values == std::vector<double>{-7.0, 5.0, 300.0});
    CHECK(test::numeric(table, 1).code_values == std::vector<double>{99.0});
    CHECK(codes_of(test::numeric(table, 0).codes, 4) == std::vector<Code>{1, 0, 1, 2});
    CHECK(test::numeric(table, 0).values[3] == 300.0);
    const float singles[] = {0.1F, -3.0F, 0.1F, 1e30F};
    const MatrixView Y{reinterpret_cast<const std::byte*>(singles), 4, 1, 4, 4, Scalar::f32};
    const Table other = code_table(Y, {}, team);
    CHECK(test::numeric(other).code_values == std::vector<double>{-3.0, 0.1F, 1e30F});
    CHECK(test::numeric(other).values[0] == 0.1F);
}

TEST_CASE("whole numbers and others of the same order have the same codes") {
    test::Rng rng(14);
    for (const std::size_t levels : {2U, 200U, 3000U})
        for (const BinRule rule : {BinRule{}, BinRule{16, BinRule::Widths::equal_frequency}}) {
            test::Matrix X = test::random_matrix(rng, 1500, 2, levels);
            for (double& x : X.values) x *= 4.0;
            const Table whole = test::coded(X, rule);
            test::Matrix Y = X;
            for (double& y : Y.values) y = y / 8 + 1e-5;
            const Table others = test::coded(Y, rule);
            for (std::size_t j = 0; j < 2; ++j) {
                const Column &a = test::numeric(whole, j), &b = test::numeric(others, j);
                CHECK(codes_of(a.codes, 1500) == codes_of(b.codes, 1500));
                CHECK(a.kind == b.kind);
                CHECK(a.n_codes == b.n_codes);
                CHECK(a.code_values.size() == b.code_values.size());
            }
        }
}

TEST_CASE("values that differ only in the lower half of their bits have different codes") {
    test::Rng rng(15);
    for (const std::size_t n : {60U, 700U}) {
        test::Matrix X = test::random_matrix(rng, n, 2);
        for (std::size_t i = 0; i < n; ++i) {
            X.values[2 * i] = 1.0 + static_cast<double>(test::pick(rng, n)) * 0x1.0p-52;
            X.values[2 * i + 1] = -5.0 - static_cast<double>(i % 2) * 0x1.0p-50;
        }
        const Table table = test::coded(X);
        for (std::size_t j = 0; j < 2; ++j)
            CHECK(codes_of(test::numeric(table, j).codes, n) == plain_ranks(X, j));
        CHECK(test::numeric(table, 1).n_codes == 2);
    }
}

TEST_CASE("minus zero and zero have one code in any column") {
    const test::Matrix X{4, 2, {-0.0, -0.0, 0.0, 0.0, 1.0, 0.25, -0.0, -0.0}};
    const Table table = test::coded(X);
    for (std::size_t j = 0; j < 2; ++j) {
        CHECK(codes_of(test::numeric(table, j).codes, 4) == std::vector<Code>{0, 0, 1, 0});
        CHECK_FALSE(std::signbit(test::numeric(table, j).code_values[0]));
    }
}

TEST_CASE("a column of more values than codes is read again where that matters") {
    test::Rng rng(16);
    const test::Matrix X = test::random_matrix(rng, 70000, 1);
    const Table table = test::coded(X);
    const Column& column = test::numeric(table);
    CHECK(column.kind == Kind::several_values);
    CHECK(column.n_codes == kMaxCodes);
    CHECK(column.codes.wide);
    bool right = true;
    for (std::size_t i = 0; i < 70000; ++i) right &= column.values[i] == X.values[i];
    CHECK(right);
}

TEST_CASE("a table without rows or columns is refused") {
    ThreadTeam team(1, nullptr);
    const double value = 0.0;
    MatrixView X{reinterpret_cast<const std::byte*>(&value), 1, 1, 8, 8, Scalar::f64};
    SUBCASE("no rows") { X.rows = 0; }
    SUBCASE("no columns") { X.cols = 0; }
    CHECK_THROWS_WITH_AS(code_table(X, {}, team), "X has no rows or no columns",
                         std::invalid_argument);
}

TEST_CASE("more rows or columns than ids is an error, before any value is read") {
    ThreadTeam team(1, nullptr);
    MatrixView X{nullptr, 1, 1, 0, 0, Scalar::f64};
    SUBCASE("rows") { X.rows = std::size_t{1} << 32; }
    SUBCASE("columns") { X.cols = std::size_t{1} << 31; }
    CHECK_THROWS_AS(code_table(X, {}, team), std::length_error);
}

TEST_CASE("a single bin is refused, and more bins than codes") {
    ThreadTeam team(1, nullptr);
    const test::Matrix X = test::column_of({1.0, 2.0});
    CHECK_THROWS_WITH_AS(code_table(X.view(), {1, BinRule::Widths::equal_width}, team),
                         "max_bins must be at least 2", std::invalid_argument);
    CHECK_THROWS_AS(code_table(X.view(), {65537, BinRule::Widths::equal_width}, team),
                    std::invalid_argument);
    CHECK_NOTHROW(code_table(X.view(), {65536, BinRule::Widths::equal_width}, team));
}

TEST_CASE("infinity in any column reaches the caller as an error from any team") {
    test::Rng rng(5);
    test::Matrix X = test::random_matrix(rng, 20, 6);
    SUBCASE("among others") {}
    SUBCASE("among whole numbers") { X.values.assign(120, 3.0); }
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double bad : {infinity, -infinity})
        for (const bool beside_missing : {false, true}) {
            test::Matrix spoilt = X;
            spoilt.values[77] = bad;
            if (beside_missing) spoilt.values[71] = std::numeric_limits<double>::quiet_NaN();
            for (const std::size_t size : {1U, 3U}) {
                ThreadTeam team(size, nullptr);
                CHECK_THROWS_WITH_AS(code_table(spoilt.view(), {}, team), kInfinite,
                                     std::invalid_argument);
            }
        }
}

TEST_CASE("NaN is missing in its column and changes no other, for any team") {
    test::Rng rng(5);
    test::Matrix X = test::random_matrix(rng, 20, 6);
    SUBCASE("among others") {}
    SUBCASE("among whole numbers") {
        for (double& x : X.values) x = std::round(4.0 * x);
    }
    test::Matrix with_hole = X;
    with_hole.values[77] = std::numeric_limits<double>::quiet_NaN();  // row 12 of column 5
    const Table whole = test::coded(X);
    for (const std::size_t size : {1U, 3U}) {
        ThreadTeam team(size, nullptr);
        const Table table = code_table(with_hole.view(), {}, team);
        for (std::size_t j = 0; j < 5; ++j) {
            CHECK(test::same_columns(table.columns[j], whole.columns[j], 20));
            CHECK(table.columns[j].plain);
            CHECK_FALSE(table.columns[j].has_missing);
        }
        const Column& column = table.columns[5];
        CHECK(column.has_missing);
        CHECK_FALSE(column.plain);
        bool right = true;
        for (std::size_t i = 0; i < 20; ++i)
            right &= i == 12 ? column.codes[i] == column.n_codes
                             : column.codes[i] < column.n_codes &&
                                   column.code_values.at(column.codes[i]) == X.row(i)[5];
        CHECK(right);
    }
}

struct StopAtOnce : Monitor {
    bool poll(std::size_t, std::size_t) override { return false; }
};

TEST_CASE("coding obeys a stop request, of whole numbers too") {
    StopAtOnce monitor;
    ThreadTeam team(2, &monitor);
    const auto stop_team = [](std::size_t, std::size_t) {};
    team.run(1, stop_team);
    REQUIRE(team.stop().requested());
    for (const double value : {1.0, 0.5}) {
        const test::Matrix X = test::column_of(std::vector<double>(20, value));
        CHECK_THROWS_AS(code_table(X.view(), {}, team), Interrupted);
    }
}

// ---- tables of values

Table values_of(const MatrixView& X, std::size_t team_size = 1) {
    ThreadTeam team(team_size, nullptr);
    return table_of_values(X, team);
}

void check_has_values(const test::Matrix& X, const Table& table) {
    CHECK(table.n_rows == X.rows);
    REQUIRE(table.n_features() == X.cols);
    bool right = true;
    for (std::size_t j = 0; j < X.cols; ++j)
        for (std::size_t i = 0; i < X.rows; ++i)
            right &= test::numeric(table, j).values[i] == X.row(i)[j];
    CHECK(right);
}

TEST_CASE("a narrow matrix of rows is not coded where values do") {
    test::Rng rng(17);
    for (const std::size_t cols : {2U, 9U, 64U})  // up to 512 bytes of a row
        for (const std::size_t size : {1U, 3U}) {
            const test::Matrix X = test::random_matrix(rng, 400, cols);
            const Table table = values_of(X.view(), size);
            CHECK(table.values_below > kMaxRows);
            CHECK(table.buffers.empty());
            check_has_values(X, table);
            for (std::size_t j = 0; j < cols; ++j) {
                const Column& column = test::numeric(table, j);
                CHECK(column.codes.data == nullptr);
                CHECK(column.by_rows.data == nullptr);
                CHECK_FALSE(column.codes_have_values());
                CHECK(column.kind != Kind::bin);  // whose values would not do
            }
        }
}

TEST_CASE("values of any scalar type do") {
    const float values[] = {0.5F, 1e30F, -7.0F, 3.25F, 0.125F, -1e30F};
    const MatrixView X{reinterpret_cast<const std::byte*>(values), 3, 2, 8, 4, Scalar::f32};
    const Table table = values_of(X);
    CHECK(table.values_below > kMaxRows);
    check_has_values({3, 2, {0.5, 1e30F, -7.0, 3.25, 0.125, -1e30F}}, table);
}

void check_coded_alike(const test::Matrix& X, const Table& table) {
    const Table expected = test::coded(X);
    check_has_values(X, table);
    bool same = true;
    for (std::size_t j = 0; j < X.cols; ++j)
        same &= test::numeric(table, j).codes.data != nullptr &&
                test::same_columns(test::numeric(table, j), test::numeric(expected, j), X.rows);
    CHECK(same);
}

// The same values, column by column.
test::Matrix turned(const test::Matrix& X) {
    test::Matrix columns{X.cols, X.rows, std::vector<double>(X.values.size())};
    for (std::size_t i = 0; i < X.rows; ++i)
        for (std::size_t j = 0; j < X.cols; ++j) columns.values[j * X.rows + i] = X.row(i)[j];
    return columns;
}

MatrixView by_columns(const test::Matrix& columns) {
    MatrixView view = columns.view();
    std::swap(view.rows, view.cols);
    std::swap(view.row_stride, view.col_stride);
    return view;
}

TEST_CASE("values of a short table do, however they lie") {
    test::Rng rng(21);
    for (const std::size_t cols : {1U, 6U, 200U})
        for (const std::size_t levels : {0U, 9U}) {
            const test::Matrix X = test::random_matrix(rng, 1023, cols, levels), other = turned(X);
            for (const MatrixView& view : {X.view(), by_columns(other)}) {
                const Table table = values_of(view, 2);
                CHECK(table.values_below > kMaxRows);
                CHECK(table.buffers.empty());
                check_has_values(X, table);
            }
        }
}

TEST_CASE("values far from each other are coded all the same, and looked at in small nodes") {
    test::Rng rng(18);
    SUBCASE("a matrix of columns") {
        const test::Matrix X = test::random_matrix(rng, 1100, 6), other = turned(X);
        const MatrixView view = by_columns(other);
        const Table table = values_of(view);
        CHECK(table.values_below > 2);
        CHECK(table.values_below < 200);
        check_coded_alike(X, table);
    }
    SUBCASE("wide rows, more than a cache has room for") {
        const test::Matrix X = test::random_matrix(rng, 24'198, 130);  // 1,040 bytes each
        const Table table = values_of(X.view());
        CHECK(table.values_below == 1024);
        check_coded_alike(X, table);
        const Table some = values_of(
            {X.view().data, 24'197, 130, X.view().row_stride, X.view().col_stride, X.view().type});
        CHECK(some.values_below > kMaxRows);
        CHECK(some.buffers.empty());
    }
    SUBCASE("bytes") {
        for (const std::size_t cols : {2U, 3U, 200U}) {
            test::Matrix X = test::random_matrix(rng, 1200, cols, 80);
            for (double& x : X.values) x *= 4.0;
            for (std::size_t i = 0; i < 1200 && cols > 2; ++i) X.values[i * cols] += 0.5;
            const Table table = values_of(X.view());
            CHECK(table.values_below > 2);
            CHECK(table.values_below < 300);
            check_coded_alike(X, table);
        }
    }
    SUBCASE("a single column") {  // whose rows are no further apart than its columns would be
        const test::Matrix X = test::random_matrix(rng, 1500, 1);
        check_coded_alike(X, values_of(X.view()));
    }
}

TEST_CASE("half of the columns of bytes are not most of them") {
    test::Rng rng(19);
    test::Matrix X = test::random_matrix(rng, 1050, 4);
    const auto bytes_in = [&](std::size_t j) {
        for (std::size_t i = 0; i < 1050; ++i) X.values[i * 4 + j] = static_cast<double>(i % 9);
    };
    bytes_in(0), bytes_in(2);
    CHECK(values_of(X.view()).buffers.empty());
    bytes_in(3);
    check_coded_alike(X, values_of(X.view()));
}

TEST_CASE("in tables of values, infinity is refused with the same message and NaN is missing") {
    test::Rng rng(20);
    for (const std::size_t cols : {1U, 3U, 70U})
        for (const bool whole : {false, true})
            for (const double bad :
                 {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                  -std::numeric_limits<double>::infinity()})
                for (const std::size_t rows : {1U, 40U, 20000U}) {
                    if (rows * cols > 60000) continue;
                    CAPTURE(cols);
                    CAPTURE(rows);
                    test::Matrix X = test::random_matrix(rng, rows, cols, whole ? 8 : 0);
                    if (whole)
                        for (double& x : X.values) x *= 4.0;
                    const std::size_t at = test::pick(rng, X.values.size());
                    X.values[at] = bad;
                    if (std::isinf(bad)) {
                        CHECK_THROWS_WITH_AS(values_of(X.view(), 1 + rows % 2), kInfinite,
                                             std::invalid_argument);
                        continue;
                    }
                    const Table table = values_of(X.view(), 1 + rows % 2);
                    bool right = true;
                    for (std::size_t j = 0; j < cols; ++j) {
                        const Column& column = table.columns[j];
                        right &= column.has_missing == (j == at % cols) &&
                                 column.plain == !column.has_missing;
                    }
                    CHECK(right);
                    CHECK(std::isnan(table.columns[at % cols].value(at / cols)));
                }
}

TEST_CASE("the ends of the doubles are finite") {
    const double most = std::numeric_limits<double>::max();
    const test::Matrix X{3, 2, {most, -most, most, 0.5, -most, most}};
    check_has_values(X, values_of(X.view()));
}

TEST_CASE("a table of no values is refused") {
    const double value = 0.0;
    MatrixView X{reinterpret_cast<const std::byte*>(&value), 1, 1, 8, 8, Scalar::f64};
    SUBCASE("no rows") { X.rows = 0; }
    SUBCASE("no columns") { X.cols = 0; }
    CHECK_THROWS_WITH_AS(values_of(X), "X has no rows or no columns", std::invalid_argument);
}

TEST_CASE("a table has columns with missing values beside columns without") {
    test::Rng rng(221);
    for (const std::size_t rows : {40U, 1500U}) {
        test::Matrix X = test::random_matrix(rng, rows, 6);
        for (std::size_t i = 0; i < rows; ++i) {
            for (const std::size_t j : {1U, 4U}) X.values[i * 6 + j] = static_cast<double>(i % 5);
            for (const std::size_t j : {0U, 4U, 5U})
                if (test::pick(rng, 6) == 0) X.values[i * 6 + j] = NAN;
        }
        for (const bool of_values : {false, true})
            for (const std::size_t size : {1U, 3U}) {
                ThreadTeam team(size, nullptr);
                const Table table =
                    of_values ? table_of_values(X.view(), team) : code_table(X.view(), {}, team);
                bool right = true;
                for (std::size_t j = 0; j < 6; ++j) {
                    const Column& column = table.columns[j];
                    CHECK(column.has_missing == (j == 0 || j >= 4));
                    CHECK(column.plain == !column.has_missing);
                    CHECK_FALSE(column.sparse);
                    for (std::size_t i = 0; i < rows; ++i) {
                        const double x = X.row(i)[j];
                        right &= std::isnan(x) ? std::isnan(column.value(i)) : column.value(i) == x;
                        if (column.codes.data == nullptr) continue;
                        right &= (column.codes[i] == column.n_codes) == std::isnan(x);
                        for (const std::size_t k : {i / 2, i / 3})
                            if (X.row(k)[j] < x) right &= column.codes[k] < column.codes[i];
                    }
                }
                CHECK(right);
            }
    }
}

}  // namespace
}  // namespace silvics
