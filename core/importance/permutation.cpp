#include "importance/permutation.hpp"

#include <algorithm>
#include <stdexcept>

#include "importance/permuted_changes.hpp"
#include "importance/permuted_paths.hpp"
#include "predictor/leaf_visits.hpp"

namespace silvics {
namespace {

// The samples of a block with permuted groups of variables. `Gathered` sums the changes.
template <class Gathered>
class Permuter {
public:
    Permuter(const Predictor& predictor, const RowBlock& block, const PermutedColumns& columns,
             Gathered gathered)
        : gathered_(std::move(gathered)),
          predictor_(predictor),
          first_(block.first),
          samples_(block, columns),
          ends_(block.size, columns.n_groups()),
          packed_(samples_, ends_),
          unpacked_(samples_, ends_, predictor.n_features()),
          before_(block.size * predictor.value_width()),
          after_(predictor.value_width()),
          pure_(predictor.forest().n_pure() * predictor.value_width()) {
        for (std::size_t c = 0; c < predictor.forest().n_pure(); ++c)
            pure_[c * predictor.value_width() + c] = 1.0;
    }

    // The given samples descend a tree, unpermuted and with permuted values.
    void operator()(std::size_t m, std::span<const std::uint32_t> samples) {
        const PackedTree& tree = predictor_.tree(m);
        if (predictor_.forest().both_children) return traverse_all(tree, samples);
        const std::size_t n_groups = samples_.columns.n_groups();
        const Repeats all = ~Repeats{0} >> (64 - samples_.n_repeats);
        for (const std::uint32_t i : samples) std::fill_n(&ends_.stay[i * n_groups], n_groups, all);
        // A sample has many paths, one per group and repeat that leaves its own path.
        constexpr std::size_t kPathsOfSample = 64;
        if (UnpackedTree<double>::pays(predictor_.forest(), m, kPathsOfSample * samples.size()))
            unpacked_.traverse(tree, samples);
        else
            packed_.traverse(tree, samples);
        gather(tree, samples);
    }

    void finish() { gathered_.finish(); }

private:
    void gather(const PackedTree& tree, std::span<const std::uint32_t> samples) {
        const std::size_t w = after_.size();
        // The values of leaves are prefetched this many paths ahead if every leaf has its own
        // value.
        constexpr std::size_t kAhead = 16;
        const double* const leaves =
            predictor_.forest().one_number()
                ? std::get<std::span<const double>>(predictor_.forest().values).data() +
                      tree.shape().first_leaf
                : nullptr;
        const std::size_t n_pure = predictor_.forest().n_pure();
        predictor_.with_leaves(tree, [&](auto&& add) {
            for (const std::uint32_t i : samples) {
                const auto before = std::span(before_).subspan(i * w, w);
                std::ranges::fill(before, 0.0);
                add(PackedLeaf{ends_.contents[i]}, before);
                gathered_.add(i, before);
            }
            for (std::size_t k = 0; k < ends_.paths.size(); ++k) {
                const PermutedPath& path = ends_.paths[k];
                if (leaves != nullptr && k + kAhead < ends_.paths.size())
                    __builtin_prefetch(leaves + ends_.paths[k + kAhead].at);
                if (path.at == ends_.contents[path.i]) continue;
                std::span<const double> after(after_);
                if (leaves != nullptr) {
                    after = {leaves + path.at, 1};
                } else if (path.at < n_pure) {
                    after = {&pure_[path.at * w], w};
                } else {
                    std::ranges::fill(after_, 0.0);
                    add(PackedLeaf{path.at}, std::span(after_));
                }
                for_each(path.repeats, [&](std::uint32_t r) {
                    gathered_.add(path.i, path.g, r, {&before_[path.i * w], w}, after);
                });
            }
        });
    }

    // For samples that may reach several leaves: all samples descend again for every group and
    // repeat, with their values exchanged, and exchanged back afterwards.
    void traverse_all(const PackedTree& tree, std::span<const std::uint32_t> samples) {
        const std::size_t w = after_.size();
        const RowBlock block = samples_.block(first_);
        const auto traverse = [&](auto&& visit) {
            predictor_.leaves_of(tree, block, samples, traversal_,
                                 [&](std::uint32_t i, PackedLeaf leaf, auto&& add) {
                                     std::ranges::fill(after_, 0.0);
                                     add(leaf, std::span(after_));
                                     visit(i);
                                 });
        };
        traverse([&](std::uint32_t i) {
            std::ranges::copy(after_, &before_[i * w]);
            gathered_.add(i, after_);
        });
        const PermutedColumns& columns = samples_.columns;
        for (std::uint32_t g = 0; g < columns.n_groups(); ++g)
            for (std::size_t r = 0; r < samples_.n_repeats; ++r) {
                const PermutedSamples::Exchange exchange(samples_, g, r);
                for (const std::uint32_t i : samples) exchange(i);
                traverse(
                    [&](std::uint32_t i) { gathered_.add(i, g, r, {&before_[i * w], w}, after_); });
                for (const std::uint32_t i : samples) exchange(i);
            }
    }

    Gathered gathered_;
    const Predictor& predictor_;
    std::size_t first_;
    PermutedSamples samples_;
    PermutedEnds ends_;
    PackedPaths packed_;
    UnpackedPaths unpacked_;
    std::vector<double> before_, after_;
    std::vector<double> pure_;  // the predictions of pure leaves, by class
    Traversal traversal_;
};

template <class Gather>
void permute(const Predictor& forest, const Matrix& X, const DrawnTrees& trees,
             const PermutedGroups& groups, std::size_t gathered_per_row, ThreadTeam& team,
             Gather&& gather) {
    forest.check_width(X);
    if (groups.n_repeats < 1 || groups.n_repeats > 64)
        throw std::invalid_argument("the number of repeats must be between 1 and 64");
    if (groups.rows.size() != groups.variables.size() * groups.n_repeats * X.rows ||
        !std::ranges::all_of(groups.rows, [&](std::uint32_t r) { return r < X.rows; }))
        throw std::invalid_argument("rows must have a valid row for each group, repeat and row");
    PermutedColumns columns{groups, {}, {}, {}, false, X.rows};
    columns.of_feature.resize(forest.n_features() +
                              1);  // leaves of unpacked trees have the variable after the last
    std::vector<FeatureId> variables;
    for (std::uint32_t g = 0; g < columns.n_groups(); ++g)
        for (const FeatureId j : groups.variables[g]) {
            if (j >= forest.n_features()) throw std::invalid_argument("a variable is out of range");
            if (columns.of_feature[j].group != kNone)
                throw std::invalid_argument("a variable is in two groups");
            columns.of_feature[j] = {
                g, static_cast<std::uint32_t>(variables.size() * groups.n_repeats)};
            columns.group_of.push_back(g);
            variables.push_back(j);
        }
    columns.values = columns_of(X, variables, forest.as_float32(), team);
    columns.whole = !any_missing(columns.values);
    // The data of a block stay in the second-level cache.
    constexpr std::size_t kNumbersOfBlock = 250000;
    const std::size_t numbers_per_row =
        groups.n_repeats * variables.size() + gathered_per_row + forest.value_width() + 1;
    const std::size_t max_rows =
        std::clamp<std::size_t>(kNumbersOfBlock / numbers_per_row, 64, 2048);
    forest.for_out_of_bag(X, trees, max_rows, team, [&](const RowBlock& block) {
        auto gathered = gather(columns, block);
        return Permuter<decltype(gathered)>(forest, block, columns, std::move(gathered));
    });
}

}  // namespace

void permuted_out_of_bag(const Predictor& forest, const Matrix& X, const DrawnTrees& trees,
                         const PermutedGroups& groups, std::span<double> changes,
                         OutOfBagSums unpermuted, ThreadTeam& team) {
    const std::size_t width = forest.value_width();
    if (changes.size() != groups.rows.size() * width)
        throw std::invalid_argument("changes of the wrong size");
    std::ranges::fill(changes, 0.0);
    unpermuted.clear(X.rows, width);
    const std::size_t kept = groups.n_repeats * groups.variables.size() * width;
    permute(forest, X, trees, groups, kept, team,
            [&](const PermutedColumns& columns, const RowBlock& block) {
                return PredictionChanges(columns, block, width, changes, unpermuted);
            });
}

void permuted_losses(const Predictor& forest, const Matrix& X, const DrawnTrees& trees,
                     const PermutedGroups& groups, const LossOfRows& loss,
                     std::span<double> changes, ThreadTeam& team) {
    if (changes.size() != groups.variables.size() * groups.n_repeats * loss.n_parts())
        throw std::invalid_argument("changes of the wrong size");
    if (loss.target.n_rows != X.rows || loss.target.value_width() != forest.value_width() ||
        loss.target.classification() != !forest.forest().n_classes.empty())
        throw std::invalid_argument("the target does not belong to these trees and rows");
    SumsOfBlocks blocks;
    permute(forest, X, trees, groups, 0, team,
            [&](const PermutedColumns& columns, const RowBlock& block) {
                return LossChanges(columns, block, loss, blocks);
            });
    std::ranges::fill(changes, 0.0);
    blocks.add_to(changes);
}

}  // namespace silvics
