// The search for the best cut with a ledger of classes in integers (LedgerCriterion).
#pragma once

#include <vector>

#include "splitter/node_sort.hpp"

namespace silvics {

template <LedgerCriterion C>
class ClassSearch {
public:
    using Ledger = typename C::Ledger;

    void best_cut(C& criterion, const NodeColumn& node, const CutLimits& limits, Search search,
                  const StopFlag& stop, Cut& best) {
        const std::size_t cells = node.range.size() * criterion.n_classes();
        const bool binned = search == Search::histogram ||
                            (search == Search::automatic && cells <= 3 * node.size());
        if (binned && !node.parts_codes())
            scan_bins(criterion, node, limits, stop, best);
        else
            scan_sorted(criterion, node, limits, stop, best);
    }

    // The cut that parts the samples so marked.
    void score_sides(C& criterion, std::span<const std::uint8_t> goes_left, std::size_t n_left,
                     const CutLimits& limits, Cut& best) {
        Ledger left = criterion.begin_scan();
        const auto samples = criterion.samples();
        // Those of the right add nothing: no branch that cannot be foreseen. Two rows of classes
        // in turn: an addition need not wait for the one before.
        const std::size_t width = criterion.n_classes(), n = samples.size();
        weights_.assign(2 * width, 0);
        std::uint32_t* const even = weights_.data();
        std::uint32_t* const odd = even + width;
        const auto weight = [&](std::size_t i) {
            return static_cast<std::uint32_t>(C::weight_of(samples[i])) & (0U - goes_left[i]);
        };
        std::size_t i = 0;
        for (; i + 2 <= n; i += 2) {
            even[C::class_of(samples[i])] += weight(i);
            odd[C::class_of(samples[i + 1])] += weight(i + 1);
        }
        if (i < n) even[C::class_of(samples[i])] += weight(i);
        for (std::size_t c = 0; c < width; ++c) even[c] += odd[c];
        move_cell(criterion, left, even);
        keep_if_better(criterion, limits, n_left, left, {}, best);
    }

private:
    static void keep_if_better(const C& criterion, const CutLimits& limits, std::size_t n_left,
                               const Ledger& left, Cut cut, Cut& best) {
        cut.score = criterion.score(left);
        if (!(cut.score > best.score)) return;
        const double w = static_cast<double>(left.weight);
        if (limits.allow(n_left, w, criterion.weight() - w)) best = cut;
    }

    static void move_cell(C& criterion, Ledger& left, const std::uint32_t* cell) {
        for (std::size_t c = 0; c < criterion.n_classes(); ++c)
            criterion.move(left, static_cast<ClassId>(c), cell[c]);
    }

    void scan_sorted(C& criterion, const NodeColumn& node, const CutLimits& limits,
                     const StopFlag& stop, Cut& best) {
        const auto order = sort_.sort(node, stop);
        const auto cuts = sort_.cuts();
        const auto samples = criterion.samples();
        Ledger left = criterion.begin_scan();
        for (std::size_t k = 0; k < order.size(); ++k) {
            const std::uint64_t sample = samples[order[k]];
            criterion.move(left, C::class_of(sample), C::weight_of(sample));
            if (cuts[k] == 0) continue;
            const Position at = order[k], next = order[k + 1];
            const Code border = node.codes[next];
            keep_if_better(criterion, limits, k + 1, left,
                           {0.0, border, node.codes[at] == border, at, next, 0.0}, best);
        }
    }

    void scan_bins(C& criterion, const NodeColumn& node, const CutLimits& limits,
                   const StopFlag& stop, Cut& best) {
        const std::size_t width = criterion.n_classes(), range = node.range.size();
        const auto samples = criterion.samples();
        weights_.assign(range * width, 0);
        counts_.assign(range, 0);
        in_blocks(node.size(), stop, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t bin = node.codes[i] - node.range.low;
                ++counts_[bin];
                weights_[bin * width + C::class_of(samples[i])] +=
                    static_cast<std::uint32_t>(C::weight_of(samples[i]));
            }
        });
        Ledger left = criterion.begin_scan();
        std::size_t n_left = 0;
        for (std::size_t bin = 0; bin + 1 < range;) {
            move_cell(criterion, left, weights_.data() + bin * width);
            n_left += counts_[bin];
            do ++bin;
            while (counts_[bin] == 0);  // the last one never is
            keep_if_better(criterion, limits, n_left, left,
                           {.border = node.range.low + static_cast<Code>(bin)}, best);
        }
    }

    NodeSort sort_;
    std::vector<std::uint32_t> weights_, counts_;
};

}  // namespace silvics
