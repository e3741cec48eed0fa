#include "criterion/against_scratch.hpp"
#include "criterion/binary_gini.hpp"
#include "criterion/exact_poisson.hpp"
#include "criterion/exact_squared_error.hpp"
#include "criterion/rounded_moments.hpp"
#include "splitter/fast/exact_sums.hpp"
#include "splitter/made_column.hpp"

namespace silvics {
namespace {

using test::ByRows;
using test::HandCut;
using test::HandScore;
using test::MadeColumn;
using test::Rng;

// Outputs that have something, or nothing, to do with a variable.
std::vector<double> random_outputs(Rng& rng, const std::vector<double>& x, int kind) {
    std::vector<double> sorted = x, y;
    std::ranges::sort(sorted);
    const double middle = sorted[test::pick(rng, x.size())];
    for (const double v : x) {
        if (kind == 0) y.push_back(static_cast<double>(test::pick(rng, 2)));  // noise
        if (kind == 1) y.push_back(v > middle ? 1.0 : 0.0);                   // a step
        if (kind == 2)                                                        // a step with noise
            y.push_back(test::pick(rng, 5) == 0 ? 0.5 : v > middle ? 1.0 : 0.0);
        if (kind == 3) y.push_back(std::sin(v / 9.0) + test::pick_real(rng, -0.5, 0.5));
    }
    return y;
}

template <class C>
Target target_of(const std::vector<double>& y) {
    if (std::is_same_v<C, ExactSquaredError> || std::is_same_v<C, RoundedSquaredError>)
        return real_target(y, y.size(), 1, true);
    if (std::is_same_v<C, ExactPoisson>) {
        std::vector<double> positive;
        for (const double v : y) positive.push_back(std::max(v, 0.0));
        return real_target(positive, y.size(), 1, false);
    }
    std::vector<std::int64_t> classes;
    for (const double v : y) classes.push_back(v > 0.5 ? 1 : 0);
    return class_target(classes, y.size(), {2});
}

// Weights that the criterion is for; or else any that it can have.
template <class C>
LearningSubset subset_for(Rng& rng, std::size_t n) {
    if (std::is_base_of_v<RoundedMoments, C>) {
        if (test::pick(rng, 2) == 0) return test::random_subset(rng, n, test::Weights::fractional);
        std::vector<double> weights(n);  // most are less than the rounding of their sum
        for (double& w : weights) w = std::exp2(test::pick_real(rng, -60.0, 60.0));
        return test::subset_of(n, weights);
    }
    return test::heavy_subset(rng, n, 6);
}

std::vector<CutLimits> some_limits(Rng& rng, std::size_t n, double whole) {
    std::vector<CutLimits> limits(3, CutLimits{.n = n});
    limits[1].min_samples_leaf = 1 + test::pick(rng, n / 2);
    limits[2].min_weight_leaf = test::pick_real(rng, 0.0, whole / 2);
    return limits;
}

template <class C>
HandCut by_hand(const ByRows<C>& criterion, const MadeColumn& made, const CutLimits& limits,
                double floor) {
    return best_by_hand(made, limits, floor, [&](std::span<const std::uint8_t> marks) {
        typename C::Statistic left{};
        for (std::size_t i = 0; i < marks.size(); ++i)
            if (marks[i] != 0) left += criterion.sample(i);
        const double w = C::weight_of(left);
        return HandScore{w, criterion.weight() - w, test::score_of(criterion, left)};
    });
}

template <class C>
Cut searched(ExactSumSearch<C>& search, const C& criterion, const NodeColumn& node,
             const CutLimits& limits, Search how, double floor) {
    Cut cut{.score = floor, .border = 12345};
    search.best_cut(criterion, node, limits, how, test::kNeverStop, cut);
    return cut;
}

template <class C>
void check_searches(Rng& rng, ExactSumSearch<C>& search, const MadeColumn& made, int kind,
                    bool weighted) {
    const std::size_t n = made.values().size();
    const Target target = target_of<C>(random_outputs(rng, made.values(), kind));
    const LearningSubset subset = weighted ? subset_for<C>(rng, n) : test::subset_of(n);
    ByRows<C> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    if (criterion.homogeneous()) return;  // such a node is not searched
    criterion.prepare_search();
    for (const CutLimits& limits : some_limits(rng, n, criterion.weight())) {
        CAPTURE(limits.min_samples_leaf);
        CAPTURE(limits.min_weight_leaf);
        double floor = -kInfinity;
        for (int variable = 0; variable < 3; ++variable) {
            // Without anything to beat; with a score that most cuts beat not; with the best.
            const HandCut hand = by_hand(criterion, made, limits, floor);
            for (const Search how : test::kAllSearches) {
                CAPTURE(static_cast<int>(how));
                const Cut cut = searched<C>(search, criterion, made.node(), limits, how, floor);
                if (hand.goes_left.empty()) {
                    CHECK(cut.score == floor);
                    CHECK(cut.border == 12345);
                } else {
                    CHECK(test::same_cuts(test::carried_out(made.node(), cut), hand));
                }
            }
            if (hand.goes_left.empty()) break;
            floor = variable == 0 ? hand.score * 0.9 : hand.score;
        }
    }
}

TEST_CASE_TEMPLATE("every search of sums finds the cut that trying all finds, ties included", C,
                   BinaryGini, ExactSquaredError, ExactPoisson, RoundedSquaredError, RoundedGini) {
    Rng rng(74);
    ExactSumSearch<C> search;  // what a node leaves behind must not matter
    for (const std::size_t n : {2U, 3U, 4U, 5U, 9U, 12U, 13U, 16U, 17U, 40U, 63U, 64U, 65U, 95U,
                                96U, 97U, 150U, 300U, 600U})
        test::for_all_shapes(rng, n, [&](const test::Shape&, const MadeColumn& made) {
            for (int kind = 0; kind < 4; ++kind)
                check_searches<C>(rng, search, made, kind, test::pick(rng, 2) == 0);
        });
}

TEST_CASE_TEMPLATE("every search of sums finds the same cut in a table of more values than codes",
                   C, BinaryGini, ExactSquaredError, ExactPoisson, RoundedSquaredError,
                   RoundedGini) {
    Rng rng(75);
    const std::size_t n_rows = 150000;  // two or three values to a code
    test::Matrix X = test::random_matrix(rng, n_rows, 1);
    const Table table = test::coded(X);
    const Column& column = test::numeric(table);
    REQUIRE(column.kind == Column::Kind::several_values);
    // Rows of a few stretches of the variable, so that some share their code.
    std::vector<RowId> by_value(n_rows);
    std::iota(by_value.begin(), by_value.end(), RowId{0});
    std::ranges::sort(by_value, {}, [&](RowId row) { return X.values[row]; });
    ExactSumSearch<C> search;
    std::size_t within = 0;
    for (int repeat = 0; repeat < 60; ++repeat) {
        std::vector<RowId> rows;
        for (std::size_t stretch = 0; stretch < 1 + test::pick(rng, 4); ++stretch) {
            const std::size_t size = 2 + test::pick(rng, 60);
            const std::size_t first = test::pick(rng, n_rows - size);
            rows.insert(rows.end(), by_value.begin() + static_cast<std::ptrdiff_t>(first),
                        by_value.begin() + static_cast<std::ptrdiff_t>(first + size));
        }
        std::ranges::sort(rows);
        rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
        const std::size_t n = rows.size();
        std::vector<double> x, y(n_rows, 0.0);
        for (const RowId row : rows) x.push_back(X.values[row]);
        const auto of_node = random_outputs(rng, x, repeat % 4);
        for (std::size_t i = 0; i < n; ++i) y[rows[i]] = of_node[i];
        const Target target = target_of<C>(y);
        const LearningSubset subset = test::subset_of(n_rows);
        ByRows<C> criterion(target, subset, test::kNeverStop);
        criterion.enter(rows);
        if (criterion.homogeneous()) continue;
        criterion.prepare_search();
        CodeBuffer codes[1];
        const Column* const columns[] = {&table.columns[0]};
        gather_codes(columns, rows, codes, test::kNeverStop);
        const NodeColumn node{column, rows, codes[0].data(), range_of(codes[0].data(), n)};
        // All cuts between values, in order.
        std::vector<Position> order(n);
        std::iota(order.begin(), order.end(), Position{0});
        std::ranges::sort(order, {}, [&](Position i) { return x[i]; });
        HandCut best;
        typename C::Statistic left{};
        std::size_t n_left = 0;
        for (std::size_t k = 0; k + 1 < n; ++k) {
            left += criterion.sample(order[k]);
            const double score = test::score_of(criterion, left);
            if (!(score > best.score)) continue;
            best.score = score;
            best.threshold = middle_of_gap(x[order[k]], x[order[k + 1]]);
            n_left = k + 1;
        }
        if (n_left == 0) continue;  // no cut is allowed
        for (std::size_t i = 0; i < n; ++i)
            best.goes_left.push_back(x[i] <= best.threshold ? 1 : 0);
        REQUIRE(static_cast<std::size_t>(std::ranges::count(best.goes_left, 1)) == n_left);
        for (const Search how : test::kAllSearches) {
            CAPTURE(repeat);
            CAPTURE(static_cast<int>(how));
            const Cut cut =
                searched<C>(search, criterion, node, CutLimits{.n = n}, how, -kInfinity);
            CHECK(test::same_cuts(test::carried_out(node, cut), best));
            within += cut.within;
        }
    }
    CHECK(within > 10);  // some cuts do part a code
}

TEST_CASE_TEMPLATE("sides are scored by their sums, within the limits", C, BinaryGini,
                   ExactSquaredError, ExactPoisson, RoundedSquaredError, RoundedGini) {
    Rng rng(76);
    ExactSumSearch<C> search;
    for (int repeat = 0; repeat < 100; ++repeat) {
        const std::size_t n = 2 + test::pick(rng, 70);
        std::vector<double> x(n);
        for (double& v : x) v = test::pick_real(rng, 0.0, 1.0);
        const Target target = target_of<C>(random_outputs(rng, x, repeat % 4));
        const LearningSubset subset = subset_for<C>(rng, n);
        ByRows<C> criterion(target, subset, test::kNeverStop);
        criterion.enter(subset.rows);
        if (criterion.homogeneous()) continue;
        std::vector<std::uint8_t> marks(n);
        typename C::Statistic left{};
        std::size_t n_left = 0;
        for (std::size_t i = 0; i < n; ++i) {
            marks[i] = i == 0 || (i > 1 && test::pick(rng, 2) == 0) ? 1 : 0;
            n_left += marks[i];
            if (marks[i] != 0) left += criterion.sample(i);
        }
        const double w = C::weight_of(left), rest = criterion.weight() - w;
        const double score = test::score_of(criterion, left);
        const auto scored = [&](const CutLimits& limits, double floor = -kInfinity) {
            Cut cut{.score = floor};
            search.score_sides(criterion, marks, n_left, limits, cut);
            return cut.score;
        };
        const std::size_t fewer = std::min(n_left, n - n_left);
        CHECK(scored({.n = n}) == score);
        CHECK(scored({.n = n, .min_samples_leaf = fewer}) == score);
        CHECK(scored({.n = n, .min_samples_leaf = fewer + 1}) == -kInfinity);
        CHECK(scored({.n = n, .min_weight_leaf = std::min(w, rest)}) == score);
        CHECK(scored({.n = n, .min_weight_leaf = std::min(w, rest) + 0.5}) == -kInfinity);
        CHECK(scored({.n = n}, score) == score);
        CHECK(scored({.n = n}, score + 1.0) == score + 1.0);
    }
}

TEST_CASE_TEMPLATE("the samples of low codes are summed as if marked", C, BinaryGini,
                   ExactSquaredError, ExactPoisson, RoundedSquaredError, RoundedGini) {
    Rng rng(88);
    for (const std::size_t n : {1U, 2U, 3U, 4U, 5U, 31U, 33U, 200U}) {
        const auto codes = test::spread_codes(rng, n, n, 100);
        std::vector<double> x(codes.begin(), codes.end());
        const Target target = target_of<C>(random_outputs(rng, x, 2));
        const LearningSubset subset = subset_for<C>(rng, n);
        ByRows<C> criterion(target, subset, test::kNeverStop);
        criterion.enter(subset.rows);
        for (const Code limit : {Code{0}, Code{1}, Code{codes[n / 2]}, Code{5000}, Code{65536}}) {
            std::vector<std::uint8_t> marks(n);
            for (std::size_t i = 0; i < n; ++i) marks[i] = codes[i] < limit ? 1 : 0;
            const auto below = criterion.sum_below(codes.data(), n, limit);
            const auto marked = criterion.sum_marked(marks);
            CHECK(C::weight_of(below) == C::weight_of(marked));
            CHECK(C::sum_y_of(below) == C::sum_y_of(marked));
        }
    }
}

TEST_CASE("a search of sums feels a stop request") {
    Rng rng(77);
    StopFlag stop;
    stop.request();
    const MadeColumn made(rng, test::spread_codes(rng, 300, 65536, 1), test::Kind::one_value);
    const Target target = target_of<BinaryGini>(random_outputs(rng, made.values(), 0));
    const LearningSubset subset = test::subset_of(300);
    ByRows<BinaryGini> criterion(target, subset, test::kNeverStop);
    criterion.enter(subset.rows);
    ExactSumSearch<BinaryGini> search;
    for (const Search how : test::kAllSearches) {
        Cut cut;
        CHECK_THROWS_AS(search.best_cut(criterion, made.node(), {.n = 300}, how, stop, cut),
                        Interrupted);
    }
}

}  // namespace
}  // namespace silvics
