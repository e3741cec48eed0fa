// Cuts on variables that are not plain: categories, and numbers with missing values or in sparse
// cells.
//
// A missing value is a value at one end of the order: after all others or before them, and both
// are tried. Of a category it is one level more.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "splitter/fast/draw_threshold.hpp"
#include "splitter/fast/scan_categories.hpp"
#include "splitter/fast/scan_levels.hpp"
#include "splitter/fast/scan_sparse.hpp"
#include "splitter/splitter.hpp"
#include "tree/level_rule.hpp"

namespace silvics {

template <Criterion C>
auto search_for() {
    if constexpr (ExactSumCriterion<C>)
        return std::type_identity<ExactSumSearch<C>>{};
    else if constexpr (ExactCountsCriterion<C>)
        return std::type_identity<ExactCountsSearch<C>>{};
    else
        return std::type_identity<ThresholdScan<C>>{};
}

template <Criterion C>
using CutSearch = typename decltype(search_for<C>())::type;

// Samples of one code may still have several values.
inline bool constant(const NodeColumn& node) {
    if (!node.range.constant()) return false;
    if (!node.parts_codes()) return true;
    const double first = node.value(0);
    for (std::size_t i = 1; i < node.size(); ++i)
        if (node.value(static_cast<Position>(i)) != first) return false;
    return true;
}

// The one cut that a threshold makes; nothing if all samples are on one side.
template <Criterion C>
void score_values(C& criterion, CutSearch<C>& search, std::span<const double> of, double threshold,
                  const CutLimits& limits, Scratch<std::uint8_t>& goes_left, Cut& best) {
    const std::size_t n = of.size();
    if constexpr (ExactSumCriterion<C>) {
        if (limits.none()) {  // summed without being marked
            const auto left = criterion.sum_upto(of.data(), n, threshold);
            const double w = C::weight_of(left);
            if (w > 0.0 && w < criterion.weight())
                search.score_left(criterion, left, 1, limits, best);
            return;
        }
    }
    const std::size_t n_left = kernels().mark_upto(of.data(), n, threshold, goes_left.take(n));
    if (n_left > 0 && n_left < n)
        search.score_sides(criterion, {goes_left.data(), n}, n_left, limits, best);
}

// The quick scans that a criterion of exact sums has.
struct NoScan {};
template <Criterion C>
struct ScansOf {
    using Levels = NoScan;
    using Sparse = NoScan;
};
template <ExactSumCriterion C>
struct ScansOf<C> {
    using Levels = LevelScan<C>;
    using Sparse = SparseScan<C>;
};
template <ExactCountsCriterion C>
struct ScansOf<C> {
    using Levels = NoScan;
    using Sparse = SparseScan<C>;
};

template <Criterion C>
class NonPlainSearch {
public:
    NonPlainSearch(const SplitterParts& parts, C& criterion)
        : table_(parts.table), rules_(parts.rules), stop_(parts.stop), criterion_(criterion) {}

    // The best, or the random, cut on a category, or on numbers with missing values or in sparse
    // cells; false if it is constant.
    bool search(const NodeSamples& node, std::span<const RowId> rows, const CutLimits& limits,
                Found& found) {
        const Column& column = table_.columns[found.feature];
        const bool category = column.kind == Column::Kind::category;
        if constexpr (ExactSumCriterion<C> || ExactCountsCriterion<C>)
            if (column.sparse)
                return rules_.random_cut
                           ? sparse_.random_cut(criterion_, column, node, rows, limits, found)
                           : sparse_.best_cut(criterion_, column, node, rows, limits, found);
        if (rules_.random_cut)
            return category ? draw_levels(node, rows, limits, found)
                            : draw_with_missing(node, rows, limits, found);
        return category ? search_levels(node, rows, limits, found)
                        : search_with_missing(rows, limits, found);
    }

    // Of rows to come, the last are copies that stay on either side; and limits are on the numbers
    // of other samples, by level, if there are any. Best splits of categories heed both.
    void set_copies(std::size_t n_of_a_side) { n_copies_ = n_of_a_side; }
    void set_counted(std::vector<std::uint32_t> by_level) { counted_ = std::move(by_level); }

    // Marks the samples by what was found on them.
    Split mark(const NodeSamples& node, const Found& found, std::span<const RowId> rows) {
        const Column& column = table_.columns[found.feature];
        Split split = start(found);
        if (column.kind != Column::Kind::category) {
            split.n_left = mark_with_missing(column, rows, found);
        } else if (rules_.random_cut) {
            split.n_left = mark_by_coins(column, levels_at(column, rows), found);
        } else if constexpr (ExactSumCriterion<C>) {
            mark_by_order(column, rows, found.choice.cut, split);
        } else {
            categories_.enter(column, rows, n_copies_);
            take_sides(categories_.sides(criterion_, levels_key(node, found.feature), found.choice),
                       split);
        }
        return split;
    }

    // Marks samples by what was found on others: levels and missing values not seen there go right.
    Split mark_as_found(const Found& found, const std::vector<Code>& left,
                        std::span<const RowId> rows) {
        const Column& column = table_.columns[found.feature];
        Split split = start(found);
        split.missing = MissingSide::unseen;
        bool missing;
        if (column.kind != Column::Kind::category) {
            split.n_left = mark_with_missing(column, rows, found);
            missing =
                std::ranges::any_of(rows, [&](RowId r) { return std::isnan(column.value(r)); });
        } else if (rules_.random_cut) {
            const auto levels = levels_at(column, rows);
            split.n_left = mark_by_coins(column, levels, found);
            missing = std::ranges::find(levels, column.n_codes) != levels.end();
        } else {
            categories_.enter(column, rows);
            const LevelGroups& groups = categories_.groups();
            std::vector<char> sides(groups.size());
            for (std::size_t g = 0; g < groups.size(); ++g)
                sides[g] = std::ranges::binary_search(left, groups.levels[g]);
            if (groups.missing != LevelGroups::kNone)
                sides[groups.missing] = found.missing == MissingSide::left;
            take_sides(sides, split);
            return split;
        }
        if (missing)
            split.missing =
                found.missing == MissingSide::left ? MissingSide::left : MissingSide::right;
        return split;
    }

    Work work() const {
        Work all = search_.work();
        all.cuts += categories_.n_cuts();
        if constexpr (requires { scan_.n_cuts(); }) all.cuts += scan_.n_cuts();
        if constexpr (requires { sparse_.n_cuts(); }) all.cuts += sparse_.n_cuts();
        return all;
    }

    // One or zero for each sample last marked.
    std::span<const std::uint8_t> marks(std::size_t n) const { return {goes_left_.data(), n}; }

private:
    static Split start(const Found& found) {
        return {.feature = found.feature, .threshold = found.threshold, .missing = found.missing};
    }

    static StreamKey levels_key(const NodeSamples& node, FeatureId f) {
        return derive(node.key, kCutPart + f);
    }

    // The best split of a category's levels, better or not than any found before: it is compared
    // by less than its score.
    bool search_levels(const NodeSamples& node, std::span<const RowId> rows,
                       const CutLimits& limits, Found& found) {
        const Column& column = table_.columns[found.feature];
        std::size_t n_levels;
        found.cut = {};
        if constexpr (ExactSumCriterion<C>) {
            found.choice = {.cut = scan_.best_cut(criterion_, column, rows, limits, stop_,
                                                  found.cut, n_levels)};
        } else {
            categories_.enter(column, rows, n_copies_);
            if (!counted_.empty()) categories_.count(counted_);
            n_levels = categories_.groups().n_free;
            if (n_levels > 1)
                categories_.best_split(criterion_, limits, levels_key(node, found.feature), stop_,
                                       found.cut, found.choice);
        }
        if (rules_.adjust_levels)  // copies are of samples that count once
            found.by_chance = score_by_chance(n_levels, rows.size() - n_copies_);
        return n_levels > 1;
    }

    // Parted into all its L levels, a node of n samples loses (L - 1) / (n - 1) of its impurity if
    // the levels mean nothing: exactly so, on average over their permutations, for Gini and squared
    // error. What L levels gain over the two that a threshold tells apart is taken off. Only 24
    // bits of it count, so that ties do not hang on how the impurity was rounded.
    double score_by_chance(std::size_t n_levels, std::size_t n) const {
        if (n_levels <= 2) return 0.0;
        const double share = static_cast<double>(n_levels - 2) / static_cast<double>(n - 1);
        const double score = share * criterion_.impurity() * criterion_.score_per_decrease();
        const double split = score * 0x20000001p0;
        return split - (split - score);
    }

    // Missing values stand after all others, then before them: both ends are tried.
    bool search_with_missing(std::span<const RowId> rows, const CutLimits& limits, Found& found) {
        const Column& column = table_.columns[found.feature];
        const std::size_t n = rows.size();
        if (column.sparse) {
            if (!gather_sparse(column, rows, other_codes_)) return false;
        } else {
            const Column* only = &column;
            gather_codes({&only, 1}, rows, {&other_codes_, 1}, stop_);
        }
        const std::uint16_t* const codes = other_codes_.data();
        NodeColumn last{column, rows, codes, range_of(codes, n)};
        const Code missing = static_cast<Code>(column.n_codes);
        const bool has_missing = column.has_missing && last.range.high == missing;
        if (has_missing ? last.range.low == missing : constant(last)) return false;
        for_missing_sides(has_missing, [&](MissingSide side) {
            const bool improved = side == MissingSide::left
                                      ? improve_after_missing(last, limits, found)
                                      : improve_before_missing(last, limits, found);
            if (improved) found.missing = side;
        });
        return true;
    }

    // Missing values stand after all others: they have the largest code.
    bool improve_before_missing(const NodeColumn& last, const CutLimits& limits, Found& found) {
        const double before = found.cut.score;
        search_.best_cut(criterion_, last, limits, rules_.search, stop_, found.cut);
        if (!(found.cut.score > before)) return false;
        const bool at_missing =
            last.column.has_missing && codes_at_cut(last, found.cut).second == last.column.n_codes;
        found.threshold = at_missing ? kInfinity : threshold_of_cut(last, found.cut, places_);
        return true;
    }

    // Missing values stand before all others: all codes move up by one.
    bool improve_after_missing(const NodeColumn& last, const CutLimits& limits, Found& found) {
        const std::size_t n = last.rows.size();
        const Code missing = static_cast<Code>(last.column.n_codes);
        std::uint16_t* const shifted = shifted_codes_.take(n);
        for (std::size_t i = 0; i < n; ++i)
            shifted[i] =
                last.codes[i] == missing ? 0 : static_cast<std::uint16_t>(last.codes[i] + 1);
        const NodeColumn first{last.column, last.rows, shifted, range_of(shifted, n), -kInfinity};
        const double before = found.cut.score;
        search_.best_cut(criterion_, first, limits, rules_.search, stop_, found.cut);
        if (!(found.cut.score > before)) return false;
        Cut& cut = found.cut;
        const auto [below, above] = codes_at_cut(first, cut);
        if (below == 0) {
            found.threshold = -kInfinity;
            return true;
        }
        cut.border = above - 1;
        cut.below = below - 1;
        found.threshold = threshold_of_cut(last, cut, places_);
        return true;
    }

    // One threshold within the range of what is known; missing values are tried on both sides.
    bool draw_with_missing(const NodeSamples& node, std::span<const RowId> rows,
                           const CutLimits& limits, Found& found) {
        const std::size_t n = rows.size();
        double* const of = read_any_values(table_.columns[found.feature], rows, values_.take(n));
        double low = kInfinity, high = -kInfinity;
        std::size_t n_missing = 0;
        for (std::size_t i = 0; i < n; ++i) {
            low = of[i] < low ? of[i] : low;
            high = of[i] > high ? of[i] : high;
            n_missing += std::isnan(of[i]);
        }
        if (n_missing == n || (low == high && n_missing == 0)) return false;
        const bool parts = low < high;
        const double threshold =
            parts ? draw_threshold(node.key, found.feature, low, high) : kInfinity;
        for_missing_sides(n_missing > 0, [&](MissingSide missing) {
            double at = threshold;
            if (missing == MissingSide::left) {
                for (std::size_t i = 0; i < n; ++i)
                    if (std::isnan(of[i])) of[i] = -kInfinity;
                if (!parts) at = -kInfinity;
            }
            const double before = found.cut.score;
            score_values(criterion_, search_, {of, n}, at, limits, goes_left_, found.cut);
            if (!(found.cut.score > before)) return;
            found.threshold = at;
            found.missing = missing;
        });
        return true;
    }

    // A coin for each level, thrown until the known ones do not all fall on one side.
    bool draw_levels(const NodeSamples& node, std::span<const RowId> rows, const CutLimits& limits,
                     Found& found) {
        const Column& column = table_.columns[found.feature];
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
            n_left = mark_by_coins(column, levels, seed, false);
        } while (several ? n_left == 0 || n_left == n_known : n_left == 0);
        for_missing_sides(n_known < n, [&](MissingSide side) {
            if (side == MissingSide::left) {
                if (!several) return;  // the same two sides once more
                n_left = mark_by_coins(column, levels, seed, true);
            }
            const double before = found.cut.score;
            search_.score_sides(criterion_, {goes_left_.data(), n}, n_left, limits, found.cut);
            if (!(found.cut.score > before)) return;
            found.threshold = LevelRule(LevelRule::Form::coin, seed, false).in_place();
            found.missing = side;
        });
        return true;
    }

    std::span<const Code> levels_at(const Column& column, std::span<const RowId> rows) {
        gather_levels(column, rows, levels_.take(rows.size()));
        return {levels_.data(), rows.size()};
    }

    std::size_t mark_by_coins(const Column& column, std::span<const Code> levels,
                              const Found& found) {
        return mark_by_coins(column, levels, LevelRule(found.threshold).content(),
                             found.missing == MissingSide::left);
    }

    // Returns how many go left.
    std::size_t mark_by_coins(const Column& column, std::span<const Code> levels,
                              std::uint64_t seed, bool missing_left) {
        const auto missing = static_cast<Code>(column.n_codes);
        std::uint8_t* const goes = goes_left_.take(levels.size());
        const bool tabled = column.n_codes <= levels.size();
        if (tabled) {  // each coin is thrown once
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

    // The first so many levels in the order of their means go left.
    void mark_by_order(const Column& column, std::span<const RowId> rows, std::size_t cut,
                       Split& split) {
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
        std::uint8_t* const goes = goes_left_.take(rows.size());
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

    // Marks the samples of the groups of levels last taken up, and tells the split their sides.
    void take_sides(std::span<const char> sides, Split& split) {
        const LevelGroups& groups = categories_.groups();
        std::uint8_t* const goes = goes_left_.take(groups.group_of.size());
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

    std::size_t mark_with_missing(const Column& column, std::span<const RowId> rows,
                                  const Found& found) {
        const std::size_t n = rows.size();
        double* const of = read_any_values(column, rows, values_.take(n));
        if (found.missing == MissingSide::left)
            for (std::size_t i = 0; i < n; ++i)
                if (std::isnan(of[i])) of[i] = -kInfinity;
        return kernels_.mark_upto(of, n, found.threshold, goes_left_.take(n));
    }

    const Table& table_;
    const FastRules& rules_;
    const StopFlag& stop_;
    C& criterion_;
    const Kernels& kernels_ = kernels();
    CutSearch<C> search_;
    CategorySearch<C> categories_;
    typename ScansOf<C>::Levels scan_;
    typename ScansOf<C>::Sparse sparse_;
    Scratch<std::uint8_t> goes_left_;
    Scratch<Position> places_;
    Scratch<double> values_;
    Scratch<Code> levels_;
    std::vector<char> coins_;
    std::vector<std::uint8_t> side_of_level_;
    std::vector<Code> levels_of_side_[2];  // right, left
    std::size_t n_copies_ = 0;
    std::vector<std::uint32_t> counted_;
    CodeBuffer other_codes_, shifted_codes_;
};

}  // namespace silvics
