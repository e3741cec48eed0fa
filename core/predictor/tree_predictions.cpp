#include "predictor/tree_predictions.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "predictor/leaf_visits.hpp"

namespace silvics {

void tree_predictions(const Predictor& predictor, const Matrix& X, std::span<double> out,
                      ThreadTeam& team) {
    predictor.check_width(X);
    const std::size_t n_trees = predictor.n_trees(), width = predictor.value_width();
    if (out.size() != checked_product(X.rows, checked_product(n_trees, width)))
        throw std::invalid_argument("the output needs the values of every sample and tree");
    std::array<std::uint32_t, Traversal::kMaxPaths> all;
    std::iota(all.begin(), all.end(), 0U);
    for_row_blocks(X, predictor.as_float32(), team, [&](const RowBlock& block) {
        // By the thread that adds to it, which is the first to touch that memory.
        std::ranges::fill(out.subspan(block.first * n_trees * width, block.size * n_trees * width),
                          0.0);
        Traversal traversal;
        for (std::size_t m = 0; m < n_trees; ++m) {
            team.stop().check();
            for (std::size_t begin = 0; begin < block.size; begin += Traversal::kMaxPaths) {
                const RowBlock part = block.part(begin, Traversal::kMaxPaths);
                predictor.leaves_of(
                    predictor.tree(m), part, std::span(all).first(part.size), traversal,
                    [&](std::uint32_t i, PackedLeaf leaf, auto&& add) {
                        add(leaf, out.subspan(((part.first + i) * n_trees + m) * width, width));
                    });
            }
        }
    });
}

}  // namespace silvics
