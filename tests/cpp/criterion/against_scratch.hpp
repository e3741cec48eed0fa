// A criterion checked against its definition, computed from scratch at every cut.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "criterion/concept.hpp"
#include "doctest/doctest.h"
#include "splitter/node_sort.hpp"
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

inline doctest::Approx close_to(double value) { return doctest::Approx(value).epsilon(1e-11); }

struct ScoredCut {
    double score, decrease;
};

// Moves the node's samples left in a random order; at every cut the weights and the decrease
// are those of the definition. Cuts for which `possible` is false must have score -infinity.
template <Criterion C>
std::vector<ScoredCut> check_scan(C& criterion, Rng& rng, const Definition& definition,
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
        CHECK(cuts.back().decrease == close_to(before - after));
    }
    return cuts;
}

inline bool always(const Rows&) { return true; }

// The best score is the best decrease.
inline void check_order(const std::vector<ScoredCut>& cuts) {
    bool agree = true;
    for (const ScoredCut& a : cuts)
        for (const ScoredCut& b : cuts)
            if (a.decrease > b.decrease + 1e-9) agree &= a.score > b.score;
    CHECK(agree);
}

// Groups of equal codes, in row order within each, as a sort gives them.
inline std::vector<std::vector<std::uint64_t>> random_groups(Rng& rng, std::size_t n,
                                                             std::size_t levels) {
    std::vector<std::vector<std::uint64_t>> groups(levels);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t code = pick(rng, levels);
        groups[code].push_back(code << 32 | i);
    }
    std::erase_if(groups, [](const auto& group) { return group.empty(); });
    return groups;
}

// Where statistics add up, moving a group and moving its histogram cell give the same bits.
template <Criterion C>
void check_groups_are_cells(Rng& rng, const Target& target, const LearningSubset& subset,
                            const Rows& rows) {
    C by_group(target, subset, test::kNeverStop), by_cell(target, subset, test::kNeverStop);
    by_group.enter(rows);
    by_cell.enter(rows);
    by_group.begin_scan();
    by_cell.begin_scan();
    bool same = true;
    const auto groups = random_groups(rng, rows.size(), 1 + pick(rng, rows.size()));
    for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
        by_group.move_group(groups[g]);
        std::vector<double> cell(by_cell.histogram_width(), 0.0);
        for (const std::uint64_t key : groups[g])
            by_cell.add_to(cell.data(), static_cast<Position>(key));
        by_cell.move_cell(cell.data());
        same &= by_group.score() == by_cell.score() &&
                by_group.left_weight() == by_cell.left_weight() &&
                by_group.left_value() == by_cell.left_value() &&
                by_group.right_value() == by_cell.right_value();
    }
    CHECK(same);
}

// A group of one is a move; so is any group whose sums are exact.
template <Criterion C>
void check_groups_are_moves(Rng& rng, const Target& target, const LearningSubset& subset,
                            const Rows& rows, std::size_t levels) {
    C by_group(target, subset, test::kNeverStop), by_move(target, subset, test::kNeverStop);
    by_group.enter(rows);
    by_move.enter(rows);
    by_group.begin_scan();
    by_move.begin_scan();
    bool same = true;
    const auto groups = random_groups(rng, rows.size(), levels);
    for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
        by_group.move_group(groups[g]);
        for (const std::uint64_t key : groups[g]) by_move.move(static_cast<Position>(key));
        same &=
            by_group.score() == by_move.score() && by_group.left_weight() == by_move.left_weight();
    }
    CHECK(same);
}

}  // namespace silvics::test
