// The scan of a plain variable with class counts in integers: the same cuts and scores as with a
// moving criterion, in less time.
#pragma once

#include <span>

#include "criterion/class_counts.hpp"
#include "criterion/integer_gini.hpp"
#include "criterion/tabled_entropy.hpp"
#include "splitter/fast/node_sort.hpp"
#include "splitter/general/kept_cuts.hpp"
#include "splitter/splitter.hpp"

namespace silvics {

// The class counts in integers that score like a criterion, if there are any.
template <class C>
struct CountsOf {};
template <>
struct CountsOf<ClassCounts<Gini>> {
    using Type = IntegerGini;
};
template <>
struct CountsOf<ClassCounts<Entropy>> {
    using Type = TabledEntropy;
};
template <class C>
concept ScoredByCounts = requires { typename CountsOf<C>::Type; };

template <ExactCountsCriterion Counts>
class CountsScan {
public:
    explicit CountsScan(const SplitterParts& parts)
        : table_(parts.table), stop_(parts.stop), counts_(parts.target, parts.subset, parts.stop) {}

    // Whether the counts can follow the samples: their weights are whole numbers that stay as they
    // are.
    static bool suits(const SplitterParts& parts) {
        return parts.rules.missing != MissingRule::both &&
               Counts::suits(parts.target, parts.subset);
    }

    // Enters the node of these samples, which remain as they are until the next node.
    void enter(const SampleOrder& samples) {
        counts_.enter(samples, 0, samples.size());
        rows_ = samples.rows;
        pays_ = true;
        if constexpr (requires { counts_.pays(); }) pays_ = counts_.pays();
    }

    bool can_scan(FeatureId f) const {
        const Column& column = table_.columns[f];
        return pays_ && column.plain && column.codes.data != nullptr &&
               column.kind != Column::Kind::bin;
    }

    // Sorts the samples by a variable; returns false if it is constant.
    bool sort(FeatureId f) {
        const Column* const column = &table_.columns[f];
        gather_codes({&column, 1}, rows_, {&codes_, 1}, stop_);
        const CodeRange range = range_of(codes_.data(), rows_.size());
        const NodeColumn node{*column, rows_, codes_.data(), range};
        if (node.constant()) return false;
        order_ = sort_.sort(node, stop_);
        return true;
    }

    // Calls visit(cut) for the allowed cuts whose score is above the bar of those kept. Returns the
    // number of all cuts.
    template <class Visit>
    std::size_t for_cuts(const CutLimits& limits, const KeptCuts& kept, Visit&& visit) {
        const std::span<const std::uint8_t> cuts = sort_.cuts();
        const std::span<const std::uint64_t> samples = counts_.samples();
        const double weight = counts_.weight();
        auto left = counts_.begin_scan();
        std::size_t n_cuts = 0;
        in_blocks(order_.size() - 1, stop_, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) {
                const std::uint64_t sample = samples[order_[k]];
                counts_.move(left, Counts::class_of(sample), Counts::weight_of(sample));
                if (cuts[k] == 0) continue;
                ++n_cuts;
                const double score = counts_.score(left);
                if (!(score > kept.bar())) continue;
                const double w = static_cast<double>(left.weight);
                if (!limits.allow(k + 1, w, weight - w)) continue;
                visit(KeptCut{.score = score,
                              .decrease = counts_.decrease(score),
                              .left_weight = w,
                              .right_weight = weight - w,
                              .at_left = order_[k],
                              .at_right = order_[k + 1]});
            }
        });
        return n_cuts;
    }

private:
    const Table& table_;
    const StopFlag& stop_;
    Counts counts_;
    std::span<const RowId> rows_;
    bool pays_ = true;
    CodeBuffer codes_;
    NodeSort sort_;
    std::span<const Position> order_;
};

}  // namespace silvics
