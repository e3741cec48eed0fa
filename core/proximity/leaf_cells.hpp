// Cells: the nodes in which samples are compared, in place of the leaves.
//
// The cell of a sample is the deepest node on its path that has enough in-bag rows and is not too
// deep. Leaves are numbered depth-first, so that the leaves below a node are a range.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "predictor/predictor.hpp"

namespace silvics {

struct LeafRange {
    std::uint32_t begin = 0, end = 0;
    auto operator<=>(const LeafRange&) const = default;
};

class LeafCells {
public:
    LeafCells() = default;  // every leaf is a cell
    // `sizes`: the number of in-bag rows of every leaf of every tree. A root is a cell even if it
    // has fewer than `min_samples` rows.
    LeafCells(const Predictor& predictor, std::span<const std::uint32_t> sizes,
              std::size_t min_samples, std::size_t max_depth, ThreadTeam& team);

    // Whether every leaf is a cell.
    bool are_leaves() const { return ranges_.empty(); }
    // The leaves of tree m below the cell of a leaf.
    LeafRange below(std::size_t m, std::uint32_t leaf) const {
        return ranges_.empty() ? LeafRange{leaf, leaf + 1} : ranges_[first_[m] + leaf];
    }
    // Calls visit(leaf) for all leaves of tree m that have the same cell as this one.
    template <class Visit>
    void for_sharing(std::size_t m, std::uint32_t leaf, Visit&& visit) const {
        if (ranges_.empty()) return visit(leaf);
        const std::size_t first = first_[m];
        const LeafRange group = groups_[first + leaf];
        for (std::uint32_t k = group.begin; k < group.end; ++k) visit(grouped_[first + k]);
    }

private:
    void find_cells(const PackedTree& tree, std::span<const std::uint32_t> sizes,
                    std::size_t min_samples, std::size_t max_depth, std::span<LeafRange> ranges);
    static void group(std::span<const LeafRange> ranges, std::span<std::uint32_t> grouped,
                      std::span<LeafRange> groups);

    std::vector<std::size_t> first_;      // the first leaf of each tree
    std::vector<LeafRange> ranges_;       // for each leaf, the leaves below its cell
    std::vector<std::uint32_t> grouped_;  // the leaves of each tree, ordered by cell
    std::vector<LeafRange> groups_;       // for each leaf, the part of `grouped_` with its cell
};

}  // namespace silvics
