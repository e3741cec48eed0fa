// The split of a node by a splitter made by name, and tables of columns of all kinds.
#pragma once

#include <cmath>
#include <set>

#include "criterion/binary_gini.hpp"
#include "criterion/class_counts.hpp"
#include "criterion/exact_squared_error.hpp"
#include "criterion/integer_gini.hpp"
#include "criterion/moments.hpp"
#include "criterion/ordered_targets.hpp"
#include "sampling/feature_draw.hpp"
#include "splitter/fast/search_nonplain.hpp"
#include "splitter/make_splitter.hpp"
#include "splitter/other_columns.hpp"

namespace silvics::test {

// The split of a node, and the order it leaves.
struct Parted {
    std::optional<Split> split;
    std::vector<Code> left, right;
    Rows rows;
    bool operator==(const Parted& other) const {
        const auto bits = [](double v) { return std::bit_cast<std::uint64_t>(v); };
        if (split.has_value() != other.split.has_value()) return false;
        if (!split) return rows == other.rows;
        const Split &a = *split, &b = *other.split;
        return a.feature == b.feature && bits(a.threshold) == bits(b.threshold) &&
               bits(a.decrease) == bits(b.decrease) && a.n_left == b.n_left &&
               a.missing == b.missing && a.by_levels == b.by_levels && left == other.left &&
               right == other.right && rows == other.rows;
    }
};

inline Parted parted(const char* criterion, const Table& table, const Target& target,
                     const LearningSubset& subset, const SearchRules& rules,
                     const NodeSamples& node, ThreadTeam* team = nullptr) {
    SampleOrder order;
    const StopFlag stop;
    const auto features = FeatureDraw::first_features(table.n_features());
    const auto splitter = find_criterion(criterion).make_splitter(
        {table, target, subset, rules, stop, order, features});
    order.rows = subset.rows;
    splitter->share(team);
    splitter->enter(node);
    Constants constants(table.n_features());
    Parted made;
    made.split = splitter->find_split(node, constants);
    if (made.split) {
        made.left.assign(made.split->left.begin(), made.split->left.end());
        made.right.assign(made.split->right.begin(), made.split->right.end());
    }
    made.rows = order.rows;
    return made;
}

// Whether the split has the side of every sample.
inline bool stands(const Parted& made, const Matrix& X, const NodeSamples& node) {
    const Split& split = *made.split;
    bool right = split.n_left > 0 && split.n_left < node.n;
    for (std::size_t i = 0; i < node.n; ++i) {
        const double v = X.row(made.rows[node.begin + i])[split.feature];
        bool left = v <= split.threshold;
        if (split.by_levels && v >= 0.0)
            left = std::ranges::find(made.left, static_cast<Code>(v)) != made.left.end();
        else if (std::isnan(split.threshold) && v >= 0.0)
            left = LevelRule(split.threshold).goes_left(static_cast<Level>(v), {});
        else if (std::isnan(v) || split.by_levels || std::isnan(split.threshold))
            left = split.missing == MissingSide::left;
        right &= left == (i < split.n_left);
    }
    return right;
}

// Plain numbers, numbers with missing values, levels, levels with missing values; each may be
// drawn.
struct MixedProblem {
    OtherTable made;
    Target target;
    LearningSubset subset;
};

inline MixedProblem mixed_problem(Rng& rng, std::size_t n, ClassId n_classes, Weights weights) {
    Matrix X = random_matrix(rng, n, 5, pick(rng, 2) == 0 ? 0 : 6);
    for (std::size_t i = 0; i < n; ++i) {
        double* const row = X.values.data() + 5 * i;
        row[2] = static_cast<double>(pick(rng, 4));
        row[3] = static_cast<double>(pick(rng, 14));
        if (pick(rng, 5) == 0) row[1] = NAN;
        if (pick(rng, 5) == 0) row[3] = NAN;
        row[4] = i % 2 == 0 ? row[0] : 0.0;
    }
    Target target = n_classes == 0 ? random_reals(rng, n, 1) : random_classes(rng, n, {n_classes});
    return {other_table(X, {-1, -1, 4, 14, -1}), std::move(target), random_subset(rng, n, weights)};
}

}  // namespace silvics::test
