// Splits of the levels of a category: the best subset of levels, or a random one.
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include "splitter/fast/cut_search.hpp"
#include "splitter/fast/scan_categories.hpp"
#include "splitter/fast/scan_levels.hpp"
#include "splitter/splitter.hpp"
#include "tree/level_rule.hpp"

namespace silvics {

template <Criterion C>
class LevelSearch {
public:
    LevelSearch(const SplitterParts& parts, C& criterion, CutSearch<C>& search)
        : rules_(parts.rules), stop_(parts.stop), criterion_(criterion), search_(search) {}

    // For the rows to come: the last 2 * n_of_a_side of them are copies, half of which stay left
    // and half right. Only best_split() obeys this and the next setting.
    void set_copies(std::size_t n_of_a_side) { n_copies_ = n_of_a_side; }
    // If not empty, the limits on the sizes of children count these samples, given by level.
    void set_counted(std::vector<std::uint32_t> by_level) { counted_ = std::move(by_level); }

    // The best split of the levels; returns false if the column is constant. It is found whether or
    // not it is better than the one found before, since splits are compared by worth() instead of
    // the score.
    bool best_split(const Column& column, const NodeSamples& node, std::span<const RowId> rows,
                    const CutLimits& limits, Found& found) {
        std::size_t n_levels;
        found.cut = {};
        if constexpr (ExactSumCriterion<C>) {
            found.choice = {.cut = scan_.best_cut(criterion_, column, rows, limits, stop_,
                                                  found.cut, n_levels)};
        } else {
            scan_.enter(column, rows, n_copies_);
            if (!counted_.empty()) scan_.set_counts(counted_);
            n_levels = scan_.groups().n_free;
            if (n_levels > 1)
                scan_.best_split(criterion_, limits, levels_key(node, found.feature), stop_,
                                 found.cut, found.choice);
        }
        if (rules_.adjust_levels)  // a sample and its copy count once
            found.by_chance = score_by_chance(n_levels, rows.size() - n_copies_);
        return n_levels > 1;
    }

    // The random split: a coin for each level, tossed until the known levels do not all fall on one
    // side.
    bool random_split(const Column& column, const NodeSamples& node, std::span<const RowId> rows,
                      const CutLimits& limits, Found& found) {
        const std::size_t n = rows.size();
        const Code missing = static_cast<Code>(column.n_codes);
        const auto levels = levels_at(column, rows);
        Code first = missing;
        bool several = false;
        std::size_t n_known = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (levels[i] == missing) continue;
            if (n_known++ == 0) first = levels[i];
            several |= levels[i] != first;
        }
        if (n_known == 0 || (!several && n_known == n)) return false;
        RandomStream stream(levels_key(node, found.feature));
        std::uint64_t seed;
        std::size_t n_left;
        do {
            seed = stream.next() >> (64 - LevelRule::kInlineLevels);
            n_left = mark_by_coins(column, levels, seed, false, goes_left_);
        } while (several ? n_left == 0 || n_left == n_known : n_left == 0);
        for_missing_sides(n_known < n, [&](MissingSide side) {
            if (side == MissingSide::left) {
                if (!several) return;  // both sides would be the same once more
                n_left = mark_by_coins(column, levels, seed, true, goes_left_);
            }
            const double before = found.cut.score;
            search_.score_sides(criterion_, {goes_left_.data(), n}, n_left, limits, found.cut);
            if (!(found.cut.score > before)) return;
            found.threshold = LevelRule(LevelRule::Form::coin, seed, false).in_place();
            found.missing = side;
        });
        return true;
    }

    // Marks the samples that the split found on them sends left, and completes the split.
    void mark(const Column& column, const NodeSamples& node, std::span<const RowId> rows,
              const Found& found, Scratch<std::uint8_t>& goes_left, Split& split) {
        if (rules_.random_cut) {
            split.n_left = mark_by_coins(column, levels_at(column, rows), found, goes_left);
        } else if constexpr (ExactSumCriterion<C>) {
            mark_by_order(column, rows, found.choice.cut, goes_left, split);
        } else {
            scan_.enter(column, rows, n_copies_);
            const auto sides =
                scan_.sides(criterion_, levels_key(node, found.feature), found.choice);
            mark_groups(scan_.groups(), sides, goes_left, split);
        }
    }

    // Marks samples by a split found on others: levels not seen there go right, and so do missing
    // values. Returns whether some values are missing.
    bool mark_as_found(const Column& column, std::span<const RowId> rows, const Found& found,
                       const std::vector<Code>& left, Scratch<std::uint8_t>& goes_left,
                       Split& split) {
        if (rules_.random_cut) {
            const auto levels = levels_at(column, rows);
            split.n_left = mark_by_coins(column, levels, found, goes_left);
            return std::ranges::find(levels, column.n_codes) != levels.end();
        }
        groups_.enter(column, rows);
        std::vector<char> sides(groups_.size());
        for (std::size_t g = 0; g < groups_.size(); ++g)
            sides[g] = std::ranges::binary_search(left, groups_.levels[g]);
        const bool has_missing = groups_.missing != LevelGroups::kNone;
        if (has_missing) sides[groups_.missing] = found.missing == MissingSide::left;
        mark_groups(groups_, sides, goes_left, split);
        return has_missing;
    }

    // The number of splits of levels scored.
    std::uint64_t n_cuts() const { return scan_.n_cuts(); }

private:
    static StreamKey levels_key(const NodeSamples& node, FeatureId f) {
        return derive(node.key, kCutPart + f);
    }

    // A split of a node of n samples into all its L levels decreases the impurity by
    // (L - 1) / (n - 1) of it if the levels carry no information: exactly so, on average over their
    // permutations, for Gini and squared error. The part of it that L levels gain over the two
    // sides of a threshold is subtracted. It is rounded to 24 bits, so that ties do not depend on
    // the rounding of the impurity.
    double score_by_chance(std::size_t n_levels, std::size_t n) const {
        if (n_levels <= 2) return 0.0;
        const double share = static_cast<double>(n_levels - 2) / static_cast<double>(n - 1);
        const double score = share * criterion_.impurity() * criterion_.score_per_decrease();
        const double split = score * 0x20000001p0;
        return split - (split - score);
    }

    std::span<const Code> levels_at(const Column& column, std::span<const RowId> rows) {
        gather_levels(column, rows, levels_.ensure(rows.size()));
        return {levels_.data(), rows.size()};
    }

    std::size_t mark_by_coins(const Column& column, std::span<const Code> levels,
                              const Found& found, Scratch<std::uint8_t>& goes_left) {
        return mark_by_coins(column, levels, LevelRule(found.threshold).content(),
                             found.missing == MissingSide::left, goes_left);
    }

    // Returns how many samples go left.
    std::size_t mark_by_coins(const Column& column, std::span<const Code> levels,
                              std::uint64_t seed, bool missing_left,
                              Scratch<std::uint8_t>& goes_left) {
        const auto missing = static_cast<Code>(column.n_codes);
        std::uint8_t* const goes = goes_left.ensure(levels.size());
        const bool tabled = column.n_codes <= levels.size();
        if (tabled) {  // each coin is tossed once
            coins_.resize(column.n_codes + 1);
            for (Code level = 0; level < missing; ++level)
                coins_[level] = LevelRule::coin(seed, level);
            coins_[missing] = missing_left;
        }
        std::size_t n_left = 0;
        for (std::size_t i = 0; i < levels.size(); ++i) {
            goes[i] = tabled                 ? coins_[levels[i]]
                      : levels[i] == missing ? missing_left
                                             : LevelRule::coin(seed, levels[i]);
            n_left += goes[i];
        }
        return n_left;
    }

    // The first `cut` levels in the order of their means go left.
    void mark_by_order(const Column& column, std::span<const RowId> rows, std::size_t cut,
                       Scratch<std::uint8_t>& goes_left, Split& split) {
        const auto groups = scan_.ordered(criterion_, column, rows, false, stop_);
        for (auto& levels : levels_of_side_) levels.clear();
        if (side_of_level_.size() <= column.n_codes) side_of_level_.resize(column.n_codes + 1);
        for (std::size_t k = 0; k < groups.size(); ++k) {
            const bool left = k < cut;
            side_of_level_[groups[k].level] = left;
            if (groups[k].level == column.n_codes)
                split.missing = left ? MissingSide::left : MissingSide::right;
            else
                levels_of_side_[left].push_back(groups[k].level);
        }
        const auto levels = levels_at(column, rows);
        std::uint8_t* const goes = goes_left.ensure(rows.size());
        split.n_left = 0;
        for (std::size_t i = 0; i < rows.size(); ++i)
            split.n_left += goes[i] = side_of_level_[levels[i]];
        set_levels_of(split);
    }

    void set_levels_of(Split& split) {
        split.by_levels = true;
        split.left = levels_of_side_[1];
        split.right = levels_of_side_[0];
    }

    // Marks the samples by the sides of their groups, and completes the split.
    void mark_groups(const LevelGroups& groups, std::span<const char> sides,
                     Scratch<std::uint8_t>& goes_left, Split& split) {
        std::uint8_t* const goes = goes_left.ensure(groups.group_of.size());
        split.n_left = 0;
        for (std::size_t i = 0; i < groups.group_of.size(); ++i) {
            goes[i] = static_cast<std::uint8_t>(sides[groups.group_of[i]]);
            split.n_left += goes[i];
        }
        for (auto& levels : levels_of_side_) levels.clear();
        for (std::size_t g = 0; g < groups.n_free; ++g)
            if (g == groups.missing)
                split.missing = sides[g] != 0 ? MissingSide::left : MissingSide::right;
            else
                levels_of_side_[sides[g] != 0].push_back(groups.levels[g]);
        set_levels_of(split);
    }

    // Where one order of the levels contains the best split and sums are exact, one pass over the
    // samples finds it.
    template <class D>
    static auto scan_of() {
        if constexpr (ExactSumCriterion<D>)
            return std::type_identity<LevelScan<D>>{};
        else
            return std::type_identity<CategoryScan<D>>{};
    }

    const FastRules& rules_;
    const StopFlag& stop_;
    C& criterion_;
    CutSearch<C>& search_;
    typename decltype(scan_of<C>())::type scan_;
    LevelGroups groups_;
    Scratch<std::uint8_t> goes_left_;
    Scratch<Code> levels_;
    std::vector<char> coins_;
    std::vector<std::uint8_t> side_of_level_;
    std::vector<Code> levels_of_side_[2];  // right, left
    std::size_t n_copies_ = 0;
    std::vector<std::uint32_t> counted_;
};

}  // namespace silvics
