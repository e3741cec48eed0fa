// The best split of the levels of a category for criteria of one exact sum. It is the cut in the
// order of means that scan_categories.hpp finds, in one pass over the samples.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "splitter/fast/exact_sums.hpp"
#include "splitter/gather.hpp"

namespace silvics {

template <ExactSumCriterion C>
class LevelScan {
public:
    using Statistic = typename C::Statistic;

    struct Group {
        double mean = 0.0;
        Code level = 0;
        std::uint32_t count = 0;  // only counted if limits need it
        Statistic sum{};

        bool before(const Group& other) const {
            return mean != other.mean ? mean < other.mean : level < other.level;
        }
    };

    // The levels at a node in the order of their means.
    std::span<const Group> ordered(const C& criterion, const Column& column,
                                   std::span<const RowId> rows, bool counted,
                                   const StopFlag& stop) {
        if (rows.size() <= kMaxLinearSearch)
            sum_small(criterion, column, rows);
        else if (column.n_codes < rows.size())
            sum_many(criterion, column, rows, counted, stop);
        else
            sum_seen(criterion, column, rows, stop);
        sort();
        return {groups_.data(), n_};
    }

    // The number of levels of the order that go left, if that is better than the best; otherwise
    // 0. Also returns the number of levels.
    std::uint32_t best_cut(const C& criterion, const Column& column, std::span<const RowId> rows,
                           const CutLimits& limits, const StopFlag& stop, Cut& best,
                           std::size_t& n_levels) {
        const auto groups = ordered(criterion, column, rows, !limits.none(), stop);
        n_levels = groups.size();
        n_cuts_ += n_levels - (n_levels > 0);
        std::uint32_t at = 0;
        Statistic left{};
        std::size_t n_left = 0;
        for (std::size_t k = 0; k + 1 < groups.size(); ++k) {
            left += groups[k].sum;
            n_left = limits.none() ? 1 : n_left + groups[k].count;
            const double before = best.score;
            ExactSumSearch<C>::score_left(criterion, left, n_left, limits, best);
            if (best.score > before) at = static_cast<std::uint32_t>(k + 1);
        }
        return at;
    }

    // The number of splits scored so far.
    std::uint64_t n_cuts() const { return n_cuts_; }

private:
    std::uint64_t n_cuts_ = 0;
    // Nodes of at most kMaxLinearSearch samples search levels one by one; at most kMaxInsertionSort
    // groups are sorted by insertion.
    static constexpr std::size_t kMaxLinearSearch = 16, kMaxInsertionSort = 24;
    static constexpr Code kNone = ~Code{0};

    // Each sample searches its level among those seen before.
    void sum_small(const C& criterion, const Column& column, std::span<const RowId> rows) {
        std::array<Code, kMaxLinearSearch> levels;
        gather_levels(column, rows, levels.data());
        Group* const groups = groups_.ensure(kMaxLinearSearch);
        n_ = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            std::size_t g = 0;
            while (g < n_ && groups[g].level != levels[i]) ++g;
            if (g == n_) groups[n_++] = {.level = levels[i]};
            ++groups[g].count;
            groups[g].sum += criterion.sample(i);
        }
    }

    // Calls add(i, level) for every sample.
    template <class Add>
    static void for_levels(const Column& column, std::span<const RowId> rows, const StopFlag& stop,
                           Add&& add) {
        const CodeView& view = column.view(rows.size());
        in_blocks(rows.size(), stop, [&](std::size_t begin, std::size_t end) {
            if (view.data != nullptr)
                view.visit([&](const auto* codes) {
                    for (std::size_t i = begin; i < end; ++i) add(i, codes[rows[i] * view.stride]);
                });
            else
                for (std::size_t i = begin; i < end; ++i)
                    add(i, column.level_of(column.values[rows[i]]));
        });
    }

    // Sums over an array of all levels of the column.
    void sum_many(const C& criterion, const Column& column, std::span<const RowId> rows,
                  bool counted, const StopFlag& stop) {
        const std::size_t n_levels = column.n_codes + 1;
        std::uint32_t* const counts = counts_.cleared(counted ? n_levels : 0);
        if (column.view(rows.size()).data != nullptr) {
            const Column* const one = &column;
            gather_codes({&one, 1}, rows, {&codes_, 1}, stop);
            sum_in_bins(criterion, codes_.data(), rows.size(), 0, 0, n_levels, stop, sums_);
        } else {
            Statistic* const sums = sums_.cleared(n_levels);
            for_levels(column, rows, stop, [&](std::size_t i, std::size_t level) {
                sums[level] += criterion.sample(i);
            });
        }
        if (counted)
            for_levels(column, rows, stop,
                       [&](std::size_t, std::size_t level) { ++counts[level]; });
        Group* const groups = groups_.ensure(n_levels);
        n_ = 0;
        for (std::size_t level = 0; level < n_levels; ++level)
            if (C::weight_of(sums_[level]) > 0.0)
                groups[n_++] = {0.0, static_cast<Code>(level), counted ? counts[level] : 0,
                                sums_[level]};
    }

    // Sums over the levels that occur, where these are few of all.
    void sum_seen(const C& criterion, const Column& column, std::span<const RowId> rows,
                  const StopFlag& stop) {
        if (group_at_.size() <= column.n_codes) group_at_.resize(column.n_codes + 1, kNone);
        Group* const groups = groups_.ensure(rows.size());
        n_ = 0;
        for_levels(column, rows, stop, [&](std::size_t i, std::size_t level) {
            Code& g = group_at_[level];
            if (g == kNone) {
                g = static_cast<Code>(n_);
                groups[n_++] = {.level = static_cast<Code>(level)};
            }
            ++groups[g].count;
            groups[g].sum += criterion.sample(i);
        });
        for (std::size_t g = 0; g < n_; ++g) group_at_[groups[g].level] = kNone;
    }

    void sort() {
        Group* const groups = groups_.data();
        for (std::size_t g = 0; g < n_; ++g) groups[g].mean = C::mean_of(groups[g].sum);
        const auto before = [](const Group& a, const Group& b) { return a.before(b); };
        if (n_ > kMaxInsertionSort) {
            std::sort(groups, groups + n_, before);
            return;
        }
        for (std::size_t k = 1; k < n_; ++k) {
            const Group group = groups[k];
            std::size_t at = k;
            for (; at > 0 && group.before(groups[at - 1]); --at) groups[at] = groups[at - 1];
            groups[at] = group;
        }
    }

    CodeBuffer codes_;
    Scratch<Statistic> sums_;
    Scratch<std::uint32_t> counts_;
    std::vector<Code> group_at_;  // group of each level; kNone except while samples are grouped
    Scratch<Group> groups_;
    std::size_t n_ = 0;
};

}  // namespace silvics
