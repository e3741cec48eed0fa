#include "splitter/general/general_parts.hpp"

namespace silvics {
namespace {

using test::GeneralParts;

TEST_CASE("numbers, combinations, levels and intervals are read for some rows") {
    GeneralParts of({4,
                     3,
                     {1.0, 10.0, 2.0,  //
                      2.0, NAN, -1.0,  //
                      3.0, 30.0, 0.0,  //
                      4.0, 40.0, 2.0}},
                    {-1, -1, 3}, {0, 1, 0, 1});
    of.rules.edges = {{1.5, 3.5}, {}, {}};
    const ColumnReader reader(of.made.table(), of.rules);
    const std::vector<RowId> rows = {0, 1, 3};
    std::vector<double> numbers;
    std::vector<Code> codes;
    CHECK_FALSE(reader.category(0));
    CHECK(reader.category(2));
    reader.numbers(0, rows, {}, numbers);
    CHECK(numbers == std::vector<double>{1.0, 2.0, 4.0});
    const std::vector<Term> terms = {{0, 2.0, 0.5F}, {1, 0.5, 0.5F}};
    reader.numbers(0, rows, terms, numbers);
    CHECK(numbers[0] == 7.0);
    CHECK(std::isnan(numbers[1]));
    CHECK(numbers[2] == 28.0);
    reader.levels(2, rows, codes);
    CHECK(codes == std::vector<Code>{2, ColumnReader::kMissing, 2});
    reader.codes(2, rows, codes);
    CHECK(codes == std::vector<Code>{2, ColumnReader::kMissing, 2});
    reader.codes(0, rows, codes);
    CHECK(codes == std::vector<Code>{0, 1, 2});
    reader.codes(1, rows, codes);
    CHECK(codes == std::vector<Code>{0, ColumnReader::kMissing, 0});
}

}  // namespace
}  // namespace silvics
