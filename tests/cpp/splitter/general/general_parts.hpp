// The parts of a general splitter at the root of a small table, for tests of its components.
#pragma once

#include <cmath>
#include <vector>

#include "criterion/class_counts.hpp"
#include "doctest/doctest.h"
#include "sampling/feature_draw.hpp"
#include "splitter/column_ranges.hpp"
#include "splitter/general/node_search.hpp"
#include "splitter/other_columns.hpp"

namespace silvics::test {

using GiniCounts = ClassCounts<Gini>;

// Columns as in other_table: n_levels is negative for numbers.
struct GeneralParts {
    OtherTable made;
    Target target;
    LearningSubset subset;
    SearchRules rules{};
    SampleOrder order{};
    std::vector<FeatureId> features{};

    GeneralParts(Matrix X, std::vector<std::int64_t> n_levels,
                 const std::vector<std::int64_t>& classes, ClassId n_classes = 2,
                 std::vector<double> weights = {})
        : made(other_table(std::move(X), std::move(n_levels))),
          target(class_target(classes, classes.size(), {n_classes})),
          subset(subset_of(classes.size(), std::move(weights))),
          features(FeatureDraw::first_features(made.table().n_features())) {
        ThreadTeam team(1, nullptr);
        rules.general = true;
        rules.adjust_levels = false;
        rules.ranges = column_ranges(made.table(), team);
        rules.edges = column_edges(made.table(), rules.max_values, team);
        GiniCounts::fill(target, subset, order);
        order.rows = subset.rows;
    }
    GeneralParts(const GeneralParts&) = delete;
    GeneralParts& operator=(const GeneralParts&) = delete;

    SplitterParts parts() {
        return {made.table(), target, subset, rules, kNeverStop, order, features};
    }
    NodeSamples node(StreamKey key = 1) const { return {0, order.size(), key, {}, nullptr}; }
    // Makes all samples structure samples and begins the search.
    void begin(NodeSearch<GiniCounts>& search) const {
        search.structure.samples = order;
        search.begin();
    }
};

}  // namespace silvics::test
