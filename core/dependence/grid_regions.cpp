#include "dependence/grid_regions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace silvics {

GridRegions::GridRegions(std::span<const GridAxis> axes) {
    for (const GridAxis& of : axes) {
        Axis& axis = axes_.emplace_back();
        axis.variable = of.variable;
        axis.values.assign(of.points.begin(), of.points.end());
        axis.lists.resize(of.points.size());
        std::iota(axis.lists.begin(), axis.lists.end(), 0U);
        std::ranges::stable_sort(axis.lists, [&](std::uint32_t i, std::uint32_t j) {
            const double x = axis.values[i], y = axis.values[j];
            return std::isnan(y) ? !std::isnan(x) : x < y;
        });
        axis.ascending = std::ranges::is_sorted(axis.lists);
    }
}

void GridRegions::begin(const PackedTree& tree) {
    tree_ = &tree;
    regions_.assign(2, Region{});
    for (std::size_t a = 0; a < axes_.size(); ++a) {
        axes_[a].lists.resize(axes_[a].values.size());
        regions_[1][a].end = axes_[a].values.size();
    }
    ends_.resize(first_child_of(static_cast<Place>(tree.n_places())));
    ends_[0] = {0, 0};
    ends_[1] = {1, 0};
}

InPlace GridRegions::test(Place t, std::uint32_t at, std::size_t a) {
    const std::uint32_t region = ends_[at].region, child = first_child_of(t);
    const auto parts = divide(axes_[a], regions_[region][a], t);
    for (std::uint32_t which = 0; which < 2; ++which)
        if (parts[1 - which].begin == parts[1 - which].end) {
            // The children get the number of the node, or zero.
            ends_[child] = ends_[child + 1] = {0, 0};
            return which == 0 ? InPlace::first_child : InPlace::second_child;
        }
    for (std::uint32_t which = 0; which < 2; ++which) {
        ends_[child + which] = {static_cast<std::uint32_t>(regions_.size()), 0};
        Region part = regions_[region];
        part[a] = parts[which];
        regions_.push_back(part);
    }
    ends_[at].children = child;
    return InPlace::end;
}

std::array<GridRegions::Range, 2> GridRegions::divide(Axis& axis, Range range, Place t) {
    auto& lists = axis.lists;
    const auto begin = lists.begin() + static_cast<std::ptrdiff_t>(range.begin);
    const auto end = lists.begin() + static_cast<std::ptrdiff_t>(range.end);
    const PackedNode& node = tree_->nodes()[t];
    const auto goes_first = [&](std::uint32_t point) {
        return tree_->next_of<false>(node, [&](FeatureId) { return axis.values[point]; }).which ==
               0;
    };
    const auto parts_at = [&](auto middle) {
        const auto at = static_cast<std::size_t>(middle - lists.begin());
        return std::array<Range, 2>{Range{range.begin, at}, Range{at, range.end}};
    };
    // Known values are in order for a threshold, so that bisection finds it.
    if (begin != end && node.rule().is_threshold() && !std::isnan(axis.values[*(end - 1)]))
        return parts_at(std::partition_point(begin, end, goes_first));
    if (std::is_partitioned(begin, end, goes_first))
        return parts_at(std::partition_point(begin, end, goes_first));
    // Other parts are lists of their own.
    const std::size_t at = lists.size(), size = range.end - range.begin;
    lists.resize(at + size);
    others_.clear();
    std::size_t n = at;
    for (std::size_t i = range.begin; i < range.end; ++i)
        goes_first(lists[i]) ? (lists[n++] = lists[i], void()) : others_.push_back(lists[i]);
    std::ranges::copy(others_, lists.begin() + static_cast<std::ptrdiff_t>(n));
    return {Range{at, n}, Range{n, at + size}};
}

}  // namespace silvics
