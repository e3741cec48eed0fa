// One criterion at one node of a table of columns that are not plain, and the best cut by brute
// force.
#pragma once

#include <cmath>
#include <set>

#include "criterion/binary_gini.hpp"
#include "criterion/class_counts.hpp"
#include "criterion/exact_squared_error.hpp"
#include "criterion/integer_entropy.hpp"
#include "criterion/integer_gini.hpp"
#include "criterion/moments.hpp"
#include "criterion/ordered_targets.hpp"
#include "sampling/feature_draw.hpp"
#include "splitter/fast/search_nonplain.hpp"
#include "splitter/make_splitter.hpp"
#include "splitter/other_columns.hpp"

namespace silvics::test {

using Kind = Column::Kind;
using Marks = std::vector<std::uint8_t>;

// Terms of entropy are rounded to multiples of 2^-32.
inline doctest::Approx nearly(double value) { return doctest::Approx(value).epsilon(1e-9); }

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
          criterion(target, subset, kNeverStop),
          search({made.table(), target, subset, rules, kNeverStop, order, features}, criterion) {
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
        return in_user_units(criterion, criterion.decrease(found.cut.score));
    }
    double worth(Loss loss, const Marks& marks) const {
        double left = 0.0, right = 0.0;
        for (std::size_t i = 0; i < rows.size(); ++i)
            (marks[i] != 0 ? left : right) += subset.weight(rows[i]);
        const auto n_left = static_cast<std::size_t>(std::ranges::count(marks, 1));
        if (!limits().allow(n_left, left, right)) return -kInfinity;
        return scratch_decrease(loss, target, subset, rows, marks);
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
inline Best best_of_all(const AtNode<C>& at, FeatureId f, Loss loss) {
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
inline void check_numbers(AtNode<C>& at, FeatureId f, Loss loss) {
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
        CHECK(at.decrease(found) == nearly(best.decrease));
        CHECK((found.missing == MissingSide::unseen) == !missing);
        const Marks marks = at.marks(found, 5);
        CHECK(marks == at.by_threshold(f, found.threshold, found.missing == MissingSide::left));
        CHECK(at.worth(loss, marks) == nearly(best.decrease));
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
inline std::vector<double> outputs_for(Rng& rng, const std::vector<double>& x) {
    std::vector<double> y;
    const double cut = pick_real(rng, -0.8, 0.8), of_missing = pick_real(rng, 0.0, 1.0);
    for (const double v : x) {
        const double p = std::isnan(v) ? of_missing : v <= cut ? 0.2 : 0.8;
        y.push_back(pick_real(rng, 0.0, 1.0) < p ? 1.0 : pick(rng, 4) == 0 ? 0.5 : 0.0);
    }
    return y;
}

template <class C>
inline Target target_for(Rng& rng, const std::vector<double>& x) {
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
    if (std::is_same_v<C, ClassCounts<Entropy>> || std::is_same_v<C, IntegerEntropy>)
        return Loss::entropy;
    if (std::is_same_v<C, OrderedTargets>) return Loss::absolute;
    if (std::is_same_v<C, ExactSquaredError> || std::is_same_v<C, Moments<SquaredError>>)
        return Loss::squared;
    return Loss::gini;
}

template <class C>
constexpr bool any_weights() {
    return !(ExactSumCriterion<C> || ExactCountsCriterion<C>);
}

inline Weights some_weights(Rng& rng, bool any) { return kAllWeights[pick(rng, any ? 3 : 2)]; }

}  // namespace silvics::test
