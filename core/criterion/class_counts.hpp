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

    // Classes are renumbered by first appearance in the node: a node of five samples has at
    // most five classes to look at, however many there are; and names play no part in sums.
    void enter(std::span<const RowId> rows) {
        weights_.resize(rows.size());
        weight_ = 0.0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            weights_[i] = subset_.weight(rows[i]);
            weight_ += weights_[i];
        }
        for (std::size_t k = 0; k < outputs_.size(); ++k) {
            Output& out = outputs_[k];
            const ClassId* label = target_.classes.data() + k * target_.n_rows;
            for (const ClassId c : out.present) out.number[c] = kAbsent;
            out.present.clear();
            out.total.clear();
            out.label.resize(rows.size());
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const ClassId c = label[rows[i]];
                if (out.number[c] == kAbsent) {
                    out.number[c] = static_cast<ClassId>(out.present.size());
                    out.present.push_back(c);
                    out.total.push_back(0.0);
                }
                out.label[i] = out.number[c];
                out.total[out.number[c]] += weights_[i];
            }
            out.left.resize(out.total.size());
            out.right.resize(out.total.size());
        }
    }

    double weight() const { return weight_; }

    bool homogeneous() const {
        return std::ranges::all_of(outputs_, [](const Output& o) { return o.present.size() == 1; });
    }

    double impurity() const {
        double sum = 0.0;
        for (const Output& out : outputs_)
            sum += Impurity::kOffset - Impurity::part(out.total, weight_) / weight_;
        return sum / static_cast<double>(outputs_.size());
    }

    // Weight of every class of every output.
    void write_value(std::span<double> value) const {
        std::ranges::fill(value, 0.0);
        std::size_t first = 0;
        for (const Output& out : outputs_) {
            for (std::size_t c = 0; c < out.present.size(); ++c)
                value[first + out.present[c]] = out.total[c];
            first += out.number.size();
        }
    }

    // The class of a node that has only one, of a single output.
    ClassId only_class() const { return outputs_[0].present[0]; }

    void begin_scan() {
        left_weight_ = 0.0;
        for (Output& out : outputs_) {
            std::ranges::fill(out.left, 0.0);
            out.right = out.total;
        }
    }

    void move(Position i) {
        const double w = weights_[i];
        left_weight_ += w;
        for (Output& out : outputs_) shift(out, out.label[i], w);
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

    double score() const {
        double sum = 0.0;
        for (const Output& out : outputs_)
            sum += Impurity::part(out.left, left_weight()) + Impurity::part(out.right, right_weight());
        return sum;
    }

    double decrease() const {
        double before = 0.0;
        for (const Output& out : outputs_) before += Impurity::part(out.total, weight_);
        return (score() - before) / (weight_ * static_cast<double>(outputs_.size()));
    }

    // Share of the second class, which is the one that monotonic constraints speak of.
    double left_value() const { return second_class(outputs_[0].left) / left_weight(); }
    double right_value() const { return second_class(outputs_[0].right) / right_weight(); }

    std::size_t histogram_width() const {
        std::size_t width = 1;
        for (const Output& out : outputs_) width += out.total.size();
        return width;
    }
    void add_to(double* cell, Position i) const {
        const double w = weights_[i];
        *cell++ += w;
        for (const Output& out : outputs_) {
            cell[out.label[i]] += w;
            cell += out.total.size();
        }
    }
    void move_cell(const double* cell) {
        left_weight_ += *cell++;
        for (Output& out : outputs_)
            for (std::size_t c = 0; c < out.total.size(); ++c)
                if (const double w = *cell++; w != 0.0) shift(out, static_cast<ClassId>(c), w);
    }

private:
    static constexpr ClassId kAbsent = ~ClassId{0};

    struct Output {
        std::vector<ClassId> number;   // of each class within the node, or absent
        std::vector<ClassId> present;  // the classes so numbered
        std::vector<ClassId> label;    // of each sample
        std::vector<double> total, left, right;
    };

    static void shift(Output& out, ClassId c, double w) {
        out.left[c] += w;
        out.right[c] = out.total[c] - out.left[c];
    }

    double second_class(const std::vector<double>& side) const {
        const auto& number = outputs_[0].number;
        return number.size() < 2 || number[1] == kAbsent ? 0.0 : side[number[1]];
    }

    const Target& target_;
    const LearningSubset& subset_;
    std::vector<Output> outputs_;
    std::vector<double> weights_;  // of the node's samples
    std::vector<double> cell_;
    double weight_ = 0.0, left_weight_ = 0.0;
};

}  // namespace silvics
