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

TEST_CASE_TEMPLATE("missing numbers: the best of all cuts with missing values on both sides", C,
                   BinaryGini, IntegerGini, IntegerEntropy, ExactSquaredError, ClassCounts<Entropy>,
                   Moments<SquaredError>, OrderedTargets) {
    Rng rng(250);
    for (const std::size_t n : {2U, 3U, 5U, 13U, 30U, 60U})
        for (const std::size_t levels : {0U, 2U, 6U})
            for (const std::size_t one_in : {1U, 2U, 8U})
                for (const BinRule& rule :
                     {BinRule{}, BinRule{3, BinRule::Widths::equal_frequency}}) {
                    CAPTURE(n);
                    CAPTURE(levels);
                    CAPTURE(one_in);
                    CAPTURE(rule.max_bins);
                    Matrix X =
                        test::with_missing(rng, test::random_matrix(rng, 2 * n, 1, levels), one_in);
                    X.values[2 * n - 1] = NAN;  // a hole in the column, if not at the node
                    X.values[0] = one_in == 1 && levels == 0 ? 0.25 : X.values[0];
                    const Target target = target_for<C>(rng, X.values);
                    const OtherTable made = test::other_table(X, {}, rule);
                    REQUIRE_FALSE(made.column().plain);
                    const LearningSubset subset =
                        test::random_subset(rng, 2 * n, some_weights(rng, any_weights<C>()));
                    Rows rows;
                    for (RowId row = 0; row < 2 * n; row += 2) rows.push_back(row);
                    SearchRules rules;
                    if (test::pick(rng, 3) == 0)
                        rules.min_samples_leaf = 1 + test::pick(rng, n / 2);
                    if (test::pick(rng, 3) == 0)
                        rules.min_weight_leaf = test::pick_real(rng, 0.0, static_cast<double>(n));
                    AtNode<C> at(made, target, subset, rows, rules);
                    if (!at.criterion.homogeneous()) check_numbers(at, 0, loss_of<C>());
                }
}

TEST_CASE_TEMPLATE("missing numbers and more values than codes", C, BinaryGini, IntegerGini,
                   IntegerEntropy, ExactSquaredError, ClassCounts<Entropy>) {
    Rng rng(251);
    const std::size_t n_rows = 140000;  // two or three values to a code
    std::vector<double> x(n_rows);
    for (std::size_t i = 0; i < n_rows; ++i) x[i] = std::sqrt(static_cast<double>(i)) / 200.0 - 1.0;
    for (std::size_t i = 0; i < n_rows; i += 50) x[i] = NAN;
    const Target target = target_for<C>(rng, x);
    const OtherTable made = test::other_table(test::column_of(x), {});
    REQUIRE(made.column().kind == Kind::several_values);
    const LearningSubset subset = test::subset_of(n_rows);
    for (const std::size_t n : {2U, 4U, 12U, 40U})
        for (int repeat = 0; repeat < 6; ++repeat) {
            // Neighbours, some of which share their code; those far from each other; both.
            std::set<RowId> rows;
            const std::size_t start = test::pick(rng, n_rows - 2 * n);
            while (rows.size() < n)
                rows.insert(static_cast<RowId>(repeat % 3 == 0   ? start + test::pick(rng, 2 * n)
                                               : repeat % 3 == 1 ? test::pick(rng, n_rows)
                                               : rows.size() < n / 2
                                                   ? start + test::pick(rng, 2 * n)
                                                   : 50 * test::pick(rng, n_rows / 50)));
            AtNode<C> at(made, target, subset, {rows.begin(), rows.end()});
            if (!at.criterion.homogeneous()) check_numbers(at, 0, loss_of<C>());
        }
}

TEST_CASE_TEMPLATE(
    "a random threshold lies within what is known, missing values on the better side", C,
    BinaryGini, IntegerGini, IntegerEntropy, ExactSquaredError, ClassCounts<Entropy>,
    OrderedTargets) {
    Rng rng(254);
    const Loss loss = loss_of<C>();
    std::size_t lefts = 0, rights = 0;
    for (int repeat = 0; repeat < 150; ++repeat) {
        const std::size_t n = 2 + test::pick(rng, 30);
        Matrix X =
            test::with_missing(rng, test::random_matrix(rng, n, 1, repeat % 4 == 0 ? 3 : 0), 3);
        X.values[0] = NAN;
        const Target target = target_for<C>(rng, X.values);
        const OtherTable made = test::other_table(X, {});
        const LearningSubset subset =
            test::random_subset(rng, n, some_weights(rng, any_weights<C>()));
        SearchRules rules;
        rules.random_cut = true;
        if (repeat % 5 == 0) rules.min_samples_leaf = 2;
        AtNode<C> at(made, target, subset, subset.rows, rules);
        if (at.criterion.homogeneous()) continue;
        const StreamKey key = rng();
        Found found;
        const bool varies = at.find(0, key, found);
        const auto places = at.places(0);
        if (places.empty()) {
            CHECK_FALSE(varies);
            continue;
        }
        CHECK(varies);
        const double threshold = places.size() == 1 ? kInfinity
                                                    : draw_threshold(key, 0, places.begin()->first,
                                                                     places.rbegin()->first);
        const double right = at.worth(loss, at.by_threshold(0, threshold, false)),
                     left = std::isinf(threshold)
                                ? -kInfinity
                                : at.worth(loss, at.by_threshold(0, threshold, true));
        CHECK((found.cut.score > -kInfinity) == (std::max(left, right) > -kInfinity));
        if (found.cut.score == -kInfinity) continue;
        CHECK(at.decrease(found) == nearly(std::max(left, right)));
        CHECK(found.threshold == threshold);
        if (std::fabs(left - right) > 1e-9) {
            CHECK(found.missing == (left > right ? MissingSide::left : MissingSide::right));
            ++(left > right ? lefts : rights);
        }
        CHECK(at.marks(found, key) ==
              at.by_threshold(0, threshold, found.missing == MissingSide::left));
    }
    CHECK(lefts > 5);
    CHECK(rights > 5);
}

}  // namespace
}  // namespace silvics
