// The search on N_0 samples of a large node (thesis 5.3.4): cuts are found on the sample, and the
// best one that the limits of the whole node allow is taken.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "splitter/fast/variable_search.hpp"

namespace silvics {

template <Criterion C>
class SampleSearch {
public:
    SampleSearch(const SplitterParts& parts, C& criterion, VariableSearch<C>& search)
        : rules_(parts.rules), order_(parts.order), criterion_(criterion), search_(search) {}

    // for_variables(try_variable) calls try_variable(i, f) for the variables drawn at the node.
    // Limits and decreases are those of the whole node, whose samples are marked by the split
    // found; nothing is found if no cut is allowed there.
    template <class ForVariables>
    std::optional<Split> find(const NodeSamples& node, ForVariables&& for_variables) {
        draw_sample(node);
        criterion_.enter(sample_, 0, sample_.size());
        search_.prepare(sample_.size());
        cuts_.clear();
        for_variables([&](std::size_t, FeatureId f) { return search_sample(node, f); });
        std::ranges::stable_sort(cuts_, std::greater{},
                                 [](const SampleCut& cut) { return cut.found.worth(); });
        criterion_.enter(order_, node.begin, node.n);
        const auto rows = std::span(order_.rows).subspan(node.begin, node.n);
        for (SampleCut& cut : cuts_)
            if (auto split = split_whole(node, rows, cut)) return split;
        return std::nullopt;
    }

private:
    // A cut found on the sample.
    struct SampleCut {
        Found found;
        std::vector<Code> left_levels;  // of a category, ascending
    };

    // The sample is the same for all variables.
    void draw_sample(const NodeSamples& node) {
        places_.clear();
        RandomStream stream(derive(node.key, kSplitSamplePart));
        for_selected(node.n, rules_.split_sample, stream,
                     [&](std::size_t i) { places_.push_back(node.begin + i); });
        order_.copy_some(places_, sample_);
    }

    // Keeps the best cut on a variable of the sample; returns false if the variable is constant.
    bool search_sample(const NodeSamples& node, FeatureId f) {
        const CutLimits no_limits{.n = sample_.size()};
        SampleCut cut{{.feature = f}, {}};
        Found& found = cut.found;
        if (!search_.search(node, sample_.rows, no_limits, found)) return false;
        if (found.cut.score == -kInfinity) return true;
        if (!search_.plain(f)) {
            const Split split = search_.mark(node, found, sample_.rows);
            found.missing = split.missing;
            cut.left_levels.assign(split.left.begin(), split.left.end());
            std::ranges::sort(cut.left_levels);
        } else if (!rules_.random_cut) {
            found.threshold = search_.threshold_of(found, sample_.rows);
        }
        cuts_.push_back(std::move(cut));
        return true;
    }

    // Applies a cut to all samples of the node, if the limits allow it.
    std::optional<Split> split_whole(const NodeSamples& node, std::span<const RowId> rows,
                                     SampleCut& cut) {
        Found& found = cut.found;
        found.cut = {};
        Split split;
        if (search_.plain(found.feature)) {
            search_.score_threshold(node, rows, found);
            if (found.cut.score == -kInfinity) return std::nullopt;
            split = search_.mark_as_found(found, cut.left_levels, rows);
        } else {
            split = search_.mark_as_found(found, cut.left_levels, rows);
            if (split.n_left == 0 || split.n_left == node.n) return std::nullopt;
            search_.score_marks(node, split.n_left, found);
            if (found.cut.score == -kInfinity) return std::nullopt;
        }
        split.decrease = criterion_.decrease(found.cut.score);
        split.middle = found.cut.middle;
        return split;
    }

    const FastRules& rules_;
    SampleOrder& order_;
    C& criterion_;
    VariableSearch<C>& search_;
    SampleOrder sample_;
    std::vector<std::size_t> places_;
    std::vector<SampleCut> cuts_;
};

}  // namespace silvics
