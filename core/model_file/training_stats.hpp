// The statistics of stored trees that prediction does not need, in flat arrays: samples, weights
// and impurities.
//
// Together with the packed forest they restore the stored trees, bit for bit. A plain tree has
// statistics of every node, a compact one of its leaves. The order of nodes is that of the packed
// forest: the root, then the children of each inner node in turn.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "forest/forest.hpp"
#include "predictor/packed_forest.hpp"

namespace silvics {

// The form of a stored tree. The numbers between are compact trees: see CompactionRule.
enum class Layout : std::uint8_t {
    class_weights,  // plain, with class weights of leaves
    node_values = static_cast<std::uint8_t>(CompactionRule::variance) + 1,  // plain, with values
};

struct TrainingStats {
    // One entry per tree.
    std::span<const std::uint8_t> layout;
    std::span<const std::int32_t> impurity_exponent;
    // One entry per node of plain trees and per leaf of compact ones.
    Numbers samples, weights;
    // Columns that some trees have. `first_*` has the beginning of each tree, and the end; both are
    // empty if no tree has the column.
    std::span<const std::uint64_t> first_impurity, first_class_weight, first_node_value;
    std::span<const double> impurity;
    std::span<const double> class_weights;  // of leaves that are not pure, if not whole
    std::span<const double> node_values;    // of inner nodes, by their places

    std::shared_ptr<const void> memory;  // owns the arrays
};

TrainingStats stats_of(const PackedForest& forest, std::span<const SharedTree> trees);

bool is_compact(std::uint8_t layout);
// The number of nodes of a tree that have samples and weights.
std::size_t n_stored(const TreeShape& shape, std::uint8_t layout);

// The stored trees. The forest and the statistics must have been checked.
std::vector<SharedTree> trees_of(const PackedForest& forest, const TrainingStats& stats);

}  // namespace silvics
