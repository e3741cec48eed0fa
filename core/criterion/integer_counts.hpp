// The statistic of classification for one output and whole weights, in integers: moving a sample
// updates a few sums, regardless of the number of classes.
//
// An impurity provides the sums left of a cut (LeftSums), their update when a weight of one class
// moves to the left, and the score: integer_gini.hpp, integer_entropy.hpp.
#pragma once

#include <bit>
#include <limits>
#include <span>
#include <vector>

#include "base/kernels.hpp"
#include "base/scratch.hpp"
#include "criterion/class_counts.hpp"
#include "criterion/count_classes.hpp"

namespace silvics {

template <class Impurity>
class IntegerCounts {
public:
    using LeftSums = typename Impurity::LeftSums;

    // Targets of up to so many classes are packed in words; it is slower with more.
    static constexpr std::size_t kPackedClasses = 4;

    IntegerCounts(const Target& target, const LearningSubset& subset, const StopFlag&)
        : impurity_(subset),
          total_(target.n_classes[0], 0),
          left_(target.n_classes[0], 0),
          present_(target.n_classes[0] + 1, 0),
          of_(target.n_classes[0] + 1, 0.0),
          class_bits_(class_bits(target.n_classes[0])),
          shift_(target.n_classes[0], 0) {}

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
        packed_ = false;
        if (n <= field_mask()) {
            const std::uint64_t sum =
                kernels_.pack_classes(samples_.data(), n, class_bits_, nullptr, &weight_);
            if (weight_ <= field_mask()) return enter_sum(sum);
        }
        const CountedClasses counted = count_classes(samples_, total_.data(), present_.data());
        n_present_ = counted.n_present;
        weight_ = counted.weight;
        impurity_.enter(weight_, present(), total_);
    }

    double weight() const { return static_cast<double>(weight_); }
    bool homogeneous() const { return n_present_ == 1; }
    double impurity() const {
        if (homogeneous()) return 0.0;
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

    static ClassId class_of(std::uint64_t sample) { return class_of_word(sample); }
    static std::uint64_t weight_of(std::uint64_t sample) { return weight_of_word(sample); }
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
    LeftSums sums_of_one(std::size_t sample) const {
        const std::uint64_t w = weight_of(samples_[sample]);
        LeftSums left;
        left.weight = w;
        impurity_.move(left, 0, total_[class_of(samples_[sample])], w);
        return left;
    }
    double score(const LeftSums& left) const { return impurity_.score(left); }

    // The weights of several classes share a word, so that one addition moves a sample. packs()
    // says whether the target has so few classes that two words per sample always suffice; if so,
    // sums_of_words() has the sums over any samples, of which sum(words) adds up the words.
    bool packs() {
        if (class_bits_ == 0) return false;
        if (!packed_) pack();
        return true;
    }
    template <class Sum>
    LeftSums sums_of_words(Sum&& sum) const {
        LeftSums left;
        std::size_t k = 0;
        for (std::size_t plane = 0; plane < n_planes_; ++plane) {
            const std::uint64_t word = sum(words_.data() + plane * samples_.size());
            for (std::size_t field = 0; field < per_word_ && k < n_present_; ++field, ++k) {
                const std::size_t at = by_class_ ? present_[k] : field;
                const std::uint64_t w = word >> (at * static_cast<std::size_t>(bits_)) &
                                        ((std::uint64_t{1} << bits_) - 1);
                left.weight += w;
                impurity_.move(left, 0, total_[present_[k]], w);
            }
        }
        return left;
    }

    // Scores of the cuts after bins of samples, and bounds on those of the cuts within them. Planes
    // are those of the classes present, in their order (binned_counts.hpp).
    static constexpr double kBinError = Impurity::kBinError;
    bool fits_bins() const { return n_present_ <= Impurity::kBinnedClasses; }
    bool scores_bins() const { return impurity_.scores_bins(); }
    std::size_t n_planes() const { return n_present_; }
    static constexpr std::size_t planes_per_sample() { return 1; }
    static constexpr std::size_t plane(std::size_t i, std::size_t) { return i; }
    static constexpr bool weighs(std::size_t) { return true; }
    template <class Weight>
    LeftSums sums_of_planes(Weight&& weight_of_plane) {
        LeftSums left = begin_scan();
        for (std::size_t k = 0; k < n_present_; ++k)
            if (const std::uint64_t w = weight_of_plane(k); w != 0) move(left, present_[k], w);
        return left;
    }
    void score_bins(const ClassBins& bins, bool all_allowed, double* score, double* bound) const {
        of_[0] = weight();
        for (std::size_t k = 0; k < n_present_; ++k)
            of_[k + 1] = static_cast<double>(total_[present_[k]]);
        impurity_.score_bins(bins, of_.data(), all_allowed, score, bound);
    }
    double open_from(double score) const { return impurity_.open_from(score); }

private:
    // With few classes, each has a field of so many bits in a word. They suffice for smaller nodes.
    static unsigned class_bits(std::size_t n_classes) {
        return n_classes < 2                ? 32
               : n_classes > kPackedClasses ? 0
                                            : static_cast<unsigned>(64 / n_classes);
    }
    std::uint64_t field_mask() const { return (std::uint64_t{1} << class_bits_) - 1; }

    // Enters a node whose words add up to `sum`. Classes are present in the order of appearance.
    void enter_sum(std::uint64_t sum) {
        std::size_t n_classes = 0;
        for (std::size_t c = 0; c < total_.size(); ++c) {
            total_[c] = sum >> (c * class_bits_) & field_mask();
            n_classes += total_[c] != 0;
        }
        std::uint64_t seen = 0;
        for (std::size_t i = 0; n_present_ < n_classes; ++i) {
            const ClassId c = class_of(samples_[i]);
            present_[n_present_] = c;
            n_present_ += (seen >> c & 1) == 0;
            seen |= std::uint64_t{1} << c;
        }
        impurity_.enter(weight_, present(), total_);
    }

    void pack() {
        packed_ = true;
        by_class_ = weight_ <= field_mask();
        if (by_class_) {
            bits_ = static_cast<int>(class_bits_);
            n_planes_ = 1;
            per_word_ = n_present_;
            std::uint64_t weight;
            kernels_.pack_classes(samples_.data(), samples_.size(), class_bits_,
                                  words_.ensure(samples_.size()), &weight);
            return;
        }
        bits_ = std::bit_width(weight_);
        per_word_ = std::size_t{64} / static_cast<std::size_t>(bits_);
        n_planes_ = (n_present_ + per_word_ - 1) / per_word_;
        const std::size_t n = samples_.size();
        std::uint64_t* const words = words_.ensure(n_planes_ * n);
        for (std::size_t plane = 0, k = 0; plane < n_planes_; ++plane) {
            if (n_planes_ > 1)
                for (const ClassId c : present()) shift_[c] = 64;
            for (std::size_t field = 0; field < per_word_ && k < n_present_; ++field, ++k)
                shift_[present_[k]] =
                    static_cast<std::uint8_t>(field * static_cast<std::size_t>(bits_));
            std::uint64_t* const to = words + plane * n;
            for (std::size_t i = 0; i < n; ++i) {
                const unsigned shift = shift_[class_of(samples_[i])];
                to[i] = shift < 64 ? weight_of(samples_[i]) << shift : 0;
            }
        }
    }

    Impurity impurity_;
    std::span<const std::uint64_t> samples_;
    std::vector<std::uint64_t> total_, left_;  // by class
    std::vector<ClassId>
        present_;  // the first n_present_ are in order of appearance; one element is spare
    std::size_t n_present_ = 0;
    mutable std::vector<double> of_;  // weights of classes, for a moment
    std::uint64_t weight_ = 0;
    // Words of the samples: weights by class, of bits_ bits each, per_word_ in a word.
    const Kernels& kernels_ = kernels();
    unsigned class_bits_;
    bool packed_ = false, by_class_ = false;  // whether the fields are those of all classes
    int bits_ = 0;
    std::size_t per_word_ = 0, n_planes_ = 0;
    std::vector<std::uint8_t> shift_;  // of each class in the words of a plane; 64: elsewhere
    Scratch<std::uint64_t> words_;
};

}  // namespace silvics
