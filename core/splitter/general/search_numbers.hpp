// Cuts on a number, or on a combination of numbers: all cuts between neighbours, or one drawn.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <vector>

#include "splitter/fast/scan_thresholds.hpp"
#include "splitter/general/cut_range.hpp"
#include "splitter/general/node_search.hpp"
#include "splitter/general/threshold_draw.hpp"

namespace silvics {

template <MovingCriterion C>
class NumberSearch {
public:
    NumberSearch(const SplitterParts& parts, NodeSearch<C>& search)
        : rules_(parts.rules), search_(search), draw_(parts), range_(parts) {}

    void begin(StreamKey node) { range_.draw(node, search_.structure.samples.rows); }
    ThresholdDraw& threshold_draw() { return draw_; }

    // Adds the candidates of a variable, or of a combination; returns false if it is constant.
    bool try_number(const NodeSamples& node, FeatureId f, std::vector<Term> terms) {
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
        C& criterion = search_.structure.criterion;
        std::vector<double>& values = search_.structure.values;
        Candidate best;
        best.feature = f;
        best.terms = terms;
        const CutLimits allowed = search_.limits(node, f, values.size());
        bar_ = -kInfinity;
        for_missing_sides(learned, [&](MissingSide side) {
            const double end = side == MissingSide::left ? -kInfinity : kInfinity;
            if (learned)
                for (std::size_t i = 0; i < values.size(); ++i)
                    if (std::isnan(read_[i])) values[i] = end;
            const std::span<const Position> sorted = sort(f, terms);
            ValueGroups<C> groups(criterion, values, sorted);
            search_.work.cuts += for_cuts(criterion, groups, allowed, search_.stop, [&] {
                const Cut cut = groups.cut();
                Cut kept{.score = bar_};
                keep_if_better(criterion, allowed, cut, kept);
                if (!(kept.score > bar_)) return;
                const double below = values[cut.at_left], above = values[cut.at_right];
                if (!learned && (std::isinf(below) || std::isinf(above))) return;
                if (!range_.holds(f, below, above)) return;
                const double threshold = std::isinf(below)   ? -kInfinity
                                         : std::isinf(above) ? kInfinity
                                                             : middle_of_gap(below, above);
                if (rules_.honest && !search_.estimation.on_both_sides(threshold, side)) return;
                keep_best(best, threshold, side, kept);
            });
        });
        if (rules_.choice != Choice::one_of_best && best.found()) search_.add(std::move(best));
        return true;
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
        Candidate best;
        best.feature = f;
        best.terms = terms;
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
            if (cells && cut.score == -kInfinity && !best.found()) {
                best.decrease = best.worth = 0.0;  // cells are cut whether or not samples are
                best.threshold = at;
                best.missing = side;
            }
            if (cut.score != -kInfinity) keep_best(best, at, side, cut);
        });
        if (best.found() && rules_.choice != Choice::one_of_best) search_.add(std::move(best));
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

    // Keeps a cut if it is the best so far. Where one of the best is drawn, every cut is a
    // candidate. The decrease does not fall as the score grows: a score that was not kept is a
    // bar for the scores that follow, which saves their decreases.
    void keep_best(Candidate& best, double threshold, MissingSide side, const Cut& cut) {
        const StructureSamples<C>& structure = search_.structure;
        const double decrease = structure.decrease_of(cut.score);
        const bool every = rules_.choice == Choice::one_of_best;
        const bool keeps = every ? search_.would_keep(decrease)
                                 : !best.found() || decrease > best.decrease + search_.tolerance;
        if (!keeps || !every) bar_ = cut.score;
        if (!keeps) return;
        best.decrease = best.worth = decrease;
        best.threshold = threshold;
        best.missing = side;
        best.middle = cut.middle;
        double parts[3] = {structure.criterion.left_weight(), structure.criterion.right_weight(),
                           0.0};
        if (rules_.missing == MissingRule::apart && structure.has_missing())
            parts[2] = structure.missing_weight();
        best.information = information_of(parts);
        if (every) search_.add(best);
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
    double bar_ = -kInfinity;  // cuts of this variable must have a larger score
    Scratch<std::uint8_t> goes_left_;
};

}  // namespace silvics
