// What a splitting criterion is to the search (thesis 3.6.2 and 3.6.3.1).
//
// A criterion holds one node's outputs and, during a scan, what lies left and right of the
// cut. Statistics (class counts, sums, ordered targets) know how to move samples; impurity
// functions know how to judge. The scan knows neither.
//
// The order of every sum is fixed: samples that share a value are summed together first, in
// row order, and then moved as one. So a histogram and a sort give the same bits.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "base/stop.hpp"
#include "base/types.hpp"
#include "data/target.hpp"
#include "sampling/learning_subset.hpp"

namespace silvics {

// Position of a sample within its node, 0 .. n-1 in row order.
using Position = std::uint32_t;

template <class C>
concept Criterion = requires(C c, const C const_c, std::span<const RowId> rows, Position position,
                             std::span<const std::uint64_t> group, Code code, std::size_t n,
                             std::span<double> value, double score) {
    C(std::declval<const Target&>(), std::declval<const LearningSubset&>(),
      std::declval<const StopFlag&>());

    c.enter(rows);                                         // take up a node
    { const_c.weight() } -> std::same_as<double>;          // of the node
    { const_c.impurity() } -> std::same_as<double>;        // i(t), in the core's own units
    { const_c.impurity_exponent() } -> std::same_as<int>;  // times two to this, the user's
    { const_c.homogeneous() } -> std::same_as<bool>;       // rule 3.5 (a)
    const_c.write_value(value);                            // assignment rule 3.4

    c.begin_scan();       // everything right of the cut
    c.move(position);     // one sample to the left
    c.move_group(group);  // samples of one value (see node_sort)
    { const_c.left_weight() } -> std::same_as<double>;
    { const_c.right_weight() } -> std::same_as<double>;
    { const_c.score() } -> std::same_as<double>;          // rises and falls with the decrease
    { const_c.decrease(score) } -> std::same_as<double>;  // of impurity, equation 3.5
    { const_c.left_value() } -> std::same_as<double>;     // for monotonic constraints
    { const_c.right_value() } -> std::same_as<double>;

    // Statistics that add up can be kept in a histogram over codes.
    { C::kSummable } -> std::convertible_to<bool>;
    { const_c.histogram_width() } -> std::same_as<std::size_t>;  // doubles per code
};

// Further, where kSummable: add_to(cell, position) and move_cell(cell), a cell being
// histogram_width() doubles.

// Some nodes of some criteria are judged by one weighted sum alone: the score of a cut is
// factor * d^2 / (w_l w_r), d = term_l * weight - term * w_l. Such a criterion has one_sum(),
// which says so of the node taken up; scan_sums.hpp makes use of it.
struct WeightedTerm {
    double weight = 0.0, term = 0.0;
    WeightedTerm& operator+=(const WeightedTerm& other) {
        weight += other.weight;
        term += other.term;
        return *this;
    }
};

struct OneSum {
    std::span<const WeightedTerm> samples;  // empty: this node is not of the kind
    double weight = 0.0, term = 0.0;        // of the node
    double factor = 1.0;
    bool exact = false;  // whether sums are the same in any order
};

}  // namespace silvics
