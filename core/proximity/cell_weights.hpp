// The in-bag weights of cells, by which proximities and quantiles weigh the training rows.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "base/thread_team.hpp"
#include "predictor/leaf_membership.hpp"
#include "proximity/leaf_cells.hpp"

namespace silvics {

// The number of in-bag rows of every leaf of every tree.
std::vector<std::uint32_t> in_bag_sizes(const LeafMembership& membership);

// For each leaf, one over the in-bag weight of its cell; zero if no row of the tree is in bag.
std::vector<double> inverse_cell_weights(const LeafMembership& membership, const LeafCells& cells,
                                         ThreadTeam& team);

// Calls use(weight_at), where weight_at(row, position) is the in-bag weight of a row at a position
// among the rows of all trees, in the type of the stored weights, which is decided once.
template <class Use>
void with_weights(const LeafMembership& membership, Use&& use) {
    if (size_of(membership.weights) > 0)
        std::visit(
            [&](auto weights) {
                use([weights](RowId, std::size_t position) { return weights[position]; });
            },
            membership.weights);
    else if (!membership.row_weights.empty())
        use([weights = membership.row_weights](RowId row, std::size_t) { return weights[row]; });
    else
        use([](RowId, std::size_t) { return 1.0; });
}

}  // namespace silvics
