// The statistic of regression by medians. If the cuts of a whole order are scored, both sides lose
// samples one by one, which takes constant time (remaining_ranks.hpp). A criterion that is moved
// sample by sample has a Fenwick tree over the ranks of the outputs on its left side, so that
// moving a sample and finding a median take O(log N).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "criterion/moments.hpp"
#include "criterion/remaining_ranks.hpp"

namespace silvics {

// Weights and weighted values by rank, with prefix sums in O(log m).
class WeightedRanks {
public:
    void clear(std::size_t m) { sums_.assign(m + 1, {}); }
    void add(std::size_t rank, double w, double wy) {
        for (std::size_t i = rank + 1; i < sums_.size(); i += i & (~i + 1)) {
            sums_[i].weight += w;
            sums_[i].moment += wy;
        }
    }
    // The first rank at which the prefix sum of weights reaches (or, if strict, exceeds) the
    // wanted weight.
    MedianPlace reach(double wanted, bool strict) const {
        std::size_t at = 0;
        double weight = 0.0, moment = 0.0;
        for (std::size_t step = std::bit_floor(sums_.size() - 1); step > 0; step >>= 1) {
            const std::size_t next = at + step;
            if (next >= sums_.size()) continue;
            const double sum = weight + sums_[next].weight;
            if (strict ? sum <= wanted : sum < wanted) {
                at = next;
                weight = sum;
                moment += sums_[next].moment;
            }
        }
        // Rounding may leave the whole sum slightly short of the wanted weight; the last rank is
        // returned then.
        const std::size_t rank = std::min(at, sums_.size() - 2);
        return {rank, weight, moment};
    }

private:
    struct Sums {
        double weight = 0.0, moment = 0.0;
    };
    std::vector<Sums> sums_;
};

class OrderedTargets {
public:
    static constexpr bool kSummable = false;  // medians do not add up

    OrderedTargets(const Target& target, const LearningSubset&, const StopFlag& stop)
        : target_(target), stop_(stop), outputs_(target.n_outputs) {}

    static void fill(const Target& target, const LearningSubset& subset, SampleOrder& order) {
        order.weights = subset.in_order();
        fill_values(target, subset, order);
    }

    void enter(const SampleOrder& order, std::size_t begin, std::size_t n) {
        const auto rows = std::span(order.rows).subspan(begin, n);
        first_row_ = rows[0];
        weights_ = order.weights.data() + begin;
        weight_ = 0.0;
        whole_weights_ = true;
        for (std::size_t i = 0; i < n; ++i) {
            weight_ += weights_[i];
            whole_weights_ &= weights_[i] == std::floor(weights_[i]);
        }
        for (std::size_t k = 0; k < outputs_.size(); ++k) {
            Output& out = outputs_[k];
            const double* value = order.values.data() + k * order.size() + begin;
            sort_positions(value, n);
            out.rank.resize(n);
            out.values.clear();
            for (const Position i : order_) {
                const double y = value[i];
                if (out.values.empty() || y != out.values.back()) out.values.push_back(y);
                out.rank[i] = static_cast<Position>(out.values.size() - 1);
            }
            out.same = out.values.size() == 1 && target_.same_value(k, rows);
            out.whole.clear(out.values.size());
            in_blocks(n, stop_, [&](std::size_t first, std::size_t end) {
                for (std::size_t i = first; i < end; ++i) {
                    const double wy = weights_[i] * out.values[out.rank[i]];
                    out.whole.add(out.rank[i], weights_[i], wy);
                }
            });
            out.whole.settle();
        }
    }

    double weight() const { return weight_; }
    bool homogeneous() const { return std::ranges::all_of(outputs_, &Output::same); }
    double impurity() const {
        double sum = 0.0;
        for (const Output& out : outputs_)
            if (!out.same) sum += absolute_error(out, out.whole);
        return sum / (weight_ * static_cast<double>(outputs_.size()));
    }
    int impurity_exponent() const { return -std::ilogb(target_.scale); }
    void write_value(std::span<double> value) const {
        for (std::size_t k = 0; k < outputs_.size(); ++k) {
            const Output& out = outputs_[k];
            value[k] = out.same ? target_.original[k * target_.n_rows + first_row_]
                                : target_.unscaled(k, median(out, out.whole));
        }
    }

    void begin_scan() {
        left_weight_ = 0.0;
        for (Output& out : outputs_) {
            stop_.check();
            out.left.clear(out.values.size());
            out.right = out.whole;
            out.left_total = 0.0;
        }
    }
    void move(Position i) {
        // The caller counts samples between checks of the flag, but each sample takes as many
        // steps as there are outputs.
        constexpr std::size_t kSteps = kStopBlock / 8;
        if ((steps_ += outputs_.size()) >= kSteps) {
            steps_ = 0;
            stop_.check();
        }
        const double w = weights_[i];
        left_weight_ += w;
        for (Output& out : outputs_) {
            const double wy = w * out.values[out.rank[i]];
            out.left.add(out.rank[i], w, wy);
            out.right.remove(out.rank[i], w, wy);
            out.left_total += wy;
        }
    }
    void move_group(std::span<const Position> group) {
        for (const Position i : group) move(i);
    }

    // Whether cuts may be scored by score_cuts. Fractional weights are added sample by sample, as
    // in scikit-learn, so that rounding decides the same ties.
    bool scores_orders() const { return whole_weights_; }
    // For each cut in an order of all samples, after the first, the first two and so on: the weight
    // left of it, and its score.
    void score_cuts(std::span<const Position> order, double* left_weight, double* score) {
        const std::size_t n = order.size();
        double weight = 0.0;
        for (std::size_t k = 0; k + 1 < n; ++k) {
            left_weight[k] = weight += weights_[order[k]];
            score[k] = 0.0;
        }
        for (Output& out : outputs_) {
            RemainingRanks& side = out.right;
            const auto without = [&](Position i) {
                const Position rank = out.rank[i];
                const double w = weights_[i];
                side.remove(rank, w, w * out.values[rank]);
                return absolute_error(out, side);
            };
            side = out.whole;
            in_blocks(n - 1, stop_, [&](std::size_t first, std::size_t end) {
                for (std::size_t k = first; k < end; ++k) score[k] -= without(order[k]);
            });
            side = out.whole;
            in_blocks(n - 1, stop_, [&](std::size_t first, std::size_t end) {
                for (std::size_t k = first; k < end; ++k)
                    score[n - 2 - k] -= without(order[n - 1 - k]);
            });
        }
    }

    double left_weight() const { return left_weight_; }
    double right_weight() const { return weight_ - left_weight_; }

    double score() const {
        double sum = 0.0;
        for (const Output& out : outputs_)
            sum += absolute_error(out, out.left.reach(left_weight() / 2, false), left_weight(),
                                  out.left_total) +
                   absolute_error(out, out.right);
        return -sum;
    }
    double decrease(double score) const { return impurity() + score / score_per_decrease(); }
    double score_per_decrease() const { return weight_ * static_cast<double>(outputs_.size()); }
    double left_value() const {
        const Output& out = outputs_[0];
        const double half = left_weight() / 2;
        return target_.unscaled(
            0, middle(out, out.left.reach(half, false).rank, out.left.reach(half, true).rank));
    }
    double right_value() const {
        return target_.unscaled(0, median(outputs_[0], outputs_[0].right));
    }

    // A cell has the weight, then the sum of each output. It serves to order levels, not to
    // compute their loss.
    std::size_t histogram_width() const { return 1 + outputs_.size(); }
    void add_to(double* cell, Position i) const {
        *cell++ += weights_[i];
        for (const Output& out : outputs_) *cell++ += weights_[i] * out.values[out.rank[i]];
    }
    bool one_order() const { return false; }
    std::size_t mean_to_order_by() const { return 0; }
    std::size_t n_means() const { return outputs_.size(); }

private:
    struct Output {
        std::vector<double> values;  // distinct outputs of the node, ascending
        std::vector<Position> rank;  // rank of each sample
        RemainingRanks whole, right;
        WeightedRanks left;
        double left_total = 0.0;
        bool same = false;  // whether the node has a single value
    };

    // Sorts the samples by an output; equals stay in row order.
    void sort_positions(const double* value, std::size_t n) {
        constexpr std::size_t kInsertionSort = 16;
        order_.resize(n);
        std::iota(order_.begin(), order_.end(), Position{0});
        if (n <= kInsertionSort) {
            for (std::size_t k = 1; k < n; ++k) {
                std::size_t at = k;
                for (; at > 0 && value[k] < value[order_[at - 1]]; --at)
                    order_[at] = order_[at - 1];
                order_[at] = static_cast<Position>(k);
            }
            return;
        }
        std::size_t compared =
            0;  // the longest single step of all searches, so the flag is checked within it
        std::ranges::stable_sort(order_, [&](Position a, Position b) {
            if (++compared % kStopBlock == 0) stop_.check();
            return value[a] < value[b];
        });
    }

    // The sum of w |y - median|, from the sums below and above the median.
    static double absolute_error(const Output& out, const RemainingRanks& side) {
        return absolute_error(out, side.place(), side.weight(), side.total());
    }
    static double absolute_error(const Output& out, const MedianPlace& below, double weight,
                                 double total) {
        const double m = out.values[below.rank];
        return m * (2 * below.weight - weight) + (total - 2 * below.moment);
    }

    // The smallest value with at least half of the weight at or below it; if that is exactly half,
    // the middle between it and the next value.
    static double median(const Output& out, const RemainingRanks& side) {
        return middle(out, side.place().rank, side.upper());
    }
    static double middle(const Output& out, std::size_t lower, std::size_t upper) {
        const double low = out.values[lower], high = out.values[upper];
        return low + (high - low) / 2;
    }

    const Target& target_;
    const StopFlag& stop_;
    std::vector<Output> outputs_;
    const double* weights_ = nullptr;
    bool whole_weights_ = true;
    std::vector<Position> order_;
    double weight_ = 0.0, left_weight_ = 0.0;
    std::size_t steps_ = 0;  // since the flag was last checked
    RowId first_row_ = 0;
};

}  // namespace silvics
