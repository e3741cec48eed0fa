#include <vector>

#include "doctest/doctest.h"
#include "predictor/forest_example.hpp"
#include "proximity/numbered_sums.hpp"
#include "proximity/proximity.hpp"

namespace silvics {
namespace {

constexpr std::size_t kRows = 150, kTrees = 12;

struct Example {
    test::ForestExample forest = test::forest_example("squared_error", kRows, kTrees);
    Predictor predictor = forest.predictor();
    ThreadTeam team;
    LeafMembership membership = leaf_membership(predictor, forest.X.view(), forest.target,
                                                {0, forest.plan.seeds, forest.plan.sampling}, team);
};

TEST_CASE("sums of numbered rows are those of the matrix, to the last bit") {
    Example example;
    for (const RowPart part : {RowPart::all, RowPart::out_of_bag}) {
        const auto kind = part == RowPart::all ? ProximityKind::kernel : ProximityKind::gap;
        std::vector<double> expected(kRows * kRows);
        Proximity(example.predictor, example.membership, kind, {}, 0, 1000, example.team)
            .dense(nullptr, expected, example.team);
        const NumberedSums numbered(example.membership, example.team);
        LeafTable table;
        table.read(example.membership, part, 0, kRows, example.team);
        std::vector<double> found(kRows * kRows, 0.0);
        NumberedSums::Scratch scratch;
        std::size_t n_rows = 0, n_elements = 0;
        // Some rows at a time, in any order; the scratch memory is used again.
        for (std::uint32_t first = 0; first < 50; ++first) {
            const std::vector<std::uint32_t> rows{first, first + 100, first + 50};
            numbered.for_rows(table, rows, scratch, StopFlag(),
                              [&](std::size_t i, std::span<const RowId> numbers,
                                  std::span<const double> sums, std::size_t n_trees) {
                                  ++n_rows;
                                  n_elements += numbers.size();
                                  for (std::size_t k = 0; k < numbers.size(); ++k)
                                      found[i * kRows + numbered.row_of()[numbers[k]]] =
                                          sums[k] / static_cast<double>(n_trees);
                              });
        }
        CHECK(n_rows == kRows);
        CHECK(n_elements > kRows);
        CHECK(found == expected);
    }
}

TEST_CASE("rows are numbered if they take little memory and are met often") {
    Example example;
    CHECK(NumberedSums::pays(example.membership, kRows));
    CHECK_FALSE(NumberedSums::pays(example.membership, kRows / 10));
    LeafMembership large;
    const std::vector<RowId> rows((std::size_t{1} << 22) + 1);
    const std::vector<double> weights(rows.size());
    large.n_rows = rows.size();
    large.rows = rows;
    CHECK(NumberedSums::pays(large, rows.size()));
    large.weights = std::span<const double>(weights);  // with 16 bytes for each row
    CHECK_FALSE(NumberedSums::pays(large, rows.size()));
}

}  // namespace
}  // namespace silvics
