#include "proximity/leaf_table.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

namespace silvics {

void LeafTable::resize(std::size_t begin, std::size_t n, std::size_t trees) {
    first = begin;
    size = n;
    n_trees = trees;
    leaves.resize(checked_product(n, trees));
}

void LeafTable::read(const Predictor& predictor, const Matrix& X, std::size_t begin, std::size_t n,
                     ThreadTeam& team) {
    resize(begin, n, predictor.n_trees());
    const Matrix some_rows = X.part(begin, n);
    constexpr std::size_t kTrees = 16, kRows = 4096, kManyRows = 256;
    if (n < kManyRows || n_trees <= kTrees)
        return predictor.leaf_numbers(some_rows, 0, n_trees, leaves, team);
    // Some trees at a time, so that the elements of a row stay in the cache.
    std::vector<std::uint32_t> of_trees(kTrees * n);
    for (std::size_t from = 0; from < n_trees; from += kTrees) {
        const std::size_t some = std::min(kTrees, n_trees - from);
        predictor.leaf_numbers(some_rows, from, some, std::span(of_trees).first(n * some), team);
        team.run((n + kRows - 1) / kRows, [&](std::size_t block, std::size_t) {
            for (std::size_t i = block * kRows; i < std::min(n, (block + 1) * kRows); ++i)
                std::copy_n(&of_trees[i * some], some, &leaves[i * n_trees + from]);
        });
    }
}

void LeafTable::read(const LeafMembership& membership, RowPart part, std::size_t begin,
                     std::size_t n, ThreadTeam& team) {
    resize(begin, n, membership.n_trees());
    // The rows of a tree are in any order. The leaves of some trees are written tree by tree, into
    // a part of memory that fits the cache, and then copied row by row.
    constexpr std::size_t kTrees = 16, kRows = 4096;
    // Rows of other blocks are written to one more place, because a branch would be hard to
    // predict.
    const std::size_t stride = n + 1;
    std::vector<std::uint32_t> by_tree(std::min(kTrees, n_trees) * stride);
    for (std::size_t from = 0; from < n_trees; from += kTrees) {
        const std::size_t some = std::min(kTrees, n_trees - from);
        team.run(some, [&](std::size_t k, std::size_t) {
            const auto of_rows = std::span(by_tree).subspan(k * stride, stride);
            std::ranges::fill(of_rows, kNone);
            const TreeMembership tree = membership.tree(from + k);
            for (std::size_t leaf = 0; leaf < tree.n_leaves(); ++leaf)
                for (const RowId row : rows_of(tree, leaf, part))
                    // The difference wraps around for rows before.
                    of_rows[std::min(row - begin, n)] = static_cast<std::uint32_t>(leaf);
        });
        team.run((n + kRows - 1) / kRows, [&](std::size_t block, std::size_t) {
            for (std::size_t i = block * kRows; i < std::min(n, (block + 1) * kRows); ++i)
                for (std::size_t k = 0; k < some; ++k)
                    leaves[i * n_trees + from + k] = by_tree[k * stride + i];
        });
    }
}

LeafMembership rows_by_leaf(const Predictor& predictor, const Matrix& X, ThreadTeam& team) {
    struct Arrays {
        std::vector<std::uint64_t> first_leaf{0};
        std::vector<std::uint32_t> ends;
        std::vector<RowId> rows;
    };
    auto arrays = std::make_shared<Arrays>();
    const std::size_t n_trees = predictor.n_trees(), n = X.rows;
    for (std::size_t m = 0; m < n_trees; ++m)
        arrays->first_leaf.push_back(arrays->first_leaf.back() +
                                     predictor.tree(m).shape().n_leaves);
    arrays->ends.assign(arrays->first_leaf.back(), 0);
    arrays->rows.resize(checked_product(n, n_trees));
    const std::size_t at_once = std::max<std::size_t>((std::size_t{1} << 22) / (n + 1), 1);
    std::vector<std::uint32_t> leaves;
    for (std::size_t first = 0; first < n_trees; first += at_once) {
        const std::size_t size = std::min(at_once, n_trees - first);
        leaves.resize(n * size);
        predictor.leaf_numbers(X, first, size, leaves, team);
        team.run(size, [&](std::size_t k, std::size_t) {
            const std::size_t m = first + k, begin = arrays->first_leaf[m];
            const auto ends =
                std::span(arrays->ends).subspan(begin, arrays->first_leaf[m + 1] - begin);
            for (std::size_t i = 0; i < n; ++i) ++ends[leaves[i * size + k]];
            std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), 0U);
            // `ends` is where the next row of each leaf goes, and at last where its rows end.
            for (std::size_t i = 0; i < n; ++i)
                arrays->rows[m * n + ends[leaves[i * size + k]]++] = static_cast<RowId>(i);
        });
    }
    LeafMembership membership;
    membership.n_rows = n;
    membership.n_parts = 1;
    membership.first_leaf = arrays->first_leaf;
    membership.ends = arrays->ends;
    membership.rows = arrays->rows;
    membership.memory = std::move(arrays);
    return membership;
}

}  // namespace silvics
