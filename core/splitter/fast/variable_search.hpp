// The search for a cut on one variable at a node, and the marks of the samples that it sends left.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "splitter/fast/cut_search.hpp"
#include "splitter/fast/draw_threshold.hpp"
#include "splitter/fast/search_nonplain.hpp"
#include "splitter/splitter.hpp"

namespace silvics {

template <Criterion C>
class VariableSearch {
public:
    VariableSearch(const SplitterParts& parts, C& criterion)
        : table_(parts.table),
          rules_(parts.rules),
          stop_(parts.stop),
          criterion_(criterion),
          nonplain_(parts, criterion) {}

    // Whether random cuts of a node of n samples are drawn on values instead of codes.
    bool by_values(std::size_t n) const { return rules_.random_cut && n < table_.values_below; }
    bool plain(FeatureId f) const { return table_.columns[f].plain; }

    // Called once per node. Random cuts need no prepared samples, except in small nodes.
    void prepare(std::size_t n) {
        if constexpr (requires { criterion_.prepare_search(); })
            if (!rules_.random_cut || n <= kMaxSmallNode) criterion_.prepare_search();
    }

    CutLimits limits(const NodeSamples& node, FeatureId f) const {
        return {node.n, rules_.min_samples_leaf, rules_.min_weight_leaf, rules_.monotonic_sign(f),
                node.bounds};
    }

    // Called once per node of a sparse table: the cells of the node.
    const NodeCells& enter_cells(const NodeSamples& node, std::span<const RowId> rows) {
        nonplain_.enter(node, rows);
        return nonplain_.cells();
    }
    // search() on a sparse column.
    bool search_cells(const NodeSamples& node, std::span<const RowId> rows, Found& found) {
        return nonplain_.search_cells(node, rows, limits(node, found.feature), found);
    }

    // The best, or the random, cut on found.feature for the given rows, if it is better than the
    // one found before; returns false if the variable is constant.
    bool search(const NodeSamples& node, std::span<const RowId> rows, const CutLimits& limits,
                Found& found) {
        const FeatureId f = found.feature;
        if (!plain(f)) return nonplain_.search(node, rows, limits, found);
        if (by_values(rows.size())) return draw_by_values(node, rows, limits, found);
        return search(node, gather(f, rows), limits, found);
    }
    bool search(const NodeSamples& node, std::span<const RowId> rows, Found& found) {
        return search(node, rows, limits(node, found.feature), found);
    }

    // The same for a plain variable whose codes have been gathered.
    bool search(const NodeSamples& node, const NodeColumn& column, const CutLimits& limits,
                Found& found) {
        if (column.constant()) return false;
        if (rules_.random_cut) {
            const double low = values_of_code(column, column.range.low, places_).first;
            const double high = values_of_code(column, column.range.high, places_).second;
            found.threshold = draw_threshold(node.key, found.feature, low, high);
            score_threshold(column, found.threshold, limits, found.cut);
        } else {
            search_.best_cut(criterion_, column, limits, rules_.search, stop_, found.cut);
        }
        return true;
    }

    // Whether search_small() can be used.
    bool fits_small_node() const {
        if constexpr (requires { criterion_.row_width(); }) return criterion_.row_width() != 0;
        return true;
    }

    // The best cut on one variable of a node of N samples.
    template <std::size_t N>
    bool search_small(const NodeSamples& node, std::span<const RowId> rows, Found& found) {
        const auto& column = table_.columns[found.feature];
        if (!column.plain) return search(node, rows, found);
        const SmallNode<N> small(column, rows.data());
        if (column.kind == Column::Kind::several_values && !small.all_differ())
            return search(node, rows, found);
        if (small.constant()) return false;
        search_.best_cut(criterion_, small, limits(node, found.feature), found.cut);
        return true;
    }

    // Scores the cut of two samples that sends this one left.
    void score_one_left(const NodeSamples& node, std::size_t sample, Found& found) {
        const CutLimits allowed = limits(node, found.feature);
        if constexpr (ExactCountsCriterion<C>)
            search_.score_left(criterion_, criterion_.sums_of_one(sample), 1, allowed, found.cut);
        else if constexpr (ExactSumCriterion<C>)
            search_.score_left(criterion_, criterion_.sample(sample), 1, allowed, found.cut);
        else
            search_.score_sides(criterion_, std::array<std::uint8_t, 2>{sample == 0, sample == 1},
                                1, allowed, found.cut);
    }

    // Scores the cut that found.threshold makes of the given rows of a plain variable.
    void score_threshold(const NodeSamples& node, std::span<const RowId> rows, Found& found) {
        const CutLimits allowed = limits(node, found.feature);
        if (by_values(rows.size()))
            score_values(criterion_, search_, {read(found.feature, rows), rows.size()},
                         found.threshold, allowed, goes_left_, found.cut);
        else
            score_threshold(gather(found.feature, rows), found.threshold, allowed, found.cut);
    }
    // Scores the split that the marks of a variable that is not plain make.
    void score_marks(const NodeSamples& node, std::size_t n_left, Found& found) {
        search_.score_sides(criterion_, nonplain_.marks(node.n), n_left,
                            limits(node, found.feature), found.cut);
    }

    // The threshold of a best cut that search() has just found on the gathered codes.
    double threshold_of(const Found& found, std::span<const RowId> rows) {
        return threshold_of_cut(gathered(found.feature, rows), found.cut, places_);
    }

    // Marks the samples that a cut sends left; the split has everything but its decrease.
    Split mark(const NodeSamples& node, const Found& found, std::span<const RowId> rows) {
        if (!plain(found.feature)) return nonplain_.mark(node, found, rows);
        if (by_values(rows.size())) return mark_values(found, read(found.feature, rows), rows);
        return mark_codes(found, gather(found.feature, rows));
    }
    Split mark_values(const Found& found, const double* values, std::span<const RowId> rows) {
        Split split = split_of(found);
        split.n_left = kernels_.mark_upto(values, rows.size(), split.threshold,
                                          goes_left_.ensure(rows.size()));
        return split;
    }
    Split mark_codes(const Found& found, const NodeColumn& column) {
        Split split = split_of(found);
        if (!rules_.random_cut) split.threshold = threshold_of_cut(column, found.cut, places_);
        const CodeSides sides = rules_.random_cut
                                    ? sides_of_threshold(column.column, split.threshold)
                                    : sides_of_cut(found.cut);
        split.n_left = mark_sides(column, sides, split.threshold, goes_left_, places_);
        return split;
    }
    // Marks by a cut that was found on other samples of the node.
    Split mark_as_found(const Found& found, const std::vector<Code>& left_levels,
                        std::span<const RowId> rows) {
        if (!plain(found.feature)) return nonplain_.mark_as_found(found, left_levels, rows);
        return mark_values(found, read(found.feature, rows), rows);
    }
    // One or zero for each sample of the node, as marked last for this variable.
    std::span<const std::uint8_t> marks(FeatureId f, std::size_t n) const {
        return plain(f) ? std::span<const std::uint8_t>{goes_left_.data(), n} : nonplain_.marks(n);
    }

    // The values that the last draw by values has read.
    Scratch<double>& values() { return values_; }

    Work work() const {
        Work all = search_.work();
        all += nonplain_.work();
        return all;
    }

private:
    static Split split_of(const Found& found) {
        return {.feature = found.feature, .threshold = found.threshold};
    }

    NodeColumn gather(FeatureId f, std::span<const RowId> rows) {
        const Column* column = &table_.columns[f];
        gather_codes({&column, 1}, rows, {&codes_, 1}, stop_);
        return gathered(f, rows);
    }
    NodeColumn gathered(FeatureId f, std::span<const RowId> rows) const {
        return {table_.columns[f], rows, codes_.data(), range_of(codes_.data(), rows.size())};
    }

    const double* read(FeatureId f, std::span<const RowId> rows) {
        return read_values(table_.columns[f], rows, values_.ensure(rows.size()));
    }

    // The random cut of a plain variable, on its values.
    bool draw_by_values(const NodeSamples& node, std::span<const RowId> rows,
                        const CutLimits& limits, Found& found) {
        if constexpr (ExactSumCriterion<C> || ExactCountsCriterion<C>)
            if (rows.size() > 1 && rows.size() <= kMaxSmallNode && limits.none() && adds_words())
                return with_constant(rows.size(), [&](auto n) {
                    return draw_in_small<n>(node, rows, limits, found);
                });
        double* const values = values_.ensure(rows.size());
        double low, high;
        read_values_in_range(table_.columns[found.feature], rows, values, &low, &high);
        if (low == high) return false;
        found.threshold = draw_threshold(node.key, found.feature, low, high);
        score_values(criterion_, search_, {values, rows.size()}, found.threshold, limits,
                     goes_left_, found.cut);
        return true;
    }

    template <std::size_t N>
    bool draw_in_small(const NodeSamples& node, std::span<const RowId> rows,
                       const CutLimits& limits, Found& found) {
        double* const values = values_.ensure(kMaxSmallNode);
        read_values(table_.columns[found.feature], rows.first<N>(), values);
        double low = values[0], high = values[0];
        for (std::size_t i = 1; i < N; ++i) {
            low = values[i] < low ? values[i] : low;
            high = values[i] > high ? values[i] : high;
        }
        if (low == high) return false;
        found.threshold = draw_threshold(node.key, found.feature, low, high);
        if constexpr (ExactCountsCriterion<C>) {
            const auto left = criterion_.sums_of_words([&](const std::uint64_t* words) {
                std::uint64_t sum = 0;
                for (std::size_t i = 0; i < N; ++i)
                    sum += words[i] & (std::uint64_t{0} - (values[i] <= found.threshold));
                return sum;
            });
            search_.score_left(criterion_, left, 1, limits, found.cut);
        } else {
            typename C::Statistic left{};
            for (std::size_t i = 0; i < N; ++i)
                C::add_if(values[i] <= found.threshold, criterion_.samples()[i], left);
            search_.score_left(criterion_, left, 1, limits, found.cut);
        }
        return true;
    }

    // Whether a sample's statistic is one or a few words.
    bool adds_words() {
        if constexpr (ExactCountsCriterion<C>) return criterion_.packs();
        return true;
    }

    // Scores the cut that a threshold makes. If all samples are on one side, `best` is unchanged.
    void score_threshold(const NodeColumn& column, double threshold, const CutLimits& limits,
                         Cut& best) {
        const CodeSides sides = sides_of_threshold(column.column, threshold);
        if constexpr (ExactSumCriterion<C>) {
            if (limits.none()) {  // the sum needs no marks
                auto left = criterion_.sum_below(column.codes, column.size(), sides.surely_left);
                for (const Position i : sides.unsure(column, places_))
                    if (column.value(i) <= threshold) left += criterion_.sample(i);
                const double w = C::weight_of(left);
                if (w > 0.0 && w < criterion_.weight())
                    search_.score_left(criterion_, left, 1, limits, best);
                return;
            }
        }
        if constexpr (ExactCountsCriterion<C>) {
            if (limits.none() && criterion_.packs()) {
                const auto unsure = sides.unsure(column, places_);
                const auto left = criterion_.sums_of_words([&](const std::uint64_t* words) {
                    std::uint64_t sum = kernels_.sum_words_below(column.codes, words, column.size(),
                                                                 sides.surely_left);
                    for (const Position i : unsure)
                        if (column.value(i) <= threshold) sum += words[i];
                    return sum;
                });
                if (left.weight > 0 && static_cast<double>(left.weight) < criterion_.weight())
                    search_.score_left(criterion_, left, 1, limits, best);
                return;
            }
        }
        const std::size_t n_left = mark_sides(column, sides, threshold, goes_left_, places_);
        if (n_left > 0 && n_left < column.size())
            search_.score_sides(criterion_, {goes_left_.data(), column.size()}, n_left, limits,
                                best);
    }

    const Table& table_;
    const FastRules& rules_;
    const StopFlag& stop_;
    const Kernels& kernels_ = kernels();
    C& criterion_;
    CutSearch<C> search_;
    NonPlainSearch<C> nonplain_;
    CodeBuffer codes_;  // of the variable gathered last
    Scratch<std::uint8_t> goes_left_;
    Scratch<Position> places_;
    Scratch<double> values_;
};

}  // namespace silvics
