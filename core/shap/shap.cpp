#include "shap/shap.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "shap/background_values.hpp"
#include "shap/explained_tree.hpp"
#include "tree/compact.hpp"

namespace silvics {
namespace {

constexpr std::size_t kBlockRows = 64;
// Trees are explained in batches of about this number of nodes, which take 64 bytes each.
constexpr std::size_t kBatchNodes = std::size_t{1} << 20;

// The last class of every output: the values of its classes add up to zero.
std::vector<std::uint8_t> last_classes(const PackedForest& forest) {
    std::vector<std::uint8_t> last(forest.value_width(), 0);
    std::size_t end = 0;
    for (const std::uint32_t n : forest.n_classes) last[(end += n) - 1] = 1;
    return last;
}

// Computes the last class of every output from the others, in rows of the value width.
void add_last_classes(std::span<double> rows, const PackedForest& forest) {
    const std::size_t width = forest.value_width();
    for (std::size_t at = 0; at < rows.size(); at += width) {
        double* next = rows.data() + at;
        for (const std::uint32_t n : forest.n_classes) {
            double sum = 0.0;
            for (std::uint32_t c = 0; c + 1 < n; ++c) sum += next[c];
            next[n - 1] = -sum;
            next += n;
        }
    }
}

// Fills both places of each pair, and what remains of the value of each variable, of one row.
void complete(std::span<const double> values, std::span<double> interactions, std::size_t n,
              std::size_t width) {
    const auto at = [&](std::size_t i, std::size_t j) {
        return interactions.data() + (i * n + j) * width;
    };
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) std::copy_n(at(i, j), width, at(j, i));
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < width; ++c) {
            double rest = values[i * width + c];
            for (std::size_t j = 0; j < n; ++j)
                if (j != i) rest -= at(i, j)[c];
            at(i, i)[c] = rest;
        }
}

// Sums become means, and what follows from other values is filled in.
void finish(const Predictor& predictor, const ShapValues& found, std::size_t n_rows, double n_sums,
            ThreadTeam& team) {
    const std::size_t n = predictor.n_features(), width = predictor.value_width();
    team.run(n_rows, [&](std::size_t i, std::size_t) {
        const auto values = found.values.subspan(i * n * width, n * width);
        for (double& value : values) value /= n_sums;
        add_last_classes(values, predictor.forest());
        if (found.interactions.empty()) return;
        const auto pairs = found.interactions.subspan(i * n * n * width, n * n * width);
        for (double& value : pairs) value /= n_sums;
        add_last_classes(pairs, predictor.forest());
        complete(values, pairs, n, width);
    });
}

void check_sizes(const Predictor& predictor, const Matrix& X, const ShapValues& found) {
    predictor.check_width(X);
    const std::size_t width = predictor.value_width();
    const std::size_t row = checked_product(predictor.n_features(), width);
    if (found.base.size() != width || found.values.size() != checked_product(X.rows, row) ||
        (!found.interactions.empty() &&
         found.interactions.size() != checked_product(found.values.size(), predictor.n_features())))
        throw std::invalid_argument("values of the wrong size");
}

// use(first, last) for the trees in batches, each a step of the progress from `done` on.
template <class Use>
void for_batches(const Predictor& predictor, ThreadTeam& team, std::size_t done, std::size_t total,
                 Use&& use) {
    team.set_total(total);
    const std::size_t n_trees = predictor.n_trees();
    for (std::size_t first = 0; first < n_trees;) {
        std::size_t last = first, n_nodes = 0;
        while (last < n_trees && (last == first || n_nodes < kBatchNodes))
            n_nodes += predictor.tree(last++).shape().n_nodes;
        use(first, last);
        first = last;
        team.report(done + first);
    }
}

// Calls use(rows) for blocks of at most RowSet::kRows rows, in the calling thread.
template <class Use>
void for_background(const Matrix& background, bool as_float32, Use&& use) {
    ThreadTeam alone;
    for_row_blocks(background, as_float32, alone, rows_of_block(background, RowSet::kRows), use);
}

}  // namespace

void shap_of_paths(const Predictor& predictor, std::span<const SharedTree> trees, const Matrix& X,
                   const ShapValues& found, ThreadTeam& team) {
    check_sizes(predictor, X, found);
    if (trees.size() != predictor.n_trees())
        throw std::invalid_argument("trees and predictor do not belong together");
    const auto skipped = last_classes(predictor.forest());
    const ShapSums sums{predictor.n_features(), predictor.value_width(), found.values,
                        found.interactions, skipped};
    for_batches(predictor, team, 0, trees.size(), [&](std::size_t first, std::size_t last) {
        std::vector<std::unique_ptr<ExplainedTree>> batch(last - first);
        team.run(batch.size(), [&](std::size_t k, std::size_t) {
            const Tree tree = expand(*trees[first + k]);
            batch[k] =
                std::make_unique<ExplainedTree>(predictor, first + k, tree.weighted_n_node_samples);
        });
        for (const auto& tree : batch)
            for (std::size_t c = 0; c < found.base.size(); ++c) found.base[c] += tree->mean()[c];
        for_row_blocks(X, predictor.as_float32(), team, rows_of_block(X, kBlockRows),
                       [&](const RowBlock& block) {
                           PathValues paths;
                           for (const auto& tree : batch)
                               paths.add(*tree, block, sums, team.stop());
                       });
    });
    for (double& base : found.base) base /= static_cast<double>(trees.size());
    finish(predictor, found, X.rows, static_cast<double>(trees.size()), team);
}

void shap_against_rows(const Predictor& predictor, const Matrix& X, const Matrix& background,
                       const ShapValues& found, ThreadTeam& team) {
    check_sizes(predictor, X, found);
    predictor.check_width(background);
    if (!found.interactions.empty() || background.rows == 0)
        throw std::invalid_argument("no interactions, and at least one background row");
    const bool as_float32 = predictor.as_float32();
    const auto skipped = last_classes(predictor.forest());
    const ShapSums sums{predictor.n_features(), predictor.value_width(), found.values, {}, skipped};
    const std::size_t block_rows = rows_of_block(background, RowSet::kRows);
    const std::size_t total =
        predictor.n_trees() * ((background.rows + block_rows - 1) / block_rows);
    const auto require_whole = [&](const RowBlock& block) {
        if (predictor.forest().both_children && !block.whole)
            throw std::invalid_argument(
                "A background needs rows that follow one path, but this forest sends missing "
                "values to both children. Fill in the missing values, or use background=None.");
    };
    std::size_t done = 0;
    for_background(background, as_float32, [&](const RowBlock& others) {
        require_whole(others);
        for_batches(predictor, team, done, total, [&](std::size_t first, std::size_t last) {
            std::vector<std::unique_ptr<ExplainedTree>> batch(last - first);
            std::vector<std::unique_ptr<TreeBackground>> backgrounds(last - first);
            team.run(batch.size(), [&](std::size_t k, std::size_t) {
                batch[k] =
                    std::make_unique<ExplainedTree>(predictor, first + k, std::span<double>{});
                backgrounds[k] = std::make_unique<TreeBackground>(*batch[k], others, skipped);
            });
            for_row_blocks(X, as_float32, team, rows_of_block(X, kBlockRows),
                           [&](const RowBlock& block) {
                               require_whole(block);
                               BackgroundValues values;
                               for (std::size_t k = 0; k < batch.size(); ++k)
                                   values.add(*batch[k], *backgrounds[k], block, sums, team.stop());
                           });
        });
        done += predictor.n_trees();
    });
    finish(predictor, found, X.rows,
           static_cast<double>(predictor.n_trees()) * static_cast<double>(background.rows), team);
}

}  // namespace silvics
