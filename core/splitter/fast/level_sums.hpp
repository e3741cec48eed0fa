// The sums over the samples of each level of a category, and over the levels left of a split: all
// that a search over levels needs from a criterion.
#pragma once

#include <span>
#include <vector>

#include "splitter/fast/exact_counts.hpp"
#include "splitter/fast/level_groups.hpp"
#include "splitter/fast/scan_thresholds.hpp"

namespace silvics {

// Specialised for each kind of criterion:
//   begin(criterion)         enters a node
//   one_order()              whether one order of the groups contains the best split (Theorem 3.4)
//   sum(groups)              sums the samples of each group
//   n_means(), mean(g, k)    the means that groups are ordered by; the first if one order will do
//   weight(g)
//   start(), add(g)          moves groups to the left of the split
//   better(limits, n_left, best)   whether the split is better; it then replaces the best
template <Criterion C>
class LevelSums;

template <ExactCountsCriterion C>
class LevelSums<C> {
public:
    void begin(C& criterion) {
        criterion_ = &criterion;
        width_ = criterion.n_present();
    }
    void sum(const LevelGroups& groups) {
        const auto present = criterion_->present();
        number_.resize(criterion_->n_classes());
        for (std::size_t k = 0; k < width_; ++k) number_[present[k]] = k;
        weights_.assign(groups.size() * width_, 0);
        whole_.assign(groups.size(), 0);
        const auto samples = criterion_->samples();
        for (std::size_t i = 0; i < samples.size(); ++i) {
            const std::size_t g = groups.group_of[i];
            const std::uint64_t w = C::weight_of(samples[i]);
            weights_[g * width_ + number_[C::class_of(samples[i])]] += w;
            whole_[g] += w;
        }
        higher_ = width_ == 2 && present[1] > present[0] ? 1 : 0;
    }
    bool one_order() const { return width_ == 2; }
    std::size_t n_means() const { return width_; }
    double mean(std::size_t g, std::size_t k) const {
        const std::size_t c = one_order() ? higher_ : k;
        return static_cast<double>(weights_[g * width_ + c]) / weight(g);
    }
    double weight(std::size_t g) const { return static_cast<double>(whole_[g]); }
    void start() { left_ = criterion_->begin_scan(); }
    void add(std::size_t g) {
        const auto present = criterion_->present();
        for (std::size_t k = 0; k < width_; ++k)
            criterion_->move(left_, present[k], weights_[g * width_ + k]);
    }
    bool better(const CutLimits& limits, std::size_t n_left, Cut& best) const {
        return ExactCountsSearch<C>::better(*criterion_, limits, n_left, left_, best);
    }

private:
    C* criterion_ = nullptr;
    std::size_t width_ = 0, higher_ = 0;
    std::vector<std::size_t> number_;  // number of each class among those present
    std::vector<std::uint64_t> weights_, whole_;
    typename C::LeftSums left_;
};

template <MovingCriterion C>
class LevelSums<C> {
public:
    void begin(C& criterion) { criterion_ = &criterion; }
    void sum(const LevelGroups& groups) {
        width_ = criterion_->histogram_width();
        cells_.assign(groups.size() * width_, 0.0);
        for (std::size_t i = 0; i < groups.group_of.size(); ++i)
            criterion_->add_to(cells_.data() + groups.group_of[i] * width_,
                               static_cast<Position>(i));
        if constexpr (!C::kSummable) {  // samples are moved one by one
            starts_.assign(groups.size() + 1, 0);
            for (const Code g : groups.group_of) ++starts_[g + 1];
            for (std::size_t g = 0; g < groups.size(); ++g) starts_[g + 1] += starts_[g];
            members_.resize(groups.group_of.size());
            std::vector<std::size_t> at(starts_);
            for (std::size_t i = 0; i < members_.size(); ++i)
                members_[at[groups.group_of[i]]++] = static_cast<Position>(i);
        }
    }
    bool one_order() const { return criterion_->one_order(); }
    std::size_t n_means() const { return criterion_->n_means(); }
    double mean(std::size_t g, std::size_t k) const {
        const std::size_t at = one_order() ? criterion_->mean_to_order_by() : k;
        return cells_[g * width_ + 1 + at] / weight(g);
    }
    double weight(std::size_t g) const { return cells_[g * width_]; }
    void start() { criterion_->begin_scan(); }
    void add(std::size_t g) {
        if constexpr (C::kSummable)
            criterion_->move_cell(cells_.data() + g * width_);
        else
            criterion_->move_group(
                std::span(members_).subspan(starts_[g], starts_[g + 1] - starts_[g]));
    }
    bool better(const CutLimits& limits, std::size_t n_left, Cut& best) const {
        const double before = best.score;
        if (limits.allow(n_left, criterion_->left_weight(), criterion_->right_weight()))
            keep_if_better(*criterion_, limits, {}, best);
        return best.score > before;
    }

private:
    C* criterion_ = nullptr;
    std::size_t width_ = 0;
    std::vector<double> cells_;
    std::vector<std::size_t> starts_;  // range of the samples of each group
    std::vector<Position> members_;
};

}  // namespace silvics
