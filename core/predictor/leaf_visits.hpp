// Templates that all traversals of a forest share: visiting the leaves of samples, adding what the
// leaves predict, and selecting the out-of-bag samples of a tree.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "predictor/predictor.hpp"
#include "predictor/row_blocks.hpp"
#include "predictor/traversal.hpp"
#include "predictor/unpacked_levels.hpp"
#include "predictor/unpacked_tree.hpp"

namespace silvics {

// Dispatches on the type of the stored predictions once per tree, not once per leaf.
template <class Use>
void Predictor::with_leaf_values(const PackedTree& tree, Use&& use) const {
    if (forest_.one_number()) {
        const auto values = std::get<std::span<const double>>(forest_.values);
        const double* const leaf_values = values.data() + tree.shape().first_leaf;
        use([leaf_values](PackedLeaf leaf, std::span<double> sum) {
            sum[0] += leaf_values[leaf.content];
        });
        return;
    }
    const auto n_pure = static_cast<std::uint32_t>(forest_.n_pure());
    std::visit(
        [&]<class T>(std::span<const T> rows) {
            use([&, n_pure, rows](PackedLeaf leaf, std::span<double> sum) {
                if (leaf.content < n_pure) {
                    sum[leaf.content] += 1.0;
                    return;
                }
                const T* const row = rows.data() + (leaf.content - n_pure) * sum.size();
                if constexpr (std::is_same_v<T, double>) {
                    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += row[c];
                } else {
                    double whole = 0.0;
                    for (std::uint32_t c = 0; c < forest_.n_classes[0]; ++c) whole += row[c];
                    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += row[c] / whole;
                }
            });
        },
        forest_.values);
}

template <class Use>
void Predictor::with_leaves(const PackedTree& tree, Use&& use) const {
    with_leaf_values(tree, [&](auto&& add) {
        if (!by_majority_) return use(add);
        std::vector<double> shares(width_);
        use([&](PackedLeaf leaf, std::span<double> sum) {
            std::ranges::fill(shares, 0.0);
            add(leaf, shares);
            add_vote(shares, sum);
        });
    });
}

template <class Visit>
void Predictor::leaves_of(const PackedTree& tree, const RowBlock& block,
                          std::span<const std::uint32_t> samples, Traversal& traversal,
                          Visit&& visit) const {
    if (!forest_.both_children) {
        traversal.down(tree, block.whole && !tree.shape().ruled, block, samples);
        with_leaves(tree, [&](auto&& add) {
            for (const std::uint32_t i : samples) visit(i, traversal.leaf(i), add);
        });
        return;
    }
    // A sample may reach several leaves. The mean of their values, weighted by the shares of the
    // sample, takes the place of the value of a single leaf.
    std::vector<double> value(width_), part(width_);
    with_leaf_values(tree, [&](auto&& add) {
        for (const std::uint32_t i : samples) {
            std::ranges::fill(value, 0.0);
            tree.both_children(block.row(i), [&](PackedLeaf leaf, double share) {
                std::ranges::fill(part, 0.0);
                add(leaf, part);
                for (std::size_t c = 0; c < width_; ++c) value[c] += share * part[c];
            });
            visit(i, PackedLeaf{}, [&](PackedLeaf, std::span<double> sum) {
                if (by_majority_) return add_vote(value, sum);
                for (std::size_t c = 0; c < width_; ++c) sum[c] += value[c];
            });
        }
    });
}

template <class Use>
void Predictor::with_unpacked(std::size_t first, std::size_t last, const RowBlock& block,
                              std::size_t n_samples, Use&& use) const {
    if (levels_pay(first, last, n_samples)) {
        const LevelBlock levels(levels_, block);
        return use(levels.values(), UnpackedLevels(levels));
    }
    bool any_unpacked = false;  // only unpacked trees make use of floats
    for (std::size_t m = first; m < last && !any_unpacked; ++m)
        any_unpacked = UnpackedTree<float>::pays(forest_, m, n_samples);
    const auto floats = any_unpacked ? exact_floats(block) : std::vector<float>();
    floats.empty() ? use(block.values, UnpackedTree<double>(n_features()))
                   : use(floats.data(), UnpackedTree<float>(n_features()));
}

template <class Unpacked, class Visit>
void Predictor::leaves_of_many(std::size_t m, const RowBlock& block,
                               const typename Unpacked::Value* values,
                               std::span<const std::uint32_t> samples, Unpacked& unpacked,
                               Traversal& traversal, Visit&& visit) const {
    const PackedTree& tree = trees_[m];
    if (Unpacked::pays(forest_, m, samples.size())) {
        unpacked.unpack(tree);
        with_leaves(tree, [&](auto&& add) {
            unpacked.down(block, values, samples,
                          [&](std::uint32_t i, PackedLeaf leaf) { visit(i, leaf, add); });
        });
        return;
    }
    std::array<std::uint32_t, Traversal::kMaxPaths> within;
    for (auto at = samples.begin(); at != samples.end();) {
        const std::uint32_t begin = *at;
        std::size_t n = 0;
        for (; at != samples.end() && *at < begin + Traversal::kMaxPaths; ++at)
            within[n++] = *at - begin;
        leaves_of(
            tree, block.part(begin, Traversal::kMaxPaths), std::span(within).first(n), traversal,
            [&](std::uint32_t i, PackedLeaf leaf, auto&& add) { visit(begin + i, leaf, add); });
    }
}

template <class Use>
void Predictor::for_out_of_bag(const Matrix& X, const DrawnTrees& trees, std::size_t max_rows,
                               ThreadTeam& team, Use&& use) const {
    check_width(X);
    const std::span<const std::uint32_t> seeds = trees.seeds;
    if (trees.first + seeds.size() > n_trees() || trees.sampling.n_rows != X.rows)
        throw std::invalid_argument("trees, seeds and rows do not belong together");
    constexpr std::size_t kBatch = 64;  // trees at a time; their draws take 8 bytes per row
    for (std::size_t begin = 0; begin < seeds.size(); begin += kBatch) {
        const std::size_t size = std::min(kBatch, seeds.size() - begin);
        std::vector<std::vector<bool>> out(size);
        team.run(size, [&](std::size_t m, std::size_t) {
            out[m] = silvics::out_of_bag(trees.sampling, seeds[begin + m], team.stop());
        });
        // The block size does not depend on the team, so that sums over the rows of a block are
        // the same for any number of threads.
        for_row_blocks(X, as_float32_, team, rows_of_block(X, max_rows),
                       [&](const RowBlock& block) {
                           std::vector<std::uint32_t> samples(block.size);
                           auto used = use(block);
                           for (std::size_t m = 0; m < size; ++m) {
                               team.stop().check();
                               std::size_t n = 0;  // branch-free: which rows are drawn is random
                               for (std::uint32_t i = 0; i < block.size; ++i) {
                                   samples[n] = i;
                                   n += out[m][block.first + i];
                               }
                               if (n > 0)
                                   used(trees.first + begin + m, std::span(samples).first(n));
                           }
                           if constexpr (requires { used.finish(); }) used.finish();
                       });
    }
}

}  // namespace silvics
