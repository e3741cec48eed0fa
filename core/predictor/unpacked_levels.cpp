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

bool UnpackedLevels::lead_on(std::span<std::uint32_t> at, const RowBlock& rows,
                             std::span<const std::uint32_t> batch) const {
    bool any = false;
    for (std::size_t k = 0; k < at.size(); ++k) {
        if (!waits(at[k])) continue;
        any = true;
        at[k] = step(at[k], rows.row(batch[std::min(k, batch.size() - 1)]));
    }
    return any;
}

}  // namespace silvics
