#include <cmath>
#include <set>

#include "criterion/binary_gini.hpp"
#include "criterion/class_counts.hpp"
#include "criterion/exact_squared_error.hpp"
#include "criterion/integer_gini.hpp"
#include "criterion/moments.hpp"
#include "criterion/ordered_targets.hpp"
#include "sampling/feature_draw.hpp"
#include "splitter/fast/search_nonplain.hpp"
#include "splitter/make_splitter.hpp"
#include "splitter/other_columns.hpp"

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

doctest::Approx close_to(double value) { return doctest::Approx(value).epsilon(1e-9).scale(1e-3); }

// One criterion at one node of some table.
template <class C>
struct AtNode {
    const OtherTable& made;
    const Target& target;
    const LearningSubset& subset;
    Rows rows;
    SearchRules rules{};
    SampleOrder order{};
    std::vector<FeatureId> features{};
    ByRows<C> criterion;
    NonPlainSearch<C> search;

    AtNode(const OtherTable& of, const Target& y, const LearningSubset& learning, Rows of_node,
           const SearchRules& by = {})
        : made(of),
          target(y),
          subset(learning),
          rows(std::move(of_node)),
          rules(by),
          features(FeatureDraw::first_features(of.table().n_features())),
          criterion(target, subset, test::kNeverStop),
          search({made.table(), target, subset, rules, test::kNeverStop, order, features},
                 criterion) {
        criterion.enter(rows);
        if constexpr (requires { criterion.prepare_search(); }) criterion.prepare_search();
    }

    double value(std::size_t i, FeatureId f) const { return made.X->row(rows[i])[f]; }
    CutLimits limits() const {
        return {rows.size(), rules.min_samples_leaf, rules.min_weight_leaf, 0, {}};
    }
    bool find(FeatureId f, StreamKey key, Found& found) {
        found.feature = f;
        return search.search({0, rows.size(), key, {}}, rows, limits(), found);
    }
    Marks marks(const Found& found, StreamKey key) {
        const Split split = search.mark({0, rows.size(), key, {}}, found, rows);
        const auto marked = search.marks(rows.size());
        Marks result(marked.begin(), marked.end());
        CHECK(split.n_left == static_cast<std::size_t>(std::ranges::count(result, 1)));
        return result;
    }
    double decrease(const Found& found) const {
        return test::in_user_units(criterion, criterion.decrease(found.cut.score));
    }
    double worth(Loss loss, const Marks& marks) const {
        double left = 0.0, right = 0.0;
        for (std::size_t i = 0; i < rows.size(); ++i)
            (marks[i] != 0 ? left : right) += subset.weight(rows[i]);
        const auto n_left = static_cast<std::size_t>(std::ranges::count(marks, 1));
        if (!limits().allow(n_left, left, right)) return -kInfinity;
        return test::scratch_decrease(loss, target, subset, rows, marks);
    }
    // What a threshold and a side for missing values say.
    Marks by_threshold(FeatureId f, double threshold, bool missing_left) const {
        Marks result;
        for (std::size_t i = 0; i < rows.size(); ++i)
            result.push_back(std::isnan(value(i, f)) ? missing_left : value(i, f) <= threshold);
        return result;
    }
    bool has_missing(FeatureId f) const {
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (std::isnan(value(i, f))) return true;
        return false;
    }
    // Places of known values, where one may cut: values, or bins; ascending.
    std::map<double, std::pair<double, double>> places(FeatureId f) const {
        std::map<double, std::pair<double, double>> ranges;
        const Column& column = made.column(f);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const double v = value(i, f);
            if (std::isnan(v)) continue;
            double at = v;
            if (column.kind == Kind::bin && !column.sparse) at = column.codes[rows[i]];
            auto& [low, high] = ranges.try_emplace(at, v, v).first->second;
            low = std::min(low, v);
            high = std::max(high, v);
        }
        return ranges;
    }
};

// The best over all thresholds and both sides for what is missing.
struct Best {
    double decrease = -kInfinity, threshold = 0.0;
    bool missing_left = false, clear = true;
};

template <class C>
Best best_of_all(const AtNode<C>& at, FeatureId f, Loss loss) {
    Best best;
    const auto try_one = [&](double threshold, bool missing_left) {
        const double decrease = at.worth(loss, at.by_threshold(f, threshold, missing_left));
        if (decrease == -kInfinity) return;
        if (std::fabs(decrease - best.decrease) <= 1e-9) best.clear = false;
        if (decrease > best.decrease + 1e-9) best = {decrease, threshold, missing_left, true};
    };
    const auto places = at.places(f);
    if (places.empty()) return best;
    for (auto place = places.begin(), next = std::next(place); next != places.end();
         ++place, ++next)
        for (const bool left : {false, true}) {
            if (left && !at.has_missing(f)) continue;
            try_one(middle_of_gap(place->second.second, next->second.first), left);
        }
    if (at.has_missing(f)) try_one(kInfinity, false);
    return best;
}

template <class C>
void check_numbers(AtNode<C>& at, FeatureId f, Loss loss) {
    const Best best = best_of_all(at, f, loss);
    const bool missing = at.has_missing(f);
    for (const Search how : {Search::automatic, Search::sort, Search::histogram}) {
        at.rules.search = how;
        CAPTURE(static_cast<int>(how));
        Found found;
        const auto places = at.places(f);
        const bool varies = places.size() + (missing ? 1 : 0) > 1;
        CHECK(at.find(f, 5, found) == varies);
        CHECK((found.cut.score > -kInfinity) == (best.decrease > -kInfinity));
        if (found.cut.score == -kInfinity) continue;
        CHECK(at.decrease(found) == close_to(best.decrease));
        CHECK((found.missing == MissingSide::unseen) == !missing);
        const Marks marks = at.marks(found, 5);
        CHECK(marks == at.by_threshold(f, found.threshold, found.missing == MissingSide::left));
        CHECK(at.worth(loss, marks) == close_to(best.decrease));
        CHECK_FALSE(std::isnan(found.threshold));
        if (!best.clear) continue;
        if (std::isinf(best.threshold)) {  // known values on one side: either side is the left one
            CHECK(std::isinf(found.threshold));
            CHECK((found.threshold > 0.0) == (found.missing == MissingSide::right));
        } else {
            CHECK(found.threshold == best.threshold);
            CHECK((found.missing == MissingSide::left) == best.missing_left);
        }
        // A later variable must be better, not equal.
        Found later{.feature = f, .cut = {.score = found.cut.score, .border = 31}};
        CHECK(at.find(f, 5, later) == varies);
        CHECK(later.cut.score == found.cut.score);
        CHECK(later.cut.border == 31);
        CHECK(later.missing == MissingSide::unseen);
    }
}

// Outputs that have to do with the variable, and with whether it is missing.
std::vector<double> outputs_for(Rng& rng, const std::vector<double>& x) {
    std::vector<double> y;
    const double cut = test::pick_real(rng, -0.8, 0.8), of_missing = test::pick_real(rng, 0.0, 1.0);
    for (const double v : x) {
        const double p = std::isnan(v) ? of_missing : v <= cut ? 0.2 : 0.8;
        y.push_back(test::pick_real(rng, 0.0, 1.0) < p ? 1.0 : test::pick(rng, 4) == 0 ? 0.5 : 0.0);
    }
    return y;
}

template <class C>
Target target_for(Rng& rng, const std::vector<double>& x) {
    const auto y = outputs_for(rng, x);
    if constexpr (std::is_same_v<C, ExactSquaredError> || std::is_same_v<C, OrderedTargets> ||
                  std::is_same_v<C, Moments<SquaredError>>) {
        return real_target(y, y.size(), 1, true);
    } else {
        std::vector<std::int64_t> classes;
        const bool two = std::is_same_v<C, BinaryGini>;
        for (const double v : y)
            classes.push_back(two ? v > 0.4 : static_cast<std::int64_t>(2.0 * v));
        return class_target(classes, y.size(), {two ? ClassId{2} : ClassId{3}});
    }
}

template <class C>
constexpr Loss loss_of() {
    if (std::is_same_v<C, ClassCounts<Entropy>>) return Loss::entropy;
    if (std::is_same_v<C, OrderedTargets>) return Loss::absolute;
    if (std::is_same_v<C, ExactSquaredError> || std::is_same_v<C, Moments<SquaredError>>)
        return Loss::squared;
    return Loss::gini;
}

template <class C>
constexpr bool any_weights() {
    return !(ExactSumCriterion<C> || ExactCountsCriterion<C>);
}

test::Weights some_weights(Rng& rng, bool any) {
    return test::kAllWeights[test::pick(rng, any ? 3 : 2)];
}

TEST_CASE_TEMPLATE("numbers with holes: the best of all cuts with missing values on both sides", C,
                   BinaryGini, IntegerGini, ExactSquaredError, ClassCounts<Entropy>,
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
                        test::with_holes(rng, test::random_matrix(rng, 2 * n, 1, levels), one_in);
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

TEST_CASE_TEMPLATE("numbers with holes and more values than codes", C, BinaryGini, IntegerGini,
                   ExactSquaredError, ClassCounts<Entropy>) {
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

TEST_CASE_TEMPLATE("sparse columns: the cut of the same dense column, missing values or not", C,
                   BinaryGini, IntegerGini, ExactSquaredError, ClassCounts<Entropy>,
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
                    if (has_missing) X = test::with_holes(rng, X, 3);
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

// ---- random cuts

TEST_CASE_TEMPLATE(
    "a random threshold lies within what is known, missing values on the better side", C,
    BinaryGini, IntegerGini, ExactSquaredError, ClassCounts<Entropy>, OrderedTargets) {
    Rng rng(254);
    const Loss loss = loss_of<C>();
    std::size_t lefts = 0, rights = 0;
    for (int repeat = 0; repeat < 150; ++repeat) {
        const std::size_t n = 2 + test::pick(rng, 30);
        Matrix X =
            test::with_holes(rng, test::random_matrix(rng, n, 1, repeat % 4 == 0 ? 3 : 0), 3);
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
        CHECK(at.decrease(found) == close_to(std::max(left, right)));
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

// A category of some rows by level, -1 for missing.
OtherTable category(const std::vector<double>& levels, std::int64_t n_levels) {
    return test::other_table(test::column_of(levels), {n_levels});
}

TEST_CASE("coins: every non-empty proper subset of three levels is as likely as any other") {
    Rng rng(255);
    const std::vector<double> levels = {0, 1, 2, 0, 1, 2, 2, 1, 0, 0};
    std::vector<double> y(levels.size());
    for (double& v : y) v = test::pick_real(rng, 0.0, 1.0);
    const Target target = real_target(y, y.size(), 1, true);
    const LearningSubset subset = test::subset_of(y.size());
    SearchRules rules;
    rules.random_cut = true;
    // The levels of the node among others that it has not; few, and more than its samples.
    for (const auto& [n_levels, first] : {std::pair{3, 0}, {9, 4}, {1000, 900}}) {
        CAPTURE(n_levels);
        std::vector<double> shifted = levels;
        for (double& level : shifted) level += first;
        const OtherTable made = category(shifted, n_levels);
        AtNode<ExactSquaredError> at(made, target, subset, subset.rows, rules);
        const std::size_t n_draws = 6000;
        std::size_t counts[8] = {};
        for (std::size_t draw = 0; draw < n_draws; ++draw) {
            Found found;
            REQUIRE(at.find(0, derive(11, draw), found));
            const LevelRule rule(found.threshold);
            REQUIRE(rule.form() == LevelRule::Form::coin);
            std::size_t mask = 0;
            for (std::size_t k = 0; k < 3; ++k)
                mask |= std::size_t{rule.goes_left(static_cast<Level>(first + k), {})} << k;
            ++counts[mask];
        }
        CHECK(counts[0] == 0);
        CHECK(counts[7] == 0);
        double chi_square = 0.0;
        const double expected = n_draws / 6.0;
        for (std::size_t mask = 1; mask < 7; ++mask)
            chi_square += std::pow(static_cast<double>(counts[mask]) - expected, 2) / expected;
        CHECK(chi_square < 20.5);  // five degrees of freedom: one in a thousand is above
        CHECK(chi_square > 0.2);   // and one in a thousand below
    }
}

TEST_CASE_TEMPLATE("coins part the known levels, missing values on the better side", C, BinaryGini,
                   IntegerGini, ExactSquaredError, ClassCounts<Entropy>, OrderedTargets) {
    Rng rng(256);
    const Loss loss = loss_of<C>();
    std::size_t lefts = 0, rights = 0;
    for (int repeat = 0; repeat < 200; ++repeat) {
        const std::size_t n = 3 + test::pick(rng, 30), n_kinds = 1 + test::pick(rng, 5);
        const std::int64_t n_levels = repeat % 2 == 0 ? 6 : 100000;
        std::vector<double> x(n);
        for (double& level : x)
            level = test::pick(rng, 4) == 0 ? (repeat % 3 == 0 ? NAN : -1.0)
                                            : static_cast<double>(test::pick(rng, n_kinds));
        std::vector<double> effects = x;
        for (double& v : effects) v = v >= 0 ? (static_cast<int>(v) % 2 == 0 ? -1.0 : 1.0) : NAN;
        const Target target = target_for<C>(rng, effects);
        const OtherTable made = category(x, n_levels);
        const LearningSubset subset =
            test::random_subset(rng, n, some_weights(rng, any_weights<C>()));
        SearchRules rules;
        rules.random_cut = true;
        AtNode<C> at(made, target, subset, subset.rows, rules);
        if (at.criterion.homogeneous()) continue;
        std::set<double> known;
        std::size_t n_missing = 0;
        for (const double level : x)
            if (level >= 0)
                known.insert(level);
            else
                ++n_missing;
        const StreamKey key = rng();
        Found found;
        const bool varies = known.size() + (n_missing > 0 ? 1 : 0) > 1 && !known.empty();
        CHECK(at.find(0, key, found) == varies);
        if (!varies) continue;
        REQUIRE(found.cut.score > -kInfinity);
        const LevelRule rule(found.threshold);
        const auto by_coins = [&](bool missing_left) {
            Marks result;
            for (const double level : x)
                result.push_back(level >= 0 ? rule.goes_left(static_cast<Level>(level), {})
                                            : missing_left);
            return result;
        };
        const Marks marks = at.marks(found, key);
        CHECK(marks == by_coins(found.missing == MissingSide::left));
        CHECK(at.worth(loss, marks) == close_to(at.decrease(found)));
        CHECK((found.missing == MissingSide::unseen) == (n_missing == 0));
        std::set<bool> sides;
        for (const double level : known)
            sides.insert(rule.goes_left(static_cast<Level>(level), {}));
        CHECK(sides.size() == std::min<std::size_t>(known.size(), 2));
        if (known.size() < 2) {  // against missing ones
            CHECK(*sides.begin());
            CHECK(found.missing == MissingSide::right);
            continue;
        }
        if (n_missing == 0) continue;
        const double left = at.worth(loss, by_coins(true)), right = at.worth(loss, by_coins(false));
        CHECK(at.decrease(found) == close_to(std::max(left, right)));
        if (std::fabs(left - right) > 1e-9) {
            CHECK(found.missing == (left > right ? MissingSide::left : MissingSide::right));
            ++(left > right ? lefts : rights);
        }
    }
    CHECK(lefts > 5);
    CHECK(rights > 5);
}

TEST_CASE_TEMPLATE(
    "the best split of levels is marked, and told with its levels and missing values", C,
    BinaryGini, IntegerGini, ExactSquaredError, ClassCounts<Entropy>, OrderedTargets) {
    Rng rng(257);
    for (int repeat = 0; repeat < 100; ++repeat) {
        const std::size_t n = repeat % 3 == 0 ? 14 : 30, n_kinds = 2 + test::pick(rng, 14);
        std::vector<double> x(n);
        for (double& level : x)
            level = test::pick(rng, 6) == 0 && repeat % 2 == 0
                        ? NAN
                        : static_cast<double>(repeat % 4 < 2 ? 3 * test::pick(rng, n_kinds)
                                                             : test::pick(rng, n_kinds));
        std::vector<double> effects = x;
        for (double& v : effects) v = std::sin(v);
        const Target target = target_for<C>(rng, effects);
        const OtherTable made = category(x, repeat % 4 < 2 ? 60 : 25);
        const LearningSubset subset = test::subset_of(n);
        AtNode<C> at(made, target, subset, subset.rows);
        if (at.criterion.homogeneous()) continue;
        Found found;
        const StreamKey key = rng();
        if (!at.find(0, key, found)) continue;
        const Split split = at.search.mark({0, n, key, {}}, found, at.rows);
        CHECK(split.by_levels);
        CHECK(split.feature == 0);
        const auto has = [](std::span<const Code> levels, Code level) {
            return std::ranges::count(levels, level) == 1;
        };
        const auto marks = at.search.marks(n);
        std::set<double> seen;
        bool right = true, missing = false;
        for (std::size_t i = 0; i < n; ++i) {
            if (std::isnan(x[i])) {
                missing = true;
                right &= split.missing == (marks[i] != 0 ? MissingSide::left : MissingSide::right);
                continue;
            }
            seen.insert(x[i]);
            const auto level = static_cast<Code>(x[i]);
            right &= has(marks[i] != 0 ? split.left : split.right, level);
            right &= !has(marks[i] != 0 ? split.right : split.left, level);
        }
        CHECK(right);
        CHECK(split.left.size() + split.right.size() == seen.size());
        CHECK((split.missing == MissingSide::unseen) == !missing);
        CHECK(at.worth(loss_of<C>(), Marks(marks.begin(), marks.end())) ==
              close_to(at.decrease(found)));
        // It is compared by less than its score, so that what was found before does not matter.
        Found later{.feature = 0, .cut = {.score = 1e9}, .choice = {77, 88}};
        CHECK(at.find(0, key, later));
        CHECK(later.worth() == found.worth());
        CHECK(later.choice.cut == found.choice.cut);
        const std::size_t n_levels = seen.size() + (missing ? 1 : 0);
        const double beyond_two = static_cast<double>(std::max<std::size_t>(n_levels, 2) - 2);
        CHECK(found.by_chance / at.criterion.score_per_decrease() ==
              doctest::Approx(beyond_two / static_cast<double>(n - 1) * at.criterion.impurity())
                  .epsilon(1e-7));
        // No single level moved to the other side makes it better, if one order has the best.
        if (!ExactSumCriterion<C>) continue;
        for (const double level : seen) {
            Marks moved(marks.begin(), marks.end());
            for (std::size_t k = 0; k < n; ++k)
                if (x[k] == level) moved[k] ^= 1;
            CHECK(at.worth(loss_of<C>(), moved) <= at.decrease(found) + 1e-9);
        }
    }
}

TEST_CASE("what was found on some samples marks others: what was not seen goes right") {
    const std::vector<double> x = {0, 1, 0, 1, 2, NAN, 0, NAN, 1, 3};
    const Target target =
        class_target(std::vector<std::int64_t>{0, 1, 0, 1, 0, 0, 0, 1, 1, 0}, 10, {2});
    const LearningSubset subset = test::subset_of(10);
    const OtherTable levels = category(x, 5), numbers = test::other_table(test::column_of(x), {});
    const Rows all = subset.rows;
    const auto marks_of = [&](AtNode<BinaryGini>& at) {
        const auto marks = at.search.marks(10);
        return Marks(marks.begin(), marks.end());
    };
    SUBCASE("levels") {
        AtNode<BinaryGini> at(levels, target, subset, {0, 1, 2, 3});
        Found found;
        REQUIRE(at.find(0, 3, found));
        const Split on_sample = at.search.mark({0, 4, 3, {}}, found, at.rows);
        const std::vector<Code> left(on_sample.left.begin(), on_sample.left.end());
        REQUIRE(left.size() == 1);
        const double level = left[0];
        found.missing = on_sample.missing;
        CHECK(found.missing == MissingSide::unseen);
        const Split split = at.search.mark_as_found(found, left, all);
        Marks expected;
        for (const double v : x) expected.push_back(v == level);
        CHECK(marks_of(at) == expected);
        CHECK(split.missing == MissingSide::right);
        CHECK(split.n_left == 3);
        CHECK(std::ranges::equal(split.left, left));
        CHECK(split.right.size() == 3);
        found.missing = MissingSide::left;
        CHECK(at.search.mark_as_found(found, left, all).missing == MissingSide::left);
        CHECK(marks_of(at)[5] == 1);
        CHECK(at.search.mark_as_found(found, left, Rows{0, 1}).missing == MissingSide::unseen);
    }
    SUBCASE("numbers") {
        AtNode<BinaryGini> at(numbers, target, subset, {0, 1, 2, 3});
        Found found;
        REQUIRE(at.find(0, 3, found));
        CHECK(found.threshold == 0.5);
        CHECK(found.missing == MissingSide::unseen);
        const Split split = at.search.mark_as_found(found, {}, all);
        CHECK(marks_of(at) == Marks{1, 0, 1, 0, 0, 0, 1, 0, 0, 0});
        CHECK(split.missing == MissingSide::right);
        found.missing = MissingSide::left;
        CHECK(at.search.mark_as_found(found, {}, all).missing == MissingSide::left);
        CHECK(marks_of(at) == Marks{1, 0, 1, 0, 0, 1, 1, 1, 0, 0});
        CHECK(at.search.mark_as_found(found, {}, Rows{0, 1}).missing == MissingSide::unseen);
    }
    SUBCASE("coins") {
        SearchRules rules;
        rules.random_cut = true;
        AtNode<BinaryGini> at(levels, target, subset, {0, 1, 2, 3}, rules);
        Found found;
        REQUIRE(at.find(0, 3, found));
        const LevelRule rule(found.threshold);
        const Split split = at.search.mark_as_found(found, {}, all);
        Marks expected;
        for (const double v : x)
            expected.push_back(!std::isnan(v) && rule.goes_left(static_cast<Level>(v), {}));
        CHECK(marks_of(at) == expected);
        CHECK(split.missing == MissingSide::right);
        CHECK(split.threshold != split.threshold);
    }
}

TEST_CASE_TEMPLATE("levels found on some samples mark all samples of theirs", C, BinaryGini,
                   IntegerGini, ExactSquaredError, ClassCounts<Entropy>, OrderedTargets) {
    Rng rng(263);
    for (int repeat = 0; repeat < 40; ++repeat) {
        const std::size_t n = 60, n_kinds = 4 + test::pick(rng, 20);
        std::vector<double> x(n), effects(n);
        for (std::size_t i = 0; i < n; ++i) {
            x[i] = test::pick(rng, 8) == 0 ? NAN : static_cast<double>(test::pick(rng, n_kinds));
            effects[i] = static_cast<int>(x[i]) % 3 == 0 ? -1.0 : 1.0;
        }
        const Target target = target_for<C>(rng, effects);
        const LearningSubset subset = test::subset_of(n);
        const OtherTable made = category(x, 40);
        Rows some;
        for (RowId row = 0; row < n; ++row)
            if (test::pick(rng, 3) == 0) some.push_back(row);
        AtNode<C> at(made, target, subset, some);
        Found found;
        const StreamKey key = rng();
        if (at.criterion.homogeneous() || !at.find(0, key, found)) continue;
        const Split on_sample = at.search.mark({0, some.size(), key, {}}, found, at.rows);
        std::vector<Code> left(on_sample.left.begin(), on_sample.left.end());
        std::ranges::sort(left);
        found.missing = on_sample.missing;
        const Split split = at.search.mark_as_found(found, left, subset.rows);
        const auto marks = at.search.marks(n);
        bool right = true;
        for (std::size_t i = 0; i < n; ++i) {
            const bool expected = std::isnan(x[i]) ? found.missing == MissingSide::left
                                                   : std::ranges::count(left, x[i]) == 1;
            right &= (marks[i] != 0) == expected;
        }
        CHECK(right);
        CHECK(split.n_left == static_cast<std::size_t>(std::ranges::count(marks, 1)));
    }
}

// ---- as part of a splitter

// The split of a node, and the order it leaves.
struct Parted {
    std::optional<Split> split;
    std::vector<Code> left, right;
    Rows rows;
    bool operator==(const Parted& other) const {
        const auto bits = [](double v) { return std::bit_cast<std::uint64_t>(v); };
        if (split.has_value() != other.split.has_value()) return false;
        if (!split) return rows == other.rows;
        const Split &a = *split, &b = *other.split;
        return a.feature == b.feature && bits(a.threshold) == bits(b.threshold) &&
               bits(a.decrease) == bits(b.decrease) && a.n_left == b.n_left &&
               a.missing == b.missing && a.by_levels == b.by_levels && left == other.left &&
               right == other.right && rows == other.rows;
    }
};

Parted parted(const char* criterion, const Table& table, const Target& target,
              const LearningSubset& subset, const SearchRules& rules, const NodeSamples& node,
              ThreadTeam* team = nullptr) {
    SampleOrder order;
    const StopFlag stop;
    const auto features = FeatureDraw::first_features(table.n_features());
    const auto splitter = find_criterion(criterion).make_splitter(
        {table, target, subset, rules, stop, order, features});
    order.rows = subset.rows;
    splitter->share(team);
    splitter->enter(node);
    Constants constants(table.n_features());
    Parted made;
    made.split = splitter->find_split(node, constants);
    if (made.split) {
        made.left.assign(made.split->left.begin(), made.split->left.end());
        made.right.assign(made.split->right.begin(), made.split->right.end());
    }
    made.rows = order.rows;
    return made;
}

// Whether the split says of every sample where it stands.
bool stands(const Parted& made, const Matrix& X, const NodeSamples& node) {
    const Split& split = *made.split;
    bool right = split.n_left > 0 && split.n_left < node.n;
    for (std::size_t i = 0; i < node.n; ++i) {
        const double v = X.row(made.rows[node.begin + i])[split.feature];
        bool left = v <= split.threshold;
        if (split.by_levels && v >= 0.0)
            left = std::ranges::find(made.left, static_cast<Code>(v)) != made.left.end();
        else if (std::isnan(split.threshold) && v >= 0.0)
            left = LevelRule(split.threshold).goes_left(static_cast<Level>(v), {});
        else if (std::isnan(v) || split.by_levels || std::isnan(split.threshold))
            left = split.missing == MissingSide::left;
        right &= left == (i < split.n_left);
    }
    return right;
}

// Plain numbers, numbers with holes, levels, levels with holes; each may be drawn.
struct MixedProblem {
    OtherTable made;
    Target target;
    LearningSubset subset;
};

MixedProblem mixed_problem(Rng& rng, std::size_t n, ClassId n_classes, test::Weights weights) {
    Matrix X = test::random_matrix(rng, n, 5, test::pick(rng, 2) == 0 ? 0 : 6);
    for (std::size_t i = 0; i < n; ++i) {
        double* const row = X.values.data() + 5 * i;
        row[2] = static_cast<double>(test::pick(rng, 4));
        row[3] = static_cast<double>(test::pick(rng, 14));
        if (test::pick(rng, 5) == 0) row[1] = NAN;
        if (test::pick(rng, 5) == 0) row[3] = NAN;
        row[4] = i % 2 == 0 ? row[0] : 0.0;
    }
    Target target =
        n_classes == 0 ? test::random_reals(rng, n, 1) : test::random_classes(rng, n, {n_classes});
    return {test::other_table(X, {-1, -1, 4, 14, -1}), std::move(target),
            test::random_subset(rng, n, weights)};
}

TEST_CASE("any split of a mixed table says where its samples stand, alone or with a team") {
    Rng rng(258);
    ThreadTeam team(3, nullptr);
    std::set<FeatureId> chosen;
    for (int repeat = 0; repeat < 250; ++repeat) {
        const std::size_t n = 8 + test::pick(rng, 100);
        const auto n_classes = static_cast<ClassId>(repeat % 5 == 4 ? 0 : 2 + repeat % 3);
        const MixedProblem problem =
            mixed_problem(rng, n, n_classes, test::kAllWeights[repeat % 3]);
        const Matrix& X = *problem.made.X;
        for (const char* criterion : {"gini", "entropy", "squared_error", "absolute_error"}) {
            if (find_criterion(criterion).classification != (n_classes > 0)) continue;
            CAPTURE(std::string(criterion));
            SearchRules rules;
            rules.max_features = 1 + test::pick(rng, 5);
            rules.random_cut = repeat % 2 == 0;
            rules.min_samples_leaf = test::pick(rng, 4) == 0 ? 3 : 1;
            rules.split_sample = test::pick(rng, 4) == 0 ? 6 : 0;
            rules.shared_from = 2;
            const std::size_t begin = test::pick(rng, 4);
            const NodeSamples node{begin, 2 + test::pick(rng, n - begin - 1), rng(), {}};
            const Parted alone = parted(criterion, problem.made.table(), problem.target,
                                        problem.subset, rules, node);
            const Parted shared = parted(criterion, problem.made.table(), problem.target,
                                         problem.subset, rules, node, &team);
            CHECK(alone == shared);
            if (!alone.split) continue;
            chosen.insert(alone.split->feature);
            CHECK(stands(alone, X, node));
            CHECK(alone.split->n_left >= rules.min_samples_leaf);
            CHECK(node.n - alone.split->n_left >= rules.min_samples_leaf);
            // Both sides keep the order that they had, and no other sample moved.
            const auto at = alone.rows.begin() + static_cast<std::ptrdiff_t>(begin);
            const auto middle = at + static_cast<std::ptrdiff_t>(alone.split->n_left);
            const auto end = at + static_cast<std::ptrdiff_t>(node.n);
            CHECK(std::is_sorted(at, middle));
            CHECK(std::is_sorted(middle, end));
            Rows again = alone.rows;
            std::sort(again.begin() + (at - alone.rows.begin()),
                      again.begin() + (end - alone.rows.begin()));
            CHECK(again == problem.subset.rows);
            // The decrease is that of the sides.
            Marks marks(node.n, 0);
            std::fill_n(marks.begin(), alone.split->n_left, std::uint8_t{1});
            const Loss loss = std::string(criterion) == "gini"            ? Loss::gini
                              : std::string(criterion) == "entropy"       ? Loss::entropy
                              : std::string(criterion) == "squared_error" ? Loss::squared
                                                                          : Loss::absolute;
            const double decrease =
                test::scratch_decrease(loss, problem.target, problem.subset, Rows(at, end), marks);
            if (n_classes > 0) CHECK(alone.split->decrease == close_to(decrease));
        }
    }
    CHECK(chosen.size() == 5);
}

TEST_CASE("levels that part the classes in a sample part them in the whole node") {
    Rng rng(264);
    const std::size_t n = 600;
    for (const std::size_t n_kinds : {8U, 20U})
        for (const ClassId n_classes : {2U, 3U})
            for (StreamKey key = 0; key < 10; ++key) {
                std::vector<double> x(n);
                std::vector<std::int64_t> y(n);
                std::vector<double> z(n);
                for (std::size_t i = 0; i < n; ++i) {
                    const std::size_t k = test::pick(rng, n_kinds);
                    x[i] = static_cast<double>(k * 37 % 101);
                    y[i] = k * 7 % 5 < 2 ? 0 : 1;  // in no order of the levels
                    z[i] = static_cast<double>(y[i]);
                }
                const OtherTable made = category(x, 101);
                const Target classes = class_target(y, n, {n_classes}),
                             reals = real_target(z, n, 1, true);
                const LearningSubset subset = test::subset_of(n);
                SearchRules rules;
                rules.split_sample = 200;
                for (const char* criterion : {"gini", "entropy", "squared_error"}) {
                    CAPTURE(std::string(criterion));
                    CAPTURE(n_kinds);
                    const Target& target =
                        find_criterion(criterion).classification ? classes : reals;
                    const Parted got = parted(criterion, made.table(), target, subset, rules,
                                              {0, n, derive(4, key), {}});
                    REQUIRE(got.split);
                    std::set<std::int64_t> of_side[2];
                    for (std::size_t i = 0; i < n; ++i)
                        of_side[i < got.split->n_left].insert(y[got.rows[i]]);
                    CHECK(of_side[0].size() == 1);
                    CHECK(of_side[1].size() == 1);
                }
            }
}

TEST_CASE("a splitter finds in a sparse table what it finds in the dense one") {
    Rng rng(259);
    ThreadTeam one(1, nullptr);
    for (int repeat = 0; repeat < 150; ++repeat) {
        const std::size_t n = 12 + test::pick(rng, repeat % 5 == 0 ? 1500 : 150);
        Matrix X = test::thinned(rng, test::random_matrix(rng, n, 4, repeat % 3 == 0 ? 6 : 0),
                                 1 + test::pick(rng, 6));
        if (repeat % 4 == 0)
            for (std::size_t i = 0; i < n; i += 1 + test::pick(rng, 5)) X.values[4 * i + 1] = NAN;
        const test::SparseMatrix sparse(X);
        const auto n_classes = static_cast<ClassId>(2 + repeat % 2);
        const Target classes = test::random_classes(rng, n, {n_classes}),
                     reals = test::random_reals(rng, n, 1);
        const LearningSubset subset = test::random_subset(rng, n, test::kAllWeights[repeat % 3]);
        SearchRules rules;
        rules.max_features = 1 + test::pick(rng, 4);
        rules.random_cut = repeat % 2 == 0;
        rules.min_samples_leaf = test::pick(rng, 4) == 0 ? 3 : 1;
        rules.split_sample = test::pick(rng, 5) == 0 ? 7 : 0;
        const NodeSamples node{3, 2 + test::pick(rng, repeat % 3 == 1 ? 12 : n - 4), rng(), {}};
        const BinRule bins{repeat % 7 == 0 ? std::size_t{4} : 0, BinRule::Widths::equal_frequency};
        for (const bool of_values : {false, true}) {
            if (of_values && !rules.random_cut) continue;
            const auto table = [&](const silvics::Matrix& of) {
                return of_values ? table_of_values(of, one) : code_table(of, bins, one);
            };
            const Table dense = table(X.view()), cells = table(sparse.view());
            for (const char* criterion : {"gini", "entropy", "squared_error", "absolute_error"}) {
                CAPTURE(std::string(criterion));
                CAPTURE(node.n);
                const Target& target = find_criterion(criterion).classification ? classes : reals;
                const Parted a = parted(criterion, dense, target, subset, rules, node);
                const Parted b = parted(criterion, cells, target, subset, rules, node);
                CHECK(a == b);
                if (a.split) CHECK(stands(a, X, node));
            }
        }
    }
}

TEST_CASE("two samples are parted by whatever tells them apart") {
    // Levels, levels missing, numbers, numbers missing; each on its own.
    const Target classes = class_target(std::vector<std::int64_t>{0, 1, 0, 1, 1, 0}, 6, {2}),
                 reals = real_target(std::vector<double>{1, 5, 2, 7, 9, 4}, 6, 1, true);
    const LearningSubset subset = test::subset_of(6);
    const std::vector<double> x = {2, 3, 3, NAN, NAN, 2};
    const auto same = [&](std::size_t i, std::size_t k) {
        return x[i] == x[k] || (std::isnan(x[i]) && std::isnan(x[k]));
    };
    const OtherTable tables[] = {category(x, 4), category(x, 100000),
                                 test::other_table(test::column_of(x), {}),
                                 test::sparse_table(test::column_of(x))};
    for (const OtherTable& made : tables)
        for (const bool random : {false, true})
            for (const char* criterion :
                 {"gini", "entropy", "squared_error", "absolute_error", "friedman_mse"})
                for (std::size_t i = 0; i < 5; ++i) {
                    CAPTURE(std::string(criterion));
                    CAPTURE(random);
                    CAPTURE(i);
                    const Target& target =
                        find_criterion(criterion).classification ? classes : reals;
                    SearchRules rules;
                    rules.random_cut = random;
                    for (StreamKey key = 0; key < 20; ++key) {
                        const NodeSamples node{i, 2, derive(5, key), {}};
                        if (target.classification() && target.classes[i] == target.classes[i + 1])
                            continue;  // of one class: nothing to part
                        const Parted got =
                            parted(criterion, made.table(), target, subset, rules, node);
                        CHECK(got.split.has_value() == !same(i, i + 1));
                        if (!got.split) continue;
                        CHECK(got.split->n_left == 1);
                        CHECK(stands(got, *made.X, node));
                        CHECK(got.split->decrease > 0.0);
                        CHECK((got.split->missing == MissingSide::unseen) ==
                              !(std::isnan(x[i]) || std::isnan(x[i + 1])));
                    }
                }
}

TEST_CASE("two samples that the first variables cannot part are parted by a later one") {
    const Matrix X{2, 4, {1, NAN, 5, 0, 1, NAN, 5, 1}};
    const OtherTable made = test::other_table(X, {3, 3, -1, 2});
    const Target target = class_target(std::vector<std::int64_t>{0, 1}, 2, {2});
    const LearningSubset subset = test::subset_of(2);
    for (const bool random : {false, true})
        for (StreamKey key = 0; key < 30; ++key) {
            SearchRules rules;
            rules.random_cut = random;
            rules.max_features = 1 + key % 4;
            const Parted got = parted("gini", made.table(), target, subset, rules, {0, 2, key, {}});
            REQUIRE(got.split);
            CHECK(got.split->feature == 3);
            CHECK(stands(got, X, {0, 2, key, {}}));
        }
}

TEST_CASE("a column that is missing altogether at a node is constant there") {
    const std::vector<double> x = {NAN, NAN, NAN, 1, 2, 3};
    const Target target = class_target(std::vector<std::int64_t>{0, 1, 0, 1, 0, 1}, 6, {2});
    const LearningSubset subset = test::subset_of(6);
    for (const OtherTable& made : {category(x, 4), test::other_table(test::column_of(x), {}),
                                   test::sparse_table(test::column_of(x))})
        for (const bool random : {false, true})
            for (const std::size_t n : {2U, 3U}) {
                SearchRules rules;
                rules.random_cut = random;
                CHECK_FALSE(
                    parted("gini", made.table(), target, subset, rules, {0, n, 1, {}}).split);
                CHECK(parted("gini", made.table(), target, subset, rules, {2, n, 1, {}}).split);
            }
}

}  // namespace
}  // namespace silvics
