// The search for the best cut where one sum next to the weight decides (ExactSumCriterion).
//
// A small node is sorted and all its cuts are scored. In a large one the samples of neighbouring
// codes are summed up in bins, and only the cuts between bins are scored. The score is a convex
// function of what lies left of the cut, so the sums of a bin bound every cut within it: few bins
// can hold a better one, and only their samples are sorted. Sums being exact, the cut found is
// the one that a full scan finds, ties included.
#pragma once

#include <algorithm>
#include <bit>

#include "splitter/fast/node_sort.hpp"
#include "splitter/fast/small_node.hpp"
#include "splitter/work.hpp"

namespace silvics {

// The sums of samples by bins of their codes. Few bins come again and again, and a sum would wait
// for the one before: so samples take turns at four tables of them.
template <ExactSumCriterion C>
void sum_in_bins(const C& criterion, const std::uint16_t* codes, std::size_t n, Code low, int shift,
                 std::size_t n_bins, const StopFlag& stop, Scratch<typename C::Summand>& bins) {
    const std::size_t apart = 16 * n_bins <= n ? n_bins : 0;
    auto* const sums = bins.cleared(apart != 0 ? 4 * n_bins : n_bins);
    in_blocks(n, stop, [&](std::size_t begin, std::size_t end) {
        criterion.add_to_bins(codes, begin, end, low, shift, sums, apart);
    });
    for (std::size_t table = 1; apart != 0 && table < 4; ++table)
        for (std::size_t b = 0; b < n_bins; ++b) sums[b] += sums[table * n_bins + b];
}

template <ExactSumCriterion C>
class ExactSumSearch {
public:
    using Summand = typename C::Summand;

    void best_cut(const C& criterion, const NodeColumn& node, const CutLimits& limits,
                  Search search, const StopFlag& stop, Cut& best) {
        if (search == Search::sort || node.range.constant() ||
            (search == Search::automatic && node.size() < kBinned))
            scan_sorted(criterion, node, limits, stop, best);
        else
            scan_bins(criterion, node, limits, stop, best);
    }

    // Of few samples all cuts are tried.
    template <std::size_t N>
    void best_cut(const C& criterion, const SmallNode<N>& small, const CutLimits& limits,
                  Cut& best) {
        const Summand* samples = criterion.samples();
        const double W = criterion.weight();
        const bool all_allowed = limits.none();
        Summand sum{};
        double top = best.score;
        std::size_t at = N;
        for (std::size_t k = 0; k + 1 < N; ++k) {
            sum += samples[small.position(k)];
            const double w = C::weight_of(sum), s = score(criterion, w, C::term_of(sum));
            const bool better =
                (s > top) & small.cut_after(k) & (all_allowed || limits.allow(k + 1, w, W - w));
            top = better ? s : top;
            at = better ? k : at;
        }
        if (at < N) best = small.cut(at, top);
    }

    Work work() const {
        Work all = work_;
        all.sorted += sort_.n_sorted();
        return all;
    }

    // The cut that parts the samples so marked.
    void score_sides(const C& criterion, std::span<const std::uint8_t> goes_left,
                     std::size_t n_left, const CutLimits& limits, Cut& best) {
        score_left(criterion, criterion.sum_marked(goes_left), n_left, limits, best);
    }

    // The cut with these samples on its left.
    static void score_left(const C& criterion, const Summand& left, std::size_t n_left,
                           const CutLimits& limits, Cut& best) {
        const double w = C::weight_of(left), W = criterion.weight();
        if (!limits.allow(n_left, w, W - w)) return;
        const double s = score(criterion, w, C::term_of(left));
        if (s > best.score) best = {.score = s};
    }

private:
    // Samples from which on bins are quicker than sorting all, and how many of them make a bin.
    static constexpr std::size_t kBinned = 96, kPerBin = 4, kMaxBins = 2048, kPerSample = 2;

    static double score(const C& criterion, double w, double t) {
        const double W = criterion.weight();
        const double d = t * W - criterion.term() * w;
        return C::kFactor * (d * d) / (w * (W - w));
    }

    CutSums sums(const C& criterion) const {
        return {weight_.data(), term_.data(), criterion.weight(), criterion.term(), C::kFactor};
    }

    void resize(std::size_t n) {
        weight_.take(n);
        term_.take(n);
        score_.take(n);
        spread_.take(n);
        may_.take(n);
    }

    // The first cut of the highest score among cuts 0 .. n - 1 that `allowed` lets pass, if it
    // beats the floor; n if there is none.
    template <class Allowed>
    std::size_t first_best(const C& criterion, std::size_t n, bool all_allowed, double floor,
                           Allowed&& allowed) {
        work_.cuts += n;
        double top = kernels_.score_cuts(sums(criterion), n, score_.data());
        if (!(top > floor)) return n;
        std::size_t at = 0;
        if (all_allowed) {
            while (score_[at] != top) ++at;
            return at;
        }
        at = n;
        top = floor;
        for (std::size_t j = 0; j < n; ++j)
            if (score_[j] > top && allowed(j)) top = score_[at = j];
        return at;
    }

    void scan_sorted(const C& criterion, const NodeColumn& node, const CutLimits& limits,
                     const StopFlag& stop, Cut& best) {
        const std::size_t n = node.size();
        resize(n);
        last_.take(n);
        if (NodeSort::counted(node) && scan_counted(criterion, node, limits, best)) return;
        const auto order = sort_.sort(node, stop);
        const auto cuts = sort_.cuts();
        const Summand* samples = criterion.samples();
        const std::size_t m = sum_groups(
            n, [&](std::size_t k) { return samples[order[k]]; },
            [&](std::size_t k) { return cuts[k] != 0; });
        const std::size_t j = best_group(criterion, m, limits, best);
        if (j < m) best = cut_between(node, score_[j], order[last_[j]], order[last_[j] + 1]);
    }

    // The same of few samples, which go straight to their ranks. False if values of one code have
    // to be told apart.
    bool scan_counted(const C& criterion, const NodeColumn& node, const CutLimits& limits,
                      Cut& best) {
        constexpr std::size_t kMost = NodeSort::kCounted;
        const std::size_t n = node.size();
        work_.sorted += n;
        alignas(64) std::uint32_t ranks[kMost];
        std::uint16_t codes[kMost + 1];
        std::uint8_t positions[kMost];
        Summand* const sorted = sorted_.take(kMost);
        const Summand* samples = criterion.samples();
        NodeSort::rank(node, ranks);
        for (std::size_t i = 0; i < n; ++i) {
            codes[ranks[i]] = node.codes[i];
            positions[ranks[i]] = static_cast<std::uint8_t>(i);
            sorted[ranks[i]] = samples[i];
        }
        codes[n] = codes[n - 1];
        const std::size_t m = sum_groups(
            n, [&](std::size_t k) { return sorted[k]; },
            [&](std::size_t k) { return codes[k] != codes[k + 1]; });
        if (m + 1 < n && node.parts_codes()) return false;
        const std::size_t j = best_group(criterion, m, limits, best);
        if (j < m)
            best = cut_between(node, score_[j], positions[last_[j]], positions[last_[j] + 1]);
        return true;
    }

    // Sums left of every cut between groups of equal values, each with its last sample; returns how
    // many cuts there are.
    template <class Sample, class Cuts>
    std::size_t sum_groups(std::size_t n, Sample&& sample, Cuts&& cut_after) {
        Summand sum{};
        std::size_t m = 0;
        for (std::size_t k = 0; k < n; ++k) {
            sum += sample(k);
            weight_[m] = C::weight_of(sum);
            term_[m] = C::term_of(sum);
            last_[m] = static_cast<Position>(k);
            m += cut_after(k);
        }
        return m;
    }

    std::size_t best_group(const C& criterion, std::size_t m, const CutLimits& limits,
                           const Cut& best) {
        if (m == 0) return m;
        const double W = criterion.weight();
        return first_best(criterion, m, limits.none(), best.score, [&](std::size_t cut) {
            return limits.allow(last_[cut] + std::size_t{1}, weight_[cut], W - weight_[cut]);
        });
    }

    void scan_bins(const C& criterion, const NodeColumn& node, const CutLimits& limits,
                   const StopFlag& stop, Cut& best) {
        const std::size_t n = node.size(), range = node.range.size();
        // A bin for each code, where a few more than there are samples will do: none is looked
        // into.
        const std::size_t wanted =
            !node.parts_codes() && range <= kPerSample * n && range <= kMaxBins
                ? range
                : std::clamp(n / kPerBin, std::size_t{4}, kMaxBins);
        const int shift = range <= wanted ? 0 : std::bit_width((range - 1) / wanted);
        const std::size_t n_bins = ((range - 1) >> shift) + 1;
        resize(n_bins);
        fill_bins(criterion, node, shift, n_bins, stop);
        if (!limits.none()) count_bins(node, shift, n_bins);
        const bool whole = shift == 0 && !node.parts_codes();  // no bin can be cut
        const double W = criterion.weight();
        if (!whole) {
            // A cut within a pure bin is worse than one at its ends, but those may be forbidden.
            const double least = limits.none() ? 0.0 : 1e-300;
            for (std::size_t b = 0; b < n_bins; ++b)
                spread_[b] = criterion.spread_of(bins_[b]) + least;
            for (const std::size_t b : {std::size_t{0}, n_bins - 1}) {
                // A part of it can explain no more than all its squares.
                const double w = C::weight_of(bins_[b]), squares = criterion.squares_of(bins_[b]);
                may_[b] = C::kFactor * W * W * squares / (W - w) * (1.0 + 1e-9) >= best.score;
            }
        }
        criterion.run_bins(bins_.data(), n_bins, weight_.data(), term_.data());
        const std::size_t between = first_best(
            criterion, n_bins - 1, limits.none(), best.score,
            [&](std::size_t b) { return limits.allow(counts_[b], weight_[b], W - weight_[b]); });
        Place found{best.score, n_bins, false};
        if (between < n_bins - 1) found = {score_[between], between, true};
        Position at_left = 0, at_right = 0;
        // Where no cut gains anything all are equal, and bounds cannot tell the lowest.
        if (!whole && !(found.score > 0.0)) return scan_sorted(criterion, node, limits, stop, best);
        if (!whole) {
            std::size_t open = kernels_.bins_that_may(sums(criterion), spread_.data(), n_bins,
                                                      found.score, may_.data());
            for (const std::size_t end : {std::size_t{0}, n_bins - 1}) {
                may_[end] = may_[end] && spread_[end] > 0.0;
                open += may_[end];
            }
            if (open > 0)
                scan_within(criterion, node, shift, limits, stop, found, at_left, at_right);
        }
        if (found.bin == n_bins) return;
        if (!found.between) {
            best = cut_between(node, found.score, at_left, at_right);
            return;
        }
        std::size_t next = found.bin + 1;
        best = {.score = found.score,
                .border = node.range.low + (static_cast<Code>(next) << shift)};
        if (shift != 0) return;
        // Of equals the lowest was taken, so its bin is not empty; the next ones may be.
        while (weight_[next] == weight_[found.bin]) ++next;
        best.border = node.range.low + static_cast<Code>(next);
        best.below = node.range.low + static_cast<Code>(found.bin);
    }

    // Where the best cut lies: within a bin, or between it and the next.
    struct Place {
        double score;
        std::size_t bin;
        bool between;
    };

    void fill_bins(const C& criterion, const NodeColumn& node, int shift, std::size_t n_bins,
                   const StopFlag& stop) {
        sum_in_bins(criterion, node.codes, node.size(), node.range.low, shift, n_bins, stop, bins_);
    }

    // Samples in the bins up to and including each.
    void count_bins(const NodeColumn& node, int shift, std::size_t n_bins) {
        counts_.cleared(n_bins);
        for (std::size_t i = 0; i < node.size(); ++i)
            ++counts_[(node.codes[i] - node.range.low) >> shift];
        for (std::size_t b = 1; b < n_bins; ++b) counts_[b] += counts_[b - 1];
    }

    // Cuts within the bins that may hold a better one.
    void scan_within(const C& criterion, const NodeColumn& node, int shift, const CutLimits& limits,
                     const StopFlag& stop, Place& found, Position& at_left, Position& at_right) {
        const Code low = node.range.low;
        places_.take(node.size() + 1);
        const std::size_t n_bins = ((node.range.size() - 1) >> shift) + 1;
        std::size_t m = 0;
        for (std::size_t b = 0, end; b < n_bins; b = end) {
            end = b + 1;
            if (may_[b] == 0) continue;
            while (end < n_bins && may_[end] != 0) ++end;
            stop.check();
            m += kernels_.find_codes(node.codes, node.size(), low + (static_cast<Code>(b) << shift),
                                     static_cast<Code>(end - b) << shift, places_.data() + m);
        }
        codes_.take(m);
        rows_.take(m);
        for (std::size_t k = 0; k < m; ++k) {
            codes_[k] = node.codes[places_[k]];
            rows_[k] = node.rows[places_[k]];
        }
        const auto order = sort_.sort(
            {node.column, {rows_.data(), m}, codes_.data(), node.range, node.missing}, stop);
        const auto cuts = sort_.cuts();
        const auto bin = [&](std::size_t k) {
            return static_cast<std::size_t>((codes_[order[k]] - low) >> shift);
        };
        const double W = criterion.weight();
        const Summand* samples = criterion.samples();
        for (std::size_t k = 0; k < m;) {
            const std::size_t b = bin(k);
            Summand sum = b == 0 ? Summand{} : bins_[b - 1];
            std::size_t n_left = b == 0 || limits.none() ? 0 : counts_[b - 1];
            for (;; ++k) {
                sum += samples[places_[order[k]]];
                ++n_left;
                if (k + 1 == m || bin(k + 1) != b) break;
                if (cuts[k] == 0) continue;
                ++work_.cuts;
                const double w = C::weight_of(sum);
                const double s = score(criterion, w, C::term_of(sum));
                // Of equals the lowest: before a cut between bins that this one lies below.
                const bool better =
                    s > found.score || (s == found.score && found.between && b <= found.bin);
                if (better && (limits.none() || limits.allow(n_left, w, W - w))) {
                    found = {s, b, false};
                    at_left = places_[order[k]];
                    at_right = places_[order[k + 1]];
                }
            }
            ++k;
        }
    }

    const Kernels& kernels_ = kernels();
    Work work_;
    NodeSort sort_;
    Scratch<Summand> sorted_;
    Scratch<Summand> bins_;  // later: of the bins up to and including each
    Scratch<double> weight_, term_, score_, spread_;
    Scratch<std::uint8_t> may_;
    Scratch<std::size_t> counts_;
    Scratch<Position> last_, places_;
    CodeBuffer codes_;  // of the samples in bins looked into
    Scratch<RowId> rows_;
};

}  // namespace silvics
