// A criterion checked against its definition, computed from scratch at every cut.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/logarithm.hpp"
#include "criterion/concept.hpp"
#include "doctest/doctest.h"
#include "support/problem.hpp"

namespace silvics::test {

// An impurity, or its decrease, as the user sees it.
template <Criterion C>
double in_user_units(const C& criterion, double impurity) {
    return std::ldexp(impurity, criterion.impurity_exponent());
}

using Rows = std::vector<RowId>;
// The impurity of one output over some rows.
using Definition =
    std::function<double(const Target&, const LearningSubset&, const Rows&, std::size_t)>;

// A criterion that takes up a node by its rows, in the midst of other samples of the tree.
template <Criterion C>
class ByRows : public C {
public:
    ByRows(const Target& target, const LearningSubset& subset, const StopFlag& stop)
        : C(target, subset, stop), target_(target), subset_(subset) {}

    using C::enter;
    void enter(const Rows& rows) {
        LearningSubset ordered = subset_;
        ordered.rows.clear();
        std::ranges::set_difference(subset_.rows, rows, std::back_inserter(ordered.rows));
        const std::size_t begin = ordered.rows.size() / 2;
        ordered.rows.insert(ordered.rows.begin() + static_cast<std::ptrdiff_t>(begin), rows.begin(),
                            rows.end());
        order_ = {};
        C::fill(target_, ordered, order_);
        order_.rows = ordered.rows;
        C::enter(order_, begin, rows.size());
    }

private:
    const Target& target_;
    const LearningSubset& subset_;
    SampleOrder order_;
};

inline double weight_of(const LearningSubset& subset, const Rows& rows) {
    double sum = 0.0;
    for (const RowId row : rows) sum += subset.weight(row);
    return sum;
}

inline double impurity_of(const Definition& definition, const Target& target,
                          const LearningSubset& subset, const Rows& rows) {
    double sum = 0.0;
    for (std::size_t k = 0; k < target.n_outputs; ++k) sum += definition(target, subset, rows, k);
    return sum / static_cast<double>(target.n_outputs);
}

// How far decreases may be from the definition. Criteria with rounded terms specialise it.
template <class C>
inline constexpr double kDecreaseTolerance = 1e-11;

inline doctest::Approx close_to(double value, double tolerance = 1e-11) {
    return doctest::Approx(value).epsilon(tolerance);
}

struct ScoredCut {
    double score, decrease;
};

// Scores and decreases are on two scales.
template <Criterion C>
void check_scale(const C& criterion) {
    const double rise = criterion.score_per_decrease() / 4;
    CHECK(criterion.decrease(rise) - criterion.decrease(0.0) == close_to(0.25));
}

// Moves the node's samples left in a random order; at every cut the weights and the decrease
// are those of the definition. Cuts for which `possible` is false must have score -infinity.
template <MovingCriterion C>
std::vector<ScoredCut> check_scan(ByRows<C>& criterion, Rng& rng, const Definition& definition,
                                  const Target& target, const LearningSubset& subset,
                                  const Rows& rows,
                                  const std::function<bool(const Rows&)>& possible) {
    criterion.enter(rows);
    const double whole = weight_of(subset, rows);
    const double before = impurity_of(definition, target, subset, rows);
    CHECK(criterion.weight() == close_to(whole));
    CHECK(in_user_units(criterion, criterion.impurity()) == close_to(before));

    std::vector<Position> order(rows.size());
    std::iota(order.begin(), order.end(), Position{0});
    std::ranges::shuffle(order, rng);
    criterion.begin_scan();
    std::vector<ScoredCut> cuts;
    for (std::size_t cut = 1; cut < order.size(); ++cut) {
        criterion.move(order[cut - 1]);
        Rows left, right;
        for (std::size_t i = 0; i < order.size(); ++i)
            (i < cut ? left : right).push_back(rows[order[i]]);
        const double wl = weight_of(subset, left), wr = weight_of(subset, right);
        CHECK(criterion.left_weight() == close_to(wl));
        CHECK(criterion.right_weight() == close_to(wr));
        if (!possible(left) || !possible(right)) {
            CHECK(criterion.score() == -INFINITY);
            continue;
        }
        const double after = wl / whole * impurity_of(definition, target, subset, left) +
                             wr / whole * impurity_of(definition, target, subset, right);
        cuts.push_back(
            {criterion.score(), in_user_units(criterion, criterion.decrease(criterion.score()))});
        CHECK(cuts.back().decrease == close_to(before - after, kDecreaseTolerance<C>));
    }
    check_scale(criterion);
    return cuts;
}

inline bool always(const Rows&) { return true; }

// The same for criteria whose cuts are scored by what is marked as left: scored(marks) gives the
// weight left of the cut and the score. Sides are drawn at random.
template <Criterion C, class Scored>
std::vector<ScoredCut> check_sides(ByRows<C>& criterion, Rng& rng, const Definition& definition,
                                   const Target& target, const LearningSubset& subset,
                                   const Rows& rows, Scored&& scored) {
    criterion.enter(rows);
    const double whole = weight_of(subset, rows);
    const double before = impurity_of(definition, target, subset, rows);
    CHECK(criterion.weight() == whole);
    CHECK(in_user_units(criterion, criterion.impurity()) == close_to(before));
    std::vector<ScoredCut> cuts;
    for (int repeat = 0; repeat < 10; ++repeat) {
        std::vector<std::uint8_t> marks(rows.size());
        Rows left, right;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            marks[i] = static_cast<std::uint8_t>(pick(rng, 2));
            (marks[i] != 0 ? left : right).push_back(rows[i]);
        }
        if (left.empty() || right.empty()) continue;
        const auto [weight, score] = scored(marks);
        const double wl = weight_of(subset, left), wr = weight_of(subset, right);
        CHECK(weight == wl);
        const double after = wl / whole * impurity_of(definition, target, subset, left) +
                             wr / whole * impurity_of(definition, target, subset, right);
        cuts.push_back({score, in_user_units(criterion, criterion.decrease(score))});
        CHECK(cuts.back().decrease == close_to(before - after, kDecreaseTolerance<C>));
    }
    check_scale(criterion);
    return cuts;
}

// The score of criteria of one sum: that of means, or of Poisson deviance.
template <ExactSumCriterion C>
double score_of(const C& criterion, const typename C::Statistic& left) {
    const double w = C::weight_of(left), W = criterion.weight();
    const double t = C::sum_y_of(left), T = criterion.sum_y();
    if constexpr (requires { C::kFactor; }) {
        const double d = t * W - T * w;
        return C::kFactor * (d * d) / (w * (W - w));
    } else {
        if (t == 0.0 || t == T) return -INFINITY;
        return t * ln_portable(t / w) + (T - t) * ln_portable((T - t) / (W - w));
    }
}

// Weights that are whole numbers up to `largest`.
inline LearningSubset heavy_subset(Rng& rng, std::size_t n, std::size_t largest) {
    std::vector<double> weights(n);
    for (double& w : weights) w = static_cast<double>(1 + pick(rng, largest));
    return subset_of(n, weights);
}

// The best score is the best decrease.
inline void check_order(const std::vector<ScoredCut>& cuts) {
    bool agree = true;
    for (const ScoredCut& a : cuts)
        for (const ScoredCut& b : cuts)
            if (a.decrease > b.decrease + 1e-9) agree &= a.score > b.score;
    CHECK(agree);
}

// Groups of equal codes, in row order within each, as a sort gives them.
inline std::vector<std::vector<Position>> random_groups(Rng& rng, std::size_t n,
                                                        std::size_t levels) {
    std::vector<std::vector<Position>> groups(levels);
    for (std::size_t i = 0; i < n; ++i)
        groups[pick(rng, levels)].push_back(static_cast<Position>(i));
    std::erase_if(groups, [](const auto& group) { return group.empty(); });
    return groups;
}

// Where statistics add up, moving a group and moving its histogram cell give the same bits.
template <MovingCriterion C>
void check_groups_are_cells(Rng& rng, const Target& target, const LearningSubset& subset,
                            const Rows& rows) {
    ByRows<C> by_group(target, subset, kNeverStop), by_cell(target, subset, kNeverStop);
    by_group.enter(rows);
    by_cell.enter(rows);
    by_group.begin_scan();
    by_cell.begin_scan();
    bool same = true;
    const auto groups = random_groups(rng, rows.size(), 1 + pick(rng, rows.size()));
    for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
        by_group.move_group(groups[g]);
        std::vector<double> cell(by_cell.histogram_width(), 0.0);
        for (const Position i : groups[g]) by_cell.add_to(cell.data(), i);
        by_cell.move_cell(cell.data());
        same &= by_group.score() == by_cell.score() &&
                by_group.left_weight() == by_cell.left_weight() &&
                by_group.left_value() == by_cell.left_value() &&
                by_group.right_value() == by_cell.right_value();
    }
    CHECK(same);
}

// A group of one is a move; so is any group whose sums are exact.
template <MovingCriterion C>
void check_groups_are_moves(Rng& rng, const Target& target, const LearningSubset& subset,
                            const Rows& rows, std::size_t levels) {
    ByRows<C> by_group(target, subset, kNeverStop), by_move(target, subset, kNeverStop);
    by_group.enter(rows);
    by_move.enter(rows);
    by_group.begin_scan();
    by_move.begin_scan();
    bool same = true;
    const auto groups = random_groups(rng, rows.size(), levels);
    for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
        by_group.move_group(groups[g]);
        for (const Position i : groups[g]) by_move.move(i);
        same &=
            by_group.score() == by_move.score() && by_group.left_weight() == by_move.left_weight();
    }
    CHECK(same);
}

}  // namespace silvics::test
