#include "predictor/zero_paths.hpp"

#include <cmath>

#include "predictor/row_blocks.hpp"

namespace silvics {
namespace {

PackedTree::Step step_of(const PackedTree& tree, Place t, double value) {
    return tree.next_of<false>(tree.nodes()[t], [value](FeatureId) { return value; });
}

}  // namespace

CellsByColumn::CellsByColumn(const Matrix& X, std::size_t first, std::size_t size, bool as_float32)
    : n_rows_(size), starts_(X.cols + 1, 0) {
    for_stored_cells(X, first, size, [&](std::size_t, std::size_t j, double) { ++starts_[j + 1]; });
    for (std::size_t j = 0; j < X.cols; ++j) starts_[j + 1] += starts_[j];
    cells_.resize(starts_.back());
    std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
    for_stored_cells(X, first, size, [&](std::size_t i, std::size_t j, double value) {
        if (as_float32) value = static_cast<double>(static_cast<float>(value));
        cells_[next[j]++] = {static_cast<std::uint32_t>(i), value};
    });
}

bool pays_to_follow_zeros(const PackedForest& forest, std::span<const PackedTree> trees,
                          const Matrix& X) {
    if (!X.sparse || forest.both_children) return false;
    std::size_t n_nodes = 0, depth = 0;
    for (const PackedTree& tree : trees) {
        if (tree.shape().ruled) return false;
        n_nodes += tree.n_places();
        depth += tree.shape().depth;
    }
    // The decision itself must not take long.
    if (static_cast<double>(n_nodes) > static_cast<double>(X.rows) * static_cast<double>(depth) / 8)
        return false;
    std::vector<std::uint32_t> in_column(X.cols, 0);
    for_stored_cells(X, 0, X.rows, [&](std::size_t, std::size_t j, double) { ++in_column[j]; });
    // Every node looks at the cells of its column at most once. Row by row, the steps are at least
    // those of most rows along the first path.
    double cells = 0.0, steps = 0.0;
    for (const PackedTree& tree : trees) {
        for (Place t = 0; t < tree.n_places(); ++t)
            cells += 1.0 + in_column[tree.nodes()[t].feature()];
        for (Place t = PackedTree::kRoot;;) {
            steps += static_cast<double>(X.rows);
            const Child to = step_of(tree, t, 0.0).to;
            if (to.leaf()) break;
            t = to.place();
        }
    }
    return cells < steps;
}

void ZeroPaths::follow(const PackedTree& tree, const CellsByColumn& cells) {
    path_.assign(cells.n_rows(), 0);
    leaves_.clear();
    starts_.assign(1, PackedLeaf{});
    // Paths are followed in the order in which they are found: a row that leaves a path is on a
    // later one.
    for (std::uint32_t path = 0; path < starts_.size(); ++path) {
        Child to = Child::inner(PackedTree::kRoot);
        PackedLeaf at = starts_[path];
        if (path > 0) to = tree.child(at.parent, at.which);
        while (!to.leaf()) {
            const Place t = to.place();
            const auto [next, which] = step_of(tree, t, 0.0);
            bool left = false;
            for (const auto& [row, value] : cells.of(tree.nodes()[t].feature())) {
                if (path_[row] != path || step_of(tree, t, value).which == which) continue;
                path_[row] = static_cast<std::uint32_t>(starts_.size());
                left = true;
            }
            at = {0, t, which};
            if (left) starts_.push_back({0, t, 1 - which});
            to = next;
        }
        leaves_.push_back({to.content(), at.parent, at.which});
    }
}

}  // namespace silvics
