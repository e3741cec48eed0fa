#include <cmath>
#include <set>

#include "criterion/class_counts.hpp"
#include "criterion/integer_gini.hpp"
#include "criterion/moments.hpp"
#include "criterion/ordered_targets.hpp"
#include "splitter/fast/scan_categories.hpp"
#include "splitter/other_columns.hpp"

namespace silvics {
namespace {

using test::ByRows;
using test::Loss;
using test::Matrix;
using test::OtherTable;
using test::Rng;
using test::Rows;
using Marks = std::vector<std::uint8_t>;

// A node of one category; its outputs have something to do with the levels.
struct Example {
    OtherTable made;
    Target target;
    LearningSubset subset;
    Rows rows;
    std::vector<double> kinds;  // levels at the node, -1 for missing ones

    const Column& column() const { return made.column(); }
    std::size_t n_kinds() const { return kinds.size(); }
    double level(RowId row) const { return made.X->values[row] >= 0 ? made.X->values[row] : -1.0; }
    // Marks of the samples whose kind is marked in `mask`.
    Marks marks(std::uint64_t mask) const {
        Marks result;
        for (const RowId row : rows) {
            const auto at = std::ranges::find(kinds, level(row)) - kinds.begin();
            result.push_back(static_cast<std::uint8_t>(mask >> at & 1));
        }
        return result;
    }
};

enum class Outputs { two_classes, classes, two_of_classes, two_outputs, real, two_reals, counts };

Example example(Rng& rng, std::size_t n, std::size_t n_kinds, Outputs outputs,
                test::Weights weights, std::int64_t n_levels, bool missing) {
    std::vector<double> of_kind, x(n);
    std::set<double> kinds;
    while (kinds.size() < n_kinds)
        kinds.insert(static_cast<double>(test::pick(rng, static_cast<std::size_t>(n_levels))));
    if (missing) kinds.erase(*kinds.rbegin()), kinds.insert(-1.0);
    of_kind.assign(kinds.begin(), kinds.end());
    std::vector<std::size_t> kind(n);
    for (std::size_t i = 0; i < n; ++i) {
        kind[i] = i < 2 * n_kinds ? i % n_kinds : test::pick(rng, n_kinds);
        x[i] = of_kind[kind[i]];
        if (x[i] < 0.0 && i % 2 == 0) x[i] = NAN;
    }
    std::vector<double> effect(n_kinds);
    for (double& e : effect) e = test::pick_real(rng, 0.0, 1.0);
    const bool reals = outputs >= Outputs::real;
    const std::size_t q = outputs == Outputs::two_outputs || outputs == Outputs::two_reals ? 2 : 1;
    std::vector<std::int64_t> classes;
    std::vector<double> y;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < q; ++k) {
            const double e = k == 0 ? effect[kind[i]] : effect[(kind[i] * 5 + 3) % n_kinds];
            const double u = test::pick_real(rng, 0.0, 1.0);
            if (outputs == Outputs::counts)
                y.push_back(static_cast<double>(std::poisson_distribution<int>(0.1 + 3 * e)(rng)));
            else if (reals)
                y.push_back(10.0 + 2.0 * e + u);
            else if (outputs == Outputs::classes)
                classes.push_back(u < e ? 0 : static_cast<std::int64_t>(1 + (kind[i] + i) % 3));
            else
                classes.push_back(u < e ? 1 : 0);
        }
    if (outputs == Outputs::two_of_classes)  // of four, the third and the second
        for (std::int64_t& c : classes) c = c == 0 ? 2 : 1;
    const bool many = outputs == Outputs::classes || outputs == Outputs::two_of_classes;
    Target target =
        reals ? real_target(y, n, q, outputs != Outputs::counts)
              : class_target(classes, n, std::vector<ClassId>(q, many ? ClassId{4} : ClassId{2}));
    Example made{test::other_table(test::column_of(x), {n_levels}),
                 std::move(target),
                 test::random_subset(rng, n, weights),
                 {},
                 of_kind};
    made.rows = made.subset.rows;
    return made;
}

template <class C>
struct Found {
    Cut cut;
    LevelChoice choice;
    double decrease = 0.0;
    Marks marks;
};

// The result of the search, and of sides() after another variable was searched.
template <class C>
Found<C> found_in(const Example& of, ByRows<C>& criterion, CategoryScan<C>& search,
                  const CutLimits& limits, const Example* other = nullptr, StreamKey key = 77) {
    Found<C> found;
    criterion.enter(of.rows);
    if constexpr (requires { criterion.prepare_search(); }) criterion.prepare_search();
    REQUIRE(search.enter(of.column(), of.rows));
    const bool better =
        search.best_split(criterion, limits, key, test::kNeverStop, found.cut, found.choice);
    CHECK(better == (found.cut.score > -kInfinity));
    if (!better) return found;
    found.decrease = test::in_user_units(criterion, criterion.decrease(found.cut.score));
    if (other != nullptr) search.enter(other->column(), other->rows);
    search.enter(of.column(), of.rows);
    const auto sides = search.sides(criterion, key, found.choice);
    REQUIRE(sides.size() == search.groups().size());
    for (const Code g : search.groups().group_of)
        found.marks.push_back(static_cast<std::uint8_t>(sides[g]));
    return found;
}

bool allowed(const Example& of, const Marks& marks, const CutLimits& limits) {
    const auto n_left = static_cast<std::size_t>(std::ranges::count(marks, 1));
    double left = 0.0, whole = 0.0;
    for (std::size_t i = 0; i < marks.size(); ++i) {
        whole += of.subset.weight(of.rows[i]);
        left += marks[i] * of.subset.weight(of.rows[i]);
    }
    return n_left >= limits.min_samples_leaf && marks.size() - n_left >= limits.min_samples_leaf &&
           left >= limits.min_weight_leaf && whole - left >= limits.min_weight_leaf;
}

double worth(Loss loss, const Example& of, const Marks& marks) {
    return test::scratch_decrease(loss, of.target, of.subset, of.rows, marks);
}

// The best of all splits.
double best_of_all(Loss loss, const Example& of, const CutLimits& limits) {
    double best = -kInfinity;
    for (std::uint64_t mask = 1; mask < std::uint64_t{1} << (of.n_kinds() - 1); ++mask) {
        const Marks marks = of.marks(mask);
        if (allowed(of, marks, limits)) best = std::max(best, worth(loss, of, marks));
    }
    return best;
}

doctest::Approx close_to(double value) { return doctest::Approx(value).epsilon(1e-9); }

// Among up to ten kinds of levels the best of all splits is found.
template <class C>
void check_best(Loss loss, Outputs outputs, std::initializer_list<test::Weights> all_weights,
                bool limited, std::size_t most_kinds = 8) {
    Rng rng(240);
    CategoryScan<C> search;  // what a node leaves behind must not matter
    for (const test::Weights weights : all_weights)
        for (std::size_t n_kinds = 2; n_kinds <= most_kinds; ++n_kinds)
            for (const bool missing : {false, true})
                for (const std::int64_t n_levels : {12, 40, 3000}) {
                    CAPTURE(n_kinds);
                    CAPTURE(missing);
                    CAPTURE(n_levels);
                    const std::size_t n = 2 * n_kinds + 1 + test::pick(rng, 25);
                    const Example of =
                        example(rng, n, n_kinds, outputs, weights, n_levels, missing);
                    const Example other = example(rng, 9, 3, outputs, weights, 5, false);
                    ByRows<C> criterion(of.target, of.subset, test::kNeverStop);
                    criterion.enter(of.rows);
                    if (criterion.homogeneous()) continue;
                    CutLimits limits{.n = n};
                    if (limited) limits.min_samples_leaf = 1 + test::pick(rng, n / 3);
                    if (limited && n_kinds % 2 == 0)
                        limits.min_weight_leaf = test::pick_real(rng, 0.0, criterion.weight() / 2);
                    const auto found = found_in<C>(of, criterion, search, limits, &other);
                    const double best = best_of_all(loss, of, limits);
                    REQUIRE((found.cut.score > -kInfinity) == (best > -kInfinity));
                    if (best == -kInfinity) continue;
                    CHECK(found.decrease == close_to(best));
                    CHECK(worth(loss, of, found.marks) == close_to(best));
                    CHECK(allowed(of, found.marks, limits));
                }
}

constexpr auto kWhole = {test::Weights::unit, test::Weights::whole};
constexpr auto kAll = {test::Weights::unit, test::Weights::whole, test::Weights::fractional};

TEST_CASE("two classes: a cut in the order of shares is the best of all splits (Theorem 3.4)") {
    check_best<IntegerGini>(Loss::gini, Outputs::two_classes, kWhole, false);
    check_best<IntegerGini>(Loss::gini, Outputs::two_of_classes, kWhole, false, 11);
    check_best<ClassCounts<Gini>>(Loss::gini, Outputs::two_classes, kAll, false, 11);
    check_best<ClassCounts<Entropy>>(Loss::entropy, Outputs::two_classes, kAll, false, 11);
    check_best<ClassCounts<Entropy>>(Loss::entropy, Outputs::two_of_classes, kAll, false);
    check_best<ClassCounts<Misclassification>>(Loss::misclassification, Outputs::two_classes, kAll,
                                               false);
}

TEST_CASE("squared error: a cut in the order of means is the best of all splits (Theorem 3.4)") {
    check_best<Moments<SquaredError>>(Loss::squared, Outputs::real, kAll, false, 11);
    check_best<Moments<FriedmanImprovement>>(Loss::squared, Outputs::real, kAll, false);
}

TEST_CASE("many classes and outputs: all splits of few levels are tried, under any limits") {
    for (const bool limited : {false, true}) {
        check_best<IntegerGini>(Loss::gini, Outputs::classes, kWhole, limited);
        check_best<ClassCounts<Gini>>(Loss::gini, Outputs::classes, kAll, limited);
        check_best<ClassCounts<Entropy>>(Loss::entropy, Outputs::two_outputs, kAll, limited, 6);
        check_best<Moments<SquaredError>>(Loss::squared, Outputs::two_reals, kAll, limited, 6);
    }
    check_best<IntegerGini>(Loss::gini, Outputs::classes, {test::Weights::whole}, false, 10);
}

TEST_CASE("absolute error and deviance: all splits of few levels are tried, under any limits") {
    for (const bool limited : {false, true}) {
        check_best<OrderedTargets>(Loss::absolute, Outputs::real, kAll, limited, 7);
        check_best<Moments<PoissonDeviance>>(Loss::poisson, Outputs::counts, kAll, limited, 7);
    }
}

// The cuts in an order of the kinds, lowest key first.
std::vector<std::uint64_t> cuts_in_order(const std::vector<double>& key) {
    std::vector<std::size_t> order(key.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t g) { return key[g]; });
    std::vector<std::uint64_t> cuts;
    std::uint64_t mask = 0;
    for (std::size_t k = 0; k + 1 < order.size(); ++k) cuts.push_back(mask |= 1ULL << order[k]);
    return cuts;
}

// What each kind has of output k, per weight: its mean, or the share of each class.
std::vector<std::vector<double>> means_of_kinds(const Example& of, std::vector<double>& weights) {
    const Target& target = of.target;
    const std::size_t width = target.classification() ? target.n_classes[0] : target.n_outputs;
    std::vector<std::vector<double>> means(of.n_kinds(), std::vector<double>(width, 0.0));
    weights.assign(of.n_kinds(), 0.0);
    for (const RowId row : of.rows) {
        const auto at =
            static_cast<std::size_t>(std::ranges::find(of.kinds, of.level(row)) - of.kinds.begin());
        const double w = of.subset.weight(row);
        weights[at] += w;
        for (std::size_t k = 0; k < width; ++k)
            means[at][k] +=
                w * (target.classification() ? (target.classes[row] == k ? 1.0 : 0.0)
                                             : target.original[k * target.n_rows + row]);
    }
    for (std::size_t g = 0; g < means.size(); ++g)
        for (double& m : means[g]) m /= weights[g];
    return means;
}

// Along the first principal component of the means; `clear` if there is a first one by far.
std::vector<double> along_component(const Example& of, bool& clear) {
    std::vector<double> weights;
    const auto means = means_of_kinds(of, weights);
    const std::size_t m = means[0].size();
    std::vector<double> centre(m, 0.0);
    double whole = 0.0;
    for (std::size_t g = 0; g < means.size(); ++g) {
        whole += weights[g];
        for (std::size_t k = 0; k < m; ++k) centre[k] += weights[g] * means[g][k];
    }
    std::vector<std::vector<double>> scatter_of(m, std::vector<double>(m, 0.0));
    for (std::size_t g = 0; g < means.size(); ++g)
        for (std::size_t a = 0; a < m; ++a)
            for (std::size_t b = 0; b < m; ++b)
                scatter_of[a][b] += weights[g] * (means[g][a] - centre[a] / whole) *
                                    (means[g][b] - centre[b] / whole);
    // The largest, and what is left without it, by many steps of the power method.
    const auto largest = [&](std::vector<double>& v) {
        double length = 0.0;
        for (int step = 0; step < 3000; ++step) {
            std::vector<double> next(m, 0.0);
            for (std::size_t a = 0; a < m; ++a)
                for (std::size_t b = 0; b < m; ++b) next[a] += scatter_of[a][b] * v[b];
            length = 0.0;
            for (const double u : next) length += u * u;
            length = std::sqrt(length);
            if (length == 0.0) return 0.0;
            for (std::size_t a = 0; a < m; ++a) v[a] = next[a] / length;
        }
        return length;
    };
    std::vector<double> first(m), second(m);
    for (std::size_t a = 0; a < m; ++a) {
        first[a] = std::sin(1.0 + static_cast<double>(a));
        second[a] = std::cos(2.0 + 3.0 * static_cast<double>(a));
    }
    const double most = largest(first);
    for (std::size_t a = 0; a < m; ++a)
        for (std::size_t b = 0; b < m; ++b) scatter_of[a][b] -= most * first[a] * first[b];
    clear = largest(second) < 0.4 * most;
    std::vector<double> key(means.size(), 0.0);
    for (std::size_t g = 0; g < means.size(); ++g)
        for (std::size_t k = 0; k < m; ++k) key[g] += means[g][k] * first[k];
    return key;
}

// Of more than ten levels none of the cuts in the order is better than what is found.
template <class C>
void check_many_levels(Loss loss, Outputs outputs, std::initializer_list<test::Weights> all_weights,
                       bool limited) {
    Rng rng(241);
    CategoryScan<C> search;
    std::size_t checked = 0;
    for (const test::Weights weights : all_weights)
        for (const std::size_t n_kinds : {11U, 12U, 20U, 40U, 63U})
            for (int repeat = 0; repeat < 6; ++repeat) {
                CAPTURE(n_kinds);
                const std::size_t n = 4 * n_kinds;
                const Example of = example(rng, n, n_kinds, outputs, weights,
                                           70 + 500 * (repeat % 2), repeat % 3 == 0);
                const Example other = example(rng, 9, 3, outputs, weights, 5, false);
                ByRows<C> criterion(of.target, of.subset, test::kNeverStop);
                CutLimits limits{.n = n};
                if (limited) limits.min_samples_leaf = n / 5;
                const auto found = found_in<C>(of, criterion, search, limits, &other, rng());
                CHECK(worth(loss, of, found.marks) == close_to(found.decrease));
                CHECK(allowed(of, found.marks, limits));
                bool clear = false;
                const auto key = along_component(of, clear);
                if (!clear) continue;
                ++checked;
                const auto [low, high] = std::ranges::minmax(key);
                auto sorted = key;
                std::ranges::sort(sorted);
                const auto cuts = cuts_in_order(key);
                bool best = true;
                for (std::size_t k = 0; k < cuts.size(); ++k) {
                    // Unless a few more steps of the method might have changed the order.
                    if (sorted[k + 1] - sorted[k] < 1e-3 * (high - low)) continue;
                    const Marks marks = of.marks(cuts[k]);
                    if (allowed(of, marks, limits))
                        best &= worth(loss, of, marks) <= found.decrease + 1e-9;
                }
                CHECK(best);
            }
    CHECK(checked > 5);
}

TEST_CASE("more than ten levels: no cut in the order of the principal component is better") {
    for (const bool limited : {false, true}) {
        check_many_levels<IntegerGini>(Loss::gini, Outputs::classes, kWhole, limited);
        check_many_levels<ClassCounts<Gini>>(Loss::gini, Outputs::classes, kAll, limited);
        check_many_levels<ClassCounts<Entropy>>(Loss::entropy, Outputs::classes, kAll, limited);
        check_many_levels<Moments<SquaredError>>(Loss::squared, Outputs::two_reals, kAll, limited);
        check_many_levels<Moments<PoissonDeviance>>(Loss::poisson, Outputs::counts,
                                                    {test::Weights::unit}, limited);
    }
}

TEST_CASE("more than ten levels: no cut in the order of the means has less absolute error") {
    for (const bool limited : {false, true})
        check_many_levels<OrderedTargets>(Loss::absolute, Outputs::real, {test::Weights::unit},
                                          limited);
}

TEST_CASE("more than ten levels of two classes: no cut in the order of shares is better") {
    for (const bool limited : {false, true}) {
        check_many_levels<ClassCounts<Gini>>(Loss::gini, Outputs::two_classes, kWhole, limited);
        check_many_levels<IntegerGini>(Loss::gini, Outputs::two_of_classes, kWhole, limited);
        check_many_levels<Moments<SquaredError>>(Loss::squared, Outputs::real, kWhole, limited);
    }
}

TEST_CASE("random splits are tried too, each by its number") {
    // A level of most samples amidst the others in their order: no cut in that order leaves enough
    // on both sides, but some others do.
    using C = ClassCounts<Gini>;
    CategoryScan<C> search;
    std::vector<double> x, kinds;
    std::vector<std::int64_t> y;
    for (std::size_t k = 0; k < 11; ++k) {
        kinds.push_back(static_cast<double>(k));
        const std::size_t n_of_kind = k == 5 ? 180 : 12;
        for (std::size_t i = 0; i < n_of_kind; ++i) {
            x.push_back(kinds.back());
            const std::size_t place = 12 * i / n_of_kind;
            y.push_back(place < k ? 0 : place < 11 ? 1 : 2);  // shares along one line
        }
    }
    const std::size_t n = x.size();
    Example of{test::other_table(test::column_of(x), {11}),
               class_target(y, n, {3}),
               test::subset_of(n),
               {},
               kinds};
    of.rows = of.subset.rows;
    bool clear = false;
    const auto key = along_component(of, clear);
    REQUIRE(clear);
    const CutLimits limits{.n = n, .min_samples_leaf = 3 * n / 10};
    for (const std::uint64_t cut : cuts_in_order(key))
        REQUIRE_FALSE(allowed(of, of.marks(cut), limits));
    const Example other = [&] {
        Rng rng(242);
        return example(rng, 90, 30, Outputs::classes, test::Weights::unit, 40, false);
    }();
    std::set<std::uint32_t> numbers;
    for (StreamKey stream = 0; stream < 20; ++stream) {
        ByRows<C> criterion(of.target, of.subset, test::kNeverStop);
        const auto found = found_in<C>(of, criterion, search, limits, &other, derive(1, stream));
        REQUIRE(found.cut.score > -kInfinity);
        CHECK(found.choice.cut == 0);
        CHECK(allowed(of, found.marks, limits));
        CHECK(worth(Loss::gini, of, found.marks) == close_to(found.decrease));
        numbers.insert(found.choice.number);
    }
    CHECK(numbers.size() > 5);
}

// Groups are the levels at the node, each once, whatever their order.
void check_groups(const Example& of, const LevelGroups& groups, bool missing) {
    const auto n_levels = static_cast<Code>(of.column().n_codes);
    CHECK(groups.size() == of.n_kinds());
    CHECK(std::set<Code>(groups.levels.begin(), groups.levels.end()).size() == groups.size());
    REQUIRE(groups.group_of.size() == of.rows.size());
    std::vector<std::uint32_t> counts(groups.size(), 0);
    bool right = true;
    for (std::size_t i = 0; i < of.rows.size(); ++i) {
        const double level = of.level(of.rows[i]);
        const Code g = groups.group_of[i];
        ++counts.at(g);
        right &= groups.levels[g] == (level < 0 ? n_levels : static_cast<Code>(level));
        right &= (g == groups.missing) == (level < 0);
    }
    CHECK(right);
    CHECK(counts == groups.counts);
    CHECK((groups.missing != LevelGroups::kNone) == missing);
}

TEST_CASE_TEMPLATE("the number of levels that are not at the node plays no part", C,
                   ClassCounts<Entropy>, IntegerGini, ClassCounts<Gini>,
                   ClassCounts<Misclassification>, Moments<SquaredError>, OrderedTargets) {
    Rng rng(243);
    const bool reals =
        std::is_same_v<C, Moments<SquaredError>> || std::is_same_v<C, OrderedTargets>;
    const Outputs outputs = reals                                     ? Outputs::real
                            : std::is_same_v<C, ClassCounts<Entropy>> ? Outputs::two_classes
                                                                      : Outputs::classes;
    CategoryScan<C> used;  // for one column after another
    for (int repeat = 0; repeat < 20; ++repeat) {
        // The same levels, once among few and once among very many.
        const std::size_t n = 40, n_kinds = 2 + test::pick(rng, 20);
        const bool missing = repeat % 2 == 0;
        const Example few = example(rng, n, n_kinds, outputs, test::Weights::whole, 60, missing);
        CategoryScan<C> fresh;
        REQUIRE(fresh.enter(few.column(), few.rows));
        check_groups(few, fresh.groups(), missing);
        ByRows<C> criterion(few.target, few.subset, test::kNeverStop);
        const auto expected = found_in<C>(few, criterion, fresh, {.n = n});
        check_groups(few, fresh.groups(), missing);
        const std::int64_t so_many[] = {159, 160, 1000, 65536, 1000000};
        for (const std::int64_t n_levels : so_many) {
            CAPTURE(n_levels);
            Example many = few;
            many.made = test::other_table(*few.made.X, {n_levels});
            for (CategoryScan<C>* search : {&used, &fresh}) {
                REQUIRE(search->enter(many.column(), many.rows));
                check_groups(many, search->groups(), missing);
                const auto found = found_in<C>(many, criterion, *search, {.n = n});
                check_groups(many, search->groups(), missing);
                CHECK(found.cut.score == expected.cut.score);
                CHECK(found.choice.cut == expected.choice.cut);
                CHECK(found.choice.number == expected.choice.number);
                CHECK(found.marks == expected.marks);
            }
        }
    }
}

TEST_CASE("the order of the samples plays no part in the best split") {
    Rng rng(246);
    for (int repeat = 0; repeat < 30; ++repeat) {
        const std::size_t n = 50, n_kinds = 2 + test::pick(rng, 18);
        const Example of = example(rng, n, n_kinds, Outputs::two_classes, test::Weights::unit, 60,
                                   repeat % 2 == 0);
        // The same samples in another order; equals among the levels are frequent.
        std::vector<std::size_t> order(n);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::shuffle(order, rng);
        std::vector<double> x;
        std::vector<std::int64_t> y;
        for (const std::size_t i : order) {
            x.push_back(of.made.X->values[i]);
            y.push_back(static_cast<std::int64_t>(of.target.classes[i]));
        }
        Example other = of;
        other.made = test::other_table(test::column_of(x), {60});
        other.target = class_target(y, n, {2});
        const auto marks_of = [&]<class C>(std::type_identity<C>, const Example& from) {
            CategoryScan<C> search;
            ByRows<C> criterion(from.target, from.subset, test::kNeverStop);
            return found_in<C>(from, criterion, search, {.n = n}).marks;
        };
        const auto check = [&]<class C>(std::type_identity<C> type) {
            const Marks a = marks_of(type, of), b = marks_of(type, other);
            bool same = true;
            for (std::size_t i = 0; i < n; ++i) same &= b[i] == a[order[i]];
            CHECK(same);
        };
        check(std::type_identity<ClassCounts<Gini>>{});
        check(std::type_identity<IntegerGini>{});
        check(std::type_identity<ClassCounts<Entropy>>{});
    }
}

TEST_CASE("one level, or nothing but missing values, is constant") {
    for (const std::int64_t n_levels : {5, 100000})
        for (const bool missing : {false, true}) {
            const OtherTable made = test::other_table(
                test::column_of(std::vector<double>(6, missing ? NAN : 3.0)), {n_levels});
            const Rows rows = {0, 2, 3};
            CategoryScan<ClassCounts<Gini>> search;
            CHECK_FALSE(search.enter(made.column(), rows));
        }
    const OtherTable made =
        test::other_table(test::column_of({1.0, 2.0, NAN, 1.0, NAN, -1.0}), {5});
    const auto enters = [&](const Rows& rows) {
        CategoryScan<ClassCounts<Gini>> search;
        return search.enter(made.column(), rows);
    };
    CHECK_FALSE(enters({0, 3}));
    CHECK_FALSE(enters({2, 4, 5}));  // NaN and -1 are missing alike
    CHECK(enters({0, 1}));
    CHECK(enters({0, 2}));
}

TEST_CASE("a later variable must be better, not equal") {
    Rng rng(244);
    const auto check = [&]<class C>(std::type_identity<C>, Outputs outputs, std::size_t n_kinds) {
        const Example of = example(rng, 60, n_kinds, outputs, test::Weights::unit, 30, false);
        ByRows<C> criterion(of.target, of.subset, test::kNeverStop);
        CategoryScan<C> search;
        const auto found = found_in<C>(of, criterion, search, {.n = 60});
        REQUIRE(found.cut.score > -kInfinity);
        LevelChoice choice{1234, 5678};
        Cut best{.score = found.cut.score, .border = 99};
        CHECK_FALSE(search.best_split(criterion, {.n = 60}, 77, test::kNeverStop, best, choice));
        CHECK(best.score == found.cut.score);
        CHECK(best.border == 99);
        CHECK(choice.cut == 1234);
        CHECK(choice.number == 5678);
        best.score = std::nextafter(best.score, -INFINITY);
        CHECK(search.best_split(criterion, {.n = 60}, 77, test::kNeverStop, best, choice));
        CHECK(best.score == found.cut.score);
        CHECK(choice.cut == found.choice.cut);
        CHECK(choice.number == found.choice.number);
    };
    for (const std::size_t n_kinds : {4U, 15U}) {
        check(std::type_identity<ClassCounts<Gini>>{}, Outputs::two_classes, n_kinds);
        check(std::type_identity<IntegerGini>{}, Outputs::classes, n_kinds);
        check(std::type_identity<Moments<SquaredError>>{}, Outputs::real, n_kinds);
        check(std::type_identity<OrderedTargets>{}, Outputs::real, n_kinds);
    }
}

TEST_CASE("a search over levels feels a stop request") {
    Rng rng(245);
    StopFlag stop;
    stop.request();
    for (const std::size_t n_kinds : {5U, 20U}) {
        const Example of =
            example(rng, 60, n_kinds, Outputs::classes, test::Weights::unit, 30, false);
        using C = ClassCounts<Entropy>;
        ByRows<C> criterion(of.target, of.subset, test::kNeverStop);
        criterion.enter(of.rows);
        CategoryScan<C> search;
        REQUIRE(search.enter(of.column(), of.rows));
        Cut cut;
        LevelChoice choice;
        CHECK_THROWS_AS(search.best_split(criterion, {.n = 60}, 1, stop, cut, choice), Interrupted);
    }
}

}  // namespace
}  // namespace silvics
