// The search for the best cut of a large node with class counts in integers.
//
// Weights by class are summed in bins of neighbouring codes, and the cuts between bins are scored.
// The criterion bounds the scores of the cuts within a bin: few bins can contain a better cut, and
// only their samples are sorted. As sums are exact, the result is that of a full scan, ties
// included.
#pragma once

#include <algorithm>
#include <bit>

#include "splitter/fast/node_sort.hpp"
#include "splitter/work.hpp"

namespace silvics {

template <ExactCountsCriterion C>
class BinnedCounts {
public:
    using LeftSums = typename C::LeftSums;

    // Returns false, with nothing found, if all samples must be sorted.
    bool best_cut(C& criterion, const NodeColumn& node, const CutLimits& limits,
                  const StopFlag& stop, Cut& best) {
        fill(criterion, node, limits, stop);
        score_.ensure(n_bins_);
        bound_.ensure(n_bins_);
        criterion.score_bins({weight_.data(), cells_.data(), n_bins_, criterion.n_planes()},
                             limits.none(), score_.data(), bound_.data());
        BinCut found = best_between(criterion, limits, best.score);
        const bool whole = shift_ == 0 && !node.parts_codes();  // no cut lies within a bin
        Position at_left = 0, at_right = 0;
        if (!whole) {
            // If no cut gains anything, bounds do not determine the lowest cut.
            if (found.score == -kInfinity || !(criterion.decrease(found.score) > 0.0)) return false;
            if (find_open(criterion.open_from(found.score), node, stop) > 0)
                scan_within(criterion, node, limits, stop, found, at_left, at_right);
        }
        if (found.bin == n_bins_) return true;
        if (found.between)
            best = between(node, found);
        else
            best = cut_between(node, found.score, at_left, at_right);
        return true;
    }

    Work work() const {
        Work all = work_;
        all.sorted += sort_.n_sorted();
        return all;
    }

private:
    // A bin has about kSamplesPerBin samples. All bins together have at most kCellsPerSample
    // weights per sample; codes get a bin each if that is so, too.
    static constexpr std::size_t kSamplesPerBin = 4, kMaxBins = 2048, kCellsPerSample = 2;

    // The best cut so far: within a bin, or between it and the next.
    struct BinCut {
        double score;
        std::size_t bin;
        bool between;
    };

    void fill(const C& criterion, const NodeColumn& node, const CutLimits& limits,
              const StopFlag& stop) {
        const std::size_t n = node.size(), range = node.range.size(), K = criterion.n_planes();
        const std::size_t most = std::min(kMaxBins, kCellsPerSample * n / K);
        const std::size_t wanted =
            !node.parts_codes() && range <= most
                ? range
                : std::clamp(std::min(n / kSamplesPerBin, most), std::size_t{4}, kMaxBins);
        shift_ = range <= wanted ? 0 : std::bit_width((range - 1) / wanted);
        n_bins_ = std::max(((range - 1) >> shift_) + 1, std::size_t{4});  // some may be empty
        const std::size_t stride = n_bins_ + 1;
        std::uint32_t* const cells = cells_.cleared(K * stride);
        const std::size_t per_sample = criterion.planes_per_sample();
        plane_.ensure(criterion.n_classes() * per_sample);
        for (std::size_t i = 0; i < criterion.n_present(); ++i)
            for (std::size_t k = 0; k < per_sample; ++k)
                plane_[criterion.present()[i] * per_sample + k] =
                    static_cast<std::uint32_t>(criterion.plane(i, k) * stride + 1);
        const auto samples = criterion.samples();
        in_blocks(n, stop, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                std::uint32_t* const cell = cells + ((node.codes[i] - node.range.low) >> shift_);
                const std::uint32_t* const plane =
                    plane_.data() + C::class_of(samples[i]) * per_sample;
                const auto w = static_cast<std::uint32_t>(C::weight_of(samples[i]));
                for (std::size_t k = 0; k < per_sample; ++k) cell[plane[k]] += w;
            }
        });
        std::uint32_t* const weight = weight_.cleared(stride);
        for (std::size_t k = 0; k < K; ++k) {
            std::uint32_t* const plane = cells + k * stride;
            std::uint32_t sum = 0;
            for (std::size_t b = 1; b < stride; ++b) plane[b] = sum += plane[b];
            if (!criterion.weighs(k)) continue;
            for (std::size_t b = 1; b < stride; ++b) weight[b] += plane[b];
        }
        if (limits.none()) return;
        counts_.cleared(n_bins_);
        for (std::size_t i = 0; i < n; ++i) ++counts_[(node.codes[i] - node.range.low) >> shift_];
        for (std::size_t b = 1; b < n_bins_; ++b) counts_[b] += counts_[b - 1];
    }

    // The sums left of the cut after the first `n` bins.
    LeftSums sums_of_first(C& criterion, std::size_t n) const {
        return criterion.sums_of_planes(
            [&](std::size_t plane) { return cells_[plane * (n_bins_ + 1) + n]; });
    }

    bool allowed(const C& criterion, const CutLimits& limits, std::size_t n_left,
                 const LeftSums& left) const {
        const double w = static_cast<double>(left.weight);
        return limits.none() || limits.allow(n_left, w, criterion.weight() - w);
    }

    // The lowest of the best cuts between bins that are better than the floor. Scores have rounding
    // errors; those that may be the best are computed once more.
    BinCut best_between(C& criterion, const CutLimits& limits, double floor) {
        BinCut found{floor, n_bins_, false};
        work_.cuts += n_bins_ - 1;
        double bar = below(floor);
        for (std::size_t b = 0; weight_[b + 1] != weight_[n_bins_]; ++b) {
            if (!(score_[b] > bar)) continue;
            const LeftSums left = sums_of_first(criterion, b + 1);
            const double score = criterion.score(left);
            if (!(score > found.score) ||
                !allowed(criterion, limits, limits.none() ? 0 : counts_[b], left))
                continue;
            found = {score, b, true};
            bar = below(score);
        }
        return found;
    }
    static double below(double score) {
        return score == -kInfinity ? score : score - C::kBinError * std::abs(score);
    }

    Cut between(const NodeColumn& node, const BinCut& found) const {
        const Code low = node.range.low;
        std::size_t next = found.bin + 1;
        Cut cut{.score = found.score, .border = low + (static_cast<Code>(next) << shift_)};
        if (shift_ != 0) return cut;
        // The lowest of equal cuts was taken, so that its bin is not empty; the next bins may be.
        while (weight_[next + 1] == weight_[next]) ++next;
        cut.border = low + static_cast<Code>(next);
        cut.below = low + static_cast<Code>(found.bin);
        return cut;
    }

    // Finds the samples of the bins whose bound is at least `bar`; returns their number.
    std::size_t find_open(double bar, const NodeColumn& node, const StopFlag& stop) {
        places_.ensure(node.size() + 1);
        std::size_t& m = n_open_ = 0;
        for (std::size_t b = 0, end; b < n_bins_; b = end) {
            end = b + 1;
            if (!(bound_[b] >= bar)) continue;
            while (end < n_bins_ && bound_[end] >= bar) ++end;
            stop.check();
            m += kernels_.find_codes(node.codes, node.size(),
                                     node.range.low + (static_cast<Code>(b) << shift_),
                                     static_cast<Code>(end - b) << shift_, places_.data() + m);
        }
        return m;
    }

    // Scores the cuts within the open bins.
    void scan_within(C& criterion, const NodeColumn& node, const CutLimits& limits,
                     const StopFlag& stop, BinCut& found, Position& at_left, Position& at_right) {
        const std::size_t m = n_open_;
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
            return static_cast<std::size_t>((codes_[order[k]] - node.range.low) >> shift_);
        };
        const auto samples = criterion.samples();
        for (std::size_t k = 0; k < m; ++k) {
            const std::size_t b = bin(k);
            if (k + 1 == m || bin(k + 1) != b) continue;  // a single sample
            LeftSums left = sums_of_first(criterion, b);
            std::size_t n_left = b == 0 || limits.none() ? 0 : counts_[b - 1];
            for (; k + 1 < m && bin(k + 1) == b; ++k) {
                const std::uint64_t sample = samples[places_[order[k]]];
                criterion.move(left, C::class_of(sample), C::weight_of(sample));
                ++n_left;
                if (cuts[k] == 0) continue;
                ++work_.cuts;
                const double score = criterion.score(left);
                // Among equal scores the lowest cut wins, also against a cut between bins that is
                // above it.
                const bool better = score > found.score ||
                                    (score == found.score && found.between && b <= found.bin);
                if (!better || !allowed(criterion, limits, n_left, left)) continue;
                found = {score, b, false};
                at_left = places_[order[k]];
                at_right = places_[order[k + 1]];
            }
        }
    }

    const Kernels& kernels_ = kernels();
    Work work_;
    NodeSort sort_;
    int shift_ = 0;
    std::size_t n_bins_ = 0, n_open_ = 0;    // bins; samples in open bins
    Scratch<std::uint32_t> cells_, weight_;  // sums over the first bins, in planes (ClassBins)
    Scratch<std::uint32_t> plane_;           // where the cells of each class begin, by output
    Scratch<double> score_, bound_;          // after each bin; of cuts within it
    Scratch<std::uint32_t> counts_;  // of samples in the bins up to each, if there are limits
    Scratch<Position> places_;       // of the samples in open bins, and their codes and rows
    CodeBuffer codes_;
    Scratch<RowId> rows_;
};

}  // namespace silvics
