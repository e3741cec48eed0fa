// For each pair of trees, the sum over rows of the products of their numbers of draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/thread_team.hpp"

namespace silvics {

// Adds these sums to the matrix `sums`, trees x trees. `counts`: trees x rows. Returns false, and
// adds nothing, if a count is above 127, or if the processor does not multiply bytes fast: then a
// product of matrices is faster.
bool add_count_products(std::span<const std::uint8_t> counts, std::size_t n_trees,
                        std::span<double> sums, ThreadTeam& team);

// The products of four trees with two others, over `n_vectors` times 32 rows; the rows of a tree
// are `stride` bytes after those of the tree before. At most `most` vectors may be added in 16
// bits.
using CountTile = void (*)(const std::uint8_t* four, const std::uint8_t* two, std::size_t stride,
                           std::size_t n_vectors, std::size_t most, std::uint32_t* sums);

}  // namespace silvics
