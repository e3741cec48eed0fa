// The splitter of one criterion.
#pragma once

#include <algorithm>
#include <vector>

#include "sampling/feature_draw.hpp"
#include "splitter/draw_threshold.hpp"
#include "splitter/gather.hpp"
#include "splitter/scan_sums.hpp"
#include "splitter/scan_thresholds.hpp"
#include "splitter/splitter.hpp"

namespace silvics {

template <Criterion C>
class SplitterFor final : public Splitter {
public:
    explicit SplitterFor(const SplitterParts& parts)
        : table_(parts.table),
          rules_(parts.rules),
          stop_(parts.stop),
          criterion_(parts.target, parts.subset, parts.stop),
          draw_(parts.table.n_features()) {}

    NodeFacts enter(const NodeSamples& node) override {
        criterion_.enter(node.rows);
        return {node.rows.size(), criterion_.weight(), criterion_.impurity(),
                criterion_.homogeneous()};
    }

    std::optional<Split> find_split(const NodeSamples& node, Constants& constants) override {
        if (rules_.split_sample != 0 && node.rows.size() > rules_.split_sample)
            if (auto split = find_on_sample(node, constants)) return split;
        Found best;
        const auto try_variable = [&](FeatureId f, const Column& column, CodeRange range) {
            if (range.constant()) return constants.found(f), false;
            Found found{f, {.score = best.cut.score}, 0.0};
            search(node, f, column, range, limits(node, f), found);
            if (found.cut.score > best.cut.score) best = found;
            return true;
        };
        prepare_scan();
        for_drawn_variables(node, node.rows, constants, try_variable);
        if (best.cut.score == -kInfinity) return std::nullopt;
        return finish(node.rows, best);
    }

    int impurity_exponent() const override { return criterion_.impurity_exponent(); }

    void write_value(std::span<double> value) const override { criterion_.write_value(value); }

    ClassId only_class() const override {
        if constexpr (requires { criterion_.only_class(); }) return criterion_.only_class();
        return 0;
    }

private:
    struct Found {
        FeatureId feature = 0;
        Cut cut;
        double threshold = 0.0;  // of a random cut
    };

    // Draws variables until K have been tried, and at least one that is not constant (definition
    // 2). try_variable answers whether the variable was of use. A variable known to be constant
    // costs its draw and nothing else.
    template <class Try>
    void for_drawn_variables(const NodeSamples& node, std::span<const RowId> rows,
                             const Constants& constants, Try&& try_variable) {
        const auto kind = rules_.random_cut ? CodeKind::ranks : CodeKind::searched;
        std::size_t counted = 0, useful = 0;
        draw_.begin(node.key);
        while (!draw_.done() && (counted < rules_.max_features || useful == 0)) {
            const FeatureId f = draw_.next();
            bool use = false;
            if (!constants.known(f)) {
                stop_.check();
                const Column& column = table_.columns[f];
                use = try_variable(f, column, gather_codes(column, kind, rows, codes_, stop_));
            }
            useful += use;
            counted += use || rules_.constants_count;
        }
    }

    CutLimits limits(const NodeSamples& node, FeatureId f) const {
        return {node.rows.size(), rules_.min_samples_leaf, rules_.min_weight_leaf,
                rules_.monotonic_sign(f), node.bounds};
    }

    // The best, or the random, cut on one variable whose codes have been gathered.
    void search(const NodeSamples& node, FeatureId f, const Column& column, CodeRange range,
                const CutLimits& limits, Found& found) {
        if (rules_.random_cut) {
            const auto& values = std::get<NumericColumn>(column).values;
            found.threshold = draw_threshold(node.key, f, values[range.low], values[range.high]);
            score_threshold(criterion_, codes_, range, values, found.threshold, limits,
                            histogram_.cells, found.cut);
            return;
        }
        const bool histogram = use_histogram(range);
        if (!histogram) sort_codes(range);
        if (!one_sum_.samples.empty() && limits.monotonic == 0) {
            histogram ? sums_.histogram(one_sum_, codes_, range, stop_)
                      : sums_.sorted(one_sum_, keys_);
            sums_.keep_best(one_sum_, limits, found.cut);
        } else if (!histogram) {
            scan_thresholds(criterion_, SortedGroups<C>(criterion_, keys_), limits, stop_,
                            found.cut);
        } else if constexpr (C::kSummable) {
            scan_thresholds(criterion_,
                            HistogramGroups<C>(criterion_, codes_, range, histogram_, stop_),
                            limits, stop_, found.cut);
        }
    }

    void sort_codes(CodeRange range) {
        keys_.resize(codes_.size());
        for (std::size_t i = 0; i < codes_.size(); ++i)
            keys_[i] = std::uint64_t{codes_[i]} << 32 | i;
        sort_keys(keys_, scratch_, range.low, range.high, stop_);
    }

    // Looks for the quick scan, once the criterion has taken up the samples to search on.
    void prepare_scan() {
        if constexpr (requires { criterion_.one_sum(); })
            if (!rules_.random_cut) one_sum_ = criterion_.one_sum();
    }

    // A histogram pays when its cells are not many more than the samples.
    bool use_histogram(CodeRange range) const {
        if (!C::kSummable || rules_.search == Search::sort) return false;
        return rules_.search == Search::histogram ||
               range.size() * criterion_.histogram_width() <= 2 * codes_.size();
    }

    Split finish(std::span<const RowId> rows, const Found& found) const {
        Split split{found.feature, found.threshold, found.cut.left,
                    criterion_.decrease(found.cut.score), found.cut.middle};
        if (!rules_.random_cut)
            place_cut(table_.columns[found.feature], rows, found.cut.left, found.cut.right, split);
        return split;
    }

    // Searches on N_0 samples of the node, the same for all variables; the limits and the
    // decrease are those of the whole node. Nothing if no cut so found is allowed there.
    std::optional<Split> find_on_sample(const NodeSamples& node, const Constants& constants) {
        sample_.clear();
        RandomStream stream(derive(node.key, kSplitSamplePart));
        std::size_t wanted = rules_.split_sample;
        for (std::size_t i = 0; wanted > 0; ++i)
            if (stream.below(node.rows.size() - i) < wanted) {
                sample_.push_back(node.rows[i]);
                --wanted;
            }
        std::vector<Found> found;
        criterion_.enter(sample_);
        prepare_scan();
        const auto try_variable = [&](FeatureId f, const Column& column, CodeRange range) {
            if (range.constant()) return false;
            found.push_back({f, {}, 0.0});
            search(node, f, column, range, {.n = sample_.size()}, found.back());
            return true;
        };
        for_drawn_variables(node, sample_, constants, try_variable);
        std::ranges::stable_sort(found, std::greater{}, [](const Found& c) { return c.cut.score; });
        criterion_.enter(node.rows);
        for (const Found& candidate : found) {
            if (candidate.cut.score == -kInfinity) break;
            const Split split = finish(sample_, candidate);
            const Column& column = table_.columns[split.feature];
            const CodeRange range = gather_codes(column, CodeKind::ranks, node.rows, codes_, stop_);
            Cut whole;
            score_threshold(criterion_, codes_, range, std::get<NumericColumn>(column).values,
                            split.threshold, limits(node, split.feature), histogram_.cells, whole);
            if (whole.score > -kInfinity)
                return Split{split.feature, split.threshold, whole.left,
                             criterion_.decrease(whole.score), whole.middle};
        }
        return std::nullopt;
    }

    const Table& table_;
    const SearchRules& rules_;
    const StopFlag& stop_;
    C criterion_;
    FeatureDraw draw_;
    std::vector<Code> codes_;
    std::vector<std::uint64_t> keys_, scratch_;
    OneSum one_sum_;
    SumScan sums_;
    typename HistogramGroups<C>::Storage histogram_;
    std::vector<RowId> sample_;
};

}  // namespace silvics
