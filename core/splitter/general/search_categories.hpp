// Splits of the levels of a category in two, under any rule on missing values.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "splitter/fast/search_nonplain.hpp"
#include "splitter/general/node_search.hpp"

namespace silvics {

template <MovingCriterion C>
class CategorySearch {
public:
    CategorySearch(const SplitterParts& parts, NodeSearch<C>& search)
        : rules_(parts.rules), search_(search), levels_search_(parts, search.structure.criterion) {}

    // Adds the candidate of a category; returns false if it is constant.
    bool try_levels(const NodeSamples& node, FeatureId f) {
        StructureSamples<C>& structure = search_.structure;
        const bool both = rules_.missing == MissingRule::both;
        read_levels(f, both && rules_.random_cut ? MissingRule::apart : rules_.missing);
        if (structure.values.empty()) return false;
        const SampleOrder& order = structure.entered();
        levels_search_.set_copies(both && !rules_.random_cut ? structure.n_missing() : 0);
        CutLimits allowed = search_.limits(node, f, order.size());
        if (rules_.honest && !rules_.random_cut) {
            levels_search_.set_counted(search_.estimation.count_levels(search_.reader, f));
            allowed.n = search_.estimation.n_on_sides();
            allowed.min_samples_leaf = search_.estimation.min_samples();
        }
        Found found{.feature = f};
        if (!levels_search_.search(node, order.rows, allowed, found)) return false;
        if (found.cut.score == -kInfinity) return true;
        const Split split = levels_search_.mark(node, found, order.rows);
        Candidate c = candidate_of(split);
        double parts[3] = {0.0, 0.0, 0.0};
        for (std::size_t i = 0; i < order.size(); ++i)
            parts[levels_search_.marks(order.size())[i] != 0 ? 0 : 1] += order.weights[i];
        if (structure.has_missing() && rules_.missing == MissingRule::apart)
            parts[2] = structure.missing_weight();
        if (both && rules_.random_cut && structure.has_missing() && !score_coins(node, c, found))
            return true;
        c.decrease = structure.decrease_of(found.cut.score);
        c.worth = c.decrease - structure.weight_entered() * found.by_chance /
                                   structure.criterion.score_per_decrease();
        c.middle = found.cut.middle;
        c.information = information_of(parts);
        if (rules_.honest && !search_.children_large_enough(c, 2)) return true;
        search_.add(std::move(c));
        return true;
    }

    Work work() const { return levels_search_.work(); }

private:
    Candidate candidate_of(const Split& split) const {
        Candidate c;
        c.feature = split.feature;
        c.test = Candidate::Test::levels;
        c.missing = rules_.missing == MissingRule::learned ? split.missing : MissingSide::unseen;
        c.coins = !split.by_levels;
        c.threshold = split.threshold;
        c.left.assign(split.left.begin(), split.left.end());
        std::ranges::sort(c.left);
        return c;
    }

    // Reads the levels as values, and sets the missing ones apart.
    void read_levels(FeatureId f, MissingRule rule) {
        StructureSamples<C>& structure = search_.structure;
        search_.reader.levels(f, structure.samples.rows, levels_);
        structure.values.resize(levels_.size());
        for (std::size_t i = 0; i < levels_.size(); ++i)
            structure.values[i] = levels_[i] == ColumnReader::kMissing
                                      ? std::nan("")
                                      : static_cast<double>(levels_[i]);
        structure.separate_missing(rule);
    }

    // The score of coins that were tossed for the known levels, where missing values go to both
    // sides.
    bool score_coins(const NodeSamples& node, const Candidate& c, Found& found) {
        read_levels(c.feature, MissingRule::both);
        const std::vector<double>& values = search_.structure.values;
        const std::uint64_t seed = LevelRule(c.threshold).content();
        std::uint8_t* const goes = goes_left_.ensure(values.size());
        std::size_t n_left = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            goes[i] = std::isinf(values[i]) ? values[i] < 0.0
                                            : LevelRule::coin(seed, static_cast<Code>(values[i]));
            n_left += goes[i];
        }
        found.cut = {};
        scan_.score_sides(search_.structure.criterion, {goes, values.size()}, n_left,
                          search_.limits(node, c.feature, values.size()), found.cut);
        return found.cut.score != -kInfinity;
    }

    const SearchRules& rules_;
    NodeSearch<C>& search_;
    NonPlainSearch<C> levels_search_;
    ThresholdScan<C> scan_;
    std::vector<Code> levels_;
    Scratch<std::uint8_t> goes_left_;
};

}  // namespace silvics
