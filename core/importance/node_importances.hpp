// Importances that are found node by node, from rows that go down the trees again.
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
    // Mean decrease of impurity from rows that the tree did not draw (Li et al. 2019): how what the
    // split adds to predictions goes with Y there.
    out_of_bag,
    // From both, the ones' means times the others' (Zhou and Hooker 2021). Where Y has nothing to
    // do with the split it is zero in the mean, whatever the split.
    cross_fitted,
    // The decrease itself, from the rows drawn: of Gini's index or the variance, whatever the trees
    // were grown by, and whatever their leaves predict.
    drawn,
    // What it would be in the mean over permutations of Y among the rows of the node:
    // of Gini's index or the variance...
    null_part,
    // ... or of the entropy, for rows of weight one.
    null_entropy,
};

struct NodeImportances {
    NodeMeasure measure = NodeMeasure::out_of_bag;
    std::span<const std::uint32_t> group_of;  // of each variable
    std::size_t n_groups = 1;
    std::size_t min_samples = 0;  // rows drawn that a node must have to count
    bool by_output = false;       // each class, or output, apart
};

// Trees x groups, or trees x groups x value width; NaN of trees that need rows held out, and have
// none. Where the plan draws no row, all rows are held out, and what was drawn is what nodes keep.
// Of Gini's index or the variance, averaged over
// outputs, in the user's units.
// `leaves`: the leaf of every row in these trees, as Predictor::apply gives them, from the rows
// themselves or from their leaf membership.
std::vector<double> node_importances(std::span<const SharedTree> trees,
                                     std::span<const std::int64_t> leaves, const Target& target,
                                     const DrawnTrees& drawn, const NodeImportances& wanted,
                                     ThreadTeam& team);

// Of each sample, X.rows x groups: by how much the impurity falls on its way down, at the nodes
// that test each group; mean over the trees. Over the rows drawn, the mean is the decrease of
// impurity.
void add_local_importances(const Predictor& predictor, std::span<const SharedTree> trees,
                           std::size_t first, const Matrix& X,
                           std::span<const std::uint32_t> group_of, std::size_t n_groups,
                           std::span<double> sums, ThreadTeam& team);

}  // namespace silvics
