// Cuts on a number, or on a combination of numbers: all cuts between neighbours, or one drawn.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <tuple>
#include <vector>

#include "splitter/fast/scan_thresholds.hpp"
#include "splitter/general/cut_range.hpp"
#include "splitter/general/kept_cuts.hpp"
#include "splitter/general/node_search.hpp"
#include "splitter/general/scan_counts.hpp"
#include "splitter/general/threshold_draw.hpp"

namespace silvics {

// The scan with class counts in integers, or a class without content.
template <class C>
struct CountsSearchOf {
    struct Type {};
};
template <ScoredByCounts C>
struct CountsSearchOf<C> {
    using Type = CountsScan<typename CountsOf<C>::Type>;
};

template <MovingCriterion C>
class NumberSearch {
    using CountsSearch = typename CountsSearchOf<C>::Type;

public:
    NumberSearch(const SplitterParts& parts, NodeSearch<C>& search)
        : rules_(parts.rules), search_(search), draw_(parts), range_(parts) {
        if constexpr (ScoredByCounts<C>)
            if (!rules_.random_cut && !parts.order.packed.empty()) counts_.emplace(parts);
    }

    // What the criteria read of the samples of a tree.
    static void fill(const SplitterParts& parts) {
        C::fill(parts.target, parts.subset, parts.order);
        if constexpr (ScoredByCounts<C>)
            if (!parts.rules.random_cut && CountsSearch::suits(parts))
                CountsOf<C>::Type::fill(parts.target, parts.subset, parts.order);
    }

    void begin(StreamKey node) {
        const SampleOrder& samples = search_.structure.samples;
        range_.draw(node, samples.rows);
        if constexpr (ScoredByCounts<C>)
            if (counts_) counts_->enter(samples);
    }
    ThresholdDraw& threshold_draw() { return draw_; }

    // Adds the candidates of a variable, or of a combination; returns false if it is constant.
    bool try_number(const NodeSamples& node, FeatureId f, std::vector<Term> terms) {
        if constexpr (ScoredByCounts<C>)
            if (counts_ && terms.empty() && counts_->can_scan(f) && rules_.monotonic_sign(f) == 0)
                return scan_counts(node, f);
        StructureSamples<C>& structure = search_.structure;
        const auto all = search_.reader.numbers(f, structure.samples.rows, terms, read_);
        structure.values.assign(all.begin(), all.end());
        structure.separate_missing(rules_.missing);
        double low = kInfinity, high = -kInfinity;
        for (const double x : structure.values) {
            if (std::isnan(x) || std::isinf(x)) continue;
            low = std::min(low, x);
            high = std::max(high, x);
        }
        if (!(low <= high)) return rules_.by_cells() && try_cut(node, f, terms, low, high);
        if (!(low < high) && !learns_missing() && !rules_.by_cells()) return false;
        if (rules_.honest) search_.estimation.set_order(search_.reader, f, terms);
        return rules_.random_cut ? try_cut(node, f, terms, low, high) : scan(node, f, terms);
    }

private:
    // Whether missing values are at one end of the order, and both ends are tried.
    bool learns_missing() const {
        return search_.structure.has_missing() && rules_.missing == MissingRule::learned;
    }

    // All cuts between neighbours.
    bool scan(const NodeSamples& node, FeatureId f, const std::vector<Term>& terms) {
        const bool learned = learns_missing();
        StructureSamples<C>& structure = search_.structure;
        C& criterion = structure.criterion;
        std::vector<double>& values = structure.values;
        const CutLimits allowed = search_.limits(node, f, values.size());
        begin_cuts();
        for_missing_sides(learned, [&](MissingSide side) {
            const double end = side == MissingSide::left ? -kInfinity : kInfinity;
            if (learned)
                for (std::size_t i = 0; i < values.size(); ++i)
                    if (std::isnan(read_[i])) values[i] = end;
            const std::span<const Position> sorted = sort(f, terms);
            ValueGroups<C> groups(criterion, values, sorted);
            search_.work.cuts += for_cuts(criterion, groups, allowed, search_.stop, [&] {
                const Cut cut = groups.cut();
                Cut better{.score = kept_.bar()};
                keep_if_better(criterion, allowed, cut, better);
                if (!(better.score > kept_.bar())) return;
                const double below = values[cut.at_left], above = values[cut.at_right];
                if (!learned && (std::isinf(below) || std::isinf(above))) return;
                const double threshold = std::isinf(below)   ? -kInfinity
                                         : std::isinf(above) ? kInfinity
                                                             : middle_of_gap(below, above);
                if (within_bounds(f, below, above, threshold, side))
                    kept_.offer(kept_cut(better, threshold, side));
            });
        });
        add_kept(f, terms);
        return true;
    }

    // The same for a plain variable and class counts in integers.
    bool scan_counts(const NodeSamples& node, FeatureId f)
        requires(ScoredByCounts<C>)
    {
        StructureSamples<C>& structure = search_.structure;
        const std::span<const RowId> rows = structure.samples.rows;
        if (!counts_->sort(f)) return false;
        search_.work.sorted += rows.size();
        structure.set_none_missing();
        if (rules_.honest) search_.estimation.set_order(search_.reader, f, {});
        const Column& column = search_.reader.column(f);
        const auto set_threshold = [&](KeptCut& cut) {
            const double below = column.values[rows[cut.at_left]];
            const double above = column.values[rows[cut.at_right]];
            cut.threshold = middle_of_gap(below, above);
            return within_bounds(f, below, above, cut.threshold, MissingSide::unseen);
        };
        const bool bounded = rules_.honest || rules_.range_sample != 0;
        begin_cuts();
        search_.work.cuts +=
            counts_->for_cuts(search_.limits(node, f, rows.size()), kept_, [&](KeptCut cut) {
                if (!bounded || set_threshold(cut)) kept_.offer(cut);
            });
        for (KeptCut& cut : kept_.finish()) set_threshold(cut);
        add_kept(f, {});
        return true;
    }

    // Whether a cut between these values is in the range of the node, and leaves enough estimation
    // samples on both sides.
    bool within_bounds(FeatureId f, double below, double above, double threshold,
                       MissingSide side) {
        return range_.holds(f, below, above) &&
               (!rules_.honest || search_.estimation.on_both_sides(threshold, side));
    }

    // The samples entered in the order of their values, equal ones in their own order. Codes are
    // sorted faster than values, where they have the same order.
    std::span<const Position> sort(FeatureId f, const std::vector<Term>& terms) {
        const std::vector<double>& values = search_.structure.values;
        const Column& column = search_.reader.column(f);
        search_.work.sorted += values.size();
        const bool by_codes = terms.empty() && !search_.structure.has_missing() && !column.sparse &&
                              column.codes.data != nullptr && column.kind != Column::Kind::bin;
        if (by_codes) {
            const Column* const one[] = {&column};
            const std::span<const RowId> rows = search_.structure.samples.rows;
            gather_codes(one, rows, {&codes_, 1}, search_.stop);
            return sort_.sort({column, rows, codes_.data(), range_of(codes_.data(), rows.size())},
                              search_.stop);
        }
        sorted_.resize(values.size());
        std::iota(sorted_.begin(), sorted_.end(), Position{0});
        std::ranges::stable_sort(sorted_, {}, [&](Position i) { return values[i]; });
        return sorted_;
    }

    // One cut, drawn.
    bool try_cut(const NodeSamples& node, FeatureId f, const std::vector<Term>& terms, double low,
                 double high) {
        const std::vector<double>& values = search_.structure.values;
        const bool cells = rules_.by_cells();
        double threshold = kInfinity;  // separates known values from missing ones
        if (cells) {
            std::tie(low, high) = node.place->cells->side(node.place->cell, f, rules_.ranges[f]);
            if (!(low < high)) return false;
        }
        if (low < high) {
            const auto drawn = draw_.draw(node, f, low, high, read_, values);
            if (!drawn) return true;  // the variable does not separate the pair
            threshold = *drawn;
        }
        const CutLimits allowed = search_.limits(node, f, values.size());
        begin_cuts();
        for_missing_sides(learns_missing(), [&](MissingSide side) {
            const bool missing_left = side == MissingSide::left;
            const double at = missing_left && std::isinf(threshold) ? -kInfinity : threshold;
            const std::size_t n_left = mark(values, at, missing_left);
            Cut cut;
            ++search_.work.cuts;
            if (n_left > 0 && n_left < values.size() &&
                (!rules_.honest || search_.estimation.on_both_sides(at, side)))
                scan_.score_sides(search_.structure.criterion, {goes_left_.data(), values.size()},
                                  n_left, allowed, cut);
            if (cut.score != -kInfinity)
                kept_.offer(kept_cut(cut, at, side));
            else if (cells && kept_.empty() && !every_cut())  // cells are cut without samples, too
                kept_.offer({.decrease = 0.0, .threshold = at, .missing = side});
        });
        add_kept(f, terms);
        return true;
    }

    // Marks the samples that a threshold sends left; returns how many there are.
    std::size_t mark(const std::vector<double>& values, double threshold, bool missing_left) {
        std::uint8_t* const goes = goes_left_.ensure(values.size());
        std::size_t n_left = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            goes[i] = std::isnan(values[i]) ? missing_left : values[i] <= threshold;
            n_left += goes[i];
        }
        return n_left;
    }

    // Where one of the best is drawn, every cut is a candidate.
    bool every_cut() const { return rules_.choice == Choice::one_of_best; }

    // Begins to keep cuts of a variable.
    void begin_cuts() {
        if (every_cut())
            kept_.begin(rules_.n_best, search_.least_worth());
        else
            kept_.begin_best(search_.tolerance);
    }

    KeptCut kept_cut(const Cut& cut, double threshold, MissingSide side) const {
        const C& criterion = search_.structure.criterion;
        return {.score = cut.score,
                .decrease = search_.structure.decrease_of(cut.score),
                .left_weight = criterion.left_weight(),
                .right_weight = criterion.right_weight(),
                .middle = cut.middle,
                .threshold = threshold,
                .missing = side};
    }

    // Adds the cuts kept to the candidates of the node.
    void add_kept(FeatureId f, const std::vector<Term>& terms) {
        const StructureSamples<C>& structure = search_.structure;
        for (const KeptCut& cut : kept_.finish()) {
            Candidate c;
            c.feature = f;
            c.terms = terms;
            c.decrease = c.worth = cut.decrease;
            c.threshold = cut.threshold;
            c.missing = cut.missing;
            c.middle = cut.middle;
            double parts[3] = {cut.left_weight, cut.right_weight, 0.0};
            if (rules_.missing == MissingRule::apart && structure.has_missing())
                parts[2] = structure.missing_weight();
            if (parts[0] > 0.0) c.information = information_of(parts);
            search_.add(std::move(c));
        }
    }

    const SearchRules& rules_;
    NodeSearch<C>& search_;
    ThresholdDraw draw_;
    CutRange range_;
    ThresholdScan<C> scan_;
    std::vector<double> read_;  // of all structure samples
    std::vector<Position> sorted_;
    NodeSort sort_;
    CodeBuffer codes_;
    KeptCuts kept_;
    std::optional<CountsSearch> counts_;
    Scratch<std::uint8_t> goes_left_;
};

}  // namespace silvics
