// Gini of any number of classes, for one output and whole weights, in integers: moving a sample
// updates three sums, regardless of the number of classes.
//
// With l and n the weights of a class left of the cut and in the node, and L and W those of all
// classes, the score is sum (l W - n L)^2 / (L (W - L)), whose numerator is W^2 ll - 2 W L ln +
// L^2 nn with ll = sum l^2, ln = sum l n, nn = sum n^2.
#pragma once

#include <limits>

#include "criterion/class_counts.hpp"

namespace silvics {

class IntegerGini {
public:
    __extension__ using Wide = unsigned __int128;

    IntegerGini(const Target& target, const LearningSubset&, const StopFlag&)
        : total_(target.n_classes[0], 0),
          left_(target.n_classes[0], 0),
          present_(target.n_classes[0] + 1, 0),
          of_(target.n_classes[0], 0.0) {}

    static bool suits(const Target& target, const LearningSubset& subset) {
        return target.n_outputs == 1 && subset.whole_weights && subset.whole < 0x1.0p31;
    }
    static void fill(const Target& target, const LearningSubset& subset, SampleOrder& order) {
        order.packed.resize(subset.rows.size());
        for (std::size_t i = 0; i < subset.rows.size(); ++i) {
            const RowId row = subset.rows[i];
            const auto w = static_cast<std::uint64_t>(subset.weight(row));
            order.packed[i] = w << 32 | target.classes[row];
        }
    }

    void enter(const SampleOrder& order, std::size_t begin, std::size_t n) {
        samples_ = {order.packed.data() + begin, n};
        for (const ClassId c : present()) total_[c] = 0;
        n_present_ = 0;
        weight_ = 0;
        for (const std::uint64_t sample : samples_) {
            std::uint64_t& total = total_[class_of(sample)];
            present_[n_present_] = class_of(sample);
            n_present_ += total == 0;
            total += weight_of(sample);
            weight_ += weight_of(sample);
        }
        squares_ = 0;
        for (const ClassId c : present()) squares_ += total_[c] * total_[c];
    }

    double weight() const { return static_cast<double>(weight_); }
    bool homogeneous() const { return n_present_ == 1; }
    double impurity() const {
        for (std::size_t k = 0; k < n_present_; ++k)
            of_[k] = static_cast<double>(total_[present_[k]]);
        return Gini::impurity({weight(), std::span(of_).first(n_present_)});
    }
    int impurity_exponent() const { return 0; }
    void write_value(std::span<double> value) const {
        for (std::size_t c = 0; c < value.size(); ++c) value[c] = static_cast<double>(total_[c]);
    }
    ClassId only_class() const { return present_[0]; }
    double decrease(double score) const { return Gini::decrease(score, weight(), 0.0); }
    double score_per_decrease() const { return Gini::score_per_decrease(weight()); }

    static ClassId class_of(std::uint64_t sample) { return static_cast<ClassId>(sample); }
    static std::uint64_t weight_of(std::uint64_t sample) { return sample >> 32; }
    std::span<const std::uint64_t> samples() const { return samples_; }
    std::size_t n_present() const { return n_present_; }
    std::span<const ClassId> present() const { return std::span(present_).first(n_present_); }
    std::uint64_t total(ClassId c) const { return total_[c]; }
    std::size_t n_classes() const { return total_.size(); }

    // The score of a cut that separates two classes.
    double perfect_score() const {
        if (n_present_ != 2) return std::numeric_limits<double>::infinity();
        const double product =
            static_cast<double>(total_[present_[0]]) * static_cast<double>(total_[present_[1]]);
        return 2.0 * (product * product) / product;
    }

    // The sums over the samples left of the cut.
    struct LeftSums {
        std::uint64_t weight = 0, ll = 0, ln = 0;
    };
    LeftSums begin_scan() {
        for (const ClassId c : present()) left_[c] = 0;
        return {};
    }
    void move(LeftSums& left, ClassId c, std::uint64_t w) {
        left.weight += w;
        left.ll += w * (2 * left_[c] + w);
        left.ln += w * total_[c];
        left_[c] += w;
    }
    double score(const LeftSums& left) const {
        const std::uint64_t W = weight_, L = left.weight;
        double sum;
        if (W <
            kMaxWeightOfWord)  // the result fits a word, although intermediate products wrap around
            sum = static_cast<double>(static_cast<std::int64_t>(
                W * W * left.ll - 2 * W * L * left.ln + L * L * squares_));
        else
            sum = static_cast<double>(Wide{W * W} * left.ll - Wide{2 * W * L} * left.ln +
                                      Wide{L * L} * squares_);
        return sum / (static_cast<double>(L) * static_cast<double>(W - L));
    }

private:
    static constexpr std::uint64_t kMaxWeightOfWord = 46000;

    std::span<const std::uint64_t> samples_;
    std::vector<std::uint64_t> total_, left_;  // by class
    std::vector<ClassId>
        present_;  // the first n_present_ are in order of appearance; one element is spare
    std::size_t n_present_ = 0;
    mutable std::vector<double> of_;
    std::uint64_t weight_ = 0, squares_ = 0;
};

}  // namespace silvics
