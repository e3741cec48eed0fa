// The search for the best split of a category's levels (thesis 3.6.3.2).
//
// Where Theorem 3.4 holds, the best split is a cut in the order of the levels' means. Elsewhere all
// splits of up to ten levels are tried; of more, the cuts in the order along their principal
// component and some random ones. Missing values are a level like any other.
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
class CategorySearch {
public:
    // Takes up a variable at a node; false if it is constant there. The last of the rows may be
    // copies, as many that stay left as stay right, whatever their level.
    bool enter(const Column& column, std::span<const RowId> rows, std::size_t n_copies = 0) {
        const std::size_t n = rows.size();
        gather_levels(column, rows, levels_.take(n));
        const auto missing = static_cast<Code>(column.n_codes);
        for (std::size_t i = n - 2 * n_copies; i < n; ++i)
            levels_[i] = missing + (i < n - n_copies ? 1 : 2);
        group({levels_.data(), n}, column.n_codes + 3);
        groups_.missing = LevelGroups::kNone;
        for (std::size_t g = 0; g < groups_.size(); ++g)
            if (groups_.levels[g] == missing) groups_.missing = static_cast<Code>(g);
        groups_.n_free = groups_.size() - (n_copies > 0 ? 2 : 0);
        return groups_.n_free > 1;
    }

    // Counts other samples instead of those taken up, by level, the last being missing ones.
    void count(std::span<const std::uint32_t> by_level) {
        for (std::size_t g = 0; g < groups_.size(); ++g)
            groups_.counts[g] = by_level[groups_.levels[g]];
    }

    const LevelGroups& groups() const { return groups_; }
    // Scored so far.
    std::uint64_t n_cuts() const { return n_cuts_; }

    // Of the variable last taken up. True if there is a better split than the best.
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
            for (std::uint32_t number = 0; number < kRandom; ++number) {
                draw_sides(stream);
                try_sides(limits, stop, best, choice, number);
            }
        }
        return best.score > before;
    }

    // Sides of the groups by a choice made before for the same variable at the same node.
    std::span<const char> sides(C& criterion, StreamKey key, const LevelChoice& choice) {
        sum(criterion);
        if (choice.cut > 0) {
            set_order();
            start_sides();
            for (std::size_t k = 0; k < choice.cut; ++k) goes_left_[order_[k]] = 1;
            return goes_left_;
        }
        start_sides();
        if (groups_.n_free <= kExhaustive) {
            for (std::size_t g = 0; g < groups_.n_free; ++g)
                goes_left_[g] = static_cast<char>(choice.number >> g & 1);
        } else {
            RandomStream stream(key);
            for (std::uint32_t number = 0; number <= choice.number; ++number) draw_sides(stream);
        }
        return goes_left_;
    }

private:
    static constexpr std::size_t kExhaustive = 10;  // levels of which all splits are tried
    static constexpr std::uint32_t kRandom = 256;   // splits tried of more
    static constexpr int kPowerSteps = 20;
    static constexpr std::size_t kMaxSortedGroups = 24;  // groups that are sorted one by one

    bool exhaustive() const { return !sums_.one_order() && groups_.n_free <= kExhaustive; }
    bool in_order() const { return !exhaustive(); }

    // Groups in order of appearance; the time does not grow with the number of levels.
    void group(std::span<const Code> levels, std::size_t n_levels) {
        if (group_at_.size() < n_levels) group_at_.resize(n_levels, LevelGroups::kNone);
        groups_.levels.clear();
        groups_.counts.clear();
        groups_.group_of.resize(levels.size());
        for (std::size_t i = 0; i < levels.size(); ++i) {
            Code& g = group_at_[levels[i]];
            if (g == LevelGroups::kNone) {
                g = static_cast<Code>(groups_.levels.size());
                groups_.levels.push_back(levels[i]);
                groups_.counts.push_back(0);
            }
            groups_.group_of[i] = g;
            ++groups_.counts[g];
        }
        for (const Code level : groups_.levels) group_at_[level] = LevelGroups::kNone;
    }

    // The same groups in the order of their levels.
    void sort_groups() {
        const std::size_t n = groups_.size();
        order_.resize(n);
        std::iota(order_.begin(), order_.end(), Code{0});
        std::ranges::sort(order_, {}, [&](Code g) { return groups_.levels[g]; });
        std::vector<Code> now(n), levels(n);
        std::vector<std::uint32_t> counts(n);
        for (std::size_t g = 0; g < n; ++g) {
            now[order_[g]] = static_cast<Code>(g);
            levels[g] = groups_.levels[order_[g]];
            counts[g] = groups_.counts[order_[g]];
        }
        groups_.levels.swap(levels);
        groups_.counts.swap(counts);
        for (Code& g : groups_.group_of) g = now[g];
        if (groups_.missing != LevelGroups::kNone)
            groups_.missing = static_cast<Code>(groups_.n_free - 1);
    }

    // Where one order will do, that of the groups plays no part.
    void sum(C& criterion) {
        sums_.begin(criterion);
        if (!sums_.one_order()) sort_groups();
        sums_.sum(groups_);
    }

    // Groups by their means, or along the line on which means differ most; equals by level.
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
        if (n > kMaxSortedGroups) {
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

    // The first principal component of the groups' means, by the power method (the order that
    // Coppersmith, Hong and Hosking 1999 found to hold good splits).
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

    // All right but for the copies that stay left.
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
    Scratch<Code> levels_;
    std::vector<Code> group_at_;  // of each level, while groups are made
    std::vector<Code> order_;
    std::vector<double> key_, centre_, differences_, direction_, next_;
    std::vector<char> goes_left_;
};

}  // namespace silvics
