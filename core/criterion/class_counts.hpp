// The statistic of classification: weight of each class left and right of the cut, and the
// impurity functions on it: Gini, entropy in bits, misclassification (thesis 3.6.2).
#pragma once

#include <algorithm>
#include <vector>

#include "base/logarithm.hpp"
#include "criterion/concept.hpp"

namespace silvics {

// An impurity function judges one side: part() of its class weights and their sum, larger is
// purer, and parts of both sides add up to the score. i(t) = offset - part / weight.
struct Gini {
    static constexpr double kOffset = 1.0;
    static double part(std::span<const double> counts, double weight) {
        // Two classes are the common case, and a loop over two costs more than its body.
        if (counts.size() == 2) return (counts[0] * counts[0] + counts[1] * counts[1]) / weight;
        double squares = 0.0;
        for (const double c : counts) squares += c * c;
        return squares / weight;
    }
};

struct Entropy {
    static constexpr double kOffset = 0.0;
    static double part(std::span<const double> counts, double weight) {
        double sum = 0.0;
        for (const double c : counts) sum += x_log2_x(c);
        return sum - x_log2_x(weight);
    }
};

struct Misclassification {
    static constexpr double kOffset = 1.0;
    static double part(std::span<const double> counts, double) {
        return *std::max_element(counts.begin(), counts.end());
    }
};

template <class Impurity>
class ClassCounts {
public:
    static constexpr bool kSummable = true;

    ClassCounts(const Target& target, const LearningSubset& subset)
        : target_(target), subset_(subset), outputs_(target.n_outputs) {
        for (std::size_t k = 0; k < target.n_outputs; ++k)
            outputs_[k].number.assign(target.n_classes[k], kAbsent);
    }

    // Classes are renumbered by first appearance in the node, one output after another: a node
    // of five samples has at most five classes to look at, however many there are; and names
    // play no part in sums.
    void enter(std::span<const RowId> rows) {
        n_ = rows.size();
        weights_.resize(n_);
        weight_ = 0.0;
        for (std::size_t i = 0; i < n_; ++i) {
            weights_[i] = subset_.weight(rows[i]);
            weight_ += weights_[i];
        }
        labels_.resize(n_ * outputs_.size());
        total_.clear();
        for (std::size_t k = 0; k < outputs_.size(); ++k) {
            Output& out = outputs_[k];
            const ClassId* label = target_.classes.data() + k * target_.n_rows;
            ClassId* numbered = labels_.data() + k * n_;
            for (const ClassId c : out.present) out.number[c] = kAbsent;
            out.present.clear();
            out.first = total_.size();
            for (std::size_t i = 0; i < n_; ++i) {
                const ClassId c = label[rows[i]];
                if (out.number[c] == kAbsent) {
                    out.number[c] = static_cast<ClassId>(total_.size());
                    out.present.push_back(c);
                    total_.push_back(0.0);
                }
                numbered[i] = out.number[c];
                total_[numbered[i]] += weights_[i];
            }
        }
        left_.resize(total_.size());
        right_.resize(total_.size());
    }

    double weight() const { return weight_; }

    bool homogeneous() const { return total_.size() == outputs_.size(); }

    double impurity() const {
        return Impurity::kOffset - parts(total_, weight_) / (weight_ * n_outputs());
    }

    // Weight of every class of every output.
    void write_value(std::span<double> value) const {
        std::ranges::fill(value, 0.0);
        std::size_t first = 0;
        for (const Output& out : outputs_) {
            for (std::size_t c = 0; c < out.present.size(); ++c)
                value[first + out.present[c]] = total_[out.first + c];
            first += out.number.size();
        }
    }

    // The class of a node that has only one, of a single output.
    ClassId only_class() const { return outputs_[0].present[0]; }

    void begin_scan() {
        left_weight_ = 0.0;
        std::ranges::fill(left_, 0.0);
        std::ranges::copy(total_, right_.begin());
    }

    void move(Position i) {
        const double w = weights_[i];
        left_weight_ += w;
        for (std::size_t at = i; at < labels_.size(); at += n_) shift(labels_[at], w);
    }

    void move_group(std::span<const std::uint64_t> group) {
        if (group.size() == 1 || subset_.whole_weights) {
            for (const std::uint64_t key : group) move(static_cast<Position>(key));
            return;
        }
        cell_.assign(histogram_width(), 0.0);
        for (const std::uint64_t key : group) add_to(cell_.data(), static_cast<Position>(key));
        move_cell(cell_.data());
    }

    double left_weight() const { return left_weight_; }
    double right_weight() const { return weight_ - left_weight_; }

    double score() const { return parts(left_, left_weight()) + parts(right_, right_weight()); }
    double decrease(double score) const {
        return (score - parts(total_, weight_)) / (weight_ * n_outputs());
    }

    // Share of the second class, which is the one that monotonic constraints speak of.
    double left_value() const { return second_class(left_) / left_weight(); }
    double right_value() const { return second_class(right_) / right_weight(); }

    // A cell: the weight, then that of each class.
    std::size_t histogram_width() const { return 1 + total_.size(); }
    void add_to(double* cell, Position i) const {
        const double w = weights_[i];
        *cell++ += w;
        for (std::size_t at = i; at < labels_.size(); at += n_) cell[labels_[at]] += w;
    }
    void move_cell(const double* cell) {
        left_weight_ += *cell++;
        for (std::size_t c = 0; c < total_.size(); ++c) shift(c, cell[c]);
    }

private:
    static constexpr ClassId kAbsent = ~ClassId{0};

    struct Output {
        std::vector<ClassId> number;   // of each class within the node, or absent
        std::vector<ClassId> present;  // the classes so numbered, from `first` on
        std::size_t first = 0;
    };

    void shift(std::size_t c, double w) {
        left_[c] += w;
        right_[c] = total_[c] - left_[c];
    }

    double parts(const std::vector<double>& side, double weight) const {
        if (outputs_.size() == 1) return Impurity::part(side, weight);
        double sum = 0.0;
        for (const Output& out : outputs_)
            sum += Impurity::part(std::span(side).subspan(out.first, out.present.size()), weight);
        return sum;
    }

    double n_outputs() const { return static_cast<double>(outputs_.size()); }

    double second_class(const std::vector<double>& side) const {
        const auto& number = outputs_[0].number;
        return number.size() < 2 || number[1] == kAbsent ? 0.0 : side[number[1]];
    }

    const Target& target_;
    const LearningSubset& subset_;
    std::vector<Output> outputs_;
    std::vector<double> total_, left_, right_;  // weight of each class of the node
    std::size_t n_ = 0;
    std::vector<double> weights_;  // of the node's samples
    std::vector<ClassId> labels_;  // theirs, in the node's numbers, one output after another
    std::vector<double> cell_;
    double weight_ = 0.0, left_weight_ = 0.0;
};

}  // namespace silvics
