// Scores a candidate that was found on some samples of a node on all of them (thesis 5.3.4).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "splitter/fast/scan_thresholds.hpp"
#include "splitter/general/node_search.hpp"

namespace silvics {

template <MovingCriterion C>
class WholeNode {
public:
    explicit WholeNode(NodeSearch<C>& search) : search_(search) {}

    // Sets the decrease of the candidate at the whole node, whose structure samples are entered;
    // returns false if the limits do not allow it.
    bool score(const NodeSamples& node, Candidate& c) {
        StructureSamples<C>& structure = search_.structure;
        structure.enter_all_if_needed();
        structure.set_none_missing();
        const std::span<const RowId> rows = structure.samples.rows;
        std::vector<std::size_t> sizes;
        search_.maker.place(c, rows, search_.maker.largest_child(c, rows), sizes);
        const std::span<const std::uint32_t> child_of = search_.maker.children();
        const CutLimits limits = search_.limits(node, c.feature, rows.size());
        if (!(sizes.size() == 2 ? score_sides(c, child_of, sizes[0], limits)
                                : score_parts(c, child_of, sizes, limits)))
            return false;
        const bool learned = search_.rules.missing == MissingRule::learned;
        if (learned && c.missing == MissingSide::unseen && has_missing(c, rows))
            c.missing = MissingSide::right;
        return true;
    }

private:
    bool score_sides(Candidate& c, std::span<const std::uint32_t> child_of, std::size_t n_left,
                     const CutLimits& limits) {
        const std::size_t n = child_of.size();
        if (n_left == 0 || n_left == n) return false;
        std::uint8_t* const goes = goes_left_.ensure(n);
        for (std::size_t i = 0; i < n; ++i) goes[i] = child_of[i] == 0;
        Cut cut;
        C& criterion = search_.structure.criterion;
        scan_.score_sides(criterion, {goes, n}, n_left, limits, cut);
        if (cut.score == -kInfinity) return false;
        c.decrease = criterion.decrease(cut.score);
        c.middle = cut.middle;
        return true;
    }

    // A child for missing values, or one for each value. At least two children must be large
    // enough, as in C4.5; where only missing values are apart, both others.
    bool score_parts(Candidate& c, std::span<const std::uint32_t> child_of,
                     std::span<const std::size_t> sizes, const CutLimits& limits) {
        StructureSamples<C>& structure = search_.structure;
        std::vector<std::vector<std::size_t>> places(sizes.size());
        for (std::size_t i = 0; i < child_of.size(); ++i) places[child_of[i]].push_back(i);
        const bool by_values = c.test == Candidate::Test::values;
        std::size_t n_large = 0;
        double impurities = 0.0;
        for (std::size_t k = 0; k < sizes.size(); ++k) {
            if (places[k].empty()) continue;
            search_.stop.check();
            const auto part = structure.part_of(places[k]);
            impurities += part.weight * part.impurity;
            n_large += (by_values || k < 2) && places[k].size() >= limits.min_samples_leaf &&
                       part.weight >= limits.min_weight_leaf;
        }
        if (n_large < 2) return false;
        const C& criterion = structure.criterion;
        c.decrease = scored_impurity(criterion) - impurities / criterion.weight();
        return true;
    }

    bool has_missing(const Candidate& c, std::span<const RowId> rows) {
        if (c.test == Candidate::Test::values) return false;
        if (c.test == Candidate::Test::levels) {
            search_.reader.levels(c.feature, rows, levels_);
            return std::ranges::find(levels_, ColumnReader::kMissing) != levels_.end();
        }
        search_.reader.numbers(c.feature, rows, c.terms, values_);
        return std::ranges::any_of(values_, [](double x) { return std::isnan(x); });
    }

    NodeSearch<C>& search_;
    ThresholdScan<C> scan_;
    Scratch<std::uint8_t> goes_left_;
    std::vector<Code> levels_;
    std::vector<double> values_;
};

}  // namespace silvics
