#include "sampling/count_products.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/kernels.hpp"

namespace silvics {

#ifdef SILVICS_AVX2
extern const CountTile kAvx2CountTile;
#endif

namespace {

constexpr std::size_t kFour = 4, kTwo = 2;  // trees of a tile
constexpr std::size_t kRowsOfVector = 32;
constexpr std::size_t kMaxBytes = std::size_t{1} << 19;  // of the counts that stay in the cache

CountTile picked_tile() {
#ifdef SILVICS_AVX2
    if (std::string_view(kernels().name) == "avx2") return kAvx2CountTile;
#endif
    return nullptr;
}

}  // namespace

bool add_count_products(std::span<const std::uint8_t> counts, std::size_t n_trees,
                        std::span<double> sums, ThreadTeam& team) {
    const CountTile tile = picked_tile();
    const std::size_t largest = counts.empty() ? 0 : std::ranges::max(counts);
    if (tile == nullptr || largest > 127) return false;
    const std::size_t n_rows = n_trees == 0 ? 0 : counts.size() / n_trees;
    // Two products are added to each number of 16 bits for each vector.
    const std::size_t most =
        ((std::size_t{1} << 15) - 1) / std::max(2 * largest * largest, std::size_t{1});
    const std::size_t padded = (n_trees + kFour - 1) / kFour * kFour;
    const std::size_t n_vectors =
        std::max<std::size_t>(kMaxBytes / (std::max<std::size_t>(padded, 1) * kRowsOfVector), 8);
    const std::size_t stride = n_vectors * kRowsOfVector;
    // Some rows of all trees at a time, with zeros after the last row and the last tree.
    std::vector<std::uint8_t> some(padded * stride);
    for (std::size_t first = 0; first < n_rows; first += stride) {
        const std::size_t size = std::min(stride, n_rows - first);
        for (std::size_t m = 0; m < n_trees; ++m) {
            const auto end =
                std::copy_n(counts.data() + m * n_rows + first, size, some.data() + m * stride);
            std::fill_n(end, stride - size, std::uint8_t{0});
        }
        team.run(padded / kFour, [&](std::size_t strip, std::size_t) {
            team.stop().check();
            const std::size_t a = strip * kFour;
            std::uint32_t products[kFour * kTwo];
            for (std::size_t b = 0; b < a + kFour; b += kTwo) {
                tile(some.data() + a * stride, some.data() + b * stride, stride, n_vectors, most,
                     products);
                for (std::size_t i = a; i < std::min(a + kFour, n_trees); ++i)
                    for (std::size_t j = b; j < std::min(b + kTwo, i + 1); ++j)
                        sums[i * n_trees + j] += products[(i - a) * kTwo + j - b];
            }
        });
    }
    for (std::size_t i = 0; i < n_trees; ++i)
        for (std::size_t j = 0; j < i; ++j) sums[j * n_trees + i] = sums[i * n_trees + j];
    return true;
}

}  // namespace silvics
