// Importances that are computed node by node from the leaves of the rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "data/matrix.hpp"
#include "data/target.hpp"
#include "forest/forest.hpp"
#include "predictor/predictor.hpp"

namespace silvics {

enum class NodeMeasure {
    // Mean decrease of impurity on the rows that the tree did not draw (Li et al. 2019): the
    // covariance of Y with the change of the prediction by the split.
    out_of_bag,
    // The product of the means of drawn rows and of other rows (Zhou and Hooker 2021). Its
    // expectation is zero for every split that is independent of Y.
    cross_fitted,
    // The decrease of the Gini index or the variance on the drawn rows, for trees of any criterion
    // and with any values of leaves.
    drawn,
    // The expectation of the decrease over permutations of Y among the rows of the node, for the
    // Gini index or the variance.
    null_part,
    // The same for the entropy, and rows of weight one.
    null_entropy,
};

struct NodeImportances {
    NodeMeasure measure = NodeMeasure::out_of_bag;
    std::span<const std::uint32_t> group_of;  // for each variable
    std::size_t n_groups = 1;
    std::size_t min_samples = 0;  // nodes with fewer drawn rows are skipped
    bool by_output = false;       // each class or output separately
};

// Trees x groups, or trees x groups x value width. A tree that needs held-out rows and has none
// gets NaN. If the plan draws no row, all rows are held out, and the stored statistics of the nodes
// stand for the drawn rows. Values are averaged over outputs, in the user's units.
//
// `leaves`: the leaf of every row in these trees, as computed by Predictor::apply from the rows, or
// by apply from their leaf membership.
std::vector<double> node_importances(std::span<const SharedTree> trees,
                                     std::span<const std::int64_t> leaves, const Target& target,
                                     const DrawnTrees& drawn, const NodeImportances& wanted,
                                     ThreadTeam& team);

// Adds to `sums` (X.rows x groups), for each sample and tree, the decreases of impurity along its
// decision path at the nodes that test each group. The mean over the drawn rows of a tree is its
// mean decrease of impurity.
void add_local_importances(const Predictor& predictor, std::span<const SharedTree> trees,
                           std::size_t first, const Matrix& X,
                           std::span<const std::uint32_t> group_of, std::size_t n_groups,
                           std::span<double> sums, ThreadTeam& team);

}  // namespace silvics
