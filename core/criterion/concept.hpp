// What a splitting criterion is to the search (thesis 3.6.2 and 3.6.3.1).
//
// A criterion holds one node's outputs and, during a scan, what lies left and right of the
// cut. Statistics (class counts, sums, ordered targets) know how to move samples; impurity
// functions know how to judge. The scan knows neither.
//
// Where weights are whole, the sums of class weights and of outputs are exact: no order of
// adding, and so no way of searching, can change them. Otherwise the order is fixed: samples
// that share a value are summed together first, in row order, and then moved as one. So a
// histogram and a sort give the same bits.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "base/stop.hpp"
#include "base/types.hpp"
#include "data/target.hpp"
#include "sampling/learning_subset.hpp"
#include "sampling/sample_order.hpp"

namespace silvics {

// Position of a sample within its node, 0 .. n-1 in row order.
using Position = std::uint32_t;

template <class C>
concept Criterion = requires(C c, const C const_c, const SampleOrder& order, std::size_t begin,
                             std::size_t n, std::span<double> value, double score) {
    C(std::declval<const Target&>(), std::declval<const LearningSubset&>(),
      std::declval<const StopFlag&>());

    C::fill(std::declval<const Target&>(), std::declval<const LearningSubset&>(),
            std::declval<SampleOrder&>());  // what it will read of each sample

    c.enter(order, begin, n);                              // take up the node of these samples
    { const_c.weight() } -> std::same_as<double>;          // of the node
    { const_c.impurity() } -> std::same_as<double>;        // i(t), in the core's own units
    { const_c.impurity_exponent() } -> std::same_as<int>;  // times two to this, the user's
    { const_c.homogeneous() } -> std::same_as<bool>;       // rule 3.5 (a)
    const_c.write_value(value);                            // assignment rule 3.4

    { const_c.decrease(score) } -> std::same_as<double>;       // of impurity, equation 3.5
    { const_c.score_per_decrease() } -> std::same_as<double>;  // how the two scales differ
};

// How a cut is scored differs. A criterion of any statistic moves samples from the right of the
// cut to the left, and is asked after each group of equal values (scan_thresholds.hpp).
template <class C>
concept MovingCriterion = Criterion<C> && requires(C c, const C const_c, Position position,
                                                   std::span<const Position> group) {
    c.begin_scan();       // everything right of the cut
    c.move(position);     // one sample to the left
    c.move_group(group);  // samples of one value
    { const_c.left_weight() } -> std::same_as<double>;
    { const_c.right_weight() } -> std::same_as<double>;
    { const_c.score() } -> std::same_as<double>;       // rises and falls with the decrease
    { const_c.left_value() } -> std::same_as<double>;  // for monotonic constraints
    { const_c.right_value() } -> std::same_as<double>;

    // Statistics that add up can be kept in a histogram over codes: then there is also
    // move_cell(cell), a cell being histogram_width() doubles: the weight, then sums.
    { C::kSummable } -> std::convertible_to<bool>;
    { const_c.histogram_width() } -> std::same_as<std::size_t>;
    const_c.add_to(static_cast<double*>(nullptr), position);

    // By what levels of a category are ordered: the first so many sums of a cell, over its weight;
    // or one of them, where that order has the best split (Theorem 3.4).
    { const_c.one_order() } -> std::same_as<bool>;
    { const_c.mean_to_order_by() } -> std::same_as<std::size_t>;
    { const_c.n_means() } -> std::same_as<std::size_t>;
};

// With whole weights, Gini of two classes and squared error of one output are judged by one sum
// next to the weight: the score is factor * d^2 / (w_l w_r), d = t_l * weight - term * w_l. All
// sums are exact, whatever their order, which is what lets exact_sums.hpp take short cuts and
// still find the cut that a full scan finds.
template <class C>
concept ExactSumCriterion = Criterion<C> && requires(const C const_c, typename C::Summand summand) {
    { const_c.samples() } -> std::same_as<const typename C::Summand*>;  // after prepare_search()
    { const_c.sample(std::size_t{}) } -> std::same_as<typename C::Summand>;  // or one by one
    { const_c.sum_marked(std::span<const std::uint8_t>{}) } -> std::same_as<typename C::Summand>;
    // Of those whose code is below the limit.
    {
        const_c.sum_below(static_cast<const std::uint16_t*>(nullptr), std::size_t{}, Code{})
    } -> std::same_as<typename C::Summand>;
    // Of those whose value is not above the limit.
    {
        const_c.sum_upto(static_cast<const double*>(nullptr), std::size_t{}, double{})
    } -> std::same_as<typename C::Summand>;
    C::add_if(bool{}, summand, std::declval<typename C::Summand&>());  // no squares needed
    // bins[(codes[i] - low) >> shift] += the i-th sample, of those from one on to before another;
    // in turns at four tables of bins so far apart, or at one.
    const_c.add_to_bins(static_cast<const std::uint16_t*>(nullptr), std::size_t{}, std::size_t{},
                        Code{}, int{}, static_cast<typename C::Summand*>(nullptr), std::size_t{});
    // Bins become the sums up to each; and the weights and terms of these.
    const_c.run_bins(static_cast<typename C::Summand*>(nullptr), std::size_t{},
                     static_cast<double*>(nullptr), static_cast<double*>(nullptr));
    { C::weight_of(summand) } -> std::same_as<double>;
    { C::term_of(summand) } -> std::same_as<double>;
    { C::difference(summand, summand) } -> std::same_as<typename C::Summand>;
    { C::mean_of(summand) } -> std::same_as<double>;  // by which levels of a category are ordered
    // For bounds, the sum of w (y - node's mean)^2 over the samples so summed up.
    { const_c.squares_of(summand) } -> std::same_as<double>;
    // Its weight times the same around its own mean: no less, and zero only if there is none.
    { const_c.spread_of(summand) } -> std::same_as<double>;
    { const_c.term() } -> std::same_as<double>;           // of the node
    { const_c.perfect_score() } -> std::same_as<double>;  // no cut can do better; or infinity
    { C::kFactor } -> std::convertible_to<double>;
};

// With whole weights, Gini of many classes is kept in integers (exact_counts.hpp).
template <class C>
concept ExactCountsCriterion = Criterion<C> && requires { typename C::Ledger; };

}  // namespace silvics
