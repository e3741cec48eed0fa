#include <cmath>
#include <limits>

#include "data/rank_code.hpp"
#include "data/sparse_code.hpp"
#include "doctest/doctest.h"
#include "support/sparse.hpp"

namespace silvics {
namespace {

using Kind = Column::Kind;
using test::Matrix;
using test::Rng;
using test::SparseMatrix;
using test::SparseRules;
using Widths = BinRule::Widths;

// To the bit, but for the sign of zero and of NaN.
bool same_numbers(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool all_equal(const std::vector<double>& a, const std::vector<double>& b) {
    bool same = a.size() == b.size();
    for (std::size_t i = 0; same && i < a.size(); ++i) same = same_numbers(a[i], b[i]);
    return same;
}

// One column in cells has the codes that it has in rows.
void check_column(const SparseColumn& made, const Matrix& dense, std::size_t j,
                  const BinRule& rule) {
    const std::size_t n = dense.rows;
    std::vector<double> read(n);
    for (std::size_t i = 0; i < n; ++i) read[i] = dense.row(i)[j];
    const auto [expected, codes] = rank_code(read, dense.view().column(j), rule, test::kNeverStop);
    Column column = made.coded.column;
    CHECK(column.sparse);
    CHECK_FALSE(column.plain);
    CHECK(column.n_codes == expected.n_codes);
    CHECK(column.kind == expected.kind);
    CHECK(column.has_missing == expected.has_missing);
    CHECK(column.code_value_shift == expected.code_value_shift);
    CHECK(all_equal(column.code_values, expected.code_values));
    for (const double knot : column.code_values) CHECK_FALSE((knot == 0.0 && std::signbit(knot)));
    column.cells = made.cells;
    bool right = true, ascending = true;
    std::size_t next = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const bool stored = next < made.cells.size() && made.cells[next] == i;
        const Code code = stored ? test::code_at(made.coded.codes, next) : column.zero;
        right &= stored || read[i] == 0.0;
        right &= code == test::code_at(codes, i);
        right &= same_numbers(column.value(i), read[i]);
        next += stored;
    }
    ascending &= next == made.cells.size();
    CHECK(right);
    CHECK(ascending);
}

void check_codes(const Matrix& dense, const SparseRules& rules = {}) {
    const SparseMatrix X(dense, rules);
    for (const BinRule& rule :
         {BinRule{}, BinRule{2, Widths::equal_frequency}, BinRule{7, Widths::equal_frequency},
          BinRule{255, Widths::equal_frequency}, BinRule{5, Widths::equal_width},
          BinRule{256, Widths::equal_width}}) {
        CAPTURE(rule.max_bins);
        for (std::size_t j = 0; j < dense.cols; ++j) {
            CAPTURE(j);
            check_column(sparse_code(X.view(), j, rule, test::kNeverStop), dense, j, rule);
        }
    }
}

TEST_CASE("a sparse column has the codes of the same dense column") {
    Rng rng(210);
    for (const std::size_t rows : {1U, 2U, 3U, 50U, 700U, 3000U})
        for (const std::size_t one_in : {1U, 2U, 10U, 200U}) {
            CAPTURE(rows);
            CAPTURE(one_in);
            check_codes(test::thinned(rng, test::random_matrix(rng, rows, 3), one_in));
            check_codes(test::thinned(rng, test::random_matrix(rng, rows, 3, 9), one_in));
            Matrix whole = test::random_matrix(rng, rows, 3, 2000);
            for (double& x : whole.values) x = std::floor(x);  // counted where it is dense
            check_codes(test::thinned(rng, whole, one_in));
        }
}

TEST_CASE("cells of one sign leave the zeros at one end") {
    Rng rng(211);
    for (const double sign : {1.0, -1.0}) {
        Matrix X = test::random_matrix(rng, 400, 2);
        for (double& x : X.values) x = sign * std::fabs(x);
        X = test::thinned(rng, X, 4);
        check_codes(X);
        const SparseColumn made = sparse_code(SparseMatrix(X).view(), 0, {}, test::kNeverStop);
        CHECK(made.coded.column.zero == (sign > 0 ? 0 : made.coded.column.n_codes - 1));
    }
}

TEST_CASE("zeros that are stored are zeros, of either sign") {
    Rng rng(212);
    Matrix X = test::thinned(rng, test::random_matrix(rng, 300, 3, 9), 3);
    for (double& x : X.values)
        if (x == 0.0 && test::pick(rng, 2) == 0) x = -0.0;
    check_codes(X, {.zero_is_stored = [](std::size_t i, std::size_t) { return i % 3 == 0; }});
    check_codes(X, {.zero_is_stored = [](std::size_t, std::size_t) { return true; }});
    // Among values of one sign too, and where nothing else is stored.
    for (double& x : X.values) x = -std::fabs(x);
    check_codes(X, {.zero_is_stored = [](std::size_t i, std::size_t) { return i % 2 == 0; }});
    for (double& x : X.values) x = 0.0;
    check_codes(X, {.zero_is_stored = [](std::size_t i, std::size_t) { return i % 2 == 0; }});
}

TEST_CASE("a column of no cells is all zeros") {
    const Matrix X{100, 1, std::vector<double>(100, 0.0)};
    check_codes(X);
    const SparseMatrix sparse(X);
    CHECK(sparse.n_cells() == 0);
    const SparseColumn made = sparse_code(sparse.view(), 0, {}, test::kNeverStop);
    CHECK(made.cells.empty());
    CHECK(made.coded.column.n_codes == 1);
    CHECK(made.coded.column.zero == 0);
    CHECK(made.coded.column.code_values == std::vector<double>{0.0});
    CHECK(made.coded.column.kind == Kind::one_value);
}

TEST_CASE("NaN in a cell is a missing value") {
    Rng rng(213);
    for (const std::size_t one_in : {1U, 2U, 5U, 50U})
        for (const std::size_t levels : {0U, 5U, 254U, 255U, 256U, 257U}) {
            CAPTURE(one_in);
            CAPTURE(levels);
            const Matrix X = test::thinned(rng, test::random_matrix(rng, 2000, 2, levels), 3);
            const Matrix has_missing = test::with_missing(rng, X, one_in);
            check_codes(has_missing);
            const SparseColumn made =
                sparse_code(SparseMatrix(has_missing).view(), 0, {}, test::kNeverStop);
            CHECK(made.coded.column.has_missing);
        }
    // Only missing values: with zeros beside them, and without.
    Matrix X{40, 1, std::vector<double>(40, NAN)};
    check_codes(X);
    CHECK(sparse_code(SparseMatrix(X).view(), 0, {}, test::kNeverStop).coded.column.n_codes == 0);
    for (std::size_t i = 0; i < 40; i += 3) X.values[i] = 0.0;
    check_codes(X);
    CHECK(sparse_code(SparseMatrix(X).view(), 0, {}, test::kNeverStop).coded.column.n_codes == 1);
}

TEST_CASE("more values than codes share them as they do in a dense column") {
    Rng rng(214);
    for (const std::size_t n_cells : {65534U, 65535U, 65536U, 65537U, 90000U})
        for (const bool has_missing : {false, true}) {
            CAPTURE(n_cells);
            CAPTURE(has_missing);
            std::vector<double> values(n_cells + 300, 0.0);
            for (std::size_t i = 0; i < n_cells; ++i)
                values[i] = static_cast<double>(i) / 2 - 9999.75;  // none is zero
            for (std::size_t i = 0; has_missing && i < 100; ++i) values[n_cells + 3 * i] = NAN;
            std::ranges::shuffle(values, rng);
            const Matrix X = test::column_of(values);
            const SparseMatrix sparse(X);
            const SparseColumn made = sparse_code(sparse.view(), 0, {}, test::kNeverStop);
            check_column(made, X, 0, {});
            const std::size_t most = kMaxCodes - (has_missing ? 1 : 0);
            CHECK(made.coded.column.kind ==
                  (n_cells + 1 > most ? Kind::several_values : Kind::one_value));
            CHECK(made.coded.column.n_codes == std::min(n_cells + 1, most));
        }
}

TEST_CASE("places and starts are whole numbers of 32 or 64 bits, values of any type") {
    Rng rng(215);
    Matrix X = test::thinned(rng, test::random_matrix(rng, 200, 4), 3);
    for (double& x : X.values) x = std::round(100.0 * x);
    for (const Scalar index : {Scalar::i32, Scalar::i64, Scalar::u32, Scalar::u64})
        for (const Scalar type : {Scalar::f64, Scalar::f32, Scalar::i8, Scalar::i64})
            check_codes(X, {.index_type = index, .type = type});
    for (double& x : X.values) x = x > 0.0 ? 1.0 : 0.0;
    check_codes(X, {.type = Scalar::boolean});
    check_codes(X, {.type = Scalar::u8});
}

// Two columns of four rows, in any format.
struct Cells {
    std::vector<std::int64_t> starts = {0, 2, 4}, places = {0, 3, 1, 2};
    std::vector<double> values = {1.0, 2.0, 3.0, 4.0};

    void code(std::size_t j, Scalar index = Scalar::i64) const {
        const test::Numbers of_starts(starts, index), of_places(places, index),
            of_values(values, Scalar::f64);
        silvics::Matrix X;
        X.rows = 4;
        X.cols = 2;
        X.sparse = SparseView{true, of_starts.view(), of_places.view(), of_values.view()};
        sparse_code(X, j, {}, test::kNeverStop);
    }
};

TEST_CASE("a place out of range or out of order is refused") {
    const Cells good;
    CHECK_NOTHROW(good.code(0));
    CHECK_NOTHROW(good.code(1));
    const char* const range = "a place in the sparse matrix is out of range";
    const char* const order = "places in the sparse matrix are not in order";
    for (const Scalar index : {Scalar::i32, Scalar::i64}) {
        for (const std::int64_t place : {4, 1000, -1, -4}) {
            Cells bad;
            bad.places[3] = place;
            CHECK_NOTHROW(bad.code(0, index));
            CHECK_THROWS_WITH_AS(bad.code(1, index), range, std::invalid_argument);
        }
        for (const std::int64_t place : {1, 0}) {  // twice the same; descending
            Cells bad;
            bad.places[3] = place;
            CHECK_THROWS_WITH_AS(bad.code(1, index), order, std::invalid_argument);
        }
        Cells swapped;
        std::swap(swapped.places[0], swapped.places[1]);
        CHECK_THROWS_WITH_AS(swapped.code(0, index), order, std::invalid_argument);
    }
    Cells far;
    far.places[3] = std::int64_t{1} << 40;
    CHECK_THROWS_WITH_AS(far.code(1), range, std::invalid_argument);
    far.places[3] = (std::int64_t{1} << 32) + 2;  // row 2, if it were cut to 32 bits
    CHECK_THROWS_WITH_AS(far.code(1), range, std::invalid_argument);
    far.places[3] = std::numeric_limits<std::int64_t>::min();
    CHECK_THROWS_WITH_AS(far.code(1), range, std::invalid_argument);
}

TEST_CASE("more cells than rows are refused") {
    Cells bad;
    bad.starts = {0, 5, 5};
    bad.places = {0, 1, 2, 3, 3};
    bad.values.push_back(1.0);
    CHECK_THROWS_AS(bad.code(0), std::invalid_argument);
}

TEST_CASE("infinity in a cell is refused, beside NaN too") {
    for (const double bad : {INFINITY, -INFINITY})
        for (const std::size_t at : {2U, 3U}) {
            Cells cells;
            cells.values[at] = bad;
            CHECK_NOTHROW(cells.code(0));
            CHECK_THROWS_WITH_AS(cells.code(1), kInfinite, std::invalid_argument);
            cells.values[5 - at] = NAN;
            CHECK_THROWS_WITH_AS(cells.code(1), kInfinite, std::invalid_argument);
        }
}

TEST_CASE("coding cells feels a stop request") {
    Rng rng(216);
    const SparseMatrix X(test::random_matrix(rng, 100, 1));
    StopFlag stop;
    stop.request();
    CHECK_THROWS_AS(sparse_code(X.view(), 0, {}, stop), Interrupted);
}

TEST_CASE("a table of sparse columns has each in its place, for any team") {
    Rng rng(217);
    Matrix X = test::thinned(rng, test::random_matrix(rng, 900, 7), 4);
    for (std::size_t i = 0; i < 900; ++i) {
        X.values[i * 7 + 2] = 0.0;                                            // no cells
        X.values[i * 7 + 5] = i % 4 == 1 ? static_cast<double>(i % 3) : 0.0;  // bytes
        if (i % 50 == 0) X.values[i * 7 + 4] = NAN;                           // missing
        if (i > 20) X.values[i * 7 + 3] = 0.0;                                // few cells
        X.values[i * 7 + 6] = static_cast<double>(i) + 0.5;                   // all stored
    }
    const SparseMatrix sparse(X);
    for (const std::size_t size : {1U, 3U})
        for (const BinRule& rule : {BinRule{}, BinRule{9, Widths::equal_frequency}}) {
            ThreadTeam team(size, nullptr);
            const Table coded = code_table(sparse.view(), rule, team);
            const Table made[2] = {code_table(sparse.view(), rule, team),
                                   table_of_values(sparse.view(), team)};
            CHECK(coded.n_features() == 7);
            for (const Table& table : made) {
                const BinRule& of = &table == &made[0] ? rule : BinRule{};
                CHECK(table.n_rows == 900);
                REQUIRE(table.columns.size() == 7);
                for (std::size_t j = 0; j < 7; ++j) {
                    CAPTURE(j);
                    const Column& column = table.columns[j];
                    SparseColumn expected = sparse_code(sparse.view(), j, of, test::kNeverStop);
                    CHECK(std::ranges::equal(column.cells, expected.cells));
                    CHECK(column.zero == expected.coded.column.zero);
                    CHECK(column.has_missing == (j == 4));
                    CHECK(column.n_codes == expected.coded.column.n_codes);
                    CHECK(column.codes.data != nullptr);
                    bool right = true;
                    for (std::size_t k = 0; k < expected.cells.size(); ++k)
                        right &= column.codes[k] == test::code_at(expected.coded.codes, k);
                    for (std::size_t i = 0; i < 900; ++i)
                        right &= same_numbers(column.value(i), X.row(i)[j]);
                    CHECK(right);
                }
            }
        }
}

}  // namespace
}  // namespace silvics
