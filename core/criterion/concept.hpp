// The concept of a splitting criterion (thesis 3.6.2 and 3.6.3.1).
//
// A criterion holds the outputs of one node and, during a scan, what lies left and right of the
// cut. Statistics (class counts, sums, ordered targets) move samples; impurity functions score
// cuts. The scan knows neither.
//
// Where weights are whole numbers, sums of class weights and of outputs are exact: they do not
// depend on the order of summation, and so not on the kind of search. Otherwise the order is
// fixed: samples that share a value are first summed in row order, and then moved as one. A
// histogram and a sort therefore give the same bits.
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
            std::declval<SampleOrder&>());  // copies what it reads of each sample

    c.enter(order, begin, n);                        // enters the node of these samples
    { const_c.weight() } -> std::same_as<double>;    // of the node
    { const_c.impurity() } -> std::same_as<double>;  // i(t), in the core's own units
    {
        const_c.impurity_exponent()
    } -> std::same_as<int>;                           // times two to this power: the user's units
    { const_c.homogeneous() } -> std::same_as<bool>;  // rule 3.5 (a)
    const_c.write_value(value);                       // assignment rule 3.4

    { const_c.decrease(score) } -> std::same_as<double>;       // of impurity, equation 3.5
    { const_c.score_per_decrease() } -> std::same_as<double>;  // ratio of the two scales
};

// Kinds of criteria differ in how a cut is scored. A moving criterion, of any statistic, moves
// samples from the right of the cut to the left and scores the cut after each group of equal
// values (scan_thresholds.hpp).
template <class C>
concept MovingCriterion = Criterion<C> && requires(C c, const C const_c, Position position,
                                                   std::span<const Position> group) {
    c.begin_scan();       // puts all samples right of the cut
    c.move(position);     // moves one sample to the left
    c.move_group(group);  // moves samples of one value
    { const_c.left_weight() } -> std::same_as<double>;
    { const_c.right_weight() } -> std::same_as<double>;
    { const_c.score() } -> std::same_as<double>;       // increasing in the decrease
    { const_c.left_value() } -> std::same_as<double>;  // for monotonic constraints
    { const_c.right_value() } -> std::same_as<double>;

    // Additive statistics can be kept in a histogram over codes. These also have move_cell(cell),
    // where a cell has histogram_width() doubles: the weight, then sums.
    { C::kSummable } -> std::convertible_to<bool>;
    { const_c.histogram_width() } -> std::same_as<std::size_t>;
    const_c.add_to(static_cast<double*>(nullptr), position);

    // The means by which levels of a category are ordered: the first n_means() sums of a cell
    // divided by its weight; or a single one, where its order contains the best split (Theorem
    // 3.4).
    { const_c.one_order() } -> std::same_as<bool>;
    { const_c.mean_to_order_by() } -> std::same_as<std::size_t>;
    { const_c.n_means() } -> std::same_as<std::size_t>;
};

// The impurity to compute decreases from, beside decreases that follow from scores.
template <Criterion C>
double scored_impurity(const C& criterion) {
    if constexpr (requires { criterion.scored_impurity(); })
        return criterion.scored_impurity();
    else
        return criterion.impurity();
}

// With whole weights, Gini of two classes, and squared error and Poisson deviance of one output,
// are scored by one sum besides the weight (C::Scores, cut_scores.hpp). All sums are exact in any
// order, so that the shortcuts of exact_sums.hpp find the same cut as a full scan.
template <class C>
concept ExactSumCriterion = Criterion<C> && requires(const C const_c,
                                                     typename C::Statistic statistic) {
    {
        const_c.samples()
    } -> std::same_as<const typename C::Statistic*>;  // valid after prepare_search()
    { const_c.sample(std::size_t{}) } -> std::same_as<typename C::Statistic>;  // or a single one
    { const_c.sum_marked(std::span<const std::uint8_t>{}) } -> std::same_as<typename C::Statistic>;
    // The sum of the samples whose code is below the limit.
    {
        const_c.sum_below(static_cast<const std::uint16_t*>(nullptr), std::size_t{}, Code{})
    } -> std::same_as<typename C::Statistic>;
    // The sum of the samples whose value is at most the limit.
    {
        const_c.sum_upto(static_cast<const double*>(nullptr), std::size_t{}, double{})
    } -> std::same_as<typename C::Statistic>;
    C::add_if(bool{}, statistic, std::declval<typename C::Statistic&>());  // without the squares
    // bins[(codes[i] - low) >> shift] += sample i, for a range of samples. With a stride, samples
    // alternate between four tables of bins that are `stride` bins apart.
    const_c.add_to_bins(static_cast<const std::uint16_t*>(nullptr), std::size_t{}, std::size_t{},
                        Code{}, int{}, static_cast<typename C::Statistic*>(nullptr), std::size_t{});
    // Replaces the bins by their prefix sums, and writes the weights and sums of y of these.
    const_c.prefix_sum_bins(static_cast<typename C::Statistic*>(nullptr), std::size_t{},
                            static_cast<double*>(nullptr), static_cast<double*>(nullptr));
    { C::weight_of(statistic) } -> std::same_as<double>;
    { C::sum_y_of(statistic) } -> std::same_as<double>;
    // The value of a node with these sums, for monotonic constraints.
    { const_c.value_of(double{}, double{}) } -> std::same_as<double>;
    { C::difference(statistic, statistic) } -> std::same_as<typename C::Statistic>;
    {
        C::mean_of(statistic)
    } -> std::same_as<double>;  // the key that levels of a category are ordered by
    // For bounds: the sum of w (y - mean of the node)^2 over the samples summed up.
    { const_c.squares_of(statistic) } -> std::same_as<double>;
    // The weight times the same sum around their own mean, rounded up: zero only if it is zero.
    { const_c.spread_of(statistic) } -> std::same_as<double>;
    { const_c.sum_y() } -> std::same_as<double>;          // of the node
    { const_c.perfect_score() } -> std::same_as<double>;  // upper bound of all scores; or infinity
    { C::Scores::score(const_c, double{}, double{}) } -> std::same_as<double>;
};

// With whole weights, Gini of many classes is computed in integers (exact_counts.hpp).
template <class C>
concept ExactCountsCriterion = Criterion<C> && requires { typename C::LeftSums; };

}  // namespace silvics
