// Gini of two classes and whole weights: a sample is one word, weight above and the weight of
// the first class below, and a node is their sum.
#pragma once

#include "base/kernels.hpp"
#include "criterion/class_counts.hpp"

namespace silvics {

class BinaryGini {
public:
    using Summand = std::uint64_t;
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
        const Summand sum = kernels_.sum_words(samples_, n);
        weight_ = weight_of(sum);
        first_ = term_of(sum);
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
    const Summand* samples() const { return samples_; }
    Summand sample(std::size_t i) const { return samples_[i]; }
    Summand sum_marked(std::span<const std::uint8_t> marks) const {
        return kernels_.sum_words_marked(samples_, marks.data(), marks.size());
    }
    Summand sum_below(const std::uint16_t* codes, std::size_t n, Code limit) const {
        return kernels_.sum_words_below(codes, samples_, n, limit);
    }
    Summand sum_upto(const double* values, std::size_t n, double limit) const {
        return kernels_.sum_words_upto(values, samples_, n, limit);
    }
    void add_to_bins(const std::uint16_t* codes, std::size_t begin, std::size_t end, Code low,
                     int shift, Summand* bins, std::size_t apart) const {
        kernels_.add_words(codes + begin, end - begin, low, shift, samples_ + begin, bins, apart);
    }
    void run_bins(Summand* bins, std::size_t n, double* weight, double* term) const {
        kernels_.run_words(bins, n, weight, term);
    }
    static void add_if(bool taken, Summand sample, Summand& sum) {
        sum += sample & (Summand{0} - taken);
    }
    static double weight_of(Summand s) {
        return static_cast<double>(static_cast<std::uint32_t>(s >> 32));
    }
    static double term_of(Summand s) { return static_cast<double>(static_cast<std::uint32_t>(s)); }
    static Summand difference(Summand whole, Summand part) { return whole - part; }
    static double mean_of(Summand s) { return (weight_of(s) - term_of(s)) / weight_of(s); }
    double squares_of(Summand s) const {
        const double mean = first_ / weight_, w = weight_of(s), t = term_of(s);
        return t * (1.0 - mean) * (1.0 - mean) + (w - t) * mean * mean;
    }
    double spread_of(Summand s) const { return term_of(s) * (weight_of(s) - term_of(s)); }
    double term() const { return first_; }
    // All of one class left, all of the other right.
    double perfect_score() const {
        const double right = weight_ - first_, d = first_ * right;
        return kFactor * (d * d) / (first_ * right);
    }

private:
    const Kernels& kernels_ = kernels();
    const Summand* samples_ = nullptr;
    double weight_ = 0.0, first_ = 0.0;
};

}  // namespace silvics
