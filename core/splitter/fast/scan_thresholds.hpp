// The scan over groups of equal values (Algorithm 3.4), for every criterion and every source of
// the groups.
#pragma once

#include <span>
#include <vector>

#include "criterion/sample_rows.hpp"
#include "splitter/fast/node_sort.hpp"
#include "splitter/fast/small_node.hpp"
#include "splitter/work.hpp"

namespace silvics {

// Whether the cut respects the monotonic constraint, if there is one. Sets the middle of the cut.
template <MovingCriterion C>
bool keeps_order(const C& criterion, const CutLimits& limits, Cut& cut) {
    if (limits.monotonic == 0) return true;
    const double left = criterion.left_value(), right = criterion.right_value();
    cut.middle = (left + right) / 2;
    return limits.keep_order(left, right);
}

template <MovingCriterion C>
void keep_if_better(const C& criterion, const CutLimits& limits, Cut cut, Cut& best) {
    cut.score = criterion.score();
    if (cut.score > best.score && keeps_order(criterion, limits, cut)) best = cut;
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
        if constexpr (C::kSummable) {
            const bool histogram = use_histogram(criterion, node, search);
            if (histogram || criterion.row_width() != 0)
                return with_width(criterion.histogram_width(), [&](auto width) {
                    if (histogram)
                        scan_histogram(width, criterion, node, limits, stop, best);
                    else
                        scan_sorted(width, criterion, node, limits, stop, best);
                });
        }
        if constexpr (requires { criterion.score_cuts({}, nullptr, nullptr); })
            if (limits.monotonic == 0 && criterion.scores_orders())
                return scan_scored(criterion, node, limits, stop, best);
        work_.cuts += scan_groups(criterion, SortedGroups<C>(criterion, node, sort_, stop), limits,
                                  stop, best);
    }

    // Tries all cuts of a node of N samples.
    template <std::size_t N>
    void best_cut(C& criterion, const SmallNode<N>& small, const CutLimits& limits, Cut& best)
        requires(C::kSummable)
    {
        with_width(criterion.row_width(), [&](auto width) {
            const double* const rows = criterion.sample_rows();
            CutBlock block(width, criterion, limits, planes_, best);
            const auto make_cut = [&](std::size_t k) { return small.cut(k, 0.0); };
            for (std::size_t k = 0; k + 1 < N; ++k) {
                block.add(rows + small.position(k) * width);
                if (small.cut_after(k)) block.cut(k, k + 1);
            }
            block.score(make_cut);
        });
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
        if constexpr (C::kSummable)
            sum_left(criterion, goes_left);
        else
            for (std::size_t i = 0; i < goes_left.size(); ++i)
                if (goes_left[i] != 0) criterion.move(static_cast<Position>(i));
        if (limits.allow(n_left, criterion.left_weight(), criterion.right_weight()))
            keep_if_better(criterion, limits, {}, best);
    }

private:
    // Cuts are scored many at a time, from sums that are stored one term after another.
    static constexpr std::size_t kBlockSize = 64;

    // Sums samples group by group, and scores the cuts between groups in blocks.
    template <class Width>
    class CutBlock {
    public:
        CutBlock(Width width, C& criterion, const CutLimits& limits, Scratch<double>& planes,
                 Cut& best)
            : width_(width),
              criterion_(criterion),
              limits_(limits),
              planes_(planes.ensure((width + 1) * kBlockSize)),
              total_(criterion.total_row()),
              best_(best),
              left_(width),
              group_(width) {}

        // Adds a sample, or a sum of samples, to the group.
        void add(const double* row) {
            if (begins_)
                group_.set(row);
            else
                group_.add(row);
            begins_ = false;
        }
        // Ends the group. The number identifies the cut.
        void cut(std::size_t number, std::size_t n_left) {
            left_.add(group_.data());
            begins_ = true;
            for (std::size_t k = 0; k < width_; ++k) planes_[k * kBlockSize + size_] = left_[k];
            number_[size_] = number;
            n_left_[size_] = n_left;
            ++size_;
            ++n_cuts_;
        }
        bool full() const { return size_ == kBlockSize; }
        std::size_t n_cuts() const { return n_cuts_; }

        // Keeps the best cut of the block, which make_cut(number) makes.
        template <class MakeCut>
        void score(MakeCut&& make_cut) {
            double* const score = planes_ + width_ * kBlockSize;
            if constexpr (C::kComparesMeans) {
                kernels().score_planes(
                    {planes_, kBlockSize, criterion_.n_compared(), total_, criterion_.factor()},
                    size_, score);
            } else {
                for (std::size_t j = 0; j < size_; ++j) {
                    set_left(j);
                    score[j] = criterion_.score();
                }
            }
            for (std::size_t j = 0; j < size_; ++j) {
                if (!(score[j] > best_.score)) continue;
                if (!limits_.allow(n_left_[j], planes_[j], total_[0] - planes_[j])) continue;
                Cut cut = make_cut(number_[j]);
                cut.score = score[j];
                if (limits_.monotonic != 0) set_left(j);
                if (keeps_order(criterion_, limits_, cut)) best_ = cut;
            }
            size_ = 0;
        }

    private:
        void set_left(std::size_t j) {
            RowOf<Width> row(width_);
            row.set_from(planes_ + j, kBlockSize);
            criterion_.set_left(row.data());
        }

        [[no_unique_address]] Width width_;
        C& criterion_;
        const CutLimits& limits_;
        double* const planes_;
        const double* const total_;
        Cut& best_;
        RowOf<Width> left_, group_;
        bool begins_ = true;
        std::size_t size_ = 0, n_cuts_ = 0;
        std::size_t number_[kBlockSize], n_left_[kBlockSize];
    };

    template <class Width>
    void scan_sorted(Width width, C& criterion, const NodeColumn& node, const CutLimits& limits,
                     const StopFlag& stop, Cut& best) {
        const auto order = sort_.sort(node, stop);
        const auto cuts = sort_.cuts();
        const double* const rows = criterion.sample_rows();
        CutBlock block(width, criterion, limits, planes_, best);
        const auto make_cut = [&](std::size_t k) {
            return cut_between(node, 0.0, order[k], order[k + 1]);
        };
        in_blocks(order.size(), stop, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) {
                block.add(rows + order[k] * width);
                if (cuts[k] == 0) continue;
                block.cut(k, k + 1);
                if (block.full()) block.score(make_cut);
            }
        });
        block.score(make_cut);
        work_.cuts += block.n_cuts();
    }

    // The same for a criterion that scores the cuts of a whole order.
    void scan_scored(C& criterion, const NodeColumn& node, const CutLimits& limits,
                     const StopFlag& stop, Cut& best) {
        const auto order = sort_.sort(node, stop);
        const auto cuts = sort_.cuts();
        const std::size_t n = order.size();
        double *const weight = planes_.ensure(2 * n), *const score = weight + n;
        criterion.score_cuts(order, weight, score);
        for (std::size_t k = 0; k + 1 < n; ++k) {
            if (cuts[k] == 0) continue;
            ++work_.cuts;
            if (!(score[k] > best.score) ||
                !limits.allow(k + 1, weight[k], criterion.weight() - weight[k]))
                continue;
            best = cut_between(node, score[k], order[k], order[k + 1]);
        }
    }

    // The same groups from a histogram over codes, where a code is one value.
    template <class Width>
    void scan_histogram(Width width, C& criterion, const NodeColumn& node, const CutLimits& limits,
                        const StopFlag& stop, Cut& best) {
        const std::size_t range = node.range.size();
        double* const cells = cells_.cleared(range * width);
        std::uint32_t* const counts = counts_.cleared(range);
        in_blocks(node.size(), stop, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t code = node.codes[i] - node.range.low;
                ++counts[code];
                criterion.add_to(cells + code * width, static_cast<Position>(i));
            }
        });
        CutBlock block(width, criterion, limits, planes_, best);
        // A cut is known by the two codes next to it.
        const auto make_cut = [&](std::size_t codes) {
            return Cut{.border = node.range.low + static_cast<Code>(codes >> 32),
                       .below = node.range.low + static_cast<Code>(codes)};
        };
        std::size_t n_left = 0;
        for (std::size_t at = 0; at + 1 < range;) {
            const std::size_t below = at;
            block.add(cells + at * width);
            n_left += counts[at];
            do ++at;
            while (counts[at] == 0);  // the last code of the range has samples
            block.cut(at << 32 | below, n_left);
            if (block.full()) block.score(make_cut);
        }
        block.score(make_cut);
        work_.cuts += block.n_cuts();
    }

    void sum_left(C& criterion, std::span<const std::uint8_t> goes_left) {
        if (criterion.row_width() == 0) {  // one cell per side avoids an unpredictable branch
            const std::size_t width = criterion.histogram_width();
            double* const cells = cells_.cleared(2 * width);
            for (std::size_t i = 0; i < goes_left.size(); ++i)
                criterion.add_to(cells + (goes_left[i] != 0 ? 0 : width), static_cast<Position>(i));
            return criterion.set_left(cells);
        }
        with_width(criterion.row_width(), [&](auto width) {
            const double* row = criterion.sample_rows();
            RowOf left(width);
            for (std::size_t i = 0; i < goes_left.size(); ++i, row += width)
                left.add_if(goes_left[i], row);
            criterion.set_left(left.data());
        });
    }

    // A histogram pays if it has not many more cells than there are samples.
    bool use_histogram(const C& criterion, const NodeColumn& node, Search search) const {
        if (node.parts_codes() || search == Search::sort) return false;
        return search == Search::histogram ||
               node.range.size() * criterion.histogram_width() <= 2 * node.size();
    }

    Work work_;
    NodeSort sort_;
    Scratch<double> planes_, cells_;
    Scratch<std::uint32_t> counts_;
};

}  // namespace silvics
