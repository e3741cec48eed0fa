// Small learning problems, random with a fixed seed, and reference computations on them.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <deque>
#include <numeric>
#include <random>
#include <vector>

#include "base/stop.hpp"
#include "base/thread_team.hpp"
#include "base/view.hpp"
#include "builder/build_tree.hpp"
#include "data/table.hpp"
#include "data/target.hpp"
#include "sampling/learning_subset.hpp"
#include "tree/check_tree.hpp"
#include "tree/compact.hpp"

namespace silvics::test {

inline const StopFlag kNeverStop;

using Rng = std::mt19937_64;

inline std::size_t pick(Rng& rng, std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(rng);
}
inline double pick_real(Rng& rng, double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(rng);
}

// Doubles in C order.
struct Matrix {
    std::size_t rows = 0, cols = 0;
    std::vector<double> values;

    MatrixView view() const {
        return {reinterpret_cast<const std::byte*>(values.data()),  rows,           cols,
                static_cast<std::ptrdiff_t>(cols * sizeof(double)), sizeof(double), Scalar::f64};
    }
    const double* row(std::size_t i) const { return values.data() + i * cols; }
};

inline Matrix column_of(std::vector<double> values) {
    const std::size_t n = values.size();
    return {n, 1, std::move(values)};
}

// `levels` distinct values per column, many ties if few; 0: no ties.
inline Matrix random_matrix(Rng& rng, std::size_t rows, std::size_t cols, std::size_t levels = 0) {
    Matrix X{rows, cols, std::vector<double>(rows * cols)};
    for (double& x : X.values)
        x = levels == 0 ? pick_real(rng, -1.0, 1.0)
                        : static_cast<double>(pick(rng, levels)) / 4.0 - 1.0;
    return X;
}

// A table reads its matrix again while trees grow: one that is given away is kept until the end.
inline Table coded(const Matrix& X, const BinRule& rule = {}) {
    ThreadTeam team(1, nullptr);
    return code_table(X.view(), rule, team);
}
inline Table coded(Matrix&& X, const BinRule& rule = {}) {
    static std::deque<Matrix> kept;
    const Matrix& mine = kept.emplace_back(std::move(X));
    return coded(mine, rule);
}

inline const Column& numeric(const Table& table, std::size_t j = 0) { return table.columns[j]; }

inline Code code_at(const CodeArray& codes, std::size_t i) {
    return std::visit([&](const auto& of_row) { return Code{of_row[i]}; }, codes);
}

// Whether two columns are equal, wherever their codes are stored.
inline bool same_columns(const Column& a, const Column& b, std::size_t n_rows) {
    bool same = a.n_codes == b.n_codes && a.kind == b.kind && a.code_values == b.code_values &&
                a.code_value_shift == b.code_value_shift;
    for (std::size_t i = 0; i < n_rows; ++i)
        same &= a.codes[i] == b.codes[i] && a.values[i] == b.values[i];
    return same;
}

inline Target random_classes(Rng& rng, std::size_t n, const std::vector<ClassId>& n_classes) {
    std::vector<std::int64_t> y;
    for (std::size_t i = 0; i < n; ++i)
        for (const ClassId c : n_classes) y.push_back(static_cast<std::int64_t>(pick(rng, c)));
    return class_target(y, n, n_classes);
}

inline Target random_reals(Rng& rng, std::size_t n, std::size_t n_outputs) {
    std::vector<double> y(n * n_outputs);
    for (double& v : y) v = 10.0 + std::normal_distribution<double>(0.0, 3.0)(rng);
    return real_target(y, n, n_outputs, true);
}

inline Target random_counts(Rng& rng, std::size_t n, std::size_t n_outputs) {
    std::vector<double> y(n * n_outputs);
    for (double& v : y) v = static_cast<double>(std::poisson_distribution<int>(1.5)(rng));
    return real_target(y, n, n_outputs, false);
}

inline LearningSubset subset_of(std::size_t n, std::vector<double> weights = {}) {
    SamplingPlan plan;
    plan.n_rows = n;
    plan.weights = std::move(weights);
    plan.prepare();
    return learning_subset(plan, Target{}, 0);
}

enum class Weights { unit, whole, fractional };
inline constexpr Weights kAllWeights[] = {Weights::unit, Weights::whole, Weights::fractional};

inline LearningSubset random_subset(Rng& rng, std::size_t n, Weights kind) {
    if (kind == Weights::unit) return subset_of(n);
    std::vector<double> weights(n);
    for (double& w : weights)
        w = kind == Weights::whole ? static_cast<double>(1 + pick(rng, 5))
                                   : pick_real(rng, 0.05, 3.0);
    return subset_of(n, weights);
}

// Some rows of n, ascending, at least two.
inline std::vector<RowId> random_rows(Rng& rng, std::size_t n) {
    std::vector<RowId> rows;
    while (rows.size() < 2) {
        rows.clear();
        for (std::size_t i = 0; i < n; ++i)
            if (pick(rng, 3) != 0) rows.push_back(static_cast<RowId>(i));
    }
    return rows;
}

// All variables tried at every node.
inline GrowthRules full_search(const Table& table) {
    GrowthRules rules;
    rules.search.max_features = table.n_features();
    return rules;
}

inline Tree grown(const char* criterion, const Table& table, const Target& target,
                  const LearningSubset& subset, const GrowthRules& rules, std::uint32_t seed = 7) {
    return expand(
        build_tree({find_criterion(criterion), table, target, rules, kNeverStop}, subset, seed)
            .tree);
}

// The impurity of a node as the user has the data.
inline double users_impurity(const Tree& tree, std::size_t t) {
    return std::ldexp(tree.impurity[t], tree.impurity_exponent);
}

// Bit by bit, since the payload may be a NaN.
inline bool same_nodes(const Node& a, const Node& b) {
    return a.rule() == b.rule() && a.feature == b.feature && a.link == b.link;
}

inline bool same_bases(const TreeBase& a, const TreeBase& b) {
    return a.n_features == b.n_features && a.n_outputs == b.n_outputs &&
           a.n_classes == b.n_classes && a.max_depth == b.max_depth &&
           std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(), same_nodes) &&
           a.impurity_exponent == b.impurity_exponent && a.level_sets == b.level_sets &&
           a.branches == b.branches && a.both_children == b.both_children;
}

inline bool same_trees(const Tree& a, const Tree& b) {
    return same_bases(a, b) && a.n_node_samples == b.n_node_samples &&
           a.weighted_n_node_samples == b.weighted_n_node_samples && a.impurity == b.impurity &&
           a.leaf_weights == b.leaf_weights && a.node_values == b.node_values;
}

inline bool same_trees(const CompactTree& a, const CompactTree& b) {
    const auto same_counts = [](const Counts& c, const Counts& d) {
        bool same = c.size() == d.size();
        for (std::size_t i = 0; same && i < c.size(); ++i) same = c[i] == d[i];
        return same;
    };
    return same_bases(a, b) && a.rule == b.rule && a.n_leaf_samples == b.n_leaf_samples &&
           a.weighted_n_leaf_samples == b.weighted_n_leaf_samples &&
           a.leaf_impurity == b.leaf_impurity && a.leaf_weights == b.leaf_weights &&
           same_counts(a.whole_weights, b.whole_weights);
}

inline bool same_trees(const StoredTree& a, const StoredTree& b) {
    if (a.compact() && b.compact()) return same_trees(*a.compact(), *b.compact());
    return a.plain() && b.plain() && same_trees(*a.plain(), *b.plain());
}

// A copy of a stored tree, after change(tree), which is a Tree or a CompactTree.
template <class Change>
StoredTree changed(const StoredTree& tree, Change&& change) {
    return tree.visit([&](auto form) -> StoredTree {
        change(form);
        return form;
    });
}

}  // namespace silvics::test
