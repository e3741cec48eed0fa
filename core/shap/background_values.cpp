#include "shap/background_values.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace silvics {

TreeBackground::TreeBackground(const ExplainedTree& tree, const RowBlock& rows,
                               std::span<const std::uint8_t> skipped)
    : nodes(tree.n_nodes()) {
    for (std::size_t i = 0; i < rows.size; ++i) all.add(i);
    std::vector<std::vector<std::uint32_t>> children(tree.max_depth() + 1);
    for (NodeId t = 0; t < tree.n_nodes(); ++t) {
        const Edge& edge = tree.edge(t);
        Node& node = nodes[t];
        if (edge.depth > 0) {
            const RowSet& before = edge.previous ? nodes[edge.previous].passing : all;
            const auto& of_parent = children[edge.depth - 1];
            RowSet here;
            for (std::size_t i = 0; i < rows.size; ++i) here.add_if(i, of_parent[i] == edge.which);
            node.passing = before & here;
        }
        if (tree.leaf(t)) {
            tree.for_values(t, [&](std::size_t column, double value) {
                if (!skipped[column]) node.threshold = value;
            });
            continue;
        }
        node.threshold = tree.threshold(t);
        node.variable = tree.variable(t);
        node.second = tree.edge(t + 1).end;
        auto& of_rows = children[edge.depth];
        of_rows.resize(rows.size);
        for (std::size_t i = 0; i < rows.size; ++i) of_rows[i] = tree.child_of(t, rows.row(i));
    }
}

double SubsetWeights::computed(std::size_t a, std::size_t b) {
    if (a == 0) return 0.0;
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
    fails_.assign(tree.variables().size(), 0);
    found_.assign(tree.variables().size() * kColumns, 0.0);
    for (std::size_t first = 0; first < sums.width; first += kColumns) {
        one_column_ = std::ranges::count(sums.skipped, 0) == 1;
        columns_.prepare(tree, sums.skipped, first);
        if (!columns_.any(0)) continue;
        columns_.for_each(0, [&](std::size_t c) { column_ = c; });
        for (std::size_t i = 0; i < block.size; ++i)
            traverse(block.row(i), block.first + i, sums, stop);
    }
}

void BackgroundValues::traverse(const double* row, std::size_t row_number, const ShapSums& sums,
                                const StopFlag& stop) {
    for (auto& of_column : gains_) of_column.fill(0.0);
    losses_.fill(0.0);
    Task all;
    all.alive = background_->all;
    tasks_.assign(1, all);
    for (std::size_t n = 0; !tasks_.empty(); ++n) {
        if (n % 4096 == 0) stop.check();
        const Task task = tasks_.back();
        tasks_.pop_back();
        if (task.part == Task::Part::end) {
            end(task);
            continue;
        }
        begin(task);
        visit(task, row);
    }
    const std::span<const FeatureId> variables = tree_->variables();
    for (std::size_t f = 0; f < variables.size(); ++f)
        for (std::size_t c = 0; c < kColumns && columns_.first() + c < sums.width; ++c) {
            sums.values[(row_number * sums.n_variables + variables[f]) * sums.width +
                        columns_.first() + c] += found_[f * kColumns + c];
            found_[f * kColumns + c] = 0.0;
        }
}

// Follows the row for as long as all background rows that count do the same.
void BackgroundValues::visit(Task task, const double* row) {
    const std::span<const TreeBackground::Node> nodes = background_->nodes;
    const std::span<const FeatureId> variables = tree_->variables();
    for (NodeId t = task.node;;) {
        const TreeBackground::Node& node = nodes[t];
        if (node.variable == TreeBackground::kLeaf) {
            task.node = t;
            task.way = Task::Way::same;
            return add_leaf(task);
        }
        const NodeId first = t + 1, second = node.second;
        __builtin_prefetch(&nodes[second]);
        if (fails_[node.variable]) {  // background rows choose the children
            task.way = Task::Way::same;
            for (NodeId c = first; c < tree_->edge(t).end; c = tree_->edge(c).end) {
                Task below = task;
                below.node = c;
                below.alive = task.alive & nodes[c].passing;
                if (!below.alive.empty() && counts(c)) tasks_.push_back(below);
            }
            return;
        }
        NodeId of_row = first;
        const double x = row[variables[node.variable]];
        const bool low = x <= node.threshold, high = x > node.threshold;
        if (low | high) {  // which of the two cannot be predicted, so there is no branch on it
            of_row = high ? second : first;
            task.apart = task.alive & nodes[high ? first : second].passing;
        } else {
            const std::uint32_t which = tree_->child_of(t, row);
            task.apart = {};
            for (NodeId c = first; c < tree_->edge(t).end; c = tree_->edge(c).end) {
                if (tree_->edge(c).which == which)
                    of_row = c;
                else
                    task.apart = task.apart | (task.alive & nodes[c].passing);
            }
        }
        if (!task.apart.empty()) return part_ways(t, task, of_row);
        t = of_row;
    }
}

// The row and some background rows go to different children of node t. The row then passes the
// variable and these do not, or the other way round.
void BackgroundValues::part_ways(NodeId t, const Task& task, NodeId of_row) {
    const std::span<const TreeBackground::Node> nodes = background_->nodes;
    Task below = task;
    below.variable = nodes[t].variable;
    const auto push = [&](Task::Way way) {
        if (!counts(below.node)) return;
        below.way = way;
        if (nodes[below.node].variable == TreeBackground::kLeaf) return add_leaf(below);
        below.part = Task::Part::end;
        tasks_.push_back(below);
        below.part = Task::Part::begin;
        tasks_.push_back(below);
    };
    below.node = of_row;
    push(Task::Way::of_row);
    ++below.n_fails;
    for (NodeId c = t + 1; c < tree_->edge(t).end; c = tree_->edge(c).end) {
        if (c == of_row) continue;
        below.node = c;
        below.alive = task.alive & nodes[c].passing;
        if (!below.alive.empty()) push(Task::Way::of_others);
    }
}

// The variable gets what the leaves below a node add to the sums: minus the sums before them, plus
// the sums after.
void BackgroundValues::begin(const Task& task) {
    if (task.way == Task::Way::of_row) add_gains(task, -1.0, 1);
    if (task.way != Task::Way::of_others) return;
    fails_[task.variable] = 1;
    add_losses(task, -1.0);
}

void BackgroundValues::end(const Task& task) {
    if (task.way == Task::Way::of_row) return add_gains(task, 1.0, ~std::uint32_t{0});
    fails_[task.variable] = 0;
    add_losses(task, 1.0);
}

void BackgroundValues::add_losses(const Task& task, double sign) {
    double* const found = found_.data() + task.variable * kColumns;
    for_columns(task.node, [&](std::size_t c) { found[c] -= sign * losses_[c]; });
}

// `step` is added to the number of variables of the rows that part, modulo 2^32.
void BackgroundValues::add_gains(const Task& task, double sign, std::uint32_t step) {
    double* const found = found_.data() + task.variable * kColumns;
    for_columns(task.node, [&](std::size_t c) {
        double sum = 0.0;
        task.apart.for_each([&](std::size_t z) {
            sum += gains_[c][z];
            n_apart_[z] += step;
        });
        step = 0;  // once
        found[c] += sign * sum;
    });
}

void BackgroundValues::add_leaf(const Task& task) {
    if (one_column_) return add_value(task, column_, background_->nodes[task.node].threshold);
    columns_.for_values(*tree_, task.node,
                        [&](std::size_t c, double value) { add_value(task, c, value); });
}

void BackgroundValues::add_value(const Task& task, std::size_t c, double value) {
    const std::size_t b = task.n_fails;
    double loss = 0.0, gain = 0.0;
    task.alive.for_each([&](std::size_t z) {
        const bool apart = task.way == Task::Way::of_row && task.apart.has(z);
        const std::size_t a = n_apart_[z] + apart;
        const double more = value * weights_(a, b);
        gains_[c][z] += more;
        gain += apart ? more : 0.0;
        loss += weights_(b, a);
    });
    losses_[c] += value * loss;
    if (task.way != Task::Way::same)
        found_[task.variable * kColumns + c] +=
            task.way == Task::Way::of_others ? -value * loss : gain;
}

}  // namespace silvics
