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
                   IntegerGini, IntegerEntropy, ExactSquaredError, ClassCounts<Entropy>,
                   OrderedTargets) {
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
        CHECK(at.worth(loss, marks) == nearly(at.decrease(found)));
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
        CHECK(at.decrease(found) == nearly(std::max(left, right)));
        if (std::fabs(left - right) > 1e-9) {
            CHECK(found.missing == (left > right ? MissingSide::left : MissingSide::right));
            ++(left > right ? lefts : rights);
        }
    }
    CHECK(lefts > 5);
    CHECK(rights > 5);
}

TEST_CASE_TEMPLATE("the best split of levels is marked, with its levels and missing values", C,
                   BinaryGini, IntegerGini, IntegerEntropy, ExactSquaredError, ClassCounts<Entropy>,
                   OrderedTargets) {
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
              nearly(at.decrease(found)));
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

TEST_CASE_TEMPLATE("levels found on some samples mark all samples of theirs", C, BinaryGini,
                   IntegerGini, IntegerEntropy, ExactSquaredError, ClassCounts<Entropy>,
                   OrderedTargets) {
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

}  // namespace
}  // namespace silvics
