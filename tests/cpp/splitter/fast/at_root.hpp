// A splitter at the root of a small problem.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "criterion/class_counts.hpp"
#include "doctest/doctest.h"
#include "sampling/feature_draw.hpp"
#include "splitter/fast/fast_splitter.hpp"
#include "splitter/make_splitter.hpp"
#include "support/problem.hpp"

namespace silvics::test {

// Samples stand left first, in the order they had on both sides, and what is kept of them too.
inline void check_parted(const CriterionEntry& criterion, const SplitterParts& parts,
                         const SampleOrder& before, const NodeSamples& node, const Split& split) {
    const auto& column = numeric(parts.table, split.feature);
    std::vector<RowId> rows = before.rows;
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(node.begin);
    const auto last = first + static_cast<std::ptrdiff_t>(node.n);
    const auto middle = std::stable_partition(
        first, last, [&](RowId row) { return column.values[row] <= split.threshold; });
    CHECK(static_cast<std::size_t>(middle - first) == split.n_left);
    CHECK(split.n_left > 0);
    CHECK(split.n_left < node.n);
    CHECK(parts.order.rows == rows);
    LearningSubset subset = parts.subset;
    subset.rows = rows;
    SampleOrder expected;
    criterion.make_splitter(
        {parts.table, parts.target, subset, parts.rules, parts.stop, expected, parts.features});
    CHECK(parts.order.weights == expected.weights);
    CHECK(parts.order.labels == expected.labels);
    CHECK(parts.order.values == expected.values);
    CHECK(parts.order.packed == expected.packed);
}

// A splitter at the root of a small problem.
struct AtRoot {
    Matrix X;
    Table table;
    Target target;
    LearningSubset subset;
    SearchRules rules;
    StopFlag stop;
    std::vector<FeatureId> features;

    AtRoot(Matrix matrix, Target y, const BinRule& bins = {})
        : X(std::move(matrix)),
          table(coded(X, bins)),
          target(std::move(y)),
          subset(subset_of(X.rows)),
          features(FeatureDraw::first_features(X.cols)) {
        rules.max_features = X.cols;
    }
    std::optional<Split> find(StreamKey key, const char* criterion = "gini") {
        Constants constants(table.n_features());
        return find(key, constants, criterion);
    }
    std::optional<Split> find(StreamKey key, Constants& constants, const char* criterion = "gini") {
        return find({0, subset.rows.size(), key, {}}, constants, criterion);
    }
    // Or at any other node.
    std::optional<Split> find(const NodeSamples& node, Constants& constants, const char* criterion,
                              ThreadTeam* team = nullptr) {
        SampleOrder order;
        const CriterionEntry& entry = find_criterion(criterion);
        const SplitterParts parts{table, target, subset, rules, stop, order, features};
        const auto splitter = entry.make_splitter(parts);
        order.rows = subset.rows;
        const SampleOrder before = order;
        splitter->share(team);
        splitter->enter(node);
        const auto split = splitter->find_split(node, constants);
        if (split) check_parted(entry, parts, before, node, *split);
        return split;
    }
};

inline Target alternating(std::size_t n) {
    std::vector<std::int64_t> y(n);
    for (std::size_t i = 0; i < n; ++i) y[i] = static_cast<std::int64_t>(i % 2);
    return class_target(y, n, {2});
}

}  // namespace silvics::test
