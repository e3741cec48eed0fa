// Gini of two classes with whole weights. A sample is one word: its weight in the upper half and
// its weight of the first class in the lower half. A node is the sum of its words.
#pragma once

#include "base/kernels.hpp"
#include "criterion/class_counts.hpp"
#include "criterion/cut_scores.hpp"

namespace silvics {

class BinaryGini {
public:
    using Statistic = std::uint64_t;
    using Scores = MeanScores;
    static constexpr double kFactor = 2.0;

    BinaryGini(const Target&, const LearningSubset&, const StopFlag&) {}

    static bool suits(const Target& target, const LearningSubset& subset) {
        return target.n_outputs == 1 && target.n_classes[0] == 2 && subset.whole_weights &&
               subset.whole < 0x1.0p32;
    }
    static void fill(const Target& target, const LearningSubset& subset, SampleOrder& order) {
        order.packed.resize(subset.rows.size());
        for (std::size_t i = 0; i < subset.rows.size(); ++i) {
            const RowId row = subset.rows[i];
            const auto w = static_cast<std::uint64_t>(subset.weight(row));
            order.packed[i] = w << 32 | (target.classes[row] == 0 ? w : 0);
        }
    }

    void enter(const SampleOrder& order, std::size_t begin, std::size_t n) {
        samples_ = order.packed.data() + begin;
        const Statistic sum = kernels_.sum_words(samples_, n);
        weight_ = weight_of(sum);
        first_ = sum_y_of(sum);
    }

    double weight() const { return weight_; }
    bool homogeneous() const { return first_ == 0.0 || first_ == weight_; }
    double impurity() const {
        const double of[] = {first_, weight_ - first_};
        return Gini::impurity({weight_, of});
    }
    int impurity_exponent() const { return 0; }
    void write_value(std::span<double> value) const {
        value[0] = first_;
        value[1] = weight_ - first_;
    }
    ClassId only_class() const { return first_ > 0.0 ? 0 : 1; }
    double decrease(double score) const { return Gini::decrease(score, weight_, 0.0); }
    double score_per_decrease() const { return Gini::score_per_decrease(weight_); }

    void prepare_search() {}
    const Statistic* samples() const { return samples_; }
    Statistic sample(std::size_t i) const { return samples_[i]; }
    Statistic sum_marked(std::span<const std::uint8_t> marks) const {
        return kernels_.sum_words_marked(samples_, marks.data(), marks.size());
    }
    Statistic sum_below(const std::uint16_t* codes, std::size_t n, Code limit) const {
        return kernels_.sum_words_below(codes, samples_, n, limit);
    }
    Statistic sum_upto(const double* values, std::size_t n, double limit) const {
        return kernels_.sum_words_upto(values, samples_, n, limit);
    }
    void add_to_bins(const std::uint16_t* codes, std::size_t begin, std::size_t end, Code low,
                     int shift, Statistic* bins, std::size_t stride) const {
        kernels_.add_words_to_bins(codes + begin, end - begin, low, shift, samples_ + begin, bins,
                                   stride);
    }
    void prefix_sum_bins(Statistic* bins, std::size_t n, double* weight, double* sum_y) const {
        kernels_.prefix_sum_words(bins, n, weight, sum_y);
    }
    static void add_if(bool taken, Statistic sample, Statistic& sum) {
        sum += sample & (Statistic{0} - taken);
    }
    static double weight_of(Statistic s) {
        return static_cast<double>(static_cast<std::uint32_t>(s >> 32));
    }
    static double sum_y_of(Statistic s) {
        return static_cast<double>(static_cast<std::uint32_t>(s));
    }
    // The probability of the second class.
    static double value_of(double w, double t) { return (w - t) / w; }
    static Statistic difference(Statistic whole, Statistic part) { return whole - part; }
    static double mean_of(Statistic s) { return value_of(weight_of(s), sum_y_of(s)); }
    double squares_of(Statistic s) const {
        const double mean = first_ / weight_, w = weight_of(s), t = sum_y_of(s);
        return t * (1.0 - mean) * (1.0 - mean) + (w - t) * mean * mean;
    }
    double spread_of(Statistic s) const { return sum_y_of(s) * (weight_of(s) - sum_y_of(s)); }
    double sum_y() const { return first_; }
    // The score of a cut that separates the classes.
    double perfect_score() const {
        const double right = weight_ - first_, d = first_ * right;
        return kFactor * (d * d) / (first_ * right);
    }

private:
    const Kernels& kernels_ = kernels();
    const Statistic* samples_ = nullptr;
    double weight_ = 0.0, first_ = 0.0;
};

}  // namespace silvics
