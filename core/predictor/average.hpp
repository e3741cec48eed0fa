// What trees say of samples: their mean prediction, their leaves, the ways down.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/matrix.hpp"
#include "forest/forest.hpp"

namespace silvics {

// Sums of the trees' predictions divided by `divisor`, X.rows x value_width. Each sum runs in
// tree order, whatever the team.
void average_trees(std::span<const SharedTree> trees, const Matrix& X, bool as_float32,
                   double divisor, std::span<double> out, ThreadTeam& team);

// The leaf of every sample in every tree, X.rows x trees.
void apply_trees(std::span<const SharedTree> trees, const Matrix& X, bool as_float32,
                 std::span<std::int64_t> out, ThreadTeam& team);

// The nodes that each sample visits, as a sparse matrix over the nodes of all trees.
struct DecisionPaths {
    std::vector<std::int64_t> starts, nodes;
};
DecisionPaths decision_paths(std::span<const SharedTree> trees, const Matrix& X, bool as_float32,
                             ThreadTeam& team);

// Adds what the leaf predicts.
void add_leaf_value(const Tree& tree, NodeId leaf, std::span<double> sum);

}  // namespace silvics
