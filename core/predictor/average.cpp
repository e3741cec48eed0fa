#include "predictor/average.hpp"

#include <stdexcept>

#include "predictor/row_blocks.hpp"
#include "tree/descend.hpp"

namespace silvics {
namespace {

void check_width(std::span<const SharedTree> trees, const Matrix& X) {
    for (const auto& tree : trees)
        if (tree->n_features != X.cols)
            throw std::invalid_argument("X does not have the number of variables of the trees");
}

}  // namespace

void add_leaf_value(const Tree& tree, NodeId leaf, std::span<double> sum) {
    const Node& node = tree.nodes[leaf];
    if (tree.derivation == Derivation::variance) {
        sum[0] += node.threshold;
        return;
    }
    if (!tree.node_values.empty()) {
        const double* value = tree.node_values.data() + std::size_t{leaf} * sum.size();
        for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += value[c];
        return;
    }
    if (node.link & kPureBit) {
        sum[node.link & ~kPureBit] += 1.0;
        return;
    }
    const auto add_shares = [&](const auto& weights, double whole) {
        const std::size_t row = std::size_t{node.link} * sum.size();
        for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += weights[row + c] / whole;
    };
    if (!tree.compact())
        add_shares(tree.leaf_weights, tree.weighted_n_node_samples[leaf]);
    else if (tree.counts_in_leaves())
        add_shares(tree.whole_weights, node.counts().weight);
    else
        add_shares(tree.leaf_weights, node.threshold);
}

void average_trees(std::span<const SharedTree> trees, const Matrix& X, bool as_float32,
                   double divisor, std::span<double> out, ThreadTeam& team) {
    check_width(trees, X);
    const std::size_t width = trees.front()->value_width();
    for_row_blocks(X, as_float32, team, [&](const RowBlock& block) {
        const auto sums = out.subspan(block.first * width, block.size * width);
        std::ranges::fill(sums, 0.0);
        for (const auto& tree : trees)
            for (std::size_t i = 0; i < block.size; ++i)
                add_leaf_value(*tree, descend(*tree, block.row(i)), sums.subspan(i * width, width));
        for (double& sum : sums) sum /= divisor;
    });
}

void apply_trees(std::span<const SharedTree> trees, const Matrix& X, bool as_float32,
                 std::span<std::int64_t> out, ThreadTeam& team) {
    check_width(trees, X);
    for_row_blocks(X, as_float32, team, [&](const RowBlock& block) {
        for (std::size_t m = 0; m < trees.size(); ++m)
            for (std::size_t i = 0; i < block.size; ++i)
                out[(block.first + i) * trees.size() + m] = descend(*trees[m], block.row(i));
    });
}

DecisionPaths decision_paths(std::span<const SharedTree> trees, const Matrix& X, bool as_float32,
                             ThreadTeam& team) {
    check_width(trees, X);
    std::vector<std::vector<std::int64_t>> visited(X.rows);
    for_row_blocks(X, as_float32, team, [&](const RowBlock& block) {
        for (std::size_t i = 0; i < block.size; ++i) {
            std::int64_t offset = 0;
            for (const auto& tree : trees) {
                descend(*tree, block.row(i),
                        [&](NodeId t) { visited[block.first + i].push_back(offset + t); });
                offset += static_cast<std::int64_t>(tree->nodes.size());
            }
        }
    });
    DecisionPaths paths;
    paths.starts.push_back(0);
    for (const auto& of_row : visited)
        paths.starts.push_back(paths.starts.back() + static_cast<std::int64_t>(of_row.size()));
    paths.nodes.reserve(static_cast<std::size_t>(paths.starts.back()));
    for (auto& of_row : visited) {
        paths.nodes.insert(paths.nodes.end(), of_row.begin(), of_row.end());
        std::vector<std::int64_t>().swap(of_row);
    }
    return paths;
}

}  // namespace silvics
