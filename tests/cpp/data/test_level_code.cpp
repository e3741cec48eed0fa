// Columns of categories.
#include <cmath>
#include <limits>

#include "data/level_code.hpp"
#include "doctest/doctest.h"
#include "support/sparse.hpp"

namespace silvics {
namespace {

using Kind = Column::Kind;
using test::Rng;

TEST_CASE("a level is its own code, and what is missing comes after all levels") {
    Rng rng(230);
    for (const std::size_t n_levels : {1U, 2U, 9U, 255U, 256U, 257U, 65535U, 65536U})
        for (const bool has_missing : {false, true}) {
            CAPTURE(n_levels);
            CAPTURE(has_missing);
            std::vector<double> read(500);
            for (double& v : read) v = static_cast<double>(test::pick(rng, n_levels));
            read[17] = static_cast<double>(n_levels - 1);
            if (has_missing) read[3] = NAN, read[4] = -1.0, read[5] = -NAN, read[6] = -7.5;
            const test::Matrix X = test::column_of(read);
            const auto [column, codes] = level_code(read, X.view().column(0), n_levels);
            CHECK(column.kind == Kind::category);
            CHECK_FALSE(column.plain);
            CHECK_FALSE(column.sparse);
            CHECK(column.n_codes == n_levels);
            CHECK(column.has_missing == has_missing);
            CHECK(column.values.data == X.view().data);
            const std::size_t n_codes = n_levels + (has_missing ? 1 : 0);
            const auto n_coded = std::visit([](const auto& v) { return v.size(); }, codes);
            if (n_codes > kMaxCodes) {  // too many: looked up
                CHECK(n_coded == 0);
                continue;
            }
            REQUIRE(n_coded == 500);
            CHECK(codes.index() == (n_codes > 256 ? 1 : 0));
            bool right = true;
            for (std::size_t i = 0; i < 500; ++i)
                right &= test::code_at(codes, i) ==
                         (read[i] >= 0.0 ? static_cast<Code>(read[i]) : n_levels);
            CHECK(right);
        }
}

TEST_CASE("a level that is not there is refused") {
    for (const std::size_t n_levels : {0U, 1U, 5U, 70000U})
        for (const double beyond : {0.0, 1.0, 1e15}) {
            const std::vector<double> read = {-1.0, static_cast<double>(n_levels) + beyond};
            CHECK_THROWS_WITH_AS(level_code(read, {}, n_levels),
                                 "a level of a category is out of range", std::invalid_argument);
        }
    const std::vector<double> infinite = {0.0, INFINITY};
    CHECK_THROWS_AS(level_code(infinite, {}, 3), std::invalid_argument);
}

TEST_CASE("a category of no levels is missing altogether") {
    const std::vector<double> read = {NAN, -1.0, NAN};
    const auto [column, codes] = level_code(read, {}, 0);
    CHECK(column.has_missing);
    CHECK(column.n_codes == 0);
    for (std::size_t i = 0; i < 3; ++i) CHECK(test::code_at(codes, i) == 0);
}

// Numbers, levels of few kinds, of many, of too many to be coded; in blocks of several types.
struct Mixed {
    std::size_t rows;
    test::Matrix numbers;
    std::vector<std::int8_t> few;
    std::vector<float> many;
    std::vector<std::int32_t> too_many;
    silvics::Matrix X;

    Mixed(Rng& rng, std::size_t n) : rows(n), numbers(test::random_matrix(rng, n, 2)) {
        for (std::size_t i = 0; i < n; ++i) {
            few.push_back(static_cast<std::int8_t>(test::pick(rng, 5)) - 1);  // -1: missing
            many.push_back(static_cast<float>(test::pick(rng, 1000)));
            too_many.push_back(static_cast<std::int32_t>(test::pick(rng, 300000)));
        }
        few[0] = -1;
        const auto view = [&](const auto& of, Scalar type) {
            const auto size = static_cast<std::ptrdiff_t>(sizeof(of[0]));
            return MatrixView{
                reinterpret_cast<const std::byte*>(of.data()), n, 1, size, size, type};
        };
        X.rows = n;
        X.cols = 5;
        X.blocks = {numbers.view(), view(few, Scalar::i8), view(many, Scalar::f32),
                    view(too_many, Scalar::i32)};
        X.n_levels = {-1, -1, 4, 1000, 300000};
    }
    Mixed(const Mixed&) = delete;
    double at(std::size_t i, std::size_t j) const {
        return j < 2 ? numbers.row(i)[j] : j == 2 ? few[i] : j == 3 ? many[i] : too_many[i];
    }
};

TEST_CASE("a table has numbers and categories side by side, from blocks of any type") {
    Rng rng(231);
    for (const std::size_t rows : {30U, 2000U}) {
        const Mixed mixed(rng, rows);
        CHECK(mixed.X.has_categories());
        CHECK_FALSE(mixed.X.simple());
        for (const bool of_values : {false, true})
            for (const std::size_t size : {1U, 3U}) {
                ThreadTeam team(size, nullptr);
                const Table table =
                    of_values ? table_of_values(mixed.X, team) : code_table(mixed.X, {}, team);
                REQUIRE(table.n_features() == 5);
                for (std::size_t j = 0; j < 5; ++j) {
                    CAPTURE(j);
                    const Column& column = table.columns[j];
                    CHECK((column.kind == Kind::category) == (j >= 2));
                    CHECK(column.plain == (j < 2));
                    CHECK(column.has_missing == (j == 2));
                    if (j >= 2)
                        CHECK(column.n_codes == static_cast<std::size_t>(mixed.X.n_levels[j]));
                    if (j == 4) CHECK(column.codes.data == nullptr);
                    bool right = true;
                    for (std::size_t i = 0; i < rows; ++i) {
                        const double x = mixed.at(i, j);
                        right &= column.values[i] == x;
                        if (j < 2) continue;
                        const Code level =
                            x < 0.0 ? static_cast<Code>(column.n_codes) : static_cast<Code>(x);
                        right &= column.level_of(x) == level;
                        if (column.codes.data != nullptr) right &= column.codes[i] == level;
                    }
                    CHECK(right);
                }
            }
    }
}

TEST_CASE("bins are for numbers, not for levels") {
    Rng rng(232);
    const Mixed mixed(rng, 2000);
    ThreadTeam team(1, nullptr);
    const Table table = code_table(mixed.X, {4, BinRule::Widths::equal_frequency}, team);
    for (std::size_t j = 0; j < 5; ++j)
        CHECK(table.columns[j].kind == (j < 2 ? Kind::bin : Kind::category));
    CHECK(table.columns[3].n_codes == 1000);
}

TEST_CASE("a level out of range and infinity are refused in any table") {
    Rng rng(233);
    for (const std::size_t rows : {30U, 2000U})
        for (const bool of_values : {false, true}) {
            Mixed mixed(rng, rows);
            const auto code = [&] {
                ThreadTeam team(2, nullptr);
                of_values ? table_of_values(mixed.X, team) : code_table(mixed.X, {}, team);
            };
            CHECK_NOTHROW(code());
            mixed.few[7] = 4;
            CHECK_THROWS_WITH_AS(code(), "a level of a category is out of range",
                                 std::invalid_argument);
            mixed.few[7] = 3;
            CHECK_NOTHROW(code());
            mixed.numbers.values[9] = INFINITY;
            CHECK_THROWS_WITH_AS(code(), kInfinite, std::invalid_argument);
            mixed.numbers.values[9] = NAN;
            CHECK_NOTHROW(code());
            mixed.many[5] = INFINITY;
            CHECK_THROWS_AS(code(), std::invalid_argument);
        }
}

TEST_CASE("minus infinity in a category is the same for every table") {
    Rng rng(234);
    std::vector<bool> refused;
    for (const std::size_t rows : {30U, 2000U}) {
        Mixed mixed(rng, rows);
        mixed.many[5] = -INFINITY;
        for (const bool of_values : {false, true}) try {
                ThreadTeam team(1, nullptr);  // one that threw is stopped
                of_values ? table_of_values(mixed.X, team) : code_table(mixed.X, {}, team);
                refused.push_back(false);
            } catch (const std::invalid_argument&) {
                refused.push_back(true);
            }
    }
    CHECK(refused == std::vector<bool>(4, refused[0]));
}

}  // namespace
}  // namespace silvics
