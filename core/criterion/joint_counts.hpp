// The statistic of classification for several outputs and whole weights, in integers.
//
// A sample belongs to one joint class: the combination of its classes in all outputs, numbered like
// the cells of a table. The search sees joint classes only. Moving one of them moves a class of
// every output, and the sums of an impurity (integer_counts.hpp) run over the classes of all
// outputs, because impurities of outputs add up.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "base/scratch.hpp"
#include "criterion/count_classes.hpp"
#include "criterion/integer_entropy.hpp"
#include "criterion/integer_gini.hpp"

namespace silvics {

template <class Impurity>
class JointCounts {
public:
    using LeftSums = typename Impurity::LeftSums;

    // Orders of levels follow from the classes of outputs; those of joint classes are too many.
    static constexpr bool kOrdersLevels = false;
    // Bounds of sums hold for up to so many outputs.
    static constexpr std::size_t kMaxOutputs = 16, kMaxJointClasses = 1024;

    JointCounts(const Target& target, const LearningSubset& subset, const StopFlag&)
        : impurity_(subset),
          outputs_(target.n_outputs),
          total_(n_joint_classes(target), 0),
          present_(total_.size() + 1, 0) {
        for (std::size_t k = 0; k < q(); ++k) {
            outputs_[k].first = n_parts_;
            n_parts_ += target.n_classes[k];
        }
        part_.resize(total_.size() * q());
        for (std::size_t joint = 0; joint < total_.size(); ++joint)
            for (std::size_t k = 0, rest = joint; k < q(); rest /= target.n_classes[k++])
                part_[joint * q() + k] =
                    static_cast<ClassId>(outputs_[k].first + rest % target.n_classes[k]);
        part_total_.assign(n_parts_, 0);
        part_left_.assign(n_parts_, 0);
        plane_.assign(n_parts_, 0);
    }

    static bool suits(const Target& target, const LearningSubset& subset) {
        const auto q = static_cast<double>(target.n_outputs);
        return target.n_outputs > 1 && target.n_outputs <= kMaxOutputs &&
               n_joint_classes(target) <= kMaxJointClasses && subset.whole_weights &&
               subset.whole * q < Impurity::kMaxWeight;
    }
    static void fill(const Target& target, const LearningSubset& subset, SampleOrder& order) {
        order.packed.resize(subset.rows.size());
        for (std::size_t i = 0; i < subset.rows.size(); ++i) {
            const RowId row = subset.rows[i];
            std::uint64_t joint = 0;
            for (std::size_t k = target.n_outputs; k-- > 0;)
                joint = joint * target.n_classes[k] + target.classes[k * target.n_rows + row];
            order.packed[i] = static_cast<std::uint64_t>(subset.weight(row)) << 32 | joint;
        }
    }

    void enter(const SampleOrder& order, std::size_t begin, std::size_t n) {
        samples_ = {order.packed.data() + begin, n};
        for (const ClassId c : present()) total_[c] = 0;
        for (const ClassId part : parts_) part_total_[part] = 0;
        const CountedClasses counted = count_classes(samples_, total_.data(), present_.data());
        n_present_ = counted.n_present;
        weight_ = counted.weight;
        parts_.clear();
        for (std::size_t k = 0; k < q(); ++k) {
            outputs_[k].begin = parts_.size();
            for (const ClassId c : present()) {
                const ClassId part = part_[c * q() + k];
                if (part_total_[part] == 0) {
                    plane_[part] = static_cast<std::uint32_t>(parts_.size());
                    parts_.push_back(part);
                }
                part_total_[part] += total_[c];
            }
        }
        impurity_.enter(weight_, parts_, part_total_);
    }

    double weight() const { return static_cast<double>(weight_); }
    bool homogeneous() const { return n_present_ == 1; }
    double impurity() const {
        if (homogeneous()) return 0.0;
        double sum = 0.0;
        for (std::size_t k = 0; k < q(); ++k) {
            const auto of = totals_of(k);
            sum += Impurity::Function::impurity({weight(), of.subspan(1)});
        }
        return sum / n_outputs();
    }
    int impurity_exponent() const { return 0; }
    void write_value(std::span<double> value) const {
        for (std::size_t c = 0; c < value.size(); ++c)
            value[c] = static_cast<double>(part_total_[c]);
    }
    double decrease(double score) const { return impurity_.decrease(score, q()) / n_outputs(); }
    double score_per_decrease() const {
        return Impurity::Function::score_per_decrease(weight()) * n_outputs();
    }

    // Joint classes.
    static ClassId class_of(std::uint64_t sample) { return class_of_word(sample); }
    static std::uint64_t weight_of(std::uint64_t sample) { return weight_of_word(sample); }
    std::span<const std::uint64_t> samples() const { return samples_; }
    std::size_t n_present() const { return n_present_; }
    std::span<const ClassId> present() const { return std::span(present_).first(n_present_); }
    std::uint64_t total(ClassId c) const { return total_[c]; }
    std::size_t n_classes() const { return total_.size(); }

    // The score of a cut that separates all classes: unknown, because it depends on the outputs
    // that differ.
    static double perfect_score() { return std::numeric_limits<double>::infinity(); }

    LeftSums begin_scan() {
        for (const ClassId part : parts_) part_left_[part] = 0;
        return {};
    }
    void move(LeftSums& left, ClassId c, std::uint64_t w) {
        left.weight += w;
        const ClassId* const part = part_.data() + c * q();
        for (std::size_t k = 0; k < q(); ++k) move_part(left, part[k], w);
    }
    LeftSums sums_of_one(std::size_t sample) const {
        const std::uint64_t w = weight_of(samples_[sample]);
        const ClassId* const part = part_.data() + class_of(samples_[sample]) * q();
        LeftSums left;
        left.weight = w;
        for (std::size_t k = 0; k < q(); ++k) impurity_.move(left, 0, part_total_[part[k]], w);
        return left;
    }
    double score(const LeftSums& left) const { return impurity_.score(left, q()); }

    // Several joint classes never share a word.
    static bool packs() { return false; }
    template <class Sum>
    static LeftSums sums_of_words(Sum&&) {
        return {};
    }

    // Bins have a plane for each class that an output has at the node (binned_counts.hpp).
    static constexpr double kBinError = Impurity::kBinError;
    bool fits_bins() const { return parts_.size() <= Impurity::kBinnedClasses * q(); }
    bool scores_bins() const { return impurity_.scores_bins(); }
    std::size_t n_planes() const { return parts_.size(); }
    std::size_t planes_per_sample() const { return q(); }
    // The plane of the i-th joint class present, in output k.
    std::size_t plane(std::size_t i, std::size_t k) const {
        return plane_[part_[present_[i] * q() + k]];
    }
    // Whether the planes add up to the weights, with others of which this holds.
    bool weighs(std::size_t plane) const { return plane < outputs_[1].begin; }
    template <class Weight>
    LeftSums sums_of_planes(Weight&& weight_of_plane) {
        LeftSums left = begin_scan();
        for (std::size_t plane = 0; plane < parts_.size(); ++plane) {
            const std::uint64_t w = weight_of_plane(plane);
            if (weighs(plane)) left.weight += w;
            if (w != 0) move_part(left, parts_[plane], w);
        }
        return left;
    }
    // A cut within a bin has at most the sum of the bounds of all outputs. Where an output has one
    // class in the bin, its score is largest at one of the ends.
    void score_bins(const ClassBins& bins, bool all_allowed, double* score, double* bound) const {
        const std::size_t n = bins.n;
        of_output_.ensure(2 * n);
        double *const scores = of_output_.data(), *const bounds = scores + n;
        pure_.assign(n, 1);
        for (std::size_t k = 0; k < q(); ++k) {
            const auto of = totals_of(k);
            impurity_.score_bins(
                {bins.weight, bins.classes + outputs_[k].begin * (n + 1), n, of.size() - 1},
                of.data(), true, scores, bounds);
            for (std::size_t b = 0; b < n; ++b) {
                const bool pure = std::isinf(bounds[b]) && bounds[b] < 0.0;
                if (pure) bounds[b] = ends_of_bin(scores, b, n);
                pure_[b] &= pure;
                score[b] = k == 0 ? scores[b] : score[b] + scores[b];
                bound[b] = k == 0 ? bounds[b] : bound[b] + bounds[b];
            }
        }
        constexpr double kInfinite = std::numeric_limits<double>::infinity();
        for (std::size_t b = 0; b < n; ++b) {
            if (pure_[b] == 0) continue;
            bound[b] = all_allowed || bins.weight[b] == bins.weight[b + 1] ? -kInfinite : kInfinite;
        }
    }
    double open_from(double score) const { return impurity_.open_from(score, q()); }

private:
    struct Output {
        std::size_t first = 0;  // number of its first class among those of all outputs
        std::size_t begin = 0;  // place of its first class in parts_
    };

    // All combinations of classes; more than is allowed if there are too many to count.
    static std::size_t n_joint_classes(const Target& target) {
        std::size_t n = 1;
        for (std::size_t k = 0; k < target.n_outputs && n <= kMaxJointClasses; ++k)
            n *= target.n_classes[k];
        return n;
    }

    std::size_t q() const { return outputs_.size(); }
    double n_outputs() const { return static_cast<double>(q()); }

    void move_part(LeftSums& left, ClassId part, std::uint64_t w) {
        impurity_.move(left, part_left_[part], part_total_[part], w);
        part_left_[part] += w;
    }

    // The weight of the node, then that of each class that the output has at the node.
    std::span<const double> totals_of(std::size_t k) const {
        const std::size_t end = k + 1 < q() ? outputs_[k + 1].begin : parts_.size();
        of_.assign(1, weight());
        for (std::size_t at = outputs_[k].begin; at < end; ++at)
            of_.push_back(static_cast<double>(part_total_[parts_[at]]));
        return of_;
    }

    // The larger score at the ends of a bin. No cut lies before the first bin or after the last.
    static double ends_of_bin(const double* score, std::size_t b, std::size_t n) {
        if (b == 0) return score[0];
        return b + 1 == n ? score[b - 1] : std::max(score[b - 1], score[b]);
    }

    Impurity impurity_;
    std::vector<Output> outputs_;
    std::size_t n_parts_ = 0;
    std::span<const std::uint64_t> samples_;
    std::vector<std::uint64_t> total_;  // by joint class
    std::vector<ClassId> present_;  // joint classes in order of appearance; one element is spare
    std::size_t n_present_ = 0;
    std::uint64_t weight_ = 0;
    std::vector<ClassId> part_;  // of each joint class its class in each output
    std::vector<std::uint64_t> part_total_, part_left_;  // by class of all outputs
    std::vector<ClassId> parts_;        // those of the node, by output and in order of appearance
    std::vector<std::uint32_t> plane_;  // of a class: its place in parts_
    mutable std::vector<double> of_;
    mutable Scratch<double> of_output_;
    mutable std::vector<std::uint8_t> pure_;
};

using JointGini = JointCounts<GiniOfCounts>;
using JointEntropy = JointCounts<EntropyOfCounts>;

}  // namespace silvics
