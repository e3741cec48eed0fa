// The samples of a node grouped by the level of a category. Missing values are one more level.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "splitter/gather.hpp"

namespace silvics {

struct LevelGroups {
    static constexpr Code kNone = ~Code{0};

    std::vector<Code> group_of;         // group of each sample
    std::vector<Code> levels;           // level of each group
    std::vector<std::uint32_t> counts;  // samples of each group
    Code missing = kNone;               // group of the missing values, or kNone
    std::size_t n_free = 0;             // the first n_free groups may go to either side

    std::size_t size() const { return levels.size(); }

    // Groups the samples of a node; returns false if the variable is constant there. The last
    // 2 * n_copies rows may be copies, of which half stay left and half stay right, whatever their
    // level.
    bool enter(const Column& column, std::span<const RowId> rows, std::size_t n_copies = 0) {
        const std::size_t n = rows.size();
        gather_levels(column, rows, level_of_.ensure(n));
        const auto missing_level = static_cast<Code>(column.n_codes);
        for (std::size_t i = n - 2 * n_copies; i < n; ++i)
            level_of_[i] = missing_level + (i < n - n_copies ? 1 : 2);
        group({level_of_.data(), n}, column.n_codes + 3);
        missing = kNone;
        for (std::size_t g = 0; g < size(); ++g)
            if (levels[g] == missing_level) missing = static_cast<Code>(g);
        n_free = size() - (n_copies > 0 ? 2 : 0);
        return n_free > 1;
    }

    // Replaces the counts by those of other samples, given by level; the last are the missing ones.
    void set_counts(std::span<const std::uint32_t> by_level) {
        for (std::size_t g = 0; g < size(); ++g) counts[g] = by_level[levels[g]];
    }

    // Puts the groups, which are in order of appearance, in the order of their levels.
    void sort_by_level() {
        const std::size_t n = size();
        order_.resize(n);
        std::iota(order_.begin(), order_.end(), Code{0});
        std::ranges::sort(order_, {}, [&](Code g) { return levels[g]; });
        std::vector<Code> new_group(n), sorted_levels(n);
        std::vector<std::uint32_t> sorted_counts(n);
        for (std::size_t g = 0; g < n; ++g) {
            new_group[order_[g]] = static_cast<Code>(g);
            sorted_levels[g] = levels[order_[g]];
            sorted_counts[g] = counts[order_[g]];
        }
        levels.swap(sorted_levels);
        counts.swap(sorted_counts);
        for (Code& g : group_of) g = new_group[g];
        if (missing != kNone) missing = static_cast<Code>(n_free - 1);
    }

private:
    // The time does not grow with the number of levels of the column.
    void group(std::span<const Code> level_of, std::size_t n_levels) {
        if (group_at_.size() < n_levels) group_at_.resize(n_levels, kNone);
        levels.clear();
        counts.clear();
        group_of.resize(level_of.size());
        for (std::size_t i = 0; i < level_of.size(); ++i) {
            Code& g = group_at_[level_of[i]];
            if (g == kNone) {
                g = static_cast<Code>(levels.size());
                levels.push_back(level_of[i]);
                counts.push_back(0);
            }
            group_of[i] = g;
            ++counts[g];
        }
        for (const Code level : levels) group_at_[level] = kNone;
    }

    Scratch<Code> level_of_;
    std::vector<Code> group_at_;  // of each level; kNone except while samples are grouped
    std::vector<Code> order_;
};

}  // namespace silvics
