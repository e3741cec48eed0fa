#include "predictor/out_of_bag.hpp"

#include <algorithm>
#include <stdexcept>

#include "predictor/average.hpp"
#include "predictor/row_blocks.hpp"
#include "tree/descend.hpp"

namespace silvics {

void out_of_bag_sums(std::span<const SharedTree> trees, std::span<const std::uint32_t> seeds,
                     const SamplingPlan& sampling, const Matrix& X, std::span<double> sums,
                     std::span<std::int64_t> counts, ThreadTeam& team) {
    if (trees.size() != seeds.size() || sampling.n_rows != X.rows ||
        std::ranges::any_of(trees, [&](const auto& t) { return t->n_features != X.cols; }))
        throw std::invalid_argument("trees, seeds and rows do not belong together");
    const std::size_t width = trees.front()->value_width();
    std::ranges::fill(sums, 0.0);
    std::ranges::fill(counts, 0);
    constexpr std::size_t kBatch = 64;  // trees at a time: their draws take 8 bytes a row
    for (std::size_t begin = 0; begin < trees.size(); begin += kBatch) {
        const std::size_t size = std::min(kBatch, trees.size() - begin);
        std::vector<std::vector<bool>> out(size);
        team.run(size, [&](std::size_t m, std::size_t) {
            out[m] = out_of_bag(sampling, seeds[begin + m]);
        });
        for_row_blocks(X, false, team, [&](const RowBlock& block) {
            for (std::size_t m = 0; m < size; ++m) {
                const Tree& tree = *trees[begin + m];
                for (std::size_t i = 0; i < block.size; ++i) {
                    const std::size_t row = block.first + i;
                    if (!out[m][row]) continue;
                    ++counts[row];
                    add_leaf_value(tree, descend(tree, block.row(i)),
                                   sums.subspan(row * width, width));
                }
            }
        });
    }
}

}  // namespace silvics
