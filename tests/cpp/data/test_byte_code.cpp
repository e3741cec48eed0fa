#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "base/thread_team.hpp"
#include "data/byte_code.hpp"
#include "data/rank_code.hpp"
#include "doctest/doctest.h"
#include "support/problem.hpp"

namespace silvics {
namespace {

using Kind = Column::Kind;
using test::Matrix;
using test::Rng;

// The same matrix in another scalar type, which has all of its values.
struct Stored {
    std::vector<std::byte> bytes;
    MatrixView view;
};

Stored stored_as(const Matrix& X, Scalar type) {
    return visit_scalar(type, [&]<class T>(std::type_identity<T>) {
        Stored stored{std::vector<std::byte>(X.values.size() * sizeof(T)), {}};
        for (std::size_t i = 0; i < X.values.size(); ++i) {
            const T value = static_cast<T>(X.values[i]);
            std::memcpy(stored.bytes.data() + i * sizeof(T), &value, sizeof(T));
        }
        stored.view = {
            stored.bytes.data(), X.rows, X.cols, static_cast<std::ptrdiff_t>(X.cols * sizeof(T)),
            sizeof(T),           type};
        return stored;
    });
}

// Whole numbers of [low, high], both ends in every column that has two rows.
Matrix whole_matrix(Rng& rng, std::size_t rows, std::size_t cols, double low, double high) {
    Matrix X{rows, cols, std::vector<double>(rows * cols)};
    const auto range = static_cast<std::size_t>(high - low) + 1;
    for (double& x : X.values) x = low + static_cast<double>(test::pick(rng, range));
    for (std::size_t j = 0; j < cols && rows > 1; ++j) {
        const std::size_t at = test::pick(rng, rows - 1);
        X.values[at * cols + j] = j % 2 == 0 ? low : high;
        X.values[(at + 1) * cols + j] = j % 2 == 0 ? high : low;
    }
    return X;
}

struct Coded {
    Table table;
    std::vector<bool> done;
};

Coded coded_bytes(const MatrixView& X, std::size_t most = 256, std::size_t team_size = 1) {
    ThreadTeam team(team_size, nullptr);
    Coded coded;
    coded.table.n_rows = X.rows;
    coded.table.columns.resize(X.cols);
    coded.done = code_bytes(X, most, coded.table, team);
    return coded;
}

bool is_done(const Matrix& X, std::size_t j, double most) {
    double low = INFINITY, high = -INFINITY;
    for (std::size_t i = 0; i < X.rows; ++i) {
        const double x = X.row(i)[j];
        if (x != std::floor(x) || std::fabs(x) > 0x1.0p31) return false;
        low = std::min(low, x);
        high = std::max(high, x);
    }
    return high - low + 1.0 <= most;
}

// Whether codes of one byte tell the values of column j and stand where they belong, m of them.
bool right_column(const Matrix& X, std::size_t j, const Column& column, std::size_t m) {
    std::set<double> distinct;
    for (std::size_t i = 0; i < X.rows; ++i) distinct.insert(X.row(i)[j]);
    const double range = *distinct.rbegin() - *distinct.begin() + 1.0;
    // Where more than half of the range is there, its gaps stay.
    bool right =
        static_cast<double>(column.n_codes) == (2.0 * static_cast<double>(distinct.size()) > range
                                                    ? range
                                                    : static_cast<double>(distinct.size()));
    right &= column.kind == Kind::one_value && column.code_value_shift == 0 &&
             column.codes_have_values();
    right &= column.code_values.size() == column.n_codes;
    right &= std::ranges::is_sorted(column.code_values, std::ranges::less_equal{});
    right &= std::ranges::none_of(column.code_values,
                                  [](double k) { return k == 0.0 && std::signbit(k); });
    right &=
        !column.codes.wide && column.codes.stride == (m > 1 && m <= kMaxNarrowRowBytes ? m : 1);
    right &= (column.by_rows.data != nullptr) == (m > kMaxNarrowRowBytes);
    for (std::size_t i = 0; right && i < X.rows; ++i) {
        const Code code = column.codes[i];
        right &= code < column.n_codes && column.code_values[code] == X.row(i)[j];
        right &= column.values[i] == X.row(i)[j];
        if (m > kMaxNarrowRowBytes)
            right &= column.by_rows[i] == code && column.by_rows.stride == m;
    }
    return right;
}

// All columns that are to be done are, and right.
void check_bytes(const Matrix& X, const MatrixView& view, std::size_t most = 256,
                 std::size_t team_size = 1) {
    const Coded coded = coded_bytes(view, most, team_size);
    REQUIRE(coded.done.size() == X.cols);
    const auto m = static_cast<std::size_t>(std::ranges::count(coded.done, true));
    bool right = true;
    for (std::size_t j = 0; j < X.cols; ++j) {
        right &= coded.done[j] == is_done(X, j, static_cast<double>(most));
        if (coded.done[j]) right &= right_column(X, j, test::numeric(coded.table, j), m);
    }
    CHECK(right);
}

struct TypeRange {
    Scalar type;
    double low, high;
};
constexpr TypeRange kTypes[] = {
    {Scalar::f32, -30, 200},
    {Scalar::f32, 16777000, 16777216},  // the last whole floats
    {Scalar::f64, -200, 55},
    {Scalar::f64, 0x1.0p31 - 200, 0x1.0p31 - 1},
    {Scalar::f64, -0x1.0p31, -0x1.0p31 + 9},
    {Scalar::i8, -128, 127},
    {Scalar::u8, 0, 255},
    {Scalar::i16, -32768, -32600},
    {Scalar::u16, 65300, 65535},
    {Scalar::i32, -0x1.0p31, -0x1.0p31 + 255},
    {Scalar::i32, -7, 3},
    {Scalar::u32, 0x1.0p32 - 100, 0x1.0p32 - 1},
    {Scalar::u32, 5, 6},
    {Scalar::i64, -0x1.0p52, -0x1.0p52 + 100},
    {Scalar::i64, -1, 1},
    {Scalar::u64, 0x1.0p52, 0x1.0p52 + 255},
    {Scalar::u64, 0, 20},
    {Scalar::boolean, 0, 1},
};

TEST_CASE("bytes code the whole numbers of any scalar type, in tables of any shape") {
    Rng rng(500);
    for (const TypeRange& of : kTypes)
        for (const std::size_t rows : {1U, 2U, 256U, 257U, 600U})
            for (const std::size_t cols : {1U, 2U, 5U, 128U, 129U, 200U}) {
                CAPTURE(static_cast<int>(of.type));
                CAPTURE(rows);
                CAPTURE(cols);
                const Matrix X = whole_matrix(rng, rows, cols, of.low, of.high);
                const Stored stored = stored_as(X, of.type);
                const Coded coded = coded_bytes(stored.view);
                bool right = true;
                for (std::size_t j = 0; j < cols; ++j)
                    right &=
                        coded.done[j] && right_column(X, j, test::numeric(coded.table, j), cols);
                CHECK(right);
            }
}

TEST_CASE("integers that doubles cannot represent are not coded as bytes") {
    const auto check = [](auto base, Scalar type) {
        using T = decltype(base);
        std::vector<T> values;
        for (T i = 0; i < 101; ++i) {
            values.push_back(i % 5);
            values.push_back(i % 3);
            values.push_back(base + i);
        }
        const MatrixView X{reinterpret_cast<const std::byte*>(values.data()), 101, 3, 24, 8, type};
        const Coded coded = coded_bytes(X);
        CHECK(coded.done == std::vector<bool>{true, true, false});
        ThreadTeam team(1, nullptr);
        const Table table = code_table(X, {}, team);
        const Column& column = test::numeric(table, 2);
        bool right = true;
        for (std::size_t i = 0; i < 101; ++i)
            right &=
                column.code_values.at(column.codes[i]) == static_cast<double>(values[3 * i + 2]);
        CHECK(right);
    };
    check(std::int64_t{1} << 60, Scalar::i64);
    check(-(std::int64_t{1} << 53) - 3, Scalar::i64);
    check((std::int64_t{1} << 53) - 50, Scalar::i64);
    check(std::uint64_t{1} << 53, Scalar::u64);
    check(~std::uint64_t{0} - 200, Scalar::u64);
}

TEST_CASE("any byte but zero is true") {
    const std::uint8_t values[] = {0, 2, 255, 0, 1, 128};
    const MatrixView X{reinterpret_cast<const std::byte*>(values), 3, 2, 2, 1, Scalar::boolean};
    check_bytes({3, 2, {0, 1, 1, 0, 1, 1}}, X);
}

TEST_CASE("256 numbers in a row are bytes and 257 are not") {
    Rng rng(501);
    for (const std::size_t range : {255U, 256U, 257U, 400U})
        for (const double low : {0.0, -17.0, -256.0, 1000.0}) {
            CAPTURE(range);
            const Matrix X = whole_matrix(rng, 700, 3, low, low + static_cast<double>(range) - 1.0);
            check_bytes(X, X.view());
            const Coded coded = coded_bytes(X.view());
            CHECK(coded.done == std::vector<bool>(3, range <= 256));
            for (std::size_t j = 0; j < 3; ++j) {
                const Table table = test::coded(X);
                const Column& column = test::numeric(table, j);
                bool right = true;
                for (std::size_t i = 0; i < X.rows; ++i)
                    right &= column.code_values[column.codes[i]] == X.row(i)[j];
                CHECK(right);
            }
        }
}

TEST_CASE("values far apart have codes next to each other") {
    for (const std::size_t cols : {1U, 2U, 130U}) {
        Matrix X{6, cols, {}};
        for (const double x : {100.0, -50.0, 100.0, 205.0, -50.0, 3.0})
            X.values.insert(X.values.end(), cols, x);
        check_bytes(X, X.view());
        const Coded coded = coded_bytes(X.view());
        for (std::size_t j = 0; j < cols; ++j) {
            const Column& column = test::numeric(coded.table, j);
            CHECK(column.code_values == std::vector<double>{-50.0, 3.0, 100.0, 205.0});
            std::vector<Code> codes;
            for (std::size_t i = 0; i < 6; ++i) codes.push_back(column.codes[i]);
            CHECK(codes == std::vector<Code>{2, 0, 2, 3, 0, 1});
        }
    }
}

TEST_CASE("rare values among many zeros are seen, wherever they are") {
    constexpr std::size_t kRows = 45, kColumns = 135;  // the end is no whole word
    for (std::size_t at = 0; at < kRows; ++at) {
        CAPTURE(at);
        Matrix X{kRows, kColumns, std::vector<double>(kRows * kColumns)};
        for (std::size_t j = 0; j < kColumns; ++j) {
            X.values[at * kColumns + j] = 100.0;
            X.values[(at + j) % kRows * kColumns + j] = 250.0;
        }
        check_bytes(X, X.view());
    }
}

TEST_CASE("gaps are closed where no more than half of the range is there") {
    Rng rng(502);
    for (const std::size_t range : {2U, 3U, 10U, 11U, 255U, 256U})
        for (std::size_t present = 1; present <= range; present += 1 + range / 12)
            for (const std::size_t cols : {1U, 3U, 129U}) {
                CAPTURE(range);
                CAPTURE(present);
                Matrix X{400, cols, std::vector<double>(400 * cols)};
                for (std::size_t j = 0; j < cols; ++j) {
                    std::vector<double> levels(range);
                    std::iota(levels.begin(), levels.end(), -20.0);
                    std::ranges::shuffle(levels, rng);
                    for (std::size_t i = 0; i < 400; ++i)
                        X.values[i * cols + j] = levels[test::pick(rng, present)];
                }
                check_bytes(X, X.view());
            }
}

TEST_CASE("bytes are parted from the other columns of a table") {
    Rng rng(503);
    for (const std::size_t cols : {2U, 3U, 40U, 300U})
        for (const std::size_t rows : {30U, 700U}) {
            CAPTURE(cols);
            CAPTURE(rows);
            Matrix X = whole_matrix(rng, rows, cols, -100.0, 100.0);
            const std::size_t others = cols == 2 ? 1 : 1 + test::pick(rng, cols / 2);
            for (std::size_t k = 0; k < others; ++k) {
                const std::size_t j = test::pick(rng, cols);
                if (k % 4 == 0)  // one value is enough
                    X.values[test::pick(rng, rows) * cols + j] = k % 8 == 0 ? 0.5 : 1000.0;
                else
                    for (std::size_t i = 0; i < rows; ++i)
                        X.values[i * cols + j] =
                            k % 4 == 1 ? test::pick_real(rng, 0.0, 1.0)
                                       : (k % 4 == 2 ? 1e300 : 7.0) *
                                             static_cast<double>(test::pick(rng, 1000));
            }
            check_bytes(X, X.view());
            // And what codes the others leaves them alone.
            const Table table = test::coded(X);
            const Coded coded = coded_bytes(X.view());
            bool right = true;
            for (std::size_t j = 0; j < cols; ++j) {
                const Column& column = test::numeric(table, j);
                if (coded.done[j])
                    right &= test::same_columns(column, test::numeric(coded.table, j), rows);
                else
                    right &= column.codes.data != nullptr;
                for (std::size_t i = 0; i < rows; ++i)
                    right &= column.code_values[column.codes[i] >> column.code_value_shift] <=
                             X.row(i)[j];
            }
            CHECK(right);
        }
}

TEST_CASE("no column of bytes is no harm") {
    Rng rng(504);
    const Matrix X = test::random_matrix(rng, 50, 4);
    const Coded coded = coded_bytes(X.view());
    CHECK(coded.done == std::vector<bool>(4, false));
    CHECK(coded.table.buffers.empty());
}

TEST_CASE("columns of one value have one code") {
    for (const double value : {0.0, -0.0, 7.0, -300.0, 1e9}) {
        const Matrix X{5, 3, std::vector<double>(15, value)};
        check_bytes(X, X.view());
        const Coded coded = coded_bytes(X.view());
        CHECK(test::numeric(coded.table, 1).n_codes == 1);
    }
}

TEST_CASE("zeros of both signs are one code among bytes") {
    for (const double first : {0.0, -0.0}) {
        const Matrix X{4, 2, {first, -1.0, 1.0, first, -first, -first, first, -2.0}};
        check_bytes(X, X.view());
    }
}

TEST_CASE("bytes are read at any strides") {
    Rng rng(505);
    const std::size_t rows = 300, cols = 7;
    const Matrix X = whole_matrix(rng, rows, cols, -5.0, 60.0);
    std::vector<std::int32_t> other(6 * rows * cols);
    MatrixView view{nullptr, rows, cols, 0, 0, Scalar::i32};
    std::size_t start = 0;
    SUBCASE("every third row, every second column") {
        view.row_stride = 6 * cols * 4, view.col_stride = 2 * 4;
    }
    SUBCASE("backwards") {
        start = rows * cols - 1;
        view.row_stride = -static_cast<std::ptrdiff_t>(cols) * 4, view.col_stride = -4;
    }
    SUBCASE("columns backwards") {
        start = cols - 1;
        view.row_stride = cols * 4, view.col_stride = -4;
    }
    view.data = reinterpret_cast<const std::byte*>(other.data() + start);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < cols; ++j)
            other[static_cast<std::size_t>(
                (view.at(i, j) - reinterpret_cast<const std::byte*>(other.data())) / 4)] =
                static_cast<std::int32_t>(X.row(i)[j]);
    check_bytes(X, view);
}

TEST_CASE("one row that all rows are, and one column that all columns are") {
    const double values[] = {3.0, -4.0, 5.0};
    MatrixView view{reinterpret_cast<const std::byte*>(values), 3, 3, 0, 8, Scalar::f64};
    check_bytes({3, 3, {3, -4, 5, 3, -4, 5, 3, -4, 5}}, view);
    view.row_stride = 8, view.col_stride = 0;
    check_bytes({3, 3, {3, 3, 3, -4, -4, -4, 5, 5, 5}}, view);
}

TEST_CASE("fewer codes than the range leave a column to others") {
    Matrix X{500, 4, std::vector<double>(2000)};
    for (std::size_t k = 0; k < 2000; ++k) X.values[k] = static_cast<double>(k / 4 * 7 % 100);
    for (const std::size_t most : {2U, 99U, 100U, 101U}) {
        check_bytes(X, X.view(), most);
        CHECK(coded_bytes(X.view(), most).done == std::vector<bool>(4, most >= 100));
        const Table table = test::coded(X, {most, BinRule::Widths::equal_frequency});
        for (std::size_t j = 0; j < 4; ++j) {
            CHECK(test::numeric(table, j).kind == (most < 100 ? Kind::bin : Kind::one_value));
            CHECK(test::numeric(table, j).n_codes <= most);
        }
    }
}

TEST_CASE("few values far apart need no bins") {
    Matrix X{300, 2, std::vector<double>(600)};
    for (std::size_t k = 0; k < 600; ++k) X.values[k] = static_cast<double>(k % 5) * 50.0;
    const Table table = test::coded(X, {16, BinRule::Widths::equal_width});
    for (std::size_t j = 0; j < 2; ++j) {
        CHECK(test::numeric(table, j).kind == Kind::one_value);
        CHECK(test::numeric(table, j).n_codes == 5);
    }
}

TEST_CASE("a team of any size gives the same bytes") {
    Rng rng(507);
    for (const std::size_t cols : {3U, 70U, 128U, 200U}) {
        Matrix X = whole_matrix(rng, 1500, cols, -9.0, 90.0);
        for (std::size_t i = 0; i < X.rows; ++i) X.values[i * cols + 1] *= 0.25;
        for (std::size_t k = 0; k < X.values.size(); k += 3)  // some with gaps
            if (k % cols % 2 == 0) X.values[k] = -9.0;
        const Coded alone = coded_bytes(X.view());
        for (const std::size_t size : {2U, 3U, 8U}) {
            const Coded shared = coded_bytes(X.view(), 256, size);
            CHECK(shared.done == alone.done);
            bool same = true;
            for (std::size_t j = 0; j < cols; ++j)
                same &= !alone.done[j] || test::same_columns(test::numeric(shared.table, j),
                                                             test::numeric(alone.table, j), X.rows);
            CHECK(same);
            check_bytes(X, X.view(), 256, size);
        }
    }
}

TEST_CASE("NaN among bytes is a missing value and infinity is refused, at any position") {
    Rng rng(508);
    const Matrix X = whole_matrix(rng, 600, 5, 0.0, 20.0);
    const double inf = INFINITY;
    for (const double bad : {static_cast<double>(NAN), inf, -inf})
        for (const std::size_t row : {0U, 1U, 255U, 256U, 599U})
            for (const Scalar type : {Scalar::f64, Scalar::f32}) {
                Matrix spoilt = X;
                spoilt.values[row * 5 + 2] = bad;
                const Stored stored = stored_as(spoilt, type);
                const Coded coded = coded_bytes(stored.view);
                CHECK(coded.done == std::vector<bool>{true, true, false, true, true});
                for (const std::size_t size : {1U, 3U}) {
                    ThreadTeam team(size, nullptr);
                    if (std::isinf(bad)) {
                        CHECK_THROWS_WITH_AS(code_table(stored.view, {}, team), kInfinite,
                                             std::invalid_argument);
                        continue;
                    }
                    const Table table = code_table(stored.view, {}, team);
                    bool right = true;
                    for (std::size_t j = 0; j < 5; ++j) {
                        const Column& column = table.columns[j];
                        right &= column.has_missing == (j == 2) && column.plain == (j != 2);
                        for (std::size_t i = 0; i < 600; ++i)
                            right &= j == 2 && i == row
                                         ? column.codes[i] == column.n_codes
                                         : column.code_values.at(column.codes[i]) == X.row(i)[j];
                    }
                    CHECK(right);
                }
            }
}

struct StopAtOnce : Monitor {
    bool poll(std::size_t, std::size_t) override { return false; }
};

TEST_CASE("coding bytes feels a stop request") {
    StopAtOnce monitor;
    ThreadTeam team(2, &monitor);
    const auto nothing = [](std::size_t, std::size_t) {};
    team.run(1, nothing);
    REQUIRE(team.stop().requested());
    const Matrix X{600, 2, std::vector<double>(1200, 1.0)};
    CHECK_THROWS_AS(code_table(X.view(), {}, team), Interrupted);
}

}  // namespace
}  // namespace silvics
