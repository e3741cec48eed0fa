// What the searches of the general splitter share at a node: its samples, and the candidates found.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "splitter/general/candidate.hpp"
#include "splitter/general/column_reader.hpp"
#include "splitter/general/estimation_samples.hpp"
#include "splitter/general/split_maker.hpp"
#include "splitter/general/structure_samples.hpp"
#include "splitter/splitter.hpp"

namespace silvics {

template <MovingCriterion C>
struct NodeSearch {
    explicit NodeSearch(const SplitterParts& parts)
        : rules(parts.rules),
          stop(parts.stop),
          reader(parts.table, parts.rules),
          maker(parts),
          structure(parts),
          estimation(parts.rules) {}

    const SearchRules& rules;
    const StopFlag& stop;
    ColumnReader reader;
    SplitMaker maker;
    StructureSamples<C> structure;
    EstimationSamples estimation;
    std::vector<Candidate> candidates;
    double tolerance = 0.0;  // of decreases, at the node
    bool on_sample = false;  // whether the structure samples are only some of those of the node
    Work work;

    // Begins the search at the node of these structure samples.
    void begin() {
        structure.enter_all();
        // A decrease that is summed up from parts, or from values of a function, is rounded more
        // than once.
        tolerance = 0.0;
        if (rules.custom_criterion)
            tolerance = 1e-12 * std::fabs(structure.criterion.impurity());
        else if (rules.missing == MissingRule::apart)
            tolerance = 1e-13 * structure.criterion.impurity();
        candidates.clear();
    }

    // The limits on a cut of n samples. Honest leaves are limited by their estimation samples. A
    // cut that is found on a sample is limited when it is scored on the whole node.
    CutLimits limits(const NodeSamples& node, FeatureId f, std::size_t n) const {
        if (on_sample) return {.n = n};
        return {n, rules.honest ? 1 : rules.min_samples_leaf,
                rules.honest ? 0.0 : rules.min_weight_leaf, rules.monotonic_sign(f), node.bounds};
    }

    // The worth that a candidate must exceed to be among the n_best.
    double least_worth() const {
        return candidates.size() < rules.n_best ? -kInfinity : candidates.back().worth;
    }

    // Adds a candidate. Where one of the best is drawn, only the n_best are kept: those of larger
    // worth first, equal ones in the order they were found.
    void add(Candidate candidate) {
        if (rules.choice != Choice::one_of_best) {
            candidates.push_back(std::move(candidate));
            return;
        }
        if (!(candidate.worth > least_worth())) return;
        const auto at = std::ranges::upper_bound(candidates, candidate.worth, std::greater{},
                                                 &Candidate::worth);
        candidates.insert(at, std::move(candidate));
        if (candidates.size() > rules.n_best) candidates.pop_back();
    }

    // Whether all children have enough estimation samples.
    bool children_large_enough(const Candidate& c, std::size_t n_children) {
        std::vector<std::size_t> sizes;
        maker.place(c, estimation.samples.rows, maker.largest_child(c, structure.samples.rows),
                    sizes);
        const auto weights = maker.weights(estimation.samples.weights, sizes.size());
        for (std::size_t k = 0; k < n_children; ++k)
            if (!estimation.enough(sizes[k], weights[k])) return false;
        return true;
    }
};

}  // namespace silvics
