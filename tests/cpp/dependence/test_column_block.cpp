// Rows column by column.
#include "dependence/column_block.hpp"
#include "doctest/doctest.h"

namespace silvics {
namespace {

TEST_CASE("columns have the values of the rows") {
    const double values[] = {1, 2, 3, 4, 5, 6, 0};
    const ColumnBlock columns = columns_of(RowBlock{10, 2, 3, values, true});
    CHECK(columns.first == 10);
    CHECK(columns.size == 2);
    CHECK(columns.values == std::vector<double>{1, 4, 2, 5, 3, 6});
    CHECK(columns.column(2)[1] == 6.0);
}

}  // namespace
}  // namespace silvics
