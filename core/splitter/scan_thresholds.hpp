// Where statistics begin: one scan over the groups of equal codes, for every criterion and
// both ways of grouping (Algorithm 3.4).
#pragma once

#include <span>
#include <vector>

#include "criterion/concept.hpp"
#include "splitter/gather.hpp"
#include "splitter/node_sort.hpp"
#include "splitter/split.hpp"

namespace silvics {

// The best cut on one variable so far.
struct Cut {
    double score = -kInfinity;
    Code left = 0, right = 0;  // the codes on either side
    double middle = 0.0;       // between the children's values, under a monotonic constraint
};

// What a cut must respect at this node.
struct CutLimits {
    std::size_t n = 0, min_samples_leaf = 1;
    double min_weight_leaf = 0.0;
    int monotonic = 0;
    ValueBounds bounds{};

    bool allow(std::size_t n_left, double left, double right) const {
        return n_left >= min_samples_leaf && n - n_left >= min_samples_leaf && left > 0.0 &&
               right > 0.0 && left >= min_weight_leaf && right >= min_weight_leaf;
    }
    template <Criterion C>
    bool keeps_order(const C& criterion) const {
        if (monotonic == 0) return true;
        const double left = criterion.left_value(), right = criterion.right_value();
        const double low = left < right ? left : right, high = left < right ? right : left;
        return (left - right) * monotonic <= 0.0 && low >= bounds.lower && high <= bounds.upper;
    }
};

template <Criterion C>
void keep_if_better(const C& criterion, const CutLimits& limits, Code left, Code right, Cut& best) {
    const double score = criterion.score();
    if (!(score > best.score) || !limits.keeps_order(criterion)) return;
    best = {score, left, right, 0.0};
    if (limits.monotonic != 0) best.middle = (criterion.left_value() + criterion.right_value()) / 2;
}

// Groups of equal codes out of sorted keys.
template <Criterion C>
class SortedGroups {
public:
    SortedGroups(C& criterion, std::span<const std::uint64_t> keys)
        : criterion_(criterion), keys_(keys) {}

    bool last() const { return code_of(keys_[at_]) == code_of(keys_.back()); }
    void move() {
        code_ = code_of(keys_[at_]);
        std::size_t end = at_ + 1;
        while (end < keys_.size() && code_of(keys_[end]) == code_) ++end;
        criterion_.move_group(keys_.subspan(at_, end - at_));
        at_ = end;
    }
    std::size_t n_left() const { return at_; }
    Code code() const { return code_; }
    Code next_code() const { return code_of(keys_[at_]); }

private:
    C& criterion_;
    std::span<const std::uint64_t> keys_;
    std::size_t at_ = 0;
    Code code_ = 0;
};

// The same groups out of a histogram of statistics over codes.
template <Criterion C>
class HistogramGroups {
public:
    struct Storage {
        std::vector<double> cells;
        std::vector<std::uint32_t> counts;
    };

    HistogramGroups(C& criterion, std::span<const Code> codes, CodeRange range, Storage& storage,
                    const StopFlag& stop)
        : criterion_(criterion),
          range_(range),
          width_(criterion.histogram_width()),
          storage_(storage) {
        storage.cells.assign(range.size() * width_, 0.0);
        storage.counts.assign(range.size(), 0);
        in_blocks(codes.size(), stop, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t cell = codes[i] - range.low;
                ++storage.counts[cell];
                criterion.add_to(storage.cells.data() + cell * width_, static_cast<Position>(i));
            }
        });
    }

    bool last() const { return at_ + 1 == range_.size(); }
    void move() {
        criterion_.move_cell(storage_.cells.data() + at_ * width_);
        n_left_ += storage_.counts[at_];
        code_ = range_.low + static_cast<Code>(at_);
        do ++at_;
        while (storage_.counts[at_] == 0);  // the last code of the range is never empty
    }
    std::size_t n_left() const { return n_left_; }
    Code code() const { return code_; }
    Code next_code() const { return range_.low + static_cast<Code>(at_); }

private:
    C& criterion_;
    CodeRange range_;
    std::size_t width_;
    Storage& storage_;
    std::size_t at_ = 0, n_left_ = 0;
    Code code_ = 0;
};

// How many cuts, at a microsecond each for the slowest criterion, go by between looks at the flag.
inline constexpr std::size_t kStopCuts = 8192;

// The best allowed cut between two groups; the lowest of equals.
template <Criterion C, class Groups>
void scan_thresholds(C& criterion, Groups&& groups, const CutLimits& limits, const StopFlag& stop,
                     Cut& best) {
    criterion.begin_scan();
    for (std::size_t i = 0; !groups.last(); ++i) {
        if (i % kStopCuts == 0) stop.check();
        groups.move();
        if (limits.allow(groups.n_left(), criterion.left_weight(), criterion.right_weight()))
            keep_if_better(criterion, limits, groups.code(), groups.next_code(), best);
    }
}

}  // namespace silvics
