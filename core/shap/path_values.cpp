#include "shap/path_values.hpp"

#include <algorithm>
#include <utility>

namespace silvics {
namespace {

// Numbers that the levels of the path take at most, unless a single row needs more.
constexpr std::size_t kMaxNumbers = std::size_t{1} << 22;

}  // namespace

void PathValues::add(const ExplainedTree& tree, const RowBlock& block, const ShapSums& sums,
                     const StopFlag& stop) {
    if (tree.n_nodes() == 1) return;
    begin_tree(tree, block.size);
    for (std::size_t first = 0; first < sums.width; first += kColumns) {
        columns_.prepare(tree, sums.skipped, first);
        if (!columns_.any(0)) continue;
        for (std::size_t begin = 0; begin < block.size; begin += max_rows_) {
            const RowBlock rows = block.part(begin, max_rows_);
            traverse(rows, sums, stop);
            flush(rows, sums);
        }
    }
}

void PathValues::begin_tree(const ExplainedTree& tree, std::size_t n_rows) {
    tree_ = &tree;
    const std::size_t n = Quadrature::points_for(tree.max_path_variables());
    if (n != n_) {
        Quadrature quadrature(n);
        n_ = n;
        points_ = std::move(quadrature.points);
        weights_ = std::move(quadrature.weights);
        fails_.resize(n);
        for (std::size_t i = 0; i < n; ++i) fails_[i] = -1.0 / (1.0 - points_[i]);
    }
    n_found_ = tree.variables().size();
    n_columns_ = std::min(kColumns, tree.mean().size());
    const std::size_t n_levels = tree.max_depth() + 1;
    const auto numbers_of = [&](std::size_t rows) {  // of a level
        return n_ * (2 * (kOwnState + rows) + 2 + rows * (1 + n_columns_)) + rows;
    };
    max_rows_ = std::min(kRows, n_rows);
    while (max_rows_ > 1 && (n_levels * numbers_of(max_rows_) > kMaxNumbers ||
                             max_rows_ * n_found_ * n_columns_ * kLanes > kMaxNumbers))
        max_rows_ /= 2;
    const std::size_t size = numbers_of(max_rows_);
    double* at = numbers_.ensure(n_levels * size);
    std::uint32_t* words = words_.ensure(n_levels * 2 * max_rows_);
    const auto take = [&](std::size_t count) { return std::exchange(at, at + count); };
    levels_.resize(n_levels);
    for (Level& level : levels_) {
        const std::size_t states = (kOwnState + max_rows_) * n_;
        level.edge.factors = take(states);
        level.edge.slopes = take(states);
        level.edge.inverse = take(n_);
        level.edge.slope = take(n_);
        level.products = take(max_rows_ * n_);
        level.sums = take(n_columns_ * max_rows_ * n_);
        level.open = take(max_rows_);
        level.states = std::exchange(words, words + max_rows_);
        level.children = std::exchange(words, words + max_rows_);
    }
    found_.assign(max_rows_ * n_found_ * n_columns_ * kLanes, 0.0);
    last_.assign(n_found_, 0);
    values_.resize(n_found_ * max_rows_);
}

void PathValues::traverse(const RowBlock& block, const ShapSums& sums, const StopFlag& stop) {
    n_rows_ = block.size;
    depth_ = 0;
    Level& root = levels_[0];
    root.node = 0;
    std::fill_n(root.products, n_rows_ * n_, 1.0);
    std::fill_n(root.sums, n_columns_ * max_rows_ * n_, 0.0);
    for (std::size_t f = 0; f < n_found_; ++f)
        for (std::size_t r = 0; r < n_rows_; ++r)
            values_[f * max_rows_ + r] = block.row(r)[tree_->variables()[f]];
    find_children(root, block);
    const auto n_nodes = static_cast<NodeId>(tree_->n_nodes());
    for (NodeId t = 1; t < n_nodes;) {
        const Edge& edge = tree_->edge(t);
        while (depth_ >= edge.depth) leave(sums, block.first);
        if (!columns_.any(t)) {
            t = edge.end;
            continue;
        }
        if ((t & 1023U) == 0) stop.check();
        if (tree_->leaf(t))
            add_leaf(t, sums, block.first);
        else
            enter(t, block);
        ++t;
    }
    while (depth_ > 0) leave(sums, block.first);
}

void PathValues::enter(NodeId t, const RowBlock& block) {
    Level& level = levels_[depth_ + 1];
    prepare(t, level);
    kernels_.descend(levels_[depth_].products, level.edge.factors, level.states, n_rows_, n_,
                     level.products);
    columns_.for_each(
        t, [&](std::size_t c) { std::fill_n(level.sums + c * max_rows_ * n_, n_rows_ * n_, 0.0); });
    find_children(level, block);
    const Edge& edge = tree_->edge(t);
    last_[edge.variable] = edge.depth;
    if (edge.previous == 0) on_path_.push_back(edge.variable);
    ++depth_;
}

void PathValues::leave(const ShapSums& sums, std::size_t first_row) {
    const Level& level = levels_[depth_];
    const Level& above = levels_[depth_ - 1];
    const Edge& edge = tree_->edge(level.node);
    const std::size_t stride = n_found_ * n_columns_ * kLanes;
    columns_.for_each(level.node, [&](std::size_t c) {
        const double* const below = level.sums + c * max_rows_ * n_;
        kernels_.ascend(below, level.edge.slopes, level.states, n_rows_, n_,
                        found(0, edge.variable, c), stride, above.sums + c * max_rows_ * n_);
        if (!sums.interactions.empty()) add_pairs(edge, level, below, c, 1.0, sums, first_row);
    });
    last_[edge.variable] = edge.previous ? tree_->edge(edge.previous).depth : 0;
    if (edge.previous == 0) on_path_.pop_back();
    --depth_;
}

void PathValues::add_leaf(NodeId t, const ShapSums& sums, std::size_t first_row) {
    Level& level = levels_[depth_ + 1];
    const Level& above = levels_[depth_];
    const Edge& edge = tree_->edge(t);
    prepare(t, level);
    if (!sums.interactions.empty())
        kernels_.descend(above.products, level.edge.factors, level.states, n_rows_, n_,
                         level.products);
    columns_.for_values(*tree_, t, [&](std::size_t c, double value) {
        kernels_.add_leaf(above.products, level.edge, value, level.states, n_rows_, n_,
                          found(0, edge.variable, c), n_found_ * n_columns_ * kLanes,
                          above.sums + c * max_rows_ * n_);
        if (!sums.interactions.empty())
            add_pairs(edge, level, level.products, c, value, sums, first_row);
    });
}

void PathValues::prepare(NodeId t, Level& level) {
    const Edge& edge = tree_->edge(t);
    const Level& above = levels_[edge.depth - 1];
    const Level* const before =
        edge.previous ? &levels_[tree_->edge(edge.previous).depth] : nullptr;
    level.node = t;
    kernels_.prepare_edge(points_.data(), weights_.data(), n_, edge.share, edge.ratio,
                          before ? before->edge : EdgeLanes{}, level.edge);
    if (tree_->both_children()) return find_own_states(edge, before, level);
    for (std::size_t r = 0; r < n_rows_; ++r) {
        const std::uint32_t passed = before ? before->states[r] : std::uint32_t{kPasses};
        const std::uint32_t here = above.children[r] == edge.which ? kPasses : kFailsHere;
        level.states[r] = passed == kPasses ? here : std::uint32_t{kFailsBefore};
    }
}

void PathValues::find_own_states(const Edge& edge, const Level* before, Level& level) {
    const Level& above = levels_[edge.depth - 1];
    bool own = false;
    for (std::size_t r = 0; r < n_rows_; ++r) {
        const std::uint32_t child = above.children[r];
        const double open = before ? before->open[r] : 1.0;
        const double passes = child == ExplainedTree::kBoth ? 0.5 : child == edge.which;
        level.open[r] = open * passes;
        const bool whole = (open == 0.0 || open == 1.0) && (passes != 0.5 || open == 0.0);
        level.states[r] = whole ? static_cast<std::uint32_t>(open + open * passes)
                                : static_cast<std::uint32_t>(kOwnState + r);
        own |= !whole;
    }
    if (own) prepare_own_states(edge, before, level);
}

// Rows that went to both children at a test of the variable.
void PathValues::prepare_own_states(const Edge& edge, const Level* before, Level& level) {
    const double old_share = before ? tree_->edge(before->node).share : 1.0;
    for (std::size_t r = 0; r < n_rows_; ++r) {
        if (level.states[r] != kOwnState + r) continue;
        const double old_open = before ? before->open[r] : 1.0, open = level.open[r];
        double* const factor = level.edge.factors + (kOwnState + r) * n_;
        double* const slope = level.edge.slopes + (kOwnState + r) * n_;
        for (std::size_t i = 0; i < n_; ++i) {
            const double p = points_[i];
            const double old_factor = p * old_open + (1.0 - p) * old_share;
            const double new_factor = p * open + (1.0 - p) * edge.share;
            factor[i] = new_factor / old_factor;
            // Without a factor there are no products below.
            slope[i] = new_factor > 0.0 ? weights_[i] * ((open - edge.share) / new_factor -
                                                         (old_open - old_share) / old_factor)
                                        : 0.0;
        }
    }
}

void PathValues::find_children(Level& level, const RowBlock& block) {
    const NodeId t = level.node;
    const double threshold = tree_->threshold(t);
    const double* const values = values_.data() + tree_->variable(t) * max_rows_;
    bool ordered = true;
    for (std::size_t r = 0; r < n_rows_; ++r) {
        level.children[r] = values[r] > threshold;
        ordered &= (values[r] > threshold) | (values[r] <= threshold);
    }
    if (ordered) return;
    for (std::size_t r = 0; r < n_rows_; ++r) level.children[r] = tree_->child_of(t, block.row(r));
}

// Half of the interaction of the variable of an edge with each other variable of the path.
void PathValues::add_pairs(const Edge& edge, const Level& level, const double* lanes,
                           std::size_t column, double scale, const ShapSums& sums,
                           std::size_t first_row) {
    const std::span<const FeatureId> variables = tree_->variables();
    for (std::size_t r = 0; r < n_rows_; ++r) {
        if (level.states[r] == kFailsBefore) continue;
        others_.assign(1, fails_.data());
        pair_variables_.clear();
        own_slopes_.resize(on_path_.size() * n_);
        // The slopes of rows that fail at an edge are the same for all variables.
        for (const std::uint32_t other : on_path_) {
            const Level& last = levels_[last_[other]];
            if (other == edge.variable || last.states[r] < kPasses) continue;
            pair_variables_.push_back(other);
            others_.push_back(last.states[r] == kPasses ? last.edge.slope : own_slope(last, r));
        }
        pair_values_.resize(others_.size());
        kernels_.sum_pairs(lanes + r * n_, level.edge.slopes + level.states[r] * n_, others_.data(),
                           others_.size(), n_, pair_values_.data());
        double* const row = sums.interactions.data() +
                            (first_row + r) * sums.n_variables * sums.n_variables * sums.width;
        std::size_t next = 0;
        for (const std::uint32_t other : on_path_) {
            if (other == edge.variable) continue;
            double value = pair_values_[0];
            if (next < pair_variables_.size() && pair_variables_[next] == other)
                value = pair_values_[++next];
            const auto [i, j] = std::minmax(variables[other], variables[edge.variable]);
            row[(i * sums.n_variables + j) * sums.width + columns_.first() + column] +=
                0.5 * scale * value;
        }
    }
}

// The slope of a variable for a row that went to both children at one of its tests.
const double* PathValues::own_slope(const Level& last, std::size_t row) {
    const double open = last.open[row], share = tree_->edge(last.node).share;
    double* const slope = own_slopes_.data() + (pair_variables_.size() - 1) * n_;
    for (std::size_t i = 0; i < n_; ++i)
        slope[i] = (open - share) / (points_[i] * open + (1.0 - points_[i]) * share);
    return slope;
}

void PathValues::flush(const RowBlock& block, const ShapSums& sums) {
    const std::span<const FeatureId> variables = tree_->variables();
    for (std::size_t r = 0; r < n_rows_; ++r)
        for (std::size_t f = 0; f < n_found_; ++f)
            for (std::size_t c = 0; c < n_columns_ && columns_.first() + c < sums.width; ++c) {
                double* const lanes = found(r, f, c);
                sums.values[((block.first + r) * sums.n_variables + variables[f]) * sums.width +
                            columns_.first() + c] += (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
                std::fill_n(lanes, kLanes, 0.0);
            }
}

}  // namespace silvics
