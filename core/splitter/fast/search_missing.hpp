// Cuts on numbers of which some are missing, or which are stored in sparse cells.
//
// Missing values are at one end of the order, after all others or before them; both ends are tried.
#pragma once

#include <cmath>
#include <span>

#include "splitter/fast/cut_search.hpp"
#include "splitter/fast/draw_threshold.hpp"
#include "splitter/fast/scan_sparse.hpp"
#include "splitter/splitter.hpp"

namespace silvics {

// A criterion of exact sums scans the stored cells of a sparse column; others gather its codes.
struct NoSparseScan {
    template <class... Any>
    explicit NoSparseScan(Any&&...) {}
};
template <Criterion C>
using SparseScanOf = typename std::conditional_t<ExactSumCriterion<C> || ExactCountsCriterion<C>,
                                                 std::type_identity<SparseScan<C>>,
                                                 std::type_identity<NoSparseScan>>::type;

template <Criterion C>
class MissingSearch {
public:
    MissingSearch(const SplitterParts& parts, C& criterion, CutSearch<C>& search)
        : rules_(parts.rules),
          stop_(parts.stop),
          criterion_(criterion),
          search_(search),
          cells_(parts.table, parts.rules.max_features, parts.stop),
          sparse_(criterion, parts.table, cells_) {}

    // Prepares to search sparse columns of the node.
    void enter(const NodeSamples& node, std::span<const RowId> rows) {
        cells_.enter(node.key, rows);
    }
    const NodeCells& cells() const { return cells_; }

    // The best cut of a column, if it is better than the one found before; returns false if the
    // column is constant. A cut found has its threshold and the side of missing values.
    bool best_cut(const Column& column, const NodeSamples& node, std::span<const RowId> rows,
                  const CutLimits& limits, Found& found) {
        return column.sparse ? cut_of_cells(column, node, rows, limits, found)
                             : best_gathered_cut(column, node, rows, limits, found);
    }

    // The random cut: one threshold within the range of the known values.
    bool random_cut(const Column& column, const NodeSamples& node, std::span<const RowId> rows,
                    const CutLimits& limits, Found& found) {
        return column.sparse ? cut_of_cells(column, node, rows, limits, found)
                             : draw_threshold_of(column, node, rows, limits, found);
    }

    // The best, or the random, cut of a sparse column.
    bool cut_of_cells(const Column& column, const NodeSamples& node, std::span<const RowId> rows,
                      const CutLimits& limits, Found& found) {
        if constexpr (kScansSparse)
            return rules_.random_cut ? sparse_.random_cut(node, rows, limits, found)
                                     : sparse_.best_cut(node, rows, limits, found);
        else
            return rules_.random_cut ? draw_threshold_of(column, node, rows, limits, found)
                                     : best_gathered_cut(column, node, rows, limits, found);
    }

    // Marks the samples that the cut sends left, and returns how many there are. Those of a sparse
    // column that have no cell are on one side.
    std::size_t mark_cells(const Column& column, const NodeSamples& node,
                           std::span<const RowId> rows, const Found& found,
                           Scratch<std::uint8_t>& goes_left) {
        enter(node, rows);
        const bool rest_left = 0.0 <= found.threshold;
        const bool missing_left = found.missing == MissingSide::left;
        std::uint8_t* const marks = goes_left.ensure(rows.size());
        std::fill_n(marks, rows.size(), std::uint8_t{rest_left});
        std::size_t n_others = 0;
        for (const NodeCell& cell : cells_.find_unordered(found.feature)) {
            const double v = column.values[cell.cell];
            const bool left = std::isnan(v) ? missing_left : v <= found.threshold;
            marks[cell.at] = left;
            n_others += left != rest_left;
        }
        return rest_left ? rows.size() - n_others : n_others;
    }

    // Marks the samples that the cut sends left, and returns how many there are.
    std::size_t mark(const Column& column, std::span<const RowId> rows, const Found& found,
                     Scratch<std::uint8_t>& goes_left) {
        const std::size_t n = rows.size();
        double* const values = read_any_values(column, rows, values_.ensure(n));
        if (found.missing == MissingSide::left)
            for (std::size_t i = 0; i < n; ++i)
                if (std::isnan(values[i])) values[i] = -kInfinity;
        return kernels_.mark_upto(values, n, found.threshold, goes_left.ensure(n));
    }

    // The number of cuts scored in sparse columns.
    std::uint64_t n_cuts() const {
        if constexpr (kScansSparse) return sparse_.n_cuts();
        return 0;
    }

private:
    static constexpr bool kScansSparse = ExactSumCriterion<C> || ExactCountsCriterion<C>;

    bool best_gathered_cut(const Column& column, const NodeSamples& node,
                           std::span<const RowId> rows, const CutLimits& limits, Found& found) {
        const std::size_t n = rows.size();
        if (column.sparse) {
            enter(node, rows);
            if (!gather_cells(column, cells_.find_unordered(found.feature), n)) return false;
        } else {
            const Column* only = &column;
            gather_codes({&only, 1}, rows, {&codes_, 1}, stop_);
        }
        const std::uint16_t* const codes = codes_.data();
        NodeColumn last{column, rows, codes, range_of(codes, n)};
        const Code missing = static_cast<Code>(column.n_codes);
        const bool has_missing = column.has_missing && last.range.high == missing;
        if (has_missing ? last.range.low == missing : last.constant()) return false;
        for_missing_sides(has_missing, [&](MissingSide side) {
            const bool improved = side == MissingSide::left
                                      ? improve_after_missing(last, limits, found)
                                      : improve_before_missing(last, limits, found);
            if (improved) found.missing = side;
        });
        return true;
    }

    // The codes of a sparse column; returns false, without codes, if no sample has a cell.
    bool gather_cells(const Column& column, std::span<const NodeCell> cells, std::size_t n) {
        if (cells.empty()) return false;
        std::uint16_t* const codes = codes_.ensure(n);
        std::fill_n(codes, n, static_cast<std::uint16_t>(column.zero));
        column.codes.visit([&](const auto* from) {
            for (const NodeCell& cell : cells) codes[cell.at] = from[cell.cell];
        });
        return true;
    }

    // Missing values come after all others: they have the largest code.
    bool improve_before_missing(const NodeColumn& last, const CutLimits& limits, Found& found) {
        const double before = found.cut.score;
        search_.best_cut(criterion_, last, limits, rules_.search, stop_, found.cut);
        if (!(found.cut.score > before)) return false;
        const bool at_missing =
            last.column.has_missing && codes_at_cut(last, found.cut).second == last.column.n_codes;
        found.threshold = at_missing ? kInfinity : threshold_of_cut(last, found.cut, places_);
        return true;
    }

    // Missing values come before all others: all other codes move up by one.
    bool improve_after_missing(const NodeColumn& last, const CutLimits& limits, Found& found) {
        const std::size_t n = last.rows.size();
        const Code missing = static_cast<Code>(last.column.n_codes);
        std::uint16_t* const shifted = shifted_codes_.ensure(n);
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

    bool draw_threshold_of(const Column& column, const NodeSamples& node,
                           std::span<const RowId> rows, const CutLimits& limits, Found& found) {
        const std::size_t n = rows.size();
        double* const values = values_.ensure(n);
        if (column.sparse) {
            enter(node, rows);
            const auto cells = cells_.find_unordered(found.feature);
            if (cells.empty()) return false;
            std::fill_n(values, n, 0.0);
            for (const NodeCell& cell : cells) values[cell.at] = column.values[cell.cell];
        } else {
            read_any_values(column, rows, values);
        }
        double low = kInfinity, high = -kInfinity;
        std::size_t n_missing = 0;
        for (std::size_t i = 0; i < n; ++i) {
            low = values[i] < low ? values[i] : low;
            high = values[i] > high ? values[i] : high;
            n_missing += std::isnan(values[i]);
        }
        if (n_missing == n || (low == high && n_missing == 0)) return false;
        const bool separates = low < high;
        const double threshold =
            separates ? draw_threshold(node.key, found.feature, low, high) : kInfinity;
        for_missing_sides(n_missing > 0, [&](MissingSide missing) {
            double at = threshold;
            if (missing == MissingSide::left) {
                for (std::size_t i = 0; i < n; ++i)
                    if (std::isnan(values[i])) values[i] = -kInfinity;
                if (!separates) at = -kInfinity;
            }
            const double before = found.cut.score;
            score_values(criterion_, search_, {values, n}, at, limits, goes_left_, found.cut);
            if (!(found.cut.score > before)) return;
            found.threshold = at;
            found.missing = missing;
        });
        return true;
    }

    const FastRules& rules_;
    const StopFlag& stop_;
    C& criterion_;
    CutSearch<C>& search_;
    const Kernels& kernels_ = kernels();
    NodeCells cells_;
    SparseScanOf<C> sparse_;
    Scratch<std::uint8_t> goes_left_;
    Scratch<Position> places_;
    Scratch<double> values_;
    CodeBuffer codes_, shifted_codes_;
};

}  // namespace silvics
