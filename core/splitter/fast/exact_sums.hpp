// The search for the best cut with criteria that one exact sum besides the weight decides
// (ExactSumCriterion).
//
// A small node is sorted and all its cuts are scored. In a large node, samples of neighbouring
// codes are summed in bins, and only the cuts between bins are scored. The score is a convex
// function of the sums left of the cut, so that the sums of a bin bound the score of every cut
// within it: few bins can contain a better cut, and only their samples are sorted. As sums are
// exact, the result is that of a full scan, ties included.
#pragma once

#include <algorithm>
#include <bit>

#include "criterion/cut_scores.hpp"
#include "splitter/fast/node_sort.hpp"
#include "splitter/fast/small_node.hpp"
#include "splitter/work.hpp"

namespace silvics {

// Sums the samples by bins of their codes. If a few bins recur, each sum would wait for the one
// before; samples therefore alternate between four tables of bins.
template <ExactSumCriterion C>
void sum_in_bins(const C& criterion, const std::uint16_t* codes, std::size_t n, Code low, int shift,
                 std::size_t n_bins, const StopFlag& stop, Scratch<typename C::Statistic>& bins) {
    const std::size_t stride = 16 * n_bins <= n ? n_bins : 0;
    auto* const sums = bins.cleared(stride != 0 ? 4 * n_bins : n_bins);
    in_blocks(n, stop, [&](std::size_t begin, std::size_t end) {
        criterion.add_to_bins(codes, begin, end, low, shift, sums, stride);
    });
    for (std::size_t table = 1; stride != 0 && table < 4; ++table)
        for (std::size_t b = 0; b < n_bins; ++b) sums[b] += sums[table * n_bins + b];
}

template <ExactSumCriterion C>
class ExactSumSearch {
public:
    using Statistic = typename C::Statistic;
    using Scores = typename C::Scores;

    void best_cut(const C& criterion, const NodeColumn& node, const CutLimits& limits,
                  Search search, const StopFlag& stop, Cut& best) {
        if (search == Search::sort || node.range.constant() ||
            (search == Search::automatic && node.size() < kMinBinnedSamples))
            scan_sorted(criterion, node, limits, stop, best);
        else
            scan_bins(criterion, node, limits, stop, best);
    }

    // Tries all cuts of a node of N samples.
    template <std::size_t N>
    void best_cut(const C& criterion, const SmallNode<N>& small, const CutLimits& limits,
                  Cut& best) {
        const Statistic* samples = criterion.samples();
        const bool all_allowed = limits.none();
        Statistic sum{};
        if constexpr (Scores::kTogether) {
            if (all_allowed) return best_of_all(criterion, small, best);
        }
        double top = best.score, middle = 0.0;
        std::size_t at = N;
        for (std::size_t k = 0; k + 1 < N; ++k) {
            sum += samples[small.position(k)];
            const double w = C::weight_of(sum), t = C::sum_y_of(sum);
            const double s = Scores::score(criterion, w, t);
            const bool better = (s > top) & small.cut_after(k) &
                                (all_allowed || allowed(criterion, limits, k + 1, w, t));
            top = better ? s : top;
            at = better ? k : at;
            middle = better && limits.monotonic != 0 ? middle_of(criterion, w, t) : middle;
        }
        if (at == N) return;
        best = small.cut(at, top);
        best.middle = middle;
    }

    Work work() const {
        Work all = work_;
        all.sorted += sort_.n_sorted();
        return all;
    }

    // Scores the cut that sends the marked samples left.
    void score_sides(const C& criterion, std::span<const std::uint8_t> goes_left,
                     std::size_t n_left, const CutLimits& limits, Cut& best) {
        score_left(criterion, criterion.sum_marked(goes_left), n_left, limits, best);
    }

    // Scores the cut with this statistic on its left.
    static void score_left(const C& criterion, const Statistic& left, std::size_t n_left,
                           const CutLimits& limits, Cut& best) {
        const double w = C::weight_of(left), t = C::sum_y_of(left);
        if (!allowed(criterion, limits, n_left, w, t)) return;
        const double s = Scores::score(criterion, w, t);
        if (!(s > best.score)) return;
        best = {.score = s};
        set_middle(criterion, limits, w, t, best);
    }

private:
    // Bins are faster than sorting from kMinBinnedSamples samples on. A bin has about
    // kSamplesPerBin samples; codes get a bin each up to kMaxBinsPerSample bins per sample.
    static constexpr std::size_t kMinBinnedSamples = 96, kSamplesPerBin = 4, kMaxBins = 2048,
                                 kMaxBinsPerSample = 2;

    // Whether a cut with these sums on its left is allowed.
    static bool allowed(const C& criterion, const CutLimits& limits, std::size_t n_left, double w,
                        double t) {
        const double W = criterion.weight();
        if (!limits.allow(n_left, w, W - w)) return false;
        return limits.monotonic == 0 ||
               limits.keep_order(criterion.value_of(w, t),
                                 criterion.value_of(W - w, criterion.sum_y() - t));
    }
    // The mean of the values of both sides of a cut.
    static double middle_of(const C& criterion, double w, double t) {
        return (criterion.value_of(w, t) +
                criterion.value_of(criterion.weight() - w, criterion.sum_y() - t)) /
               2;
    }
    static void set_middle(const C& criterion, const CutLimits& limits, double w, double t,
                           Cut& cut) {
        if (limits.monotonic != 0) cut.middle = middle_of(criterion, w, t);
    }

    void resize(std::size_t n) {
        weight_.ensure(n);
        sum_y_.ensure(n);
        score_.ensure(n);
        spread_.ensure(n);
        open_.ensure(n);
    }

    // The first cut of the highest score among cuts 0 .. n - 1 for which allowed() holds, if it
    // exceeds the floor; n if there is none.
    template <class Allowed>
    std::size_t first_best(const C& criterion, std::size_t n, bool all_allowed, double floor,
                           Allowed&& allowed) {
        work_.cuts += n;
        double top = Scores::score_all(criterion, weight_.data(), sum_y_.data(), n, score_.data());
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
        last_.ensure(n);
        if (NodeSort::is_ranked(node) && scan_ranked(criterion, node, limits, best)) return;
        const auto order = sort_.sort(node, stop);
        const auto cuts = sort_.cuts();
        const Statistic* samples = criterion.samples();
        const std::size_t m = sum_groups(
            n, [&](std::size_t k) { return samples[order[k]]; },
            [&](std::size_t k) { return cuts[k] != 0; });
        const std::size_t j = best_group(criterion, m, limits, best);
        if (j == m) return;
        best = cut_between(node, score_[j], order[last_[j]], order[last_[j] + 1]);
        set_middle(criterion, limits, weight_[j], sum_y_[j], best);
    }

    // The same for at most kMaxRanked samples, which are written to their ranks. Returns false if
    // values of one code must be compared.
    bool scan_ranked(const C& criterion, const NodeColumn& node, const CutLimits& limits,
                     Cut& best) {
        const std::size_t n = node.size();
        work_.sorted += n;
        alignas(64) std::uint32_t ranks[NodeSort::kMaxRanked];
        std::uint16_t codes[NodeSort::kMaxRanked + 1];
        std::uint8_t positions[NodeSort::kMaxRanked];
        Statistic* const sorted = sorted_.ensure(NodeSort::kMaxRanked);
        const Statistic* samples = criterion.samples();
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
        if (j == m) return true;
        best = cut_between(node, score_[j], positions[last_[j]], positions[last_[j] + 1]);
        set_middle(criterion, limits, weight_[j], sum_y_[j], best);
        return true;
    }

    // Scores all cuts of a small node together.
    template <std::size_t N>
    static void best_of_all(const C& criterion, const SmallNode<N>& small, Cut& best) {
        const Statistic* samples = criterion.samples();
        Statistic sum{};
        double weight[N], sum_y[N], scores[N];
        std::size_t after[N], m = 0;
        for (std::size_t k = 0; k + 1 < N; ++k) {
            sum += samples[small.position(k)];
            weight[m] = C::weight_of(sum);
            sum_y[m] = C::sum_y_of(sum);
            after[m] = k;
            m += small.cut_after(k);
        }
        const double top = Scores::score_all(criterion, weight, sum_y, m, scores);
        if (!(top > best.score)) return;
        best = small.cut(after[std::find(scores, scores + m, top) - scores], top);
    }

    // Computes the sums left of every cut between groups of equal values, and the last sample of
    // each group; returns the number of cuts.
    template <class Sample, class Cuts>
    std::size_t sum_groups(std::size_t n, Sample&& sample, Cuts&& cut_after) {
        Statistic sum{};
        std::size_t m = 0;
        for (std::size_t k = 0; k < n; ++k) {
            sum += sample(k);
            weight_[m] = C::weight_of(sum);
            sum_y_[m] = C::sum_y_of(sum);
            last_[m] = static_cast<Position>(k);
            m += cut_after(k);
        }
        return m;
    }

    std::size_t best_group(const C& criterion, std::size_t m, const CutLimits& limits,
                           const Cut& best) {
        if (m == 0) return m;
        return first_best(criterion, m, limits.none(), best.score, [&](std::size_t cut) {
            return allowed(criterion, limits, last_[cut] + std::size_t{1}, weight_[cut],
                           sum_y_[cut]);
        });
    }

    void scan_bins(const C& criterion, const NodeColumn& node, const CutLimits& limits,
                   const StopFlag& stop, Cut& best) {
        const std::size_t n = node.size(), range = node.range.size();
        // Each code gets a bin if that does not need many more bins than there are samples; no bin
        // is searched then.
        const std::size_t wanted =
            !node.parts_codes() && range <= kMaxBinsPerSample * n && range <= kMaxBins
                ? range
                : std::clamp(n / kSamplesPerBin, std::size_t{4}, kMaxBins);
        const int shift = range <= wanted ? 0 : std::bit_width((range - 1) / wanted);
        const std::size_t n_bins = ((range - 1) >> shift) + 1;
        resize(n_bins);
        fill_bins(criterion, node, shift, n_bins, stop);
        if (!limits.none()) count_bins(node, shift, n_bins);
        const bool whole = shift == 0 && !node.parts_codes();  // no cut lies within a bin
        if (!whole) {
            // A cut within a pure bin is worse than a cut at its ends, but those may not be
            // allowed.
            const double least = limits.none() ? 0.0 : 1e-300;
            for (std::size_t b = 0; b < n_bins; ++b)
                spread_[b] = criterion.spread_of(bins_[b]) + least;
            for (const std::size_t b : {std::size_t{0}, n_bins - 1}) {
                open_[b] = Scores::end_may_reach(criterion, bins_[b], best.score);
            }
        }
        criterion.prefix_sum_bins(bins_.data(), n_bins, weight_.data(), sum_y_.data());
        const std::size_t between =
            first_best(criterion, n_bins - 1, limits.none(), best.score, [&](std::size_t b) {
                return allowed(criterion, limits, counts_[b], weight_[b], sum_y_[b]);
            });
        BinCut found{best.score, n_bins, false, {}};
        if (between < n_bins - 1) found = {score_[between], between, true, bins_[between]};
        Position at_left = 0, at_right = 0;
        // If no cut gains anything, all scores are equal, and bounds do not determine the lowest
        // cut.
        if (!whole && !(found.score > Scores::score_of_none(criterion)))
            return scan_sorted(criterion, node, limits, stop, best);
        if (!whole) {
            const ScoredCuts cuts{weight_.data(), sum_y_.data(), score_.data(), n_bins};
            std::size_t open =
                Scores::open_bins(criterion, cuts, spread_.data(), found.score, open_.data());
            for (const std::size_t end : {std::size_t{0}, n_bins - 1}) {
                open_[end] = open_[end] && spread_[end] > 0.0;
                open += open_[end];
            }
            if (open > 0)
                scan_within(criterion, node, shift, limits, stop, found, at_left, at_right);
        }
        if (found.bin == n_bins) return;
        std::size_t next = found.bin + 1;
        if (found.between)
            best = {.score = found.score,
                    .border = node.range.low + (static_cast<Code>(next) << shift)};
        else
            best = cut_between(node, found.score, at_left, at_right);
        set_middle(criterion, limits, C::weight_of(found.left), C::sum_y_of(found.left), best);
        if (!found.between || shift != 0) return;
        // The lowest of equal cuts was taken, so that its bin is not empty; the next bins may be.
        while (weight_[next] == weight_[found.bin]) ++next;
        best.border = node.range.low + static_cast<Code>(next);
        best.below = node.range.low + static_cast<Code>(found.bin);
    }

    // The best cut so far: within a bin, or between it and the next.
    struct BinCut {
        double score;
        std::size_t bin;
        bool between;
        Statistic left;  // of the cut
    };

    void fill_bins(const C& criterion, const NodeColumn& node, int shift, std::size_t n_bins,
                   const StopFlag& stop) {
        sum_in_bins(criterion, node.codes, node.size(), node.range.low, shift, n_bins, stop, bins_);
    }

    // Counts the samples in the bins up to and including each.
    void count_bins(const NodeColumn& node, int shift, std::size_t n_bins) {
        counts_.cleared(n_bins);
        for (std::size_t i = 0; i < node.size(); ++i)
            ++counts_[(node.codes[i] - node.range.low) >> shift];
        for (std::size_t b = 1; b < n_bins; ++b) counts_[b] += counts_[b - 1];
    }

    // Scores the cuts within the open bins.
    void scan_within(const C& criterion, const NodeColumn& node, int shift, const CutLimits& limits,
                     const StopFlag& stop, BinCut& found, Position& at_left, Position& at_right) {
        const Code low = node.range.low;
        places_.ensure(node.size() + 1);
        const std::size_t n_bins = ((node.range.size() - 1) >> shift) + 1;
        std::size_t m = 0;
        for (std::size_t b = 0, end; b < n_bins; b = end) {
            end = b + 1;
            if (open_[b] == 0) continue;
            while (end < n_bins && open_[end] != 0) ++end;
            stop.check();
            m += kernels_.find_codes(node.codes, node.size(), low + (static_cast<Code>(b) << shift),
                                     static_cast<Code>(end - b) << shift, places_.data() + m);
        }
        codes_.ensure(m);
        rows_.ensure(m);
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
        const Statistic* samples = criterion.samples();
        for (std::size_t k = 0; k < m;) {
            const std::size_t b = bin(k);
            Statistic sum = b == 0 ? Statistic{} : bins_[b - 1];
            std::size_t n_left = b == 0 || limits.none() ? 0 : counts_[b - 1];
            for (;; ++k) {
                sum += samples[places_[order[k]]];
                ++n_left;
                if (k + 1 == m || bin(k + 1) != b) break;
                if (cuts[k] == 0) continue;
                ++work_.cuts;
                const double w = C::weight_of(sum), t = C::sum_y_of(sum);
                const double s = Scores::score(criterion, w, t);
                // Among equal scores the lowest cut wins, also against a cut between bins that is
                // above it.
                const bool better =
                    s > found.score || (s == found.score && found.between && b <= found.bin);
                if (better && (limits.none() || allowed(criterion, limits, n_left, w, t))) {
                    found = {s, b, false, sum};
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
    Scratch<Statistic> sorted_;
    Scratch<Statistic> bins_;  // later: prefix sums
    Scratch<double> weight_, sum_y_, score_, spread_;
    Scratch<std::uint8_t> open_;
    Scratch<std::size_t> counts_;
    Scratch<Position> last_, places_;
    CodeBuffer codes_;  // of the samples in open bins
    Scratch<RowId> rows_;
};

}  // namespace silvics
