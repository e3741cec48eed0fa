// Groups of a node's values, between which cuts are tried: intervals of equal width or of about
// equally many samples (thesis 5.3.4), or the bins of the whole column.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "splitter/gather.hpp"

namespace silvics {

class ValueBins {
public:
    ValueBins(const SearchRules& rules, const StopFlag& stop) : rules_(rules), stop_(stop) {}

    // Whether cuts of a variable are limited. Combinations of variables have no bins of their own.
    bool used(const Column& column, bool combined) const {
        return rules_.node_bins != NodeBins::none ||
               (!combined && column.kind == Column::Kind::bin);
    }

    // Numbers the bins of samples in the order of their values. Infinite values stand for missing
    // ones and are bins of their own. Returns whether there is a single bin.
    bool number(const Column& column, std::span<const RowId> rows, std::span<const double> values,
                std::span<const Position> sorted) {
        const std::size_t n = sorted.size();
        bins_.resize(n);
        std::size_t first = 0, last = n;
        while (first < n && std::isinf(values[sorted[first]])) bins_[first++] = 0;
        while (last > first && std::isinf(values[sorted[last - 1]])) bins_[--last] = kLastBin;
        const auto known = std::span(bins_).subspan(first, last - first);
        const auto order = sorted.subspan(first, last - first);
        if (rules_.node_bins == NodeBins::none)
            by_codes(column, rows, order, known);
        else if (rules_.node_bins == NodeBins::width)
            by_width(values, order, known);
        else
            by_frequency(values, order, known);
        return bins_.empty() || bins_.front() == bins_.back();
    }

    // Whether a cut after so many samples is between two bins.
    bool parts(std::size_t n_left) const { return bins_[n_left - 1] != bins_[n_left]; }

private:
    static constexpr std::uint64_t kLastBin = ~std::uint64_t{0};

    void by_codes(const Column& column, std::span<const RowId> rows,
                  std::span<const Position> order, std::span<std::uint64_t> bins) {
        codes_.ensure(rows.size());
        if (column.sparse) {
            if (!gather_sparse(column, rows, codes_))
                std::fill_n(codes_.data(), rows.size(), static_cast<std::uint16_t>(column.zero));
        } else {
            const Column* const one[] = {&column};
            gather_codes(one, rows, {&codes_, 1}, stop_);
        }
        for (std::size_t i = 0; i < order.size(); ++i) bins[i] = 1 + codes_[order[i]];
    }

    void by_width(std::span<const double> values, std::span<const Position> order,
                  std::span<std::uint64_t> bins) const {
        if (order.empty()) return;
        // Half of each value: the difference of two large ones would overflow.
        const double low = values[order.front()] / 2, high = values[order.back()] / 2;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const double place = high > low ? (values[order[i]] / 2 - low) / (high - low) : 0.0;
            const double bin = std::floor(place * static_cast<double>(rules_.n_node_bins));
            bins[i] = 1 + std::min<std::uint64_t>(static_cast<std::uint64_t>(bin),
                                                  rules_.n_node_bins - 1);
        }
    }

    // The middle of the samples of a value determines its bin.
    void by_frequency(std::span<const double> values, std::span<const Position> order,
                      std::span<std::uint64_t> bins) const {
        const std::uint64_t n = order.size();
        for (std::size_t begin = 0, end; begin < n; begin = end) {
            end = begin + 1;
            while (end < n && values[order[end]] == values[order[begin]]) ++end;
            const std::uint64_t bin = (begin + end - 1) * rules_.n_node_bins / (2 * n);
            std::fill(bins.begin() + static_cast<std::ptrdiff_t>(begin),
                      bins.begin() + static_cast<std::ptrdiff_t>(end), 1 + bin);
        }
    }

    const SearchRules& rules_;
    const StopFlag& stop_;
    std::vector<std::uint64_t> bins_;
    CodeBuffer codes_;
};

}  // namespace silvics
