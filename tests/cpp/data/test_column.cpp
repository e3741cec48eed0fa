#include <cmath>

#include "data/column.hpp"
#include "doctest/doctest.h"

namespace silvics {
namespace {

const double kValues[] = {4.0, -1.0, 2.5};
const ColumnView kView{reinterpret_cast<const std::byte*>(kValues), sizeof(double), Scalar::f64};

TEST_CASE("codes of one byte and of two are read with their stride") {
    const std::uint8_t narrow[] = {7, 1, 8, 2, 9, 3};
    const std::uint16_t wide[] = {300, 400, 500};
    const CodeView by_rows{reinterpret_cast<const std::byte*>(narrow + 1), 2, false};
    const CodeView by_column{reinterpret_cast<const std::byte*>(wide), 1, true};
    CHECK(by_rows[0] == 1);
    CHECK(by_rows[2] == 3);
    CHECK(by_column[1] == 400);
}

TEST_CASE("small nodes read codes by rows, where the table has both forms") {
    const std::uint8_t codes[] = {0};
    Column column;
    column.codes = {reinterpret_cast<const std::byte*>(codes), 1, false};
    CHECK(&column.view(1) == &column.codes);
    column.by_rows = {reinterpret_cast<const std::byte*>(codes), 9, false};
    CHECK(&column.view(Column::kMinSamplesByColumn - 1) == &column.by_rows);
    CHECK(&column.view(Column::kMinSamplesByColumn) == &column.codes);
}

TEST_CASE("a sparse column has zeros where it has no cell") {
    const RowId cells[] = {1, 4, 6};
    Column column;
    column.values = kView;
    CHECK(column.value(1) == -1.0);
    column.sparse = true;
    column.cells = cells;
    const double expected[] = {0.0, 4.0, 0.0, 0.0, -1.0, 0.0, 2.5, 0.0};
    for (std::size_t row = 0; row < 8; ++row) CHECK(column.value(row) == expected[row]);
}

TEST_CASE("negative numbers, NaN and numbers that are no level are missing") {
    Column column;
    column.n_codes = 3;
    CHECK(column.level_of(0.0) == 0);
    CHECK(column.level_of(2.0) == 2);
    for (const double number : {-1.0, 3.0, static_cast<double>(NAN)})
        CHECK(column.level_of(number) == 3);
}

TEST_CASE("codes have values if each of them is one value and has its entry") {
    const std::uint8_t codes[] = {0};
    Column column;
    CHECK_FALSE(column.codes_have_values());  // no codes
    column.codes = {reinterpret_cast<const std::byte*>(codes), 1, false};
    CHECK(column.codes_have_values());
    column.code_value_shift = 2;
    CHECK_FALSE(column.codes_have_values());
    column.code_value_shift = 0;
    column.kind = Column::Kind::bin;
    CHECK_FALSE(column.codes_have_values());
}

}  // namespace
}  // namespace silvics
