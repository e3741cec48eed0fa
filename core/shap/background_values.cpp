#include "shap/background_values.hpp"

#include <algorithm>
#include <bit>

namespace silvics {

void BackgroundValues::add(const ExplainedTree& tree, const TreeBackground& background,
                           const RowBlock& block, const ShapSums& sums, const StopFlag& stop) {
    if (tree.n_nodes() == 1) return;
    tree_ = &tree;
    background_ = &background;
    const std::size_t n_variables = tree.variables().size();
    weights_.prepare(tree.max_path_variables());
    fails_.assign(n_variables, 0);
    found_.assign(n_variables * kColumns, 0.0);
    one_column_ = std::ranges::count(sums.skipped, 0) == 1;
    for (std::size_t first = 0; first < sums.width; first += kColumns) {
        columns_.prepare(tree, sums.skipped, first);
        if (!columns_.any(0)) continue;
        columns_.for_each(0, [&](std::size_t c) { column_ = c; });
        if (background.most_followed > 0)
            pairs_.prepare(tree, background, weights_, columns_,
                           found_.data() + (one_column_ ? column_ : 0), stop);
        for (std::size_t i = 0; i < block.size; ++i)
            traverse(block.row(i), block.first + i, sums, stop);
    }
}

void BackgroundValues::traverse(const double* row, std::size_t row_number, const ShapSums& sums,
                                const StopFlag& stop) {
    for (auto& of_column : gains_) of_column.fill(0.0);
    losses_.fill(0.0);
    row_ = row;
    if (background_->most_followed > 0) pairs_.set_row(row);
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
        visit(task);
    }
    const std::span<const FeatureId> variables = tree_->variables();
    for (std::size_t f = 0; f < variables.size(); ++f)
        for (std::size_t c = 0; c < kColumns && columns_.first() + c < sums.width; ++c) {
            sums.values[(row_number * sums.n_variables + variables[f]) * sums.width +
                        columns_.first() + c] += found_[f * kColumns + c];
            found_[f * kColumns + c] = 0.0;
        }
}

// Whether sets are so small that each row is better followed alone. Larger subtrees would take
// much memory.
bool BackgroundValues::follows_each(const Task& task) const {
    constexpr NodeId kMostNodes = 1 << 15;
    const NodeId n_nodes = tree_->edge(task.node).end - task.node;
    return background_->most_followed > 0 && n_nodes > 1 && n_nodes <= kMostNodes &&
           task.alive.at_most(background_->most_followed);
}

// Follows the row for as long as all background rows that count do the same.
void BackgroundValues::visit(Task task) {
    task.way = Task::Way::same;
    if (follows_each(task)) return add_pairs(task);
    const std::span<const TreeBackground::Node> nodes = background_->nodes;
    const std::span<const FeatureId> variables = tree_->variables();
    for (NodeId t = task.node;;) {
        const TreeBackground::Node& node = nodes[t];
        if (node.leaf()) {
            task.node = t;
            return add_leaf(task);
        }
        const NodeId first = t + 1, second = node.second;
        if (fails_[node.variable]) {  // background rows choose the children
            for (NodeId c = first; c < tree_->edge(t).end; c = tree_->edge(c).end) {
                Task below = task;
                below.node = c;
                below.alive = task.alive & nodes[c].passing;
                if (!below.alive.empty() && counts(c)) tasks_.push_back(below);
            }
            return;
        }
        NodeId of_row = first;
        __builtin_prefetch(nodes.data() + second);
        const double x = row_[variables[node.variable]], threshold = node.threshold;
        const bool low = x <= threshold, high = x > threshold;
        if (low | high) {  // which of the two cannot be predicted, so there is no branch on it
            of_row = high ? second : first;
            task.apart = task.alive & nodes[high ? first : second].passing;
        } else {
            const std::uint32_t which = tree_->child_of(t, row_);
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
    Task below = task;
    below.variable = background_->nodes[t].variable;
    if (background_->most_followed > 0)
        below.place = static_cast<std::uint8_t>(background_->pair_nodes[t].place);
    const auto push = [&](Task::Way way) {
        if (!counts(below.node)) return;
        below.way = way;
        if (background_->nodes[below.node].leaf()) return add_leaf(below);
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
        below.alive = task.alive & background_->nodes[c].passing;
        if (!below.alive.empty()) push(Task::Way::of_others);
    }
}

// The variable gets what the leaves below a node add to the sums: minus the sums before them, plus
// the sums after.
void BackgroundValues::begin(const Task& task) {
    if (task.way == Task::Way::of_row) return add_gains(task, -1.0, 1);
    if (task.way == Task::Way::same) return;
    fails_[task.variable] = 1;
    failed_ ^= std::uint64_t{1} << task.place;
    add_losses(task, -1.0);
}

void BackgroundValues::end(const Task& task) {
    if (task.way == Task::Way::of_row) return add_gains(task, 1.0, ~std::uint32_t{0});
    fails_[task.variable] = 0;
    failed_ ^= std::uint64_t{1} << task.place;
    add_losses(task, 1.0);
}

void BackgroundValues::add_losses(const Task& task, double sign) {
    double* const found = found_.data() + task.variable * kColumns;
    for_columns(task.node, [&](std::size_t c) { found[c] -= sign * losses_[c]; });
}

// `step` is added to the number of variables of the rows that part, modulo 2^32.
void BackgroundValues::add_gains(const Task& task, double sign, std::uint32_t step) {
    double* const found = found_.data() + task.variable * kColumns;
    std::uint64_t bit = std::uint64_t{1} << task.place;
    for_columns(task.node, [&](std::size_t c) {
        double sum = 0.0;
        task.apart.for_each([&](std::size_t z) {
            sum += gains_[c][z];
            n_apart_[z] += step;
            apart_[z] ^= bit;
        });
        step = 0;  // once
        bit = 0;
        found[c] += sign * sum;
    });
}

// The background rows of a small set, each alone.
void BackgroundValues::add_pairs(const Task& task) {
    if (one_column_) return add_pairs<1>(task);
    const unsigned n_columns = std::bit_width(columns_.bits(0));
    if (n_columns <= 2) return add_pairs<2>(task);
    n_columns <= 4 ? add_pairs<4>(task) : add_pairs<kColumns>(task);
}

template <std::size_t N>
void BackgroundValues::add_pairs(const Task& task) {
    pairs_.clear();
    task.alive.for_each([&](std::size_t z) {
        pairs_.add(task.node, z, {apart_[z], failed_, n_apart_[z], task.n_fails});
    });
    pairs_.run<N>();
    std::size_t i = 0;
    task.alive.for_each([&](std::size_t z) {
        for (std::size_t k = 0; k < N; ++k) {
            const std::size_t c = N == 1 ? column_ : k;
            gains_[c][z] += pairs_.gain<N>(i, k);
            losses_[c] += pairs_.loss<N>(i, k);
        }
        ++i;
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
