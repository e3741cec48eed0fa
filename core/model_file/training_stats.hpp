// What trees know beyond their prediction form: samples, weights and impurities, in flat arrays.
//
// With the packed forest they are the trees again, bit for bit. Of compact trees all is told of
// leaves, of plain ones of every node. Nodes are counted as the packed forest tells of them: the
// root, then the children of each inner node in turn.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "forest/forest.hpp"
#include "predictor/packed_forest.hpp"

namespace silvics {

// How a tree is kept.
enum class Layout : std::uint8_t {
    class_weights,  // plain, with class weights at leaves
    // Those between are compact: see Derivation.
    node_values = static_cast<std::uint8_t>(Derivation::variance) + 1,  // plain, with values
};

struct TrainingStats {
    // Of each tree.
    std::span<const std::uint8_t> layout;
    std::span<const std::int32_t> impurity_exponent;
    // Of leaves or nodes.
    Numbers samples, weights;
    // Of some trees: where those of each begin, and one more; where no tree has any, nothing.
    std::span<const std::uint64_t> first_impurity, first_class_weight, first_node_value;
    std::span<const double> impurity;
    std::span<const double> class_weights;  // of leaves with several classes, where not whole
    std::span<const double> node_values;    // of inner nodes, by their places

    std::shared_ptr<const void> memory;
};

TrainingStats stats_of(const PackedForest& forest, std::span<const SharedTree> trees);

// Throws std::invalid_argument unless the trees of these stats are valid ones.
void check_stats(const PackedForest& forest, const TrainingStats& stats, ThreadTeam& team);
inline void check_stats(const PackedForest& forest, const TrainingStats& stats) {
    ThreadTeam alone;
    check_stats(forest, stats, alone);
}

bool is_compact(std::uint8_t layout);
// Nodes that samples and weights are told of.
std::size_t n_stored(const TreeShape& shape, std::uint8_t layout);

// The trees of a forest; both were checked.
std::vector<SharedTree> trees_of(const PackedForest& forest, const TrainingStats& stats);

}  // namespace silvics
