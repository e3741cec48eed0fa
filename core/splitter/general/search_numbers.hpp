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
#include "splitter/general/presorted.hpp"
#include "splitter/general/scan_counts.hpp"
#include "splitter/general/threshold_draw.hpp"
#include "splitter/general/value_bins.hpp"

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
        : rules_(parts.rules),
          search_(search),
          draw_(parts),
          range_(parts),
          bins_(parts.rules, parts.stop),
          presorted_(parts) {
        if constexpr (ScoredByCounts<C>)
            if (!rules_.random_cut && !parts.order.packed.empty()) counts_.emplace(parts);
    }

    // What the criteria read of the samples of a tree.
    static void fill(const SplitterParts& parts) {
        C::fill(parts.target, parts.subset, parts.order);
        if constexpr (ScoredByCounts<C>)
            if (!parts.rules.random_cut && parts.rules.node_bins == NodeBins::none &&
                !parts.rules.presort && CountsSearch::suits(parts))
                CountsOf<C>::Type::fill(parts.target, parts.subset, parts.order);
        if (parts.rules.presort) Presorted::fill(parts);
    }

    void begin(StreamKey node) {
        const SampleOrder& samples = search_.structure.samples;
        range_.draw(node, samples.rows);
        if constexpr (ScoredByCounts<C>)
            if (counts_) counts_->enter(samples);
    }
    ThresholdDraw& threshold_draw() { return draw_; }
    Presorted& presorted() { return presorted_; }

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
        std::vector<double>& values = structure.values;
        const CutLimits allowed = search_.limits(node, f, values.size());
        const Column& column = search_.reader.column(f);
        const bool binned = bins_.used(column, !terms.empty());
        bool one_bin = binned;
        begin_cuts();
        for_missing_sides(learned, [&](MissingSide side) {
            const double end = side == MissingSide::left ? -kInfinity : kInfinity;
            if (learned)
                for (std::size_t i = 0; i < values.size(); ++i)
                    if (std::isnan(read_[i])) values[i] = end;
            const std::span<const Position> sorted = sort(node, f, terms, side);
            if (binned) one_bin = bins_.number(column, structure.entered().rows, values, sorted);
            if (one_bin) return;
            ValueGroups<C> groups(structure.criterion, values, sorted);
            const auto offer = [&](const Cut& cut, double left_weight, double right_weight) {
                if (!(cut.score > kept_.bar())) return;
                const double below = values[cut.at_left], above = values[cut.at_right];
                if (!learned && (std::isinf(below) || std::isinf(above))) return;
                const double threshold = std::isinf(below)   ? -kInfinity
                                         : std::isinf(above) ? kInfinity
                                                             : middle_of_gap(below, above);
                if (within_bounds(f, below, above, threshold, side))
                    kept_.offer(kept_cut(cut, threshold, side, left_weight, right_weight));
            };
            const auto tried = [&] { return !binned || bins_.parts(groups.n_left()); };
            search_.work.cuts += score_cuts(groups, allowed, tried, offer);
        });
        add_kept(f, terms);
        return !one_bin;
    }

    // Scores the cuts between groups that are tried(), and calls offer(cut, left, right) with the
    // weights of both sides.
    template <class Tried, class Offer>
    std::size_t score_cuts(ValueGroups<C>& groups, const CutLimits& allowed, Tried&& tried,
                           Offer&& offer) {
        C& criterion = search_.structure.criterion;
        if constexpr (requires { criterion.begin_batch(); }) {
            struct Pending {
                Cut cut;
                double left, right;
            };
            std::vector<Pending> pending;
            const auto finish = [&] {
                if (pending.empty()) return;
                const std::span<const double> scores = criterion.score_batch();
                for (std::size_t i = 0; i < pending.size(); ++i) {
                    pending[i].cut.score = scores[i];
                    offer(pending[i].cut, pending[i].left, pending[i].right);
                }
                pending.clear();
                criterion.begin_batch();
            };
            criterion.begin_batch();
            const std::size_t n = for_cuts(criterion, groups, allowed, search_.stop, [&] {
                Cut cut = groups.cut();
                if (!tried() || !keeps_order(criterion, allowed, cut)) return;
                criterion.add_to_batch();
                pending.push_back({cut, criterion.left_weight(), criterion.right_weight()});
                if (pending.size() == kMaxBatch) finish();
            });
            finish();
            return n;
        } else {
            return for_cuts(criterion, groups, allowed, search_.stop, [&] {
                if (!tried()) return;
                Cut better{.score = kept_.bar()};
                keep_if_better(criterion, allowed, groups.cut(), better);
                if (better.score > kept_.bar())
                    offer(better, criterion.left_weight(), criterion.right_weight());
            });
        }
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
    std::span<const Position> sort(const NodeSamples& node, FeatureId f,
                                   const std::vector<Term>& terms, MissingSide missing) {
        const std::vector<double>& values = search_.structure.values;
        const Column& column = search_.reader.column(f);
        if (rules_.presort && !search_.on_sample)
            return presorted_.order(node, f, search_.structure.entered().rows, values,
                                    missing == MissingSide::left);
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
            const C& criterion = search_.structure.criterion;
            if (cut.score != -kInfinity)
                kept_.offer(
                    kept_cut(cut, at, side, criterion.left_weight(), criterion.right_weight()));
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

    KeptCut kept_cut(const Cut& cut, double threshold, MissingSide side, double left_weight,
                     double right_weight) const {
        return {.score = cut.score,
                .decrease = search_.structure.decrease_of(cut.score),
                .left_weight = left_weight,
                .right_weight = right_weight,
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

    static constexpr std::size_t kMaxBatch = std::size_t{1} << 14;  // cuts scored together

    const SearchRules& rules_;
    NodeSearch<C>& search_;
    ThresholdDraw draw_;
    CutRange range_;
    ValueBins bins_;
    Presorted presorted_;
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
