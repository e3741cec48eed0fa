// Values against background rows, from the definition: means over all orders of few variables.
#include <algorithm>
#include <numeric>

#include "doctest/doctest.h"
#include "predictor/forest_example.hpp"
#include "shap/background_values.hpp"

namespace silvics {
namespace {

TEST_CASE("values are means over all orders of the variables") {
    const auto forest = test::forest_example("squared_error", 150, 3);
    const Predictor predictor = forest.predictor();
    const std::size_t p = forest.X.cols;
    const std::vector<std::uint8_t> skipped(1, 0);
    ThreadTeam team(1, nullptr);
    const Matrix X = forest.X.view();
    for (std::size_t m = 0; m < 3; ++m) {
        const std::vector<SharedTree> one = {forest.trees[m]};
        const Predictor alone(one, false);
        const ExplainedTree tree(predictor, m, {});
        for_row_blocks(X, false, team, 100, [&](const RowBlock& block) {
            if (block.first != 0) return;
            const TreeBackground background(tree, block, skipped);
            std::vector<double> values(X.rows * p, 0.0);
            BackgroundValues adder;
            adder.add(tree, background, block.part(0, 5), {p, 1, values, {}, skipped}, team.stop());
            for (std::size_t i = 0; i < 5; ++i) {
                std::vector<double> expected(p, 0.0), predicted(1);
                std::vector<std::size_t> order(p);
                std::iota(order.begin(), order.end(), 0U);
                double n_orders = 0.0;
                do {
                    n_orders += 1.0;
                    for (std::size_t z = 0; z < block.size; ++z) {
                        std::vector<double> row(block.row(z), block.row(z) + p);
                        alone.average(row, predicted);
                        double before = predicted[0];
                        for (const std::size_t f : order) {
                            row[f] = block.row(i)[f];
                            alone.average(row, predicted);
                            expected[f] += predicted[0] - before;
                            before = predicted[0];
                        }
                    }
                } while (std::ranges::next_permutation(order).found);
                for (std::size_t f = 0; f < p; ++f)
                    CHECK(values[i * p + f] == doctest::Approx(expected[f] / n_orders));
            }
        });
    }
}

}  // namespace
}  // namespace silvics
