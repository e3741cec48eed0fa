#include "splitter/fast/at_node.hpp"

namespace silvics {
namespace {

using test::ByRows;
using test::Loss;
using test::Matrix;
using test::OtherTable;
using test::Rng;
using test::Rows;
using Kind = Column::Kind;
using Marks = std::vector<std::uint8_t>;
using test::any_weights;
using test::AtNode;
using test::best_of_all;
using test::category;
using test::check_numbers;
using test::loss_of;
using test::nearly;
using test::outputs_for;
using test::some_weights;
using test::target_for;

TEST_CASE_TEMPLATE("sparse columns: the cut of the same dense column, missing values or not", C,
                   BinaryGini, IntegerGini, IntegerEntropy, ExactSquaredError, ClassCounts<Entropy>,
                   OrderedTargets) {
    Rng rng(252);
    for (const std::size_t n : {2U, 3U, 12U, 40U, 400U})
        for (const std::size_t levels : {0U, 6U})
            for (const bool has_missing : {false, true})
                for (const BinRule& rule : {BinRule{}, BinRule{3, BinRule::Widths::equal_width}}) {
                    CAPTURE(n);
                    CAPTURE(levels);
                    CAPTURE(has_missing);
                    CAPTURE(rule.max_bins);
                    Matrix X = test::random_matrix(rng, n + 20, 2, levels);
                    if (has_missing) X = test::with_missing(rng, X, 3);
                    X = test::thinned(rng, X, 1 + test::pick(rng, 8));
                    // Of the second column, only its first cells are at the node: rows far apart.
                    std::vector<double> x;
                    for (std::size_t i = 0; i < n + 20; ++i) x.push_back(X.row(i)[0]);
                    X.values[2 * (n + 19)] = has_missing ? NAN : X.values[2 * (n + 19)];
                    const Target target = target_for<C>(rng, x);
                    const LearningSubset subset =
                        test::random_subset(rng, n + 20, some_weights(rng, any_weights<C>()));
                    Rows rows;
                    for (RowId row = 0; rows.size() < n; ++row)
                        if (n + 20 - row == n - rows.size() || test::pick(rng, 4) != 0)
                            rows.push_back(row);
                    const OtherTable sparse = test::sparse_table(X, rule),
                                     dense = test::other_table(X, {}, rule);
                    AtNode<C> in_cells(sparse, target, subset, rows),
                        in_rows(dense, target, subset, rows);
                    if (in_cells.criterion.homogeneous()) continue;
                    for (const FeatureId f : {0U, 1U})
                        for (const bool random : {false, true}) {
                            CAPTURE(f);
                            CAPTURE(random);
                            in_cells.rules.random_cut = in_rows.rules.random_cut = random;
                            Found a, b;
                            const bool varies = in_cells.find(f, 9, a);
                            CHECK(varies == in_rows.find(f, 9, b));
                            CHECK(a.cut.score == b.cut.score);
                            CHECK(a.threshold == b.threshold);
                            CHECK(a.missing == b.missing);
                            if (a.cut.score == -kInfinity) continue;
                            const Marks marks = in_cells.marks(a, 9);
                            CHECK(marks == in_rows.marks(b, 9));
                            CHECK(marks == in_cells.by_threshold(f, a.threshold,
                                                                 a.missing == MissingSide::left));
                        }
                    // And from first principles; bins are known to the dense column.
                    if (n <= 40 && rule.max_bins == 0) {
                        in_cells.rules.random_cut = false;
                        check_numbers(in_cells, 0, loss_of<C>());
                    }
                }
}

TEST_CASE("few rows of a column of many cells, and many rows of a column of few") {
    Rng rng(253);
    const std::size_t n = 20000;
    Matrix X = test::random_matrix(rng, n, 2);
    for (std::size_t i = 0; i < n; ++i)
        if (i % 1000 != 7) X.values[2 * i + 1] = 0.0;
    const OtherTable sparse = test::sparse_table(X), dense = test::other_table(X, {});
    for (const std::size_t step : {1U, 3U, 997U, 9999U})
        for (const std::size_t first : {0U, 7U, 4999U}) {
            Rows rows;
            for (std::size_t row = first; row < n; row += step)
                rows.push_back(static_cast<RowId>(row));
            for (const std::size_t j : {0U, 1U}) {
                CodeBuffer codes;
                std::vector<double> values(rows.size());
                const bool any = gather_sparse(sparse.column(j), rows, codes);
                read_any_values(sparse.column(j), rows, values.data());
                bool right = any == std::ranges::any_of(values, [](double v) { return v != 0.0; });
                for (std::size_t i = 0; i < rows.size(); ++i)
                    right &= (any ? codes[i] : sparse.column(j).zero) ==
                                 dense.column(j).codes[rows[i]] &&
                             values[i] == X.row(rows[i])[j] &&
                             sparse.column(j).value(rows[i]) == values[i];
                CHECK(right);
            }
        }
}

}  // namespace
}  // namespace silvics
