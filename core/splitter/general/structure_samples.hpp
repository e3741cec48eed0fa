// The structure samples of a node, which find its split: all samples, or some of an honest tree.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "splitter/splitter.hpp"

namespace silvics {

// For one variable at a time, the samples whose value is missing are set apart as the rule on
// missing values demands. The criterion has entered the others: those that `values` belong to.
template <MovingCriterion C>
class StructureSamples {
public:
    explicit StructureSamples(const SplitterParts& parts)
        : criterion(parts.target, parts.subset, parts.stop),
          part_criterion_(parts.target, parts.subset, parts.stop) {}

    SampleOrder samples;         // of the node
    C criterion;                 // on the samples entered
    std::vector<double> values;  // of the variable, for the samples entered

    void enter_all() {
        criterion.enter(samples, 0, samples.size());
        all_entered_ = true;
    }
    void enter_all_if_needed() {
        if (!all_entered_) enter_all();
    }
    const SampleOrder& entered() const { return all_entered_ ? samples : part_; }

    // Sets the samples apart whose value is NaN. `values` has those of all samples before, and
    // those of the samples entered afterwards.
    void separate_missing(MissingRule rule) {
        set_none_missing();
        const auto missing = [](double x) { return std::isnan(x); };
        has_missing_ = std::ranges::any_of(values, missing);
        if (!has_missing_ || rule == MissingRule::learned) return enter_all_if_needed();
        std::vector<std::size_t> known, unknown;
        for (std::size_t i = 0; i < values.size(); ++i)
            (missing(values[i]) ? unknown : known).push_back(i);
        std::erase_if(values, missing);
        n_missing_ = unknown.size();
        if (known.empty()) return;
        samples.copy_some(known, part_);
        if (rule == MissingRule::both) return enter_with_copies(unknown);
        enter_all_if_needed();
        const double whole = scored_impurity(criterion), weight = criterion.weight();
        const Part missing_part = part_of(unknown);
        missing_weight_ = missing_part.weight;
        enter_part();
        inside_ = criterion.weight() / weight;
        outside_ = whole - missing_part.weight / weight * missing_part.impurity -
                   inside_ * scored_impurity(criterion);
    }

    // The variable has no missing values; `values` is not used.
    void set_none_missing() {
        outside_ = 0.0;
        inside_ = 1.0;
        n_missing_ = 0;
        has_missing_ = false;
    }

    bool has_missing() const { return has_missing_; }
    std::size_t n_missing() const { return n_missing_; }       // set apart
    double missing_weight() const { return missing_weight_; }  // of a separate child
    double weight_entered() const { return inside_; }          // as a fraction of all

    // The decrease at the node of a cut of the samples entered: samples in a separate child add
    // a constant part to it.
    double decrease_of(double score) const {
        return outside_ + inside_ * criterion.decrease(score);
    }

    // Weight and impurity of some of the samples.
    struct Part {
        double weight, impurity;
    };
    Part part_of(std::span<const std::size_t> places) {
        samples.copy_some(places, part_order_);
        part_criterion_.enter(part_order_, 0, part_order_.size());
        return {part_criterion_.weight(), scored_impurity(part_criterion_)};
    }

private:
    void enter_part() {
        criterion.enter(part_, 0, part_.size());
        all_entered_ = false;
    }

    // Samples that go to both children are entered twice, at both ends of the order, with half
    // their weight.
    void enter_with_copies(std::span<const std::size_t> unknown) {
        samples.copy_some(unknown, part_order_);
        for (double& w : part_order_.weights) w /= 2;
        for (const double end : {-kInfinity, kInfinity}) {
            part_.join(part_order_);
            values.insert(values.end(), unknown.size(), end);
        }
        enter_part();
    }

    C part_criterion_;
    SampleOrder part_, part_order_;
    bool all_entered_ = false;  // or those of part_
    bool has_missing_ = false;
    std::size_t n_missing_ = 0;
    double outside_ = 0.0, inside_ = 1.0, missing_weight_ = 0.0;
};

}  // namespace silvics
