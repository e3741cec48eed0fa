#include "predictor/unpacked_levels.hpp"

namespace silvics {

bool UnpackedLevels::pays(const PackedForest& forest, std::size_t m, std::size_t n_samples) {
    const std::size_t n_places = forest.first_node[m + 1] - forest.first_node[m];
    constexpr std::size_t kNodesPerSample = 6;
    return !forest.shapes[m].records && !forest.both_children &&
           n_places <= kNodesPerSample * n_samples;
}

UnpackedLevels::UnpackedNode UnpackedLevels::unpacked(const PackedTree& tree, Place t,
                                                      std::uint32_t at) {
    const PackedNode& node = tree.nodes()[t];
    const auto child = static_cast<std::uint32_t>(first_child_of(t));
    const SplitRule rule = node.rule();
    if (rule.is_threshold()) {
        const bool first = node.missing_first() && !block_.whole();
        return {~std::uint64_t{0}, LevelBlock::key_of(rule.threshold()), child,
                node.feature() | (first ? kMissingFirst : 0)};
    }
    if (const auto right = block_.right_of(node, tree.level_sets()))
        return {*right, 0, child, block_.place_of(node.feature())};
    some_wait_ = true;
    return {0, kWaiting | t, at, 0};
}

void UnpackedLevels::unpack(const PackedTree& tree) {
    const auto n = static_cast<std::uint32_t>(tree.n_places());
    packed_ = &tree;
    some_wait_ = false;
    nodes_.resize(std::max(nodes_.size(), first_child_of(n)));
    at_.resize(std::max(at_.size(), n + std::size_t{1}));
    at_[PackedTree::kRoot] = kRoot;
    for (Place t = 0; t < n; ++t) {
        nodes_[at_[t]] = unpacked(tree, t, at_[t]);
        // Every child is written as a leaf, and overwritten later if it is an inner node: this
        // needs no unpredictable branch. `at_` of leaves goes to an extra last element.
        for (std::uint32_t which = 0; which < 2; ++which) {
            const auto child = static_cast<std::uint32_t>(first_child_of(t)) + which;
            const std::uint32_t bits = tree.nodes()[t].child(which).bits();
            nodes_[child] = {0, Child(bits).content(), child, 0};
            at_[std::min(bits, n)] = child;
        }
    }
}

bool UnpackedLevels::lead_on(std::array<std::uint32_t, kPaths>& paths, const RowBlock& rows,
                             std::span<const std::uint32_t> batch) const {
    bool any = false;
    for (std::size_t k = 0; k < kPaths; ++k) {
        const UnpackedNode& node = nodes_[paths[k]];
        if ((node.bound & kWaiting) == 0 || node.mask != 0) continue;
        any = true;
        const auto t = static_cast<Place>(node.bound);
        const double* const row = rows.row(batch[std::min(k, batch.size() - 1)]);
        paths[k] =
            static_cast<std::uint32_t>(first_child_of(t)) + packed_->next<false>(t, row).which;
    }
    return any;
}

}  // namespace silvics
