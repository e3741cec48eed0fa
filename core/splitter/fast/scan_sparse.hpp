// Cuts on a sparse column, in time proportional to the cells that it stores.
//
// The sum over the implicit zeros is the sum over the node minus that over the cells. This is
// exact for criteria of exact sums; other criteria gather a sparse column like any other.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "splitter/fast/draw_threshold.hpp"
#include "splitter/fast/exact_counts.hpp"
#include "splitter/fast/exact_sums.hpp"

namespace silvics {

// The sum over some samples of a node, and of the others by difference.
template <class C>
class PartSum;

template <ExactSumCriterion C>
class PartSum<C> {
public:
    explicit PartSum(C& criterion) : criterion_(criterion) {}
    void clear() { sum_ = {}; }
    void add(Position i) { sum_ += criterion_.sample(i); }
    // Adds all samples of the node.
    void add_all(std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) sum_ += criterion_.sample(i);
    }
    void add(const PartSum& other) { sum_ += other.sum_; }
    void subtract(const PartSum& other) { sum_ = C::difference(sum_, other.sum_); }
    bool better(const CutLimits& limits, std::size_t n_left, Cut& best) {
        const double before = best.score;
        ExactSumSearch<C>::score_left(criterion_, sum_, n_left, limits, best);
        return best.score > before;
    }

private:
    C& criterion_;
    typename C::Statistic sum_{};
};

template <ExactCountsCriterion C>
class PartSum<C> {
public:
    explicit PartSum(C& criterion) : criterion_(criterion), weights_(criterion.n_classes(), 0) {}
    void clear() { std::ranges::fill(weights_, 0); }
    void add(Position i) {
        const std::uint64_t sample = criterion_.samples()[i];
        weights_[C::class_of(sample)] += C::weight_of(sample);
    }
    void add_all(std::size_t) {
        for (const ClassId c : criterion_.present()) weights_[c] += criterion_.total(c);
    }
    void add(const PartSum& other) {
        for (const ClassId c : criterion_.present()) weights_[c] += other.weights_[c];
    }
    void subtract(const PartSum& other) {
        for (const ClassId c : criterion_.present()) weights_[c] -= other.weights_[c];
    }
    bool better(const CutLimits& limits, std::size_t n_left, Cut& best) {
        auto left = criterion_.begin_scan();
        for (const ClassId c : criterion_.present()) criterion_.move(left, c, weights_[c]);
        return ExactCountsSearch<C>::better(criterion_, limits, n_left, left, best);
    }

private:
    C& criterion_;
    std::vector<std::uint64_t> weights_;
};

template <class C>
class SparseScan {
public:
    // The number of cuts scored so far.
    std::uint64_t n_cuts() const { return n_cuts_; }

    // The best cut, with missing values at either end of the order; returns false if the column is
    // constant. A cut found has its threshold and the side of missing values.
    bool best_cut(C& criterion, const Column& column, const NodeSamples& node,
                  std::span<const RowId> rows, const CutLimits& limits, Found& found) {
        if (!enter(criterion, column, node, rows)) return false;
        const bool has_missing =
            column.has_missing && !groups_.empty() && std::isnan(groups_.back().low);
        if (groups_.size() == 1) return false;
        for_missing_sides(has_missing, [&](MissingSide side) {
            if (side == MissingSide::left)  // missing values come first
                std::ranges::rotate(groups_, groups_.end() - 1);
            scan(criterion, limits, side, found);
        });
        return true;
    }

    // The random cut: one threshold within the range of the known values; missing values are tried
    // on both sides.
    bool random_cut(C& criterion, const Column& column, const NodeSamples& node,
                    std::span<const RowId> rows, const CutLimits& limits, Found& found) {
        if (!enter(criterion, column, node, rows)) return false;
        const bool has_missing = std::isnan(groups_.back().low);
        if (has_missing && groups_.size() == 1) return false;
        const std::size_t n_known = groups_.size() - has_missing;
        const double low = groups_.front().low, high = groups_[n_known - 1].high;
        if (low == high && !has_missing) return false;
        const bool parts = low < high;
        const double threshold =
            parts ? draw_threshold(node.key, found.feature, low, high) : kInfinity;
        for_missing_sides(has_missing, [&](MissingSide missing) {
            const double at = missing == MissingSide::left && !parts ? -kInfinity : threshold;
            PartSum<C> left(criterion);
            std::size_t n_left = 0;
            for (const Cell& cell : cells_) {
                const bool is_missing = std::isnan(cell.value);
                if (is_missing ? missing != MissingSide::left : !(cell.value <= at)) continue;
                left.add(cell.at);
                ++n_left;
            }
            if (0.0 <= at) add_rest(criterion, left, n_left);
            if (n_left == 0 || n_left == n_ || !left.better(limits, n_left, found.cut)) return;
            found.threshold = at;
            found.missing = missing;
        });
        return true;
    }

private:
    std::uint64_t n_cuts_ = 0;
    struct Cell {
        Code code;
        Position at;
        double value;
    };
    struct Group {
        double low, high;         // range of values; NaN: missing
        std::size_t first, last;  // range among the cells
        bool rest;                // includes the samples without a cell
    };

    // Makes the groups of equal values, or of one bin, in their order; returns false if no sample
    // has a cell.
    bool enter(C& criterion, const Column& column, const NodeSamples& node,
               std::span<const RowId> rows) {
        cells_.clear();
        column.codes.visit([&](const auto* codes) {
            for_cells(column, rows, [&](std::size_t i, std::size_t cell) {
                cells_.push_back({codes[cell], static_cast<Position>(i), column.values[cell]});
            });
        });
        if (cells_.empty()) return false;
        const bool by_value = column.kind == Column::Kind::several_values;
        std::ranges::sort(cells_, [&](const Cell& a, const Cell& b) {
            return a.code != b.code ? a.code < b.code : by_value && a.value < b.value;
        });
        n_rest_ = rows.size() - cells_.size();
        groups_.clear();
        bool placed = n_rest_ == 0;
        const auto place_rest = [&](std::size_t at) {
            groups_.push_back({0.0, 0.0, at, at, true});
            placed = true;
        };
        const auto order = [&](Code code, double value) {  // against the zeros that are not stored
            return code != column.zero ? (code < column.zero ? -1 : 1)
                   : by_value          ? (value > 0.0) - (value < 0.0)
                                       : 0;
        };
        for (std::size_t begin = 0, end; begin < cells_.size(); begin = end) {
            const Cell& first = cells_[begin];
            const auto same = [&](const Cell& cell) {
                return cell.code == first.code && !(by_value && cell.value != first.value);
            };
            Group group{first.value, first.value, begin, begin, false};
            const bool missing = column.has_missing && first.code == column.n_codes;
            for (end = begin; end < cells_.size() && (missing || same(cells_[end])); ++end) {
                group.low = std::min(group.low, cells_[end].value);
                group.high = std::max(group.high, cells_[end].value);
            }
            group.last = end;
            const int side = missing ? 1 : order(first.code, first.value);
            if (!placed && side > 0) place_rest(begin);
            if (!placed && side == 0) {
                group.low = std::min(group.low, 0.0);
                group.high = std::max(group.high, 0.0);
                group.rest = placed = true;
            }
            groups_.push_back(group);
        }
        if (!placed) place_rest(cells_.size());
        if (node.key != node_ || rows.size() != n_) {  // once per node
            node_ = node.key;
            n_ = rows.size();
            whole_.emplace(criterion);
            whole_->add_all(n_);
        }
        return true;
    }

    void scan(C& criterion, const CutLimits& limits, MissingSide missing, Found& found) {
        PartSum<C> left(criterion);
        std::size_t n_left = 0;
        n_cuts_ += groups_.size() - (groups_.empty() ? 0 : 1);
        for (std::size_t g = 0; g + 1 < groups_.size(); ++g) {
            const Group& group = groups_[g];
            for (std::size_t k = group.first; k < group.last; ++k) left.add(cells_[k].at);
            n_left += group.last - group.first;
            if (group.rest) add_rest(criterion, left, n_left);
            if (!left.better(limits, n_left, found.cut)) continue;
            const double low = group.high, high = groups_[g + 1].low;
            found.missing = missing;
            found.threshold = std::isnan(low)    ? -kInfinity
                              : std::isnan(high) ? kInfinity
                                                 : middle_of_gap(low, high);
        }
    }

    // Adds the samples that have no cell.
    void add_rest(C& criterion, PartSum<C>& left, std::size_t& n_left) {
        PartSum<C> stored(criterion);
        for (const Cell& cell : cells_) stored.add(cell.at);
        left.add(*whole_);
        left.subtract(stored);
        n_left += n_rest_;
    }

    std::vector<Cell> cells_;
    std::vector<Group> groups_;
    std::size_t n_rest_ = 0;
    StreamKey node_ = 0;  // node whose sum is in whole_
    std::size_t n_ = 0;
    std::optional<PartSum<C>> whole_;
};

}  // namespace silvics
