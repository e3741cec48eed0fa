#include "splitter/general/general_parts.hpp"
#include "splitter/general/presorted.hpp"

namespace silvics {
namespace {

using test::GeneralParts;

TEST_CASE("sorted rows of all variables follow the splits of nodes") {
    // The second variable has a missing value, the third is a category and is not sorted.
    GeneralParts of({4, 3, {3.0, 1.0, 0.0, 1.0, NAN, 1.0, 2.0, 1.0, 0.0, 0.0, 0.5, 1.0}},
                    {-1, -1, 2}, {0, 1, 0, 1});
    of.rules.presort = true;
    Presorted::fill(of.parts());
    CHECK(of.order.sorted[0] == std::vector<RowId>{3, 1, 2, 0});
    CHECK(of.order.sorted[1] == std::vector<RowId>{3, 0, 2, 1});
    CHECK(of.order.sorted[2].empty());
    Presorted presorted(of.parts());
    const auto order = [&](const NodeSamples& node, std::vector<RowId> rows,
                           std::vector<double> values, bool missing_first) {
        const auto found = presorted.order(node, 1, rows, values, missing_first);
        return std::vector<Position>(found.begin(), found.end());
    };
    const std::vector<RowId> all = {0, 1, 2, 3};
    CHECK(order(of.node(), all, {1.0, kInfinity, 1.0, 0.5}, false) ==
          std::vector<Position>{3, 0, 2, 1});
    CHECK(order(of.node(), all, {1.0, -kInfinity, 1.0, 0.5}, true) ==
          std::vector<Position>{1, 3, 0, 2});
    CHECK(order(of.node(), {0, 3}, {1.0, 0.5}, false) == std::vector<Position>{1, 0});
    // Rows 0 and 2 go left.
    of.order.rows = {0, 2, 1, 3};
    presorted.split(of.node(), std::vector<std::size_t>{2, 2});
    CHECK(of.order.sorted[0] == std::vector<RowId>{2, 0, 3, 1});
    CHECK(of.order.sorted[1] == std::vector<RowId>{0, 2, 3, 1});
    NodeSamples right = of.node();
    right.begin = right.n = 2;
    CHECK(order(right, {1, 3}, {kInfinity, 0.5}, false) == std::vector<Position>{1, 0});
}

}  // namespace
}  // namespace silvics
