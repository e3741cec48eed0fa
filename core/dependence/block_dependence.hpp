// The rows of a block at the points of a grid, in one tree at a time.
//
// If unpacking a tree pays, rows take the loops of prediction (grid_paths.hpp). Otherwise rows and
// points are lists that nodes divide (grid_traversal.hpp): in trees with several children or with
// both children for missing values, and for few rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dependence/column_block.hpp"
#include "dependence/grid.hpp"
#include "dependence/grid_paths.hpp"
#include "predictor/leaf_visits.hpp"

namespace silvics {

// How many paths of a prediction a row is worth. The lists of the other traversal take long in
// trees of many nodes for each row.
inline constexpr std::size_t kPathsOfRow = 8;

template <class Unpacked>
class BlockDependence {
public:
    using Value = typename Unpacked::Value;

    // Whether the paths of `n_rows` rows pay in tree m.
    static bool pays(const Predictor& predictor, std::size_t m, std::size_t n_rows) {
        return Unpacked::pays(predictor.forest(), m, kPathsOfRow * n_rows);
    }

    // `values`: those of the block, as the unpacked tree compares them. `columns` has the rows of
    // the block too if some tree does not pay.
    BlockDependence(const Predictor& predictor, const Grid& grid, const RowBlock& block,
                    const Value* values, const ColumnBlock& columns, const Unpacked& unpacked)
        : predictor_(predictor),
          grid_(grid),
          block_(block),
          values_(values),
          columns_(columns),
          paths_(unpacked, grid.axes()),
          lists_(grid.axes(), predictor.forest().both_children),
          value_(predictor.value_width()) {}

    // Adds the sums over the rows of what tree m predicts at each point.
    void add_sums(std::size_t m, std::span<double> sums, const StopFlag& stop) {
        pays(predictor_, m, block_.size) ? sums_by_paths(m, sums, stop)
                                         : sums_by_lists(m, sums, stop);
    }
    // Adds what tree m predicts for each row at each point: rows x points x value width.
    void add_curves(std::size_t m, std::span<double> curves, const StopFlag& stop) {
        pays(predictor_, m, block_.size) ? curves_by_paths(m, curves, stop)
                                         : curves_by_lists(m, curves, stop);
    }

private:
    static constexpr std::size_t kMostAdded = std::size_t{1} << 22;

    // Rows are counted at leaves. The leaves of a region add up before they count at its points.
    void sums_by_paths(std::size_t m, std::span<double> sums, const StopFlag& stop) {
        const PackedTree& tree = predictor_.tree(m);
        const GridRegions& regions = paths_.begin(tree);
        n_rows_.assign(regions.n_numbers(), 0);
        paths_.run(block_, values_, stop, [&](std::uint32_t, std::uint32_t at) { ++n_rows_[at]; });
        const std::size_t width = value_.size();
        of_regions_.assign(regions.n_regions() * width, 0.0);
        predictor_.with_leaves(tree, [&](auto&& add) {
            for (std::uint32_t at = 0; at < n_rows_.size(); ++at) {
                if (n_rows_[at] == 0 || !paths_.leaf_at(at)) continue;
                set_value(add, paths_.leaf(at));
                const std::size_t to = regions.region(at) * width;
                for (std::size_t c = 0; c < width; ++c)
                    of_regions_[to + c] += n_rows_[at] * value_[c];
            }
        });
        for (std::size_t r = 0; r < regions.n_regions(); ++r) {
            const auto of_region = std::span(of_regions_).subspan(r * width, width);
            if (std::ranges::any_of(of_region, [](double sum) { return sum != 0.0; }))
                add_at_points(r, of_region, sums.data());  // regions of forks have no leaves
        }
    }

    void curves_by_paths(std::size_t m, std::span<double> curves, const StopFlag& stop) {
        const PackedTree& tree = predictor_.tree(m);
        const GridRegions& regions = paths_.begin(tree);
        const std::size_t size = grid_.size() * value_.size();
        std::size_t n_added = 0;  // since the last look at the stop flag
        predictor_.with_leaves(tree, [&](auto&& add) {
            paths_.run(block_, values_, stop, [&](std::uint32_t row, std::uint32_t at) {
                if (!paths_.leaf_at(at)) return;
                n_added += size;
                if (n_added > kMostAdded) {
                    stop.check();
                    n_added = 0;
                }
                set_value(add, paths_.leaf(at));
                add_at_points(regions.region(at), value_, curves.data() + row * size);
            });
        });
    }

    void add_at_points(std::size_t region, std::span<const double> value, double* to) const {
        const std::size_t width = value.size();
        grid_.for_points(paths_.regions(), region, [&](std::size_t point, std::size_t n) {
            double* const begin = to + point * width;
            if (width == 1) {
                const double x = value[0];
                for (std::size_t k = 0; k < n; ++k) begin[k] += x;
                return;
            }
            for (std::size_t k = 0; k < n; ++k)
                for (std::size_t c = 0; c < width; ++c) begin[k * width + c] += value[c];
        });
    }

    void sums_by_lists(std::size_t m, std::span<double> sums, const StopFlag& stop) {
        const PackedTree& tree = predictor_.tree(m);
        const bool both = predictor_.forest().both_children;
        const std::size_t width = value_.size();
        predictor_.with_leaves(tree, [&](auto&& add) {
            lists_.run(tree, columns_, stop,
                       [&](PackedLeaf leaf, const GridTraversal::Parts& parts) {
                           double weight = static_cast<double>(parts[0].items.size());
                           if (both) {
                               weight = 0.0;
                               for (const auto row : parts[0].items) weight += parts[0].share[row];
                           }
                           set_value(add, leaf);
                           grid_.for_points(parts, [&](std::size_t point, double share) {
                               for (std::size_t c = 0; c < width; ++c)
                                   sums[point * width + c] += weight * share * value_[c];
                           });
                       });
        });
    }

    void curves_by_lists(std::size_t m, std::span<double> curves, const StopFlag& stop) {
        const PackedTree& tree = predictor_.tree(m);
        const std::size_t width = value_.size(), size = grid_.size() * width;
        predictor_.with_leaves(tree, [&](auto&& add) {
            lists_.run(tree, columns_, stop,
                       [&](PackedLeaf leaf, const GridTraversal::Parts& parts) {
                           set_value(add, leaf);
                           for (const std::uint32_t row : parts[0].items) {
                               const double of_row = parts[0].share[row];
                               double* const to = curves.data() + row * size;
                               grid_.for_points(parts, [&](std::size_t point, double share) {
                                   for (std::size_t c = 0; c < width; ++c)
                                       to[point * width + c] += of_row * share * value_[c];
                               });
                           }
                       });
        });
    }

    template <class Add>
    void set_value(Add&& add, PackedLeaf leaf) {
        std::ranges::fill(value_, 0.0);
        add(leaf, std::span<double>(value_));
    }

    const Predictor& predictor_;
    const Grid& grid_;
    const RowBlock& block_;
    const Value* values_;
    const ColumnBlock& columns_;
    GridPaths<Unpacked> paths_;
    GridTraversal lists_;
    std::vector<std::uint32_t> n_rows_;       // that come to each node of the unpacked tree
    std::vector<double> value_, of_regions_;  // of a leaf; sums over rows, by region
};

// use(make) for a block, where make() returns a BlockDependence for some trees of a predictor.
template <class Use>
void with_block_dependence(const Predictor& predictor, std::size_t first, std::size_t last,
                           const Grid& grid, const RowBlock& block, Use&& use) {
    predictor.with_unpacked(
        first, last, block, kPathsOfRow * block.size,
        [&]<class Unpacked>(const typename Unpacked::Value* values, const Unpacked& unpacked) {
            using Dependence = BlockDependence<Unpacked>;
            bool all_pay = true;
            for (std::size_t m = first; m < last; ++m)
                all_pay &= Dependence::pays(predictor, m, block.size);
            const ColumnBlock columns = all_pay ? ColumnBlock() : columns_of(block);
            use([&] { return Dependence(predictor, grid, block, values, columns, unpacked); });
        });
}

}  // namespace silvics
