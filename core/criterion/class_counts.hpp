// The statistic of classification: the weight of each class left and right of the cut.
#pragma once

#include <algorithm>
#include <vector>

#include "criterion/concept.hpp"
#include "criterion/impurity.hpp"

namespace silvics {

template <class Impurity>
class ClassCounts {
public:
    static constexpr bool kSummable = true;

    ClassCounts(const Target& target, const LearningSubset& subset, const StopFlag&)
        : outputs_(target.n_outputs), whole_weights_(subset.whole_weights) {
        for (std::size_t k = 0; k < target.n_outputs; ++k)
            outputs_[k].number.assign(target.n_classes[k], kAbsent);
    }

    static void fill(const Target& target, const LearningSubset& subset, SampleOrder& order) {
        order.weights = subset.in_order();
        order.labels.reserve(subset.rows.size() * target.n_outputs);
        for (std::size_t k = 0; k < target.n_outputs; ++k)
            for (const RowId row : subset.rows)
                order.labels.push_back(target.classes[k * target.n_rows + row]);
    }

    // Classes are renumbered by first appearance in the node, one output after another: a node of
    // five samples has at most five classes to scan, however many there are, and class names do
    // not influence the order of sums.
    void enter(const SampleOrder& order, std::size_t begin, std::size_t n) {
        n_ = n;
        rows_filled_ = false;
        weights_ = order.weights.data() + begin;
        weight_ = 0.0;
        for (std::size_t i = 0; i < n; ++i) weight_ += weights_[i];
        labels_.resize(n_ * outputs_.size());
        total_.clear();
        for (std::size_t k = 0; k < outputs_.size(); ++k) {
            Output& out = outputs_[k];
            const ClassId* label = order.labels.data() + k * order.size() + begin;
            ClassId* numbered = labels_.data() + k * n_;
            for (const ClassId c : out.present) out.number[c] = kAbsent;
            out.present.clear();
            out.first = total_.size();
            for (std::size_t i = 0; i < n_; ++i) {
                const ClassId c = label[i];
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
    }

    double weight() const { return weight_; }

    bool homogeneous() const { return total_.size() == outputs_.size(); }

    double impurity() const {
        double sum = 0.0;
        for (const Output& out : outputs_) sum += Impurity::impurity(of(out, weight_, total_));
        return sum / n_outputs();
    }

    // For decreases computed from impurities, beside those computed from scores.
    double scored_impurity() const {
        if constexpr (requires { Impurity::scored_impurity(ClassWeights{}); }) {
            double sum = 0.0;
            for (const Output& out : outputs_)
                sum += Impurity::scored_impurity(of(out, weight_, total_));
            return sum / n_outputs();
        } else {
            return impurity();
        }
    }

    int impurity_exponent() const { return 0; }

    // Writes the weight of every class of every output.
    void write_value(std::span<double> value) const {
        std::ranges::fill(value, 0.0);
        std::size_t first = 0;
        for (const Output& out : outputs_) {
            for (std::size_t c = 0; c < out.present.size(); ++c)
                value[first + out.present[c]] = total_[out.first + c];
            first += out.number.size();
        }
    }

    // The class of a homogeneous node, for a single output.
    ClassId only_class() const { return outputs_[0].present[0]; }

    void begin_scan() {
        left_weight_ = 0.0;
        std::ranges::fill(left_, 0.0);
    }

    void move(Position i) {
        const double w = weights_[i];
        left_weight_ += w;
        for (std::size_t at = i; at < labels_.size(); at += n_) left_[labels_[at]] += w;
    }

    void move_group(std::span<const Position> group) {
        if (group.size() == 1 || whole_weights_) {
            for (const Position i : group) move(i);
            return;
        }
        cell_.assign(histogram_width(), 0.0);
        for (const Position i : group) add_to(cell_.data(), i);
        move_cell(cell_.data());
    }

    double left_weight() const { return left_weight_; }
    double right_weight() const { return weight_ - left_weight_; }

    double score() const {
        // The terms of all outputs have one divisor.
        if (outputs_.size() == 1 || Impurity::kScoredByTerms)
            return Impurity::score({left_weight_, left_}, {weight_, total_});
        double sum = 0.0;
        for (const Output& out : outputs_)
            sum += Impurity::score(of(out, left_weight_, left_), of(out, weight_, total_));
        return sum;
    }

    // The samples as rows of histogram_width() numbers, which add up; a width of zero means that
    // there are too many classes.
    std::size_t row_width() const {
        return histogram_width() <= kMaxRowWidth ? histogram_width() : 0;
    }
    const double* sample_rows() {
        if (rows_filled_) return sample_rows_.data();
        rows_filled_ = true;
        const std::size_t width = histogram_width();
        double* row = sample_rows_.cleared(n_ * width);
        for (std::size_t i = 0; i < n_; ++i, row += width) add_to(row, static_cast<Position>(i));
        return sample_rows_.data();
    }
    const double* total_row() {
        total_row_.assign(1, weight_);
        total_row_.insert(total_row_.end(), total_.begin(), total_.end());
        return total_row_.data();
    }
    // Where sides are compared by their means: the terms to compare, and a factor of the score.
    static constexpr bool kComparesMeans = Impurity::kScoredByTerms;
    std::size_t n_compared() const { return total_.size() == 2 ? 1 : total_.size(); }
    double factor() const { return total_.size() == 2 ? 2.0 : 1.0; }
    void set_left(const double* row) {
        left_weight_ = row[0];
        std::copy_n(row + 1, left_.size(), left_.data());
    }

    double decrease(double score) const {
        double parts = 0.0;
        for (const Output& out : outputs_) parts += Impurity::part(of(out, weight_, total_));
        return Impurity::decrease(score, weight_, parts) / n_outputs();
    }
    double score_per_decrease() const {
        return Impurity::score_per_decrease(weight_) * n_outputs();
    }

    // The fraction of the second class, to which monotonic constraints refer.
    double left_value() const { return second_class(left_) / left_weight(); }
    double right_value() const {
        return (second_class(total_) - second_class(left_)) / right_weight();
    }

    // A cell has the weight, then the weight of each class.
    std::size_t histogram_width() const { return 1 + total_.size(); }
    void add_to(double* cell, Position i) const {
        const double w = weights_[i];
        *cell++ += w;
        for (std::size_t at = i; at < labels_.size(); at += n_) cell[labels_[at]] += w;
    }
    void move_cell(const double* cell) {
        left_weight_ += *cell++;
        for (std::size_t c = 0; c < total_.size(); ++c) left_[c] += cell[c];
    }

    // With two classes, the best split of levels for any impurity is a cut in the order of the
    // fraction of the second class.
    bool one_order() const { return outputs_.size() == 1 && total_.size() == 2; }
    std::size_t mean_to_order_by() const {
        return outputs_[0].present[1] > outputs_[0].present[0] ? 1 : 0;
    }
    std::size_t n_means() const { return total_.size(); }

private:
    static constexpr std::size_t kMaxRowWidth = 16;
    static constexpr ClassId kAbsent = ~ClassId{0};

protected:
    struct Output {
        std::vector<ClassId> number;   // number of each class within the node, or kAbsent
        std::vector<ClassId> present;  // the classes of the numbers from `first` on
        std::size_t first = 0;
    };

    double n_outputs() const { return static_cast<double>(outputs_.size()); }

    std::vector<Output> outputs_;
    std::vector<double> total_, left_;  // weight of each class of the node

private:
    static ClassWeights of(const Output& out, double weight, std::span<const double> side) {
        return {weight, side.subspan(out.first, out.present.size())};
    }

    double second_class(const std::vector<double>& side) const {
        const auto& number = outputs_[0].number;
        return number.size() < 2 || number[1] == kAbsent ? 0.0 : side[number[1]];
    }

    bool whole_weights_;
    std::size_t n_ = 0;
    const double* weights_ = nullptr;  // of the node's samples
    std::vector<ClassId> labels_;      // their renumbered classes, one output after another
    std::vector<double> cell_, total_row_;
    Scratch<double> sample_rows_;
    bool rows_filled_ = false;
    double weight_ = 0.0, left_weight_ = 0.0;
};

}  // namespace silvics
