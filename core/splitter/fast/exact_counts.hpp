// The search for the best cut with class counts in integers (ExactCountsCriterion).
#pragma once

#include <algorithm>

#include "splitter/fast/binned_counts.hpp"
#include "splitter/fast/node_sort.hpp"
#include "splitter/fast/small_node.hpp"
#include "splitter/work.hpp"

namespace silvics {

template <ExactCountsCriterion C>
class ExactCountsSearch {
public:
    using LeftSums = typename C::LeftSums;

    void best_cut(C& criterion, const NodeColumn& node, const CutLimits& limits, Search search,
                  const StopFlag& stop, Cut& best) {
        if (search == Search::automatic && worth_bins(criterion, node.size()) &&
            criterion.scores_bins() && !node.range.constant() && !sparse(node) &&
            binned_.best_cut(criterion, node, limits, stop, best))
            return;
        const std::size_t range = node.range.size();
        // If there are many bins, most of them have few samples.
        const std::size_t width = range <= 64 ? criterion.n_present() : criterion.n_classes();
        const bool small = range * width <= 3 * node.size();
        const bool binned = search == Search::histogram || (search == Search::automatic && small);
        if (binned && !node.parts_codes())
            scan_bins(criterion, node, limits, stop, best);
        else
            scan_sorted(criterion, node, limits, stop, best);
    }

    // Tries all cuts of a node of N samples.
    template <std::size_t N>
    void best_cut(C& criterion, const SmallNode<N>& small, const CutLimits& limits, Cut& best) {
        const auto samples = criterion.samples();
        LeftSums left = criterion.begin_scan();
        for (std::size_t k = 0; k + 1 < N; ++k) {
            move(criterion, left, samples[small.position(k)]);
            if (small.cut_after(k) && better(criterion, limits, k + 1, left, best))
                best = small.cut(k, best.score);
        }
    }

    Work work() const {
        Work all = work_;
        all += binned_.work();
        all.sorted += sort_.n_sorted();
        return all;
    }

    // Scores the cut that sends the marked samples left. The score is symmetric, so that summing
    // over the smaller side is enough.
    void score_sides(C& criterion, std::span<const std::uint8_t> goes_left, std::size_t n_left,
                     const CutLimits& limits, Cut& best) {
        const std::size_t n = goes_left.size(), width = criterion.n_classes();
        const std::size_t smaller = std::min(n_left, n - n_left);
        const std::uint8_t side = 2 * n_left <= n ? 1 : 0;
        const auto samples = criterion.samples();
        LeftSums left = criterion.begin_scan();
        if (smaller <= 2 * width) {
            Position* const places = places_.ensure(n + 1);
            kernels_.find_marks(goes_left.data(), n, side, places);
            for (std::size_t k = 0; k < smaller; ++k) move(criterion, left, samples[places[k]]);
        } else {
            move_cell(criterion, left, sum_side(criterion, goes_left, side, smaller));
        }
        better(criterion, limits, n_left, left, best);
    }

    // Scores the cut with these sums on its left.
    static void score_left(const C& criterion, const LeftSums& left, std::size_t n_left,
                           const CutLimits& limits, Cut& best) {
        better(criterion, limits, n_left, left, best);
    }

    // Whether this cut is better than the best and allowed; if so, best has its score.
    // Inlined by force: it is the body of the innermost loops.
    [[gnu::always_inline]] static bool better(const C& criterion, const CutLimits& limits,
                                              std::size_t n_left, const LeftSums& left, Cut& best) {
        const double score = criterion.score(left);
        if (!(score > best.score)) return false;
        const double w = static_cast<double>(left.weight);
        if (!limits.allow(n_left, w, criterion.weight() - w)) return false;
        best = {.score = score};
        return true;
    }

private:
    static void move(C& criterion, LeftSums& left, std::uint64_t sample) {
        criterion.move(left, C::class_of(sample), C::weight_of(sample));
    }

    static void move_cell(C& criterion, LeftSums& left, const std::uint32_t* cell) {
        if (2 * criterion.n_present() > criterion.n_classes())
            for (ClassId c = 0; c < criterion.n_classes(); ++c) criterion.move(left, c, cell[c]);
        else
            for (const ClassId c : criterion.present()) criterion.move(left, c, cell[c]);
    }

    // The weights by class of the marked samples. Samples alternate between two rows of classes,
    // so that an addition does not wait for the one before.
    const std::uint32_t* sum_side(const C& criterion, std::span<const std::uint8_t> marks,
                                  std::uint8_t mark, std::size_t n_marked) {
        const std::size_t n = marks.size(), width = criterion.n_classes();
        const auto samples = criterion.samples();
        std::uint32_t* const even = weights_.cleared(2 * width);
        std::uint32_t* const odd = even + width;
        const auto in_pairs = [&](std::size_t count, auto&& add) {
            std::size_t k = 0;
            for (; k + 2 <= count; k += 2) add(even, k), add(odd, k + 1);
            if (k < count) add(even, k);
        };
        const auto weight = [](std::uint64_t sample) {
            return static_cast<std::uint32_t>(C::weight_of(sample));
        };
        if (4 * n_marked < n) {
            const Position* const places = places_.ensure(n + 1);
            kernels_.find_marks(marks.data(), n, mark, places_.data());
            in_pairs(n_marked, [&](std::uint32_t* to, std::size_t k) {
                const std::uint64_t sample = samples[places[k]];
                to[C::class_of(sample)] += weight(sample);
            });
        } else {  // masked addition avoids an unpredictable branch
            const std::uint32_t flip = mark - 1U;
            in_pairs(n, [&](std::uint32_t* to, std::size_t i) {
                to[C::class_of(samples[i])] += weight(samples[i]) & ((0U - marks[i]) ^ flip);
            });
        }
        for (std::size_t c = 0; c < width; ++c) even[c] += odd[c];
        return even;
    }

    // Whether to treat the samples of the lowest code separately: most of the first 64 have it.
    static bool sparse(const NodeColumn& node) {
        const std::size_t n = std::min(node.size(), std::size_t{64});
        std::size_t lowest = 0;
        for (std::size_t i = 0; i < n; ++i) lowest += node.codes[i] == node.range.low;
        return 2 * lowest > n;
    }

    // Most samples of a sparse column have its lowest code. Their weights by class, written to
    // rest_, are those of the node minus those of the others. Returns the number of others, whose
    // positions are in places_.
    std::size_t separate_lowest(const C& criterion, const NodeColumn& node) {
        const std::size_t m =
            kernels_.find_codes(node.codes, node.size(), node.range.low + 1,
                                node.range.high - node.range.low, places_.ensure(node.size() + 1));
        const std::size_t width = criterion.n_classes();
        const auto samples = criterion.samples();
        rest_.ensure(width);
        for (std::size_t c = 0; c < width; ++c)
            rest_[c] = static_cast<std::uint32_t>(criterion.total(static_cast<ClassId>(c)));
        for (std::size_t k = 0; k < m; ++k) {
            const std::uint64_t sample = samples[places_[k]];
            rest_[C::class_of(sample)] -= static_cast<std::uint32_t>(C::weight_of(sample));
        }
        return m;
    }

    void scan_sorted(C& criterion, const NodeColumn& node, const CutLimits& limits,
                     const StopFlag& stop, Cut& best) {
        if (node.size() >= kMinSamplesToSkipLowest && !node.parts_codes() && sparse(node))
            return scan_others_sorted(criterion, node, limits, stop, best);
        const auto order = sort_.sort(node, stop);
        const auto cuts = sort_.cuts();
        const auto samples = criterion.samples();
        LeftSums left = criterion.begin_scan();
        for (std::size_t k = 0; k < order.size(); ++k) {
            move(criterion, left, samples[order[k]]);
            work_.cuts += cuts[k];
            if (cuts[k] == 0 || !better(criterion, limits, k + 1, left, best)) continue;
            best = cut_between(node, best.score, order[k], order[k + 1]);
        }
    }

    // The same, but only samples above the lowest code are sorted.
    void scan_others_sorted(C& criterion, const NodeColumn& node, const CutLimits& limits,
                            const StopFlag& stop, Cut& best) {
        const std::size_t m = separate_lowest(criterion, node), n_lowest = node.size() - m;
        codes_.ensure(m);
        for (std::size_t k = 0; k < m; ++k) codes_[k] = node.codes[places_[k]];
        const NodeColumn others{
            node.column, node.rows.first(m), codes_.data(), {node.range.low + 1, node.range.high}};
        const auto order = sort_.sort(others, stop);
        const auto cuts = sort_.cuts();
        const auto samples = criterion.samples();
        LeftSums left = criterion.begin_scan();
        move_cell(criterion, left, rest_.data());
        if (better(criterion, limits, n_lowest, left, best)) {
            best.border = codes_[order[0]];
            best.below = node.range.low;
        }
        for (std::size_t k = 0; k + 1 < m; ++k) {
            move(criterion, left, samples[places_[order[k]]]);
            work_.cuts += cuts[k];
            if (cuts[k] == 0 || !better(criterion, limits, n_lowest + k + 1, left, best)) continue;
            best = cut_between(node, best.score, places_[order[k]], places_[order[k + 1]]);
        }
    }

    void scan_bins(C& criterion, const NodeColumn& node, const CutLimits& limits,
                   const StopFlag& stop, Cut& best) {
        const std::size_t width = criterion.n_classes(), range = node.range.size();
        const auto samples = criterion.samples();
        std::uint32_t* const weights = weights_.cleared(range * width);
        std::uint32_t* const counts = counts_.cleared(range);
        const auto add = [&](Position i) {
            const std::size_t bin = node.codes[i] - node.range.low;
            ++counts[bin];
            weights[bin * width + C::class_of(samples[i])] +=
                static_cast<std::uint32_t>(C::weight_of(samples[i]));
        };
        if (sparse(node)) {
            const std::size_t m = separate_lowest(criterion, node);
            in_blocks(m, stop, [&](std::size_t begin, std::size_t end) {
                for (std::size_t k = begin; k < end; ++k) add(places_[k]);
            });
            counts[0] = static_cast<std::uint32_t>(node.size() - m);
            std::ranges::copy_n(rest_.data(), static_cast<std::ptrdiff_t>(width), weights);
        } else {
            in_blocks(node.size(), stop, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) add(static_cast<Position>(i));
            });
        }
        LeftSums left = criterion.begin_scan();
        std::size_t n_left = 0;
        for (std::size_t bin = 0; bin + 1 < range;) {
            const std::size_t below = bin;
            move_cell(criterion, left, weights + bin * width);
            n_left += counts[bin];
            do ++bin;
            while (counts[bin] == 0);  // the last bin is not empty
            ++work_.cuts;
            if (better(criterion, limits, n_left, left, best)) {
                best.border = node.range.low + static_cast<Code>(bin);
                best.below = node.range.low + static_cast<Code>(below);
            }
        }
    }

    // Smaller nodes sort all samples.
    static constexpr std::size_t kMinSamplesToSkipLowest = 24;
    // Whether to sum the samples of a node in bins. The more classes, the more bins must be looked
    // into.
    static bool worth_bins(const C& criterion, std::size_t n) {
        return criterion.fits_bins() && n >= std::max(std::size_t{64}, 16 * criterion.n_planes());
    }

    const Kernels& kernels_ = kernels();
    Work work_;
    NodeSort sort_;
    BinnedCounts<C> binned_;
    Scratch<std::uint32_t> weights_, counts_, rest_;
    Scratch<Position> places_;
    CodeBuffer codes_;
};

}  // namespace silvics
