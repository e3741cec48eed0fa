// Multiway splits: a child for each value of a variable.
#pragma once

#include <algorithm>
#include <vector>

#include "splitter/general/node_search.hpp"

namespace silvics {

template <MovingCriterion C>
class MultiwaySearch {
public:
    explicit MultiwaySearch(NodeSearch<C>& search) : rules_(search.rules), search_(search) {}

    // Adds the candidate of a variable; returns false if it is constant.
    bool try_values(FeatureId f) {
        StructureSamples<C>& structure = search_.structure;
        structure.enter_all_if_needed();
        search_.reader.codes(f, structure.samples.rows, codes_);
        std::vector<Code> values = codes_;
        std::ranges::sort(values);
        values.erase(std::unique(values.begin(), values.end()), values.end());
        // Where each variable is used once on a branch, a constant one is used up as well.
        if (values.size() < 2 && rules_.variable_draw != VariableDraw::unused) return false;
        std::vector<std::vector<std::size_t>> places_of(values.size());
        for (std::size_t i = 0; i < codes_.size(); ++i)
            places_of[static_cast<std::size_t>(std::ranges::lower_bound(values, codes_[i]) -
                                               values.begin())]
                .push_back(i);
        Candidate c;
        c.feature = f;
        c.test = Candidate::Test::values;
        c.missing_child = values.back() == ColumnReader::kMissing;
        c.values = std::move(values);
        if (c.missing_child) c.values.pop_back();
        if (!large_enough(c, places_of)) return true;
        std::vector<double> weights;
        double impurities = 0.0;
        for (const auto& places : places_of) {
            search_.stop.check();
            const auto part = structure.part_of(places);
            weights.push_back(part.weight);
            impurities += part.weight * part.impurity;
        }
        const C& criterion = structure.criterion;
        c.decrease = scored_impurity(criterion) - impurities / criterion.weight();
        c.worth = c.decrease;
        ++search_.work.cuts;
        c.information = information_of(weights);
        search_.add(std::move(c));
        return true;
    }

private:
    // As in C4.5, at least two children must be large enough; in honest trees, all of them.
    bool large_enough(const Candidate& c, const std::vector<std::vector<std::size_t>>& places_of) {
        if (rules_.honest) return search_.children_large_enough(c, places_of.size());
        if (rules_.min_samples_leaf <= 1 || search_.on_sample) return true;
        return std::ranges::count_if(places_of, [&](const auto& places) {
                   return places.size() >= rules_.min_samples_leaf;
               }) >= 2;
    }

    const SearchRules& rules_;
    NodeSearch<C>& search_;
    std::vector<Code> codes_;
};

}  // namespace silvics
