// The search for the best split of the levels of a category (thesis 3.6.3.2).
//
// Where Theorem 3.4 holds, the best split is a cut in the order of the means of the levels.
// Otherwise all splits of up to ten levels are tried; for more levels, the cuts in the order along
// their first principal component, and some random splits. Missing values are a level like any
// other.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "splitter/fast/level_sums.hpp"
#include "splitter/gather.hpp"

namespace silvics {

template <Criterion C>
class CategoryScan {
public:
    // Groups the samples by level, as in LevelGroups.
    bool enter(const Column& column, std::span<const RowId> rows, std::size_t n_copies = 0) {
        return groups_.enter(column, rows, n_copies);
    }
    void set_counts(std::span<const std::uint32_t> by_level) { groups_.set_counts(by_level); }
    const LevelGroups& groups() const { return groups_; }

    // The number of splits scored so far.
    std::uint64_t n_cuts() const { return n_cuts_; }

    // The best split of the groups entered last. Returns true if it is better than the best.
    bool best_split(C& criterion, const CutLimits& limits, StreamKey key, const StopFlag& stop,
                    Cut& best, LevelChoice& choice) {
        sum(criterion);
        const double before = best.score;
        if (in_order()) {
            set_order();
            try_cuts(limits, stop, best, choice);
        }
        if (exhaustive()) {
            const std::uint32_t end = std::uint32_t{1} << (groups_.n_free - 1);
            for (std::uint32_t mask = 1; mask < end; ++mask) {
                start_sides();
                for (std::size_t g = 0; g < groups_.n_free; ++g) goes_left_[g] = mask >> g & 1;
                try_sides(limits, stop, best, choice, mask);
            }
        } else if (!sums_.one_order()) {
            RandomStream stream(key);
            for (std::uint32_t number = 0; number < kRandomSplits; ++number) {
                draw_sides(stream);
                try_sides(limits, stop, best, choice, number);
            }
        }
        return best.score > before;
    }

    // The sides of the groups by a choice that best_split() made at the same node.
    std::span<const char> sides(C& criterion, StreamKey key, const LevelChoice& choice) {
        sum(criterion);
        if (choice.cut > 0) {
            set_order();
            start_sides();
            for (std::size_t k = 0; k < choice.cut; ++k) goes_left_[order_[k]] = 1;
            return goes_left_;
        }
        start_sides();
        if (groups_.n_free <= kMaxExhaustiveLevels) {
            for (std::size_t g = 0; g < groups_.n_free; ++g)
                goes_left_[g] = static_cast<char>(choice.number >> g & 1);
        } else {
            RandomStream stream(key);
            for (std::uint32_t number = 0; number <= choice.number; ++number) draw_sides(stream);
        }
        return goes_left_;
    }

private:
    static constexpr std::size_t kMaxExhaustiveLevels =
        10;                                              // levels up to which all splits are tried
    static constexpr std::uint32_t kRandomSplits = 256;  // random splits tried for more levels
    static constexpr int kPowerSteps = 20;
    static constexpr std::size_t kMaxInsertionSort =
        24;  // groups up to which insertion sort is used

    bool exhaustive() const { return !sums_.one_order() && groups_.n_free <= kMaxExhaustiveLevels; }
    bool in_order() const { return !exhaustive(); }

    // If one order will do, the order of the groups does not matter.
    void sum(C& criterion) {
        sums_.begin(criterion);
        if (!sums_.one_order()) groups_.sort_by_level();
        sums_.sum(groups_);
    }

    // Orders the groups by their means, or along the line on which the means differ most; equal
    // ones by level.
    void set_order() {
        key_.resize(groups_.n_free);
        if (sums_.one_order())
            for (std::size_t g = 0; g < groups_.n_free; ++g) key_[g] = sums_.mean(g, 0);
        else
            project();
        const std::size_t n = groups_.n_free;
        order_.resize(n);
        std::iota(order_.begin(), order_.end(), Code{0});
        const auto before = [&](Code a, Code b) {
            return key_[a] != key_[b] ? key_[a] < key_[b] : groups_.levels[a] < groups_.levels[b];
        };
        if (n > kMaxInsertionSort) {
            std::ranges::sort(order_, before);
            return;
        }
        for (std::size_t k = 1; k < n; ++k) {
            const Code g = order_[k];
            std::size_t at = k;
            for (; at > 0 && before(g, order_[at - 1]); --at) order_[at] = order_[at - 1];
            order_[at] = g;
        }
    }

    // The first principal component of the means of the groups, by the power method. Coppersmith,
    // Hong and Hosking (1999) found that this order contains good splits.
    void project() {
        const std::size_t m = sums_.n_means(), n = groups_.n_free;
        centre_.assign(m, 0.0);
        double whole = 0.0;
        for (std::size_t g = 0; g < n; ++g) {
            for (std::size_t k = 0; k < m; ++k) centre_[k] += sums_.weight(g) * sums_.mean(g, k);
            whole += sums_.weight(g);
        }
        for (double& c : centre_) c /= whole;
        differences_.resize(n * m);
        for (std::size_t g = 0; g < n; ++g)
            for (std::size_t k = 0; k < m; ++k)
                differences_[g * m + k] = sums_.mean(g, k) - centre_[k];
        const auto difference = [&](std::size_t g) {
            return std::span<const double>(differences_).subspan(g * m, m);
        };
        const auto dot = [](std::span<const double> a, std::span<const double> b) {
            double sum = 0.0;
            for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
            return sum;
        };
        std::size_t farthest = 0;
        double most = -1.0;
        for (std::size_t g = 0; g < n; ++g) {
            const double far = sums_.weight(g) * dot(difference(g), difference(g));
            if (far > most) most = far, farthest = g;
        }
        direction_.assign(difference(farthest).begin(), difference(farthest).end());
        for (int step = 0; step < kPowerSteps; ++step) {
            next_.assign(m, 0.0);
            for (std::size_t g = 0; g < n; ++g) {
                const double along = sums_.weight(g) * dot(difference(g), direction_);
                for (std::size_t k = 0; k < m; ++k) next_[k] += along * difference(g)[k];
            }
            double largest = 0.0;
            for (const double u : next_) largest = std::max(largest, std::fabs(u));
            if (largest == 0.0) break;
            for (std::size_t k = 0; k < m; ++k) direction_[k] = next_[k] / largest;
        }
        for (std::size_t g = 0; g < n; ++g) key_[g] = dot(difference(g), direction_);
    }

    void try_cuts(const CutLimits& limits, const StopFlag& stop, Cut& best, LevelChoice& choice) {
        sums_.start();
        std::size_t n_left = add_copies();
        for (std::size_t k = 0; k + 1 < order_.size(); ++k) {
            if (k % kStopCuts == kStopCuts - 1) stop.check();
            sums_.add(order_[k]);
            ++n_cuts_;
            n_left += groups_.counts[order_[k]];
            if (sums_.better(limits, n_left, best))
                choice = {.cut = static_cast<std::uint32_t>(k + 1)};
        }
    }

    // Puts all groups right, except for the copies that stay left.
    void start_sides() {
        goes_left_.assign(groups_.size(), 0);
        if (groups_.n_free < groups_.size()) goes_left_[groups_.n_free] = 1;
    }
    std::size_t add_copies() {
        if (groups_.n_free == groups_.size()) return 0;
        sums_.add(groups_.n_free);
        return groups_.counts[groups_.n_free];
    }

    void draw_sides(RandomStream& stream) {
        start_sides();
        std::uint64_t word = 0;
        for (std::size_t g = 0; g < groups_.n_free; ++g) {
            if (g % 64 == 0) word = stream.next();
            goes_left_[g] = static_cast<char>(word >> g % 64 & 1);
        }
    }

    void try_sides(const CutLimits& limits, const StopFlag& stop, Cut& best, LevelChoice& choice,
                   std::uint32_t number) {
        stop.check();
        ++n_cuts_;
        sums_.start();
        std::size_t n_left = 0, n_groups = 0;
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            if (goes_left_[g] == 0) continue;
            sums_.add(g);
            n_left += groups_.counts[g];
            n_groups += g < groups_.n_free;
        }
        if (n_groups == 0 || n_groups == groups_.n_free) return;
        if (sums_.better(limits, n_left, best)) choice = {.cut = 0, .number = number};
    }

    std::uint64_t n_cuts_ = 0;
    LevelGroups groups_;
    LevelSums<C> sums_;
    std::vector<Code> order_;
    std::vector<double> key_, centre_, differences_, direction_, next_;
    std::vector<char> goes_left_;
};

}  // namespace silvics
