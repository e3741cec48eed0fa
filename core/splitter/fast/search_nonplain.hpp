// Cuts on variables that are not plain: categories, and numbers with missing values or in sparse
// cells.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "splitter/fast/search_levels.hpp"
#include "splitter/fast/search_missing.hpp"

namespace silvics {

template <Criterion C>
class NonPlainSearch {
public:
    NonPlainSearch(const SplitterParts& parts, C& criterion)
        : table_(parts.table),
          rules_(parts.rules),
          numbers_(parts, criterion, search_),
          levels_(parts, criterion, search_) {}

    // The best, or the random, cut on found.feature; returns false if it is constant.
    bool search(const NodeSamples& node, std::span<const RowId> rows, const CutLimits& limits,
                Found& found) {
        const Column& column = table_.columns[found.feature];
        if (column.kind == Column::Kind::category)
            return rules_.random_cut ? levels_.random_split(column, node, rows, limits, found)
                                     : levels_.best_split(column, node, rows, limits, found);
        return rules_.random_cut ? numbers_.random_cut(column, node, rows, limits, found)
                                 : numbers_.best_cut(column, node, rows, limits, found);
    }

    // The same on a sparse column.
    bool search_cells(const NodeSamples& node, std::span<const RowId> rows, const CutLimits& limits,
                      Found& found) {
        return numbers_.cut_of_cells(table_.columns[found.feature], node, rows, limits, found);
    }

    // As in MissingSearch.
    void enter(const NodeSamples& node, std::span<const RowId> rows) { numbers_.enter(node, rows); }
    const NodeCells& cells() const { return numbers_.cells(); }

    // As in LevelSearch.
    void set_copies(std::size_t n_of_a_side) { levels_.set_copies(n_of_a_side); }
    void set_counted(std::vector<std::uint32_t> by_level) {
        levels_.set_counted(std::move(by_level));
    }

    // Marks the samples by the cut that was found on them.
    Split mark(const NodeSamples& node, const Found& found, std::span<const RowId> rows) {
        const Column& column = table_.columns[found.feature];
        Split split = split_of(found);
        if (column.kind == Column::Kind::category)
            levels_.mark(column, node, rows, found, goes_left_, split);
        else if (column.sparse)
            split.n_left = numbers_.mark_cells(column, node, rows, found, goes_left_);
        else
            split.n_left = numbers_.mark(column, rows, found, goes_left_);
        return split;
    }

    // Marks samples by a cut that was found on others, where `left` are the levels that went left.
    // Levels and missing values that were not seen there go right.
    Split mark_as_found(const Found& found, const std::vector<Code>& left,
                        std::span<const RowId> rows) {
        const Column& column = table_.columns[found.feature];
        Split split = split_of(found);
        bool has_missing;
        if (column.kind == Column::Kind::category) {
            has_missing = levels_.mark_as_found(column, rows, found, left, goes_left_, split);
        } else {
            split.n_left = numbers_.mark(column, rows, found, goes_left_);
            has_missing =
                std::ranges::any_of(rows, [&](RowId r) { return std::isnan(column.value(r)); });
        }
        split.missing = !has_missing                         ? MissingSide::unseen
                        : found.missing == MissingSide::left ? MissingSide::left
                                                             : MissingSide::right;
        return split;
    }

    Work work() const {
        Work all = search_.work();
        all.cuts += numbers_.n_cuts() + levels_.n_cuts();
        return all;
    }

    // One or zero for each sample that was marked last.
    std::span<const std::uint8_t> marks(std::size_t n) const { return {goes_left_.data(), n}; }

private:
    static Split split_of(const Found& found) {
        return {.feature = found.feature, .threshold = found.threshold, .missing = found.missing};
    }

    const Table& table_;
    const FastRules& rules_;
    CutSearch<C> search_;
    MissingSearch<C> numbers_;
    LevelSearch<C> levels_;
    Scratch<std::uint8_t> goes_left_;
};

}  // namespace silvics
