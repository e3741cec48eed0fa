#include <set>

#include "criterion/binary_gini.hpp"
#include "criterion/class_counts.hpp"
#include "criterion/exact_squared_error.hpp"
#include "criterion/moments.hpp"
#include "splitter/fast/scan_categories.hpp"
#include "splitter/fast/scan_levels.hpp"
#include "splitter/other_columns.hpp"

namespace silvics {
namespace {

using test::ByRows;
using test::OtherTable;
using test::Rng;
using test::Rows;

template <class C>
Target some_target(Rng& rng, std::size_t n) {
    if constexpr (!std::is_same_v<C, ExactSquaredError>) return test::random_classes(rng, n, {2});
    std::vector<double> y(n);  // few binary digits: sums are exact for any criterion
    for (double& v : y) v = static_cast<double>(test::pick(rng, 64)) / 8;
    return real_target(y, n, 1, true);
}

// The criterion of the same impurity for weights of any kind.
template <class C>
using Generic = std::conditional_t<std::is_same_v<C, ExactSquaredError>, Moments<SquaredError>,
                                   ClassCounts<Gini>>;

// One pass finds what the scan of the generic criterion finds, to the last bit.
template <class C>
void check_scan(const Column& column, const Rows& rows, ByRows<C>& criterion,
                ByRows<Generic<C>>& generic, const CutLimits& limits, LevelScan<C>& scan,
                double floor) {
    CategoryScan<Generic<C>> search;
    const bool varies = search.enter(column, rows);
    Cut expected{.score = floor}, cut{.score = floor};
    LevelChoice choice;
    if (varies) search.best_split(generic, limits, 1, test::kNeverStop, expected, choice);
    std::size_t n_levels = 0;
    const std::uint32_t at =
        scan.best_cut(criterion, column, rows, limits, test::kNeverStop, cut, n_levels);
    CHECK(n_levels == search.groups().size());
    CHECK(cut.score == expected.score);
    CHECK(at == choice.cut);
    if (at == 0) return;
    // The levels left of the cut are the same.
    std::set<Code> left, right_left;
    const auto groups = scan.ordered(criterion, column, rows, true, test::kNeverStop);
    REQUIRE(groups.size() == search.groups().size());
    std::size_t n = 0;
    for (std::size_t k = 0; k < groups.size(); ++k) {
        n += groups[k].count;
        if (k < at) left.insert(groups[k].level);
        if (k > 0) CHECK(groups[k - 1].before(groups[k]));
    }
    CHECK(n == rows.size());
    const auto sides = search.sides(generic, 1, choice);
    for (std::size_t g = 0; g < sides.size(); ++g)
        if (sides[g] != 0) right_left.insert(search.groups().levels[g]);
    CHECK(left == right_left);
}

TEST_CASE_TEMPLATE("one pass over the levels finds the split of the general search", C, BinaryGini,
                   ExactSquaredError) {
    Rng rng(280);
    LevelScan<C> scan;  // what a node leaves behind must not matter
    for (const std::size_t n : {2U, 3U, 15U, 16U, 17U, 40U, 300U})
        for (const std::size_t n_kinds : {1U, 2U, 5U, 23U, 24U, 25U, 90U})
            for (const std::int64_t n_levels : {90, 299, 300, 301, 100000})
                for (const bool missing : {false, true}) {
                    CAPTURE(n);
                    CAPTURE(n_kinds);
                    CAPTURE(n_levels);
                    const std::size_t n_rows = 2 * n;
                    std::vector<double> x(n_rows);
                    for (double& level : x)
                        level = missing && test::pick(rng, 4) == 0
                                    ? -1.0
                                    : static_cast<double>(test::pick(rng, n_kinds));
                    const OtherTable made = test::other_table(test::column_of(x), {n_levels});
                    const Target target = some_target<C>(rng, n_rows);
                    const LearningSubset subset = test::random_subset(
                        rng, n_rows, missing ? test::Weights::unit : test::Weights::whole);
                    Rows rows;
                    for (RowId row = 1; row < n_rows; row += 2) rows.push_back(row);
                    ByRows<C> criterion(target, subset, test::kNeverStop);
                    criterion.enter(rows);
                    criterion.prepare_search();
                    ByRows<Generic<C>> generic(target, subset, test::kNeverStop);
                    generic.enter(rows);
                    if (criterion.homogeneous()) continue;
                    std::vector<CutLimits> some_limits(3, CutLimits{.n = n});
                    some_limits[1].min_samples_leaf = 1 + test::pick(rng, n / 2);
                    some_limits[2].min_weight_leaf =
                        test::pick_real(rng, 0.0, criterion.weight() / 2);
                    for (const CutLimits& limits : some_limits) {
                        check_scan<C>(made.column(), rows, criterion, generic, limits, scan,
                                      -kInfinity);
                        check_scan<C>(made.column(), rows, criterion, generic, limits, scan, 1.0);
                    }
                }
}

TEST_CASE("one pass over the levels feels a stop request") {
    Rng rng(281);
    const std::size_t n = 40000;
    std::vector<double> x(n);
    for (double& level : x) level = static_cast<double>(test::pick(rng, 50));
    const Target target = test::random_classes(rng, n, {2});
    const LearningSubset subset = test::subset_of(n);
    ByRows<BinaryGini> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    StopFlag stop;
    stop.request();
    for (const std::int64_t n_levels : {50, 100000}) {
        const OtherTable made = test::other_table(test::column_of(x), {n_levels});
        LevelScan<BinaryGini> scan;
        Cut cut;
        std::size_t n_seen;
        CHECK_THROWS_AS(
            scan.best_cut(criterion, made.column(), subset.rows, {.n = n}, stop, cut, n_seen),
            Interrupted);
    }
}

}  // namespace
}  // namespace silvics
