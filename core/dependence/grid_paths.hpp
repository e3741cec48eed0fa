// Rows through one unpacked tree while one or two variables take the values of a grid.
//
// Few nodes of a path test a variable of the grid. Between forks (grid_regions.hpp), rows take the
// fast loops of prediction, several at a time. At a fork, a path becomes two. All paths take a
// fixed number of steps; those that have ended are then replaced by others that wait, because paths
// between forks have very different lengths.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/stop.hpp"
#include "dependence/grid_regions.hpp"
#include "predictor/row_blocks.hpp"

namespace silvics {

template <class Unpacked>
class GridPaths {
public:
    using Value = typename Unpacked::Value;

    GridPaths(const Unpacked& unpacked, std::span<const GridAxis> axes)
        : unpacked_(unpacked), regions_(axes) {}

    // Takes another tree, and returns its regions.
    const GridRegions& begin(const PackedTree& tree) {
        regions_.begin(tree);
        unpacked_.unpack(tree, regions_);
        return regions_;
    }
    // visit(i, at) for each node at which a path of row i of the block stops: every leaf that it
    // comes to, once, and some other nodes. `values`: the values of the block, as the unpacked tree
    // compares them.
    template <class Visit>
    void run(const RowBlock& block, const Value* values, const StopFlag& stop, Visit&& visit) {
        block.whole ? run<false>(block, values, stop, visit)
                    : run<true>(block, values, stop, visit);
    }

    const GridRegions& regions() const { return regions_; }
    bool leaf_at(std::uint32_t at) const {
        return unpacked_.ended(at) && regions_.children(at) == 0;
    }
    PackedLeaf leaf(std::uint32_t at) const { return unpacked_.leaf(at); }

private:
    struct Path {
        std::uint32_t row, at;
    };

    template <bool kMissing, class Visit>
    void run(const RowBlock& block, const Value* values, const StopFlag& stop, Visit& visit) {
        typename Unpacked::template Paths<kMissing> paths;
        constexpr std::size_t kSize = paths.kSize;
        // Steps of all paths before those that have ended are replaced; 4 were slower everywhere.
        constexpr std::size_t kSteps = 8;
        constexpr std::size_t kRows = 64;  // that begin at a time
        std::array<std::uint32_t, kSize> rows;
        std::size_t n = 0, next = 0;
        for (std::size_t round = 0;; ++round) {
            if (round % 1024 == 0) stop.check();
            open_.resize(std::max(open_.size(), n + kRows + 2 * kSize));
            if (n < kSize)
                for (const std::size_t end = std::min(block.size, next + kRows); next < end; ++next)
                    open_[n++] = {static_cast<std::uint32_t>(next), Unpacked::kRoot};
            if (n == 0) return;
            const std::size_t size = std::min(n, kSize);
            n -= size;
            for (std::size_t k = 0; k < kSize; ++k) {
                const Path& path = open_[n + std::min(k, size - 1)];
                rows[k] = path.row;
                paths.at[k] = path.at;
                paths.samples[k] = unpacked_.sample(block, values, path.row);
            }
            unpacked_.template advance<kMissing, kSteps>(paths);
            for (std::size_t k = 0; k < size; ++k) {
                if (unpacked_.waits(paths.at[k])) {
                    open_[n++] = {rows[k], unpacked_.step(paths.at[k], block.row(rows[k]))};
                    continue;
                }
                visit(rows[k], paths.at[k]);
                // Whether and how a path goes on is unpredictable, so there is no branch.
                const bool open = !unpacked_.ended(paths.at[k]);
                const std::uint32_t child = regions_.children(paths.at[k]);
                open_[n] = {rows[k], open ? paths.at[k] : child};
                open_[n + 1] = {rows[k], child + 1};
                n += std::size_t{open} + (child != 0 ? 2 : 0);
            }
        }
    }

    Unpacked unpacked_;
    GridRegions regions_;
    std::vector<Path> open_;  // the last are the first to go on
};

}  // namespace silvics
