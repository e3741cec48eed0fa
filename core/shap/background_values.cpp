#include "shap/background_values.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace silvics {

TreeBackground::TreeBackground(const ExplainedTree& tree, const RowBlock& rows)
    : passing(tree.n_nodes()) {
    for (std::size_t i = 0; i < rows.size; ++i) all.add(i);
    std::vector<std::vector<std::uint32_t>> children(tree.max_depth() + 1);
    std::vector<NodeId> path;
    for (NodeId t = 0; t < tree.n_nodes(); ++t) {
        const Edge& edge = tree.edge(t);
        if (edge.depth > 0) {
            const RowSet& before = edge.previous ? passing[edge.previous] : all;
            const auto& of_parent = children[edge.depth - 1];
            RowSet here;
            for (std::size_t i = 0; i < rows.size; ++i)
                if (of_parent[i] == edge.which) here.add(i);
            passing[t] = before & here;
        }
        if (tree.leaf(t)) continue;
        auto& of_rows = children[edge.depth];
        of_rows.resize(rows.size);
        for (std::size_t i = 0; i < rows.size; ++i)
            of_rows[i] = tree.child_of(tree.place(t), rows.row(i));
    }
}

double SubsetWeights::computed(std::size_t a, std::size_t b) {
    const double x = static_cast<double>(a), y = static_cast<double>(b);
    return std::exp(std::lgamma(x) + std::lgamma(y + 1.0) - std::lgamma(x + y + 1.0));
}

void SubsetWeights::prepare(std::size_t n_variables) {
    const std::size_t n = std::min(n_variables, kMostTabled) + 1;
    if (n <= n_) return;
    n_ = n;
    table_.assign(n * n, 0.0);
    // b! (a - 1)! / (a + b)!, in steps of b from 1 / a.
    for (std::size_t a = 1; a < n; ++a) {
        double weight = 1.0 / static_cast<double>(a);
        for (std::size_t b = 0; b < n; ++b) {
            if (b > 0) weight *= static_cast<double>(b) / static_cast<double>(a + b);
            table_[a * n + b] = weight;
        }
    }
}

void BackgroundValues::add(const ExplainedTree& tree, const TreeBackground& background,
                           const RowBlock& block, const ShapSums& sums, const StopFlag& stop) {
    if (tree.n_nodes() == 1) return;
    tree_ = &tree;
    background_ = &background;
    weights_.prepare(tree.max_path_variables());
    levels_.resize(tree.max_depth() + 1);
    found_.assign(tree.variables().size() * kColumns, 0.0);
    for (std::size_t first = 0; first < sums.width; first += kColumns) {
        columns_.prepare(tree, sums.skipped, first);
        if (!columns_.any(0)) continue;
        for (std::size_t i = 0; i < block.size; ++i)
            traverse(block.row(i), block.first + i, sums, stop);
    }
}

void BackgroundValues::traverse(const double* row, std::size_t row_number, const ShapSums& sums,
                                const StopFlag& stop) {
    stop.check();
    for (auto& of_column : gains_) of_column.fill(0.0);
    losses_.fill(0.0);
    depth_ = 0;
    levels_[0] = {};
    levels_[0].alive = background_->all;
    levels_[0].child = tree_->child_of(tree_->place(0), row);
    const auto n_nodes = static_cast<NodeId>(tree_->n_nodes());
    for (NodeId t = 1; t < n_nodes;) {
        const Edge& edge = tree_->edge(t);
        while (depth_ >= edge.depth) leave();
        if (!columns_.any(t) || !enter(t)) {
            t = edge.end;
            continue;
        }
        Level& level = levels_[++depth_];
        if (tree_->leaf(t))
            add_leaf(level);
        else
            level.child = tree_->child_of(tree_->place(t), row);
        ++t;
    }
    while (depth_ > 0) leave();
    const std::span<const FeatureId> variables = tree_->variables();
    for (std::size_t f = 0; f < variables.size(); ++f)
        for (std::size_t c = 0; c < kColumns && columns_.first() + c < sums.width; ++c) {
            sums.values[(row_number * sums.n_variables + variables[f]) * sums.width +
                        columns_.first() + c] += found_[f * kColumns + c];
            found_[f * kColumns + c] = 0.0;
        }
}

// Prepares the next level; false if no background row counts below.
bool BackgroundValues::enter(NodeId t) {
    const Edge& edge = tree_->edge(t);
    const Level& above = levels_[depth_];
    const RowSet& passing = background_->passing[t];
    Level& level = levels_[depth_ + 1];
    const bool passed = edge.previous == 0 || levels_[tree_->edge(edge.previous).depth].passes;
    level.passes = passed && above.child == edge.which;
    if (level.passes) {
        const RowSet& before =
            edge.previous ? background_->passing[edge.previous] : background_->all;
        level.alive = above.alive;
        level.apart = (above.alive & before).without(passing);
        level.first_fail = false;
        level.n_fails = above.n_fails;
    } else {
        level.alive = above.alive & passing;
        if (level.alive.empty()) return false;
        level.apart = {};
        level.first_fail = passed;
        level.n_fails = above.n_fails + passed;
    }
    level.node = t;
    level.apart.for_each([&](std::size_t z) { ++n_apart_[z]; });
    add_sums(level, -1.0);
    return true;
}

void BackgroundValues::leave() {
    const Level& level = levels_[depth_--];
    add_sums(level, 1.0);
    level.apart.for_each([&](std::size_t z) { --n_apart_[z]; });
}

// The variable of the edge gets what the leaves below add to the sums: minus the sums before them,
// plus the sums after.
void BackgroundValues::add_sums(const Level& level, double sign) {
    double* const found = found_.data() + tree_->edge(level.node).variable * kColumns;
    if (level.first_fail) {
        columns_.for_each(level.node, [&](std::size_t c) { found[c] -= sign * losses_[c]; });
    } else if (!level.apart.empty()) {
        columns_.for_each(level.node, [&](std::size_t c) {
            double sum = 0.0;
            level.apart.for_each([&](std::size_t z) { sum += gains_[c][z]; });
            found[c] += sign * sum;
        });
    }
}

void BackgroundValues::add_leaf(const Level& level) {
    const std::size_t b = level.n_fails;
    columns_.for_values(*tree_, level.node, [&](std::size_t c, double value) {
        double loss = 0.0;
        level.alive.for_each([&](std::size_t z) {
            const std::size_t a = n_apart_[z];
            if (a > 0) gains_[c][z] += value * weights_(a, b);
            if (b > 0) loss += weights_(b, a);
        });
        losses_[c] += value * loss;
    });
}

}  // namespace silvics
