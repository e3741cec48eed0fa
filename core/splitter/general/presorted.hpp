// Samples that are sorted once for each variable, instead of at every node (thesis 5.3.4, Breiman
// 2002). The sorted rows of a node are contiguous, and a split partitions them for all variables.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "splitter/gather.hpp"
#include "splitter/splitter.hpp"

namespace silvics {

class Presorted {
public:
    explicit Presorted(const SplitterParts& parts)
        : order_(parts.order),
          stop_(parts.stop),
          n_rows_(parts.rules.presort ? parts.table.n_rows : 0) {}

    // Sorts the rows of a tree by each number: missing ones last, equal ones in their order.
    static void fill(const SplitterParts& parts) {
        const std::vector<RowId>& rows = parts.subset.rows;
        std::vector<double> values(rows.size());
        std::vector<Position> sorted(rows.size());
        parts.order.sorted.assign(parts.table.n_features(), {});
        for (const FeatureId f : parts.features) {
            parts.stop.check();
            const Column& column = parts.table.columns[f];
            if (column.kind == Column::Kind::category) continue;
            read_any_values(column, rows, values.data());
            std::iota(sorted.begin(), sorted.end(), Position{0});
            std::ranges::stable_sort(sorted, [&](Position a, Position b) {
                return values[a] < values[b] || (std::isnan(values[b]) && !std::isnan(values[a]));
            });
            std::vector<RowId>& of = parts.order.sorted[f];
            of.resize(rows.size());
            for (std::size_t i = 0; i < sorted.size(); ++i) of[i] = rows[sorted[i]];
        }
    }

    // The given rows of a node in the order of a variable. Those whose value is infinite stand for
    // missing ones, and come first or last.
    std::span<const Position> order(const NodeSamples& node, FeatureId f,
                                    std::span<const RowId> rows, std::span<const double> values,
                                    bool missing_first) {
        position_.resize(n_rows_);
        for (std::size_t i = 0; i < rows.size(); ++i) position_[rows[i]] = static_cast<Position>(i);
        const auto all = std::span(order_.sorted[f]).subspan(node.begin, node.n);
        sorted_.resize(rows.size());
        std::size_t next = 0;
        const auto add_missing = [&] {
            for (std::size_t i = 0; i < rows.size(); ++i)
                if (std::isinf(values[i])) sorted_[next++] = static_cast<Position>(i);
        };
        if (missing_first) add_missing();
        for (const RowId row : all) {
            const Position at = position_[row];
            // Rows of the node that are not among the given ones keep the position of another row.
            if (at < rows.size() && rows[at] == row && !std::isinf(values[at]))
                sorted_[next++] = at;
        }
        if (!missing_first) add_missing();
        return sorted_;
    }

    // Partitions the sorted rows of a node whose samples have just been partitioned.
    void split(const NodeSamples& node, std::span<const std::size_t> sizes) {
        const auto rows = std::span(order_.rows).subspan(node.begin, node.n);
        child_.resize(n_rows_);
        std::vector<std::size_t> first(sizes.size(), 0);
        std::size_t at = 0;
        for (std::size_t k = 0; k < sizes.size(); ++k) {
            first[k] = at;
            for (std::size_t i = 0; i < sizes[k]; ++i) child_[rows[at++]] = k;
        }
        parted_.resize(node.n);
        for (std::vector<RowId>& of : order_.sorted) {
            if (of.empty()) continue;
            stop_.check();
            const auto all = std::span(of).subspan(node.begin, node.n);
            next_ = first;
            for (const RowId row : all) parted_[next_[child_[row]]++] = row;
            std::ranges::copy(parted_, all.begin());
        }
    }

private:
    SampleOrder& order_;
    const StopFlag& stop_;
    const std::size_t n_rows_;
    std::vector<Position> position_, sorted_;  // of each row among those given
    std::vector<std::size_t> child_, next_;
    std::vector<RowId> parted_;
};

}  // namespace silvics
