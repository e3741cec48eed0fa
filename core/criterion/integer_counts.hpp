// The statistic of classification for one output and whole weights, in integers: moving a sample
// updates a few sums, regardless of the number of classes.
//
// An impurity provides the sums left of a cut (LeftSums), their update when a weight of one class
// moves to the left, and the score: integer_gini.hpp, integer_entropy.hpp.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "criterion/class_counts.hpp"

namespace silvics {

template <class Impurity>
class IntegerCounts {
public:
    using LeftSums = typename Impurity::LeftSums;

    IntegerCounts(const Target& target, const LearningSubset& subset, const StopFlag&)
        : impurity_(subset),
          total_(target.n_classes[0], 0),
          left_(target.n_classes[0], 0),
          present_(target.n_classes[0] + 1, 0),
          of_(target.n_classes[0], 0.0) {}

    static bool suits(const Target& target, const LearningSubset& subset) {
        return target.n_outputs == 1 && subset.whole_weights && subset.whole < Impurity::kMaxWeight;
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
        impurity_.enter(weight_, present(), total_);
    }

    double weight() const { return static_cast<double>(weight_); }
    bool homogeneous() const { return n_present_ == 1; }
    double impurity() const {
        for (std::size_t k = 0; k < n_present_; ++k)
            of_[k] = static_cast<double>(total_[present_[k]]);
        return Impurity::Function::impurity({weight(), std::span(of_).first(n_present_)});
    }
    int impurity_exponent() const { return 0; }
    void write_value(std::span<double> value) const {
        for (std::size_t c = 0; c < value.size(); ++c) value[c] = static_cast<double>(total_[c]);
    }
    ClassId only_class() const { return present_[0]; }
    double decrease(double score) const { return impurity_.decrease(score); }
    double score_per_decrease() const { return Impurity::Function::score_per_decrease(weight()); }

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
        return Impurity::perfect_score(static_cast<double>(total_[present_[0]]),
                                       static_cast<double>(total_[present_[1]]));
    }

    LeftSums begin_scan() {
        for (const ClassId c : present()) left_[c] = 0;
        return {};
    }
    void move(LeftSums& left, ClassId c, std::uint64_t w) {
        left.weight += w;
        impurity_.move(left, left_[c], total_[c], w);
        left_[c] += w;
    }
    double score(const LeftSums& left) const { return impurity_.score(left); }

private:
    Impurity impurity_;
    std::span<const std::uint64_t> samples_;
    std::vector<std::uint64_t> total_, left_;  // by class
    std::vector<ClassId>
        present_;  // the first n_present_ are in order of appearance; one element is spare
    std::size_t n_present_ = 0;
    mutable std::vector<double> of_;
    std::uint64_t weight_ = 0;
};

}  // namespace silvics
