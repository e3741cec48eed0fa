#include "proximity/leaf_cells.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace silvics {

LeafCells::LeafCells(const Predictor& predictor, std::span<const std::uint32_t> sizes,
                     std::size_t min_samples, std::size_t max_depth, ThreadTeam& team) {
    const auto& shapes = predictor.forest().shapes;
    std::size_t n_leaves = 0, depth = 0;
    for (const TreeShape& shape : shapes) {
        first_.push_back(n_leaves);
        n_leaves += shape.n_leaves;
        depth = std::max<std::size_t>(depth, shape.depth);
    }
    if (sizes.size() != n_leaves)
        throw std::invalid_argument("cells need the number of rows of every leaf");
    const bool all_large = std::ranges::all_of(
        sizes, [&](std::uint32_t size) { return static_cast<std::size_t>(size) >= min_samples; });
    if (all_large && depth <= max_depth) return;  // cells are leaves
    ranges_.resize(n_leaves);
    grouped_.resize(n_leaves);
    groups_.resize(n_leaves);
    team.run(shapes.size(), [&](std::size_t m, std::size_t) {
        const std::size_t first = first_[m], n = shapes[m].n_leaves;
        const auto ranges = std::span(ranges_).subspan(first, n);
        find_cells(predictor.tree(m), sizes.subspan(first, n), min_samples, max_depth, ranges);
        group(ranges, std::span(grouped_).subspan(first, n), std::span(groups_).subspan(first, n));
    });
}

void LeafCells::find_cells(const PackedTree& tree, std::span<const std::uint32_t> sizes,
                           std::size_t min_samples, std::size_t max_depth,
                           std::span<LeafRange> ranges) {
    if (sizes.size() == 1) {
        ranges[0] = {0, 1};
        return;
    }
    struct Inner {
        std::uint32_t n_leaves = 0, begin = 0, depth = 0;
        LeafRange cell;
    };
    const std::size_t n = tree.n_places();
    std::vector<Inner> inner(n);
    // A node is stored after its parent.
    for (std::size_t at = n; at-- > 0;) {
        const auto t = static_cast<Place>(at);
        for (std::uint32_t k = 0; k < tree.n_children(t); ++k) {
            const Child child = tree.child(t, k);
            inner[t].n_leaves += child.leaf() ? 1 : inner[child.place()].n_leaves;
        }
    }
    std::vector<std::uint64_t> before(sizes.size() + 1, 0);
    std::inclusive_scan(sizes.begin(), sizes.end(), before.begin() + 1, std::plus<>{},
                        std::uint64_t{0});
    inner[0].cell = {0, static_cast<std::uint32_t>(sizes.size())};
    for (Place t = 0; t < n; ++t) {
        const std::uint32_t depth = inner[t].depth + 1;
        std::uint32_t begin = inner[t].begin;
        for (std::uint32_t k = 0; k < tree.n_children(t); ++k) {
            const Child child = tree.child(t, k);
            const std::uint32_t end = begin + (child.leaf() ? 1 : inner[child.place()].n_leaves);
            const bool is_cell = depth <= max_depth && before[end] - before[begin] >= min_samples;
            const LeafRange cell = is_cell ? LeafRange{begin, end} : inner[t].cell;
            if (child.leaf()) {
                ranges[begin] = cell;
            } else {
                Inner& below = inner[child.place()];
                below.begin = begin;
                below.depth = depth;
                below.cell = cell;
            }
            begin = end;
        }
    }
}

void LeafCells::group(std::span<const LeafRange> ranges, std::span<std::uint32_t> grouped,
                      std::span<LeafRange> groups) {
    std::iota(grouped.begin(), grouped.end(), 0U);
    std::ranges::stable_sort(
        grouped, [&](std::uint32_t a, std::uint32_t b) { return ranges[a] < ranges[b]; });
    for (std::size_t begin = 0; begin < grouped.size();) {
        std::size_t end = begin;
        while (end < grouped.size() && ranges[grouped[end]] == ranges[grouped[begin]]) ++end;
        for (std::size_t k = begin; k < end; ++k)
            groups[grouped[k]] = {static_cast<std::uint32_t>(begin),
                                  static_cast<std::uint32_t>(end)};
        begin = end;
    }
}

}  // namespace silvics
