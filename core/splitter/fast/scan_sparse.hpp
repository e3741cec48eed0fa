// Cuts on a sparse column, in time proportional to the cells that it stores.
//
// The sum over the implicit zeros is the sum over the node minus that over the cells. This is
// exact for criteria of exact sums; other criteria gather a sparse column like any other.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "splitter/fast/draw_threshold.hpp"
#include "splitter/fast/exact_counts.hpp"
#include "splitter/fast/exact_sums.hpp"
#include "splitter/fast/node_cells.hpp"

namespace silvics {

// The sum over the samples left of a cut. rest() adds the samples that have no cell: all samples
// of the node but those given to begin(), which are the ones that have a cell.
template <class C>
class LeftSum;

template <ExactSumCriterion C>
class LeftSum<C> {
public:
    explicit LeftSum(C& criterion) : criterion_(criterion) {}
    void enter(std::size_t n) {
        whole_ = {};
        for (std::size_t i = 0; i < n; ++i) whole_ += criterion_.sample(i);
    }
    void begin() { sum_ = {}; }
    void add(Position i) { sum_ += criterion_.sample(i); }
    void add_rest(std::span<const NodeCell> cells) {
        typename C::Statistic stored{};
        for (const NodeCell& cell : cells) stored += criterion_.sample(cell.at);
        sum_ += C::difference(whole_, stored);
    }
    // Replaces the samples added by all others.
    void invert() { sum_ = C::difference(whole_, sum_); }
    bool better(const CutLimits& limits, std::size_t n_left, Cut& best) {
        const double before = best.score;
        ExactSumSearch<C>::score_left(criterion_, sum_, n_left, limits, best);
        return best.score > before;
    }

private:
    C& criterion_;
    typename C::Statistic sum_{}, whole_{};
};

template <ExactCountsCriterion C>
class LeftSum<C> {
public:
    explicit LeftSum(C& criterion) : criterion_(criterion), stored_(criterion.n_classes(), 0) {}
    void enter(std::size_t) {}
    void begin() { left_ = criterion_.begin_scan(); }
    void add(Position i) {
        const std::uint64_t sample = criterion_.samples()[i];
        criterion_.move(left_, C::class_of(sample), C::weight_of(sample));
    }
    void add_rest(std::span<const NodeCell> cells) {
        for (const ClassId c : criterion_.present()) stored_[c] = 0;
        for (const NodeCell& cell : cells) {
            const std::uint64_t sample = criterion_.samples()[cell.at];
            stored_[C::class_of(sample)] += C::weight_of(sample);
        }
        for (const ClassId c : criterion_.present())
            criterion_.move(left_, c, criterion_.total(c) - stored_[c]);
    }
    void invert() {}  // the score is symmetric, and so are the limits
    bool better(const CutLimits& limits, std::size_t n_left, Cut& best) {
        return ExactCountsSearch<C>::better(criterion_, limits, n_left, left_, best);
    }

private:
    C& criterion_;
    typename C::LeftSums left_{};
    std::vector<std::uint64_t> stored_;  // weights by class of the samples that have a cell
};

template <class C>
class SparseScan {
public:
    SparseScan(C& criterion, const Table& table, NodeCells& node)
        : left_(criterion), table_(table), node_(node) {}

    // The number of cuts scored so far.
    std::uint64_t n_cuts() const { return n_cuts_; }

    // The best cut, with missing values at either end of the order; returns false if the column is
    // constant. A cut found has its threshold and the side of missing values.
    bool best_cut(const NodeSamples& node, std::span<const RowId> rows, const CutLimits& limits,
                  Found& found) {
        node_.enter(node.key, rows);
        cells_ = node_.find(found.feature);
        if (cells_.empty()) return false;
        const SparseCells::Head& head = table_.sparse->heads[found.feature];
        SparseCells::visit_codes(head, [&](const auto* codes) { make_groups(head, codes); });
        if (groups_.size() == 1) return false;
        sum_node();
        const bool has_missing = groups_.back().missing;
        for_missing_sides(has_missing, [&](MissingSide side) {
            if (side == MissingSide::left)  // missing values come first
                std::ranges::rotate(groups_, groups_.end() - 1);
            scan(limits, side, found);
        });
        return true;
    }

    // The random cut: one threshold within the range of the known values; missing values are tried
    // on both sides.
    bool random_cut(const NodeSamples& node, std::span<const RowId> rows, const CutLimits& limits,
                    Found& found) {
        node_.enter(node.key, rows);
        cells_ = node_.find_unordered(found.feature);
        if (cells_.empty()) return false;
        const std::size_t m = cells_.size(), n = rows.size();
        double* const values = values_.ensure(m);
        double low = m < n ? 0.0 : kInfinity, high = m < n ? 0.0 : -kInfinity;
        std::size_t n_missing = 0;
        const ColumnView& stored = table_.sparse->values;
        const std::size_t begin = table_.sparse->heads[found.feature].begin;
        visit_scalar(stored.type, [&]<class T>(std::type_identity<T>) {
            for (std::size_t k = 0; k < m; ++k) {
                const double v = values[k] =
                    load_as_double<T>(stored.at(begin + cells_[k].cell)) + 0.0;  // no negative zero
                low = v < low ? v : low;
                high = v > high ? v : high;
                n_missing += v != v;
            }
        });
        if (n_missing == n || (low == high && n_missing == 0)) return false;
        sum_node();
        const bool separates = low < high;
        const double threshold =
            separates ? draw_threshold(node.key, found.feature, low, high) : kInfinity;
        for_missing_sides(n_missing > 0, [&](MissingSide missing) {
            const bool missing_left = missing == MissingSide::left;
            const double at = missing_left && !separates ? -kInfinity : threshold;
            // Only cells of the side that does not have the other samples are summed.
            const bool rest_left = 0.0 <= at;
            std::size_t n_summed = 0;
            left_.begin();
            for (std::size_t k = 0; k < m; ++k) {
                const bool goes_left = std::isnan(values[k]) ? missing_left : values[k] <= at;
                if (goes_left == rest_left) continue;
                left_.add(cells_[k].at);
                ++n_summed;
            }
            if (n_summed == 0 || n_summed == n) return;
            if (rest_left) left_.invert();
            if (!left_.better(limits, rest_left ? n - n_summed : n_summed, found.cut)) return;
            found.threshold = at;
            found.missing = missing;
        });
        return true;
    }

private:
    // Cells of one value, or of one bin.
    struct Group {
        std::size_t first, last;  // range among the sorted cells
        bool rest;                // includes the samples without a cell
        bool missing;
    };

    // Sums the samples of the node before its first cut is scored.
    void sum_node() {
        if (std::exchange(summed_, node_.n_entered()) != node_.n_entered())
            left_.enter(node_.rows().size());
    }

    double value(const SparseCells::Head& head, const NodeCell& cell) const {
        return table_.sparse->values[head.begin + cell.cell] + 0.0;  // no negative zero
    }

    // Makes the groups of equal values, or of one bin, in their order.
    template <class T>
    void make_groups(const SparseCells::Head& head, const T* codes) {
        const std::size_t m = cells_.size();
        const bool by_value = head.several_values;
        groups_.clear();
        bool placed = m == node_.rows().size();
        for (std::size_t begin = 0, end; begin < m; begin = end) {
            const Code code = codes[cells_[begin].cell];
            const double v = by_value ? value(head, cells_[begin]) : 0.0;
            const auto joins = [&](const NodeCell& next) {
                return codes[next.cell] == code && (!by_value || !(value(head, next) > v));
            };
            for (end = begin + 1; end < m && joins(cells_[end]);) ++end;
            const bool missing = head.has_missing && code == head.missing;
            // On which side of the zeros that are not stored the group is.
            int side = missing ? 1 : (code > head.zero) - (code < head.zero);
            if (side == 0 && by_value) side = (v > 0.0) - (v < 0.0);
            if (!placed && side > 0) groups_.push_back({begin, begin, true, false});
            groups_.push_back({begin, end, !placed && side == 0, missing});
            placed |= side >= 0;
        }
        if (!placed) groups_.push_back({m, m, true, false});
    }

    void scan(const CutLimits& limits, MissingSide missing, Found& found) {
        std::size_t n_left = 0;
        n_cuts_ += groups_.size() - 1;
        left_.begin();
        for (std::size_t g = 0; g + 1 < groups_.size(); ++g) {
            const Group& group = groups_[g];
            for (std::size_t k = group.first; k < group.last; ++k) left_.add(cells_[k].at);
            n_left += group.last - group.first;
            if (group.rest) {
                left_.add_rest(cells_);
                n_left += node_.rows().size() - cells_.size();
            }
            if (!left_.better(limits, n_left, found.cut)) continue;
            found.missing = missing;
            found.threshold = threshold_between(found.feature, group, groups_[g + 1]);
        }
    }

    double threshold_between(FeatureId f, const Group& left, const Group& right) const {
        const SparseCells::Head& head = table_.sparse->heads[f];
        if (left.missing) return -kInfinity;
        if (right.missing) return kInfinity;
        double low = left.rest ? 0.0 : -kInfinity, high = right.rest ? 0.0 : kInfinity;
        for (std::size_t k = left.first; k < left.last; ++k)
            low = std::max(low, value(head, cells_[k]));
        for (std::size_t k = right.first; k < right.last; ++k)
            high = std::min(high, value(head, cells_[k]));
        return middle_of_gap(low, high);
    }

    LeftSum<C> left_;
    const Table& table_;
    NodeCells& node_;
    std::uint64_t summed_ = 0;         // the node whose samples are summed
    std::span<const NodeCell> cells_;  // of the column at the node
    std::vector<Group> groups_;
    Scratch<double> values_;
    std::uint64_t n_cuts_ = 0;
};

}  // namespace silvics
