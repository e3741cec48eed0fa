#include "proximity/cell_weights.hpp"

namespace silvics {

std::vector<std::uint32_t> in_bag_sizes(const LeafMembership& membership) {
    std::vector<std::uint32_t> sizes;
    sizes.reserve(membership.first_leaf.back());
    for (std::size_t m = 0; m < membership.n_trees(); ++m) {
        const TreeMembership tree = membership.tree(m);
        for (std::size_t leaf = 0; leaf < tree.n_leaves(); ++leaf)
            sizes.push_back(static_cast<std::uint32_t>(tree.in_bag(leaf).size()));
    }
    return sizes;
}

std::vector<double> inverse_cell_weights(const LeafMembership& membership, const LeafCells& cells,
                                         ThreadTeam& team) {
    std::vector<double> inverse(membership.first_leaf.back());
    team.run(membership.n_trees(), [&](std::size_t m, std::size_t) {
        const TreeMembership tree = membership.tree(m);
        std::vector<double> weights(tree.n_leaves(), 0.0);
        with_weights(membership, [&](auto weight_at) {
            for (std::size_t leaf = 0; leaf < weights.size(); ++leaf) {
                const std::size_t position = m * membership.n_rows + tree.begin(leaf);
                const std::span<const RowId> rows = tree.in_bag(leaf);
                for (std::size_t k = 0; k < rows.size(); ++k)
                    weights[leaf] += weight_at(rows[k], position + k);
            }
        });
        // Cells are nested, so the sum of a cell is computed once and used for all of its leaves.
        LeafRange known;
        double whole = 0.0;
        for (std::uint32_t leaf = 0; leaf < weights.size(); ++leaf) {
            const LeafRange cell = cells.below(m, leaf);
            if (cell != known) {
                known = cell;
                whole = 0.0;
                for (std::uint32_t l = cell.begin; l < cell.end; ++l) whole += weights[l];
            }
            inverse[membership.first_leaf[m] + leaf] = whole > 0.0 ? 1.0 / whole : 0.0;
        }
    });
    return inverse;
}

}  // namespace silvics
