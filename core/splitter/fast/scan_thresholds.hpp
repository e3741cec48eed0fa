// The scan over groups of equal values (Algorithm 3.4), for every criterion and every source of
// the groups.
#pragma once

#include <span>
#include <vector>

#include "splitter/fast/node_sort.hpp"
#include "splitter/work.hpp"

namespace silvics {

template <MovingCriterion C>
void keep_if_better(const C& criterion, const CutLimits& limits, Cut cut, Cut& best) {
    cut.score = criterion.score();
    if (!(cut.score > best.score)) return;
    if (limits.monotonic != 0) {
        const double left = criterion.left_value(), right = criterion.right_value();
        if (!limits.keep_order(left, right)) return;
        cut.middle = (left + right) / 2;
    }
    best = cut;
}

// Groups of equal values from sorted samples.
template <MovingCriterion C>
class SortedGroups {
public:
    SortedGroups(C& criterion, const NodeColumn& node, NodeSort& sort, const StopFlag& stop)
        : criterion_(criterion), node_(node), order_(sort.sort(node, stop)), cuts_(sort.cuts()) {}

    // Moves the next group to the left, if another one follows it.
    bool move() {
        std::size_t end = at_;
        while (end < order_.size() && cuts_[end] == 0) ++end;
        if (end == order_.size()) return false;
        criterion_.move_group(order_.subspan(at_, end + 1 - at_));
        at_ = end + 1;
        return true;
    }
    std::size_t n_left() const { return at_; }
    Cut cut() const { return cut_between(node_, 0.0, order_[at_ - 1], order_[at_]); }

private:
    C& criterion_;
    const NodeColumn& node_;
    std::span<const Position> order_;
    std::span<const std::uint8_t> cuts_;
    std::size_t at_ = 0;
};

// The same groups from a histogram of statistics over codes, where a code is one value.
template <MovingCriterion C>
class HistogramGroups {
public:
    struct Storage {
        std::vector<double> cells;
        std::vector<std::uint32_t> counts;
    };

    HistogramGroups(C& criterion, const NodeColumn& node, Storage& storage, const StopFlag& stop)
        : criterion_(criterion),
          range_(node.range),
          width_(criterion.histogram_width()),
          storage_(storage) {
        storage.cells.assign(range_.size() * width_, 0.0);
        storage.counts.assign(range_.size(), 0);
        in_blocks(node.size(), stop, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t cell = node.codes[i] - range_.low;
                ++storage.counts[cell];
                criterion.add_to(storage.cells.data() + cell * width_, static_cast<Position>(i));
            }
        });
    }

    bool move() {
        if (at_ + 1 == range_.size()) return false;
        criterion_.move_cell(storage_.cells.data() + at_ * width_);
        n_left_ += storage_.counts[at_];
        below_ = at_;
        do ++at_;
        while (storage_.counts[at_] == 0);  // the last code of the range has samples
        return true;
    }
    std::size_t n_left() const { return n_left_; }
    Cut cut() const {
        return {.border = range_.low + static_cast<Code>(at_),
                .below = range_.low + static_cast<Code>(below_)};
    }

private:
    C& criterion_;
    CodeRange range_;
    std::size_t width_;
    Storage& storage_;
    std::size_t at_ = 0, below_ = 0, n_left_ = 0;
};

// The same groups from the values themselves, in a given order.
template <MovingCriterion C>
class ValueGroups {
public:
    ValueGroups(C& criterion, std::span<const double> values, std::span<const Position> order)
        : criterion_(criterion), values_(values), order_(order) {}

    bool move() {
        std::size_t end = at_;
        while (end < order_.size() && values_[order_[end]] == values_[order_[at_]]) ++end;
        if (end == order_.size()) return false;
        criterion_.move_group(order_.subspan(at_, end - at_));
        at_ = end;
        return true;
    }
    std::size_t n_left() const { return at_; }
    Cut cut() const { return {.at_left = order_[at_ - 1], .at_right = order_[at_]}; }

private:
    C& criterion_;
    std::span<const double> values_;
    std::span<const Position> order_;
    std::size_t at_ = 0;
};

// Cuts between checks of the stop flag. A cut of the slowest criterion takes a microsecond.
inline constexpr std::size_t kStopCuts = 8192;

// Calls visit() at every allowed cut between two groups, in their order. Returns the number of
// cuts.
template <MovingCriterion C, class Groups, class Visit>
std::size_t for_cuts(C& criterion, Groups& groups, const CutLimits& limits, const StopFlag& stop,
                     Visit&& visit) {
    criterion.begin_scan();
    std::size_t n = 0;
    while (groups.move()) {
        if (++n % kStopCuts == 0) stop.check();
        if (limits.allow(groups.n_left(), criterion.left_weight(), criterion.right_weight()))
            visit();
    }
    return n;
}

// The best allowed cut between two groups, the lowest among equals. Returns the number of cuts.
template <MovingCriterion C, class Groups>
std::size_t scan_groups(C& criterion, Groups&& groups, const CutLimits& limits,
                        const StopFlag& stop, Cut& best) {
    return for_cuts(criterion, groups, limits, stop,
                    [&] { keep_if_better(criterion, limits, groups.cut(), best); });
}

template <MovingCriterion C>
class ThresholdScan {
public:
    void best_cut(C& criterion, const NodeColumn& node, const CutLimits& limits, Search search,
                  const StopFlag& stop, Cut& best) {
        if constexpr (C::kSummable)
            if (use_histogram(criterion, node, search)) {
                work_.cuts +=
                    scan_groups(criterion, HistogramGroups<C>(criterion, node, histogram_, stop),
                                limits, stop, best);
                return;
            }
        work_.cuts += scan_groups(criterion, SortedGroups<C>(criterion, node, sort_, stop), limits,
                                  stop, best);
    }

    Work work() const {
        Work all = work_;
        all.sorted += sort_.n_sorted();
        return all;
    }

    // Scores the cut that sends the marked samples left.
    void score_sides(C& criterion, std::span<const std::uint8_t> goes_left, std::size_t n_left,
                     const CutLimits& limits, Cut& best) {
        criterion.begin_scan();
        if constexpr (C::kSummable) {  // one cell per side avoids an unpredictable branch
            const std::size_t width = criterion.histogram_width();
            histogram_.cells.assign(2 * width, 0.0);
            for (std::size_t i = 0; i < goes_left.size(); ++i)
                criterion.add_to(histogram_.cells.data() + (goes_left[i] != 0 ? 0 : width),
                                 static_cast<Position>(i));
            criterion.move_cell(histogram_.cells.data());
        } else {
            for (std::size_t i = 0; i < goes_left.size(); ++i)
                if (goes_left[i] != 0) criterion.move(static_cast<Position>(i));
        }
        if (limits.allow(n_left, criterion.left_weight(), criterion.right_weight()))
            keep_if_better(criterion, limits, {}, best);
    }

private:
    // A histogram pays if it has not many more cells than there are samples.
    bool use_histogram(const C& criterion, const NodeColumn& node, Search search) const {
        if (node.parts_codes() || search == Search::sort) return false;
        return search == Search::histogram ||
               node.range.size() * criterion.histogram_width() <= 2 * node.size();
    }

    Work work_;
    NodeSort sort_;
    typename HistogramGroups<C>::Storage histogram_;
};

}  // namespace silvics
