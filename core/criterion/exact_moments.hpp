// The statistic of regression by means for one output and whole weights: exact sums.
//
// An output is split into two numbers on fixed grids that are coarse enough for the sums of both
// over a tree never to round. What both leave out is less than 2^-49 of the range of the outputs.
#pragma once

#include <bit>
#include <limits>

#include "base/kernels.hpp"
#include "criterion/moments.hpp"

namespace silvics {

struct alignas(32) Moment {
    double weight = 0.0, high = 0.0, low = 0.0;  // sums of w, and of w y in two parts
    double squares = 0.0;  // sum of w (y - mean of the node)^2, up to rounding
    Moment& operator+=(const Moment& other) {
        weight += other.weight;
        high += other.high;
        low += other.low;
        squares += other.squares;
        return *this;
    }
};

class ExactMoments {
public:
    using Statistic = Moment;

    ExactMoments(const Target& target, const LearningSubset& subset, const StopFlag&)
        : target_(target) {
        const int bits = 51 - std::bit_width(static_cast<std::uint64_t>(subset.whole));
        grid_ = {std::ldexp(1.5, 52 - bits), std::ldexp(1.5, 52 - 2 * bits)};
    }

    static bool suits(const Target& target, const LearningSubset& subset) {
        return target.n_outputs == 1 && subset.whole_weights && subset.whole < 0x1.0p26;
    }
    static void fill(const Target& target, const LearningSubset& subset, SampleOrder& order) {
        if (!subset.weights.empty())
            order.weights = subset.in_order();  // otherwise all weights are one
        fill_values(target, subset, order);
    }

    void enter(const SampleOrder& order, std::size_t begin, std::size_t n) {
        rows_ = std::span(order.rows).subspan(begin, n);
        weights_ = order.weights.empty() ? nullptr : order.weights.data() + begin;
        y_ = order.values.data() + begin;
        if (n == 1) {
            weight_ = weight_of_sample(0);
            total_ = weight_ * y_[0];
            mean_ = y_[0];
            same_ = true;
            return;
        }
        if (n <= kMaxPrefetchedSamples)  // the outputs that the leaves below will read
            for (const RowId row : rows_) __builtin_prefetch(&target_.original[row]);
        double sums[3];
        kernels_.sum_outputs(grid_, weights_, y_, n, sums);
        weight_ = sums[0];
        total_ = sums[1] + sums[2];
        mean_ = total_ / weight_;
        same_ = std::all_of(y_, y_ + n, [&](double y) { return y == y_[0]; }) &&
                target_.same_value(0, rows_);
    }

    double weight() const { return weight_; }
    bool homogeneous() const { return same_; }
    void write_value(std::span<double> value) const {
        value[0] = same_ ? target_.original[rows_[0]] : target_.unscaled(0, mean_);
    }

    void prepare_search() {
        static_assert(sizeof(Moment) == 4 * sizeof(double));
        Moment* const samples = samples_.ensure(rows_.size());
        kernels_.make_moments(grid_, weights_, y_, rows_.size(), mean_, &samples->weight);
    }
    Statistic sample(std::size_t i) const {
        const double w = weight_of_sample(i), h = grid_.high_part(y_[i]), e = y_[i] - mean_;
        return {w, w * h, w * grid_.low_part(y_[i], h), w * (e * e)};
    }
    Statistic sum_marked(std::span<const std::uint8_t> marks) const {
        Statistic sum;
        kernels_.sum_outputs_marked(grid_, weights_, y_, marks.data(), marks.size(), &sum.weight);
        return sum;
    }
    Statistic sum_below(const std::uint16_t* codes, std::size_t n, Code limit) const {
        Statistic sum;
        kernels_.sum_outputs_below(grid_, codes, weights_, y_, n, limit, &sum.weight);
        return sum;
    }
    Statistic sum_upto(const double* values, std::size_t n, double limit) const {
        Statistic sum;
        kernels_.sum_outputs_upto(grid_, values, weights_, y_, n, limit, &sum.weight);
        return sum;
    }
    void add_to_bins(const std::uint16_t* codes, std::size_t begin, std::size_t end, Code low,
                     int shift, Statistic* bins, std::size_t stride) const {
        kernels_.add_moments_to_bins(codes + begin, end - begin, low, shift,
                                     &samples_[begin].weight, &bins->weight, stride);
    }
    void prefix_sum_bins(Statistic* bins, std::size_t n, double* weight, double* sum_y) const {
        Statistic sum;
        for (std::size_t b = 0; b < n; ++b) {
            bins[b] = sum += bins[b];
            weight[b] = weight_of(sum);
            sum_y[b] = sum_y_of(sum);
        }
    }
    const Statistic* samples() const { return samples_.data(); }
    Scratch<Statistic>& spare_buffer() {
        return samples_;
    }  // usable when no more cuts of the node are scored
    static void add_if(bool taken, const Statistic& sample, Statistic& sum) {
        const double factor = taken ? 1.0 : 0.0;
        sum.weight += factor * sample.weight;
        sum.high += factor * sample.high;
        sum.low += factor * sample.low;
    }
    static double weight_of(const Statistic& s) { return s.weight; }
    static double sum_y_of(const Statistic& s) { return s.high + s.low; }
    // The mean, in the units of the user.
    double value_of(double w, double t) const { return target_.unscaled(0, t / w); }
    static Statistic difference(const Statistic& whole, const Statistic& part) {
        return {whole.weight - part.weight, whole.high - part.high, whole.low - part.low,
                whole.squares - part.squares};
    }
    static double mean_of(const Statistic& s) { return sum_y_of(s) / s.weight; }
    double squares_of(const Statistic& s) const { return s.squares; }
    double spread_of(const Statistic& s) const {
        const double t = sum_y_of(s) - mean_ * s.weight, whole = s.weight * s.squares;
        return whole - t * t + 1e-12 * whole;
    }
    double sum_y() const { return total_; }
    double perfect_score() const { return std::numeric_limits<double>::infinity(); }

protected:
    static constexpr std::size_t kMaxPrefetchedSamples = 3;

    double weight_of_sample(std::size_t i) const { return weights_ == nullptr ? 1.0 : weights_[i]; }

    const Target& target_;
    OutputGrid grid_;
    const Kernels& kernels_ = kernels();
    std::span<const RowId> rows_;
    const double* weights_ = nullptr;  // null: all weights are one
    const double* y_ = nullptr;
    Scratch<Moment> samples_;
    double weight_ = 0.0, total_ = 0.0, mean_ = 0.0;
    bool same_ = false;
};

}  // namespace silvics
