// Columns with values below each node, against the leaves of its subtree.
#include <set>

#include "doctest/doctest.h"
#include "predictor/forest_example.hpp"
#include "shap/columns_below.hpp"

namespace silvics {
namespace {

TEST_CASE("columns below a node are those of its leaves") {
    const auto forest = test::forest_example("gini", 120, 2, 4);  // 12 columns
    const Predictor predictor = forest.predictor();
    std::vector<std::uint8_t> skipped(12, 0);
    skipped[2] = skipped[11] = 1;
    for (std::size_t m = 0; m < 2; ++m) {
        const ExplainedTree tree(predictor, m, {});
        for (const std::size_t first : {0U, 8U}) {
            ColumnsBelow columns;
            columns.prepare(tree, skipped, first);
            for (NodeId t = 0; t < tree.n_nodes(); ++t) {
                std::set<std::size_t> expected, found;
                for (NodeId leaf = t; leaf < tree.edge(t).end; ++leaf)
                    if (tree.leaf(leaf))
                        tree.for_values(leaf, [&](std::size_t column, double) {
                            if (!skipped[column] && column / 8 == first / 8)
                                expected.insert(column - first);
                        });
                columns.for_each(t, [&](std::size_t c) { found.insert(c); });
                CHECK(found == expected);
                CHECK(columns.any(t) == !expected.empty());
            }
        }
    }
}

}  // namespace
}  // namespace silvics
