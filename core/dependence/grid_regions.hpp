// The regions of a grid in one tree: sets of points of the axes that stay together.
//
// Which points come to a node depends on the nodes above that test a variable of the grid, and not
// on the rows. A node that divides the points that come to it is a fork: rows go on from there to
// both children, and the region of each has a part of the points. A node that tests a variable of
// the grid and sends all points that come to it to one child is skipped. Elsewhere, a child belongs
// to the region of its parent.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "dependence/grid_traversal.hpp"
#include "predictor/packed_tree.hpp"
#include "predictor/unpacked_tree.hpp"

namespace silvics {

class GridRegions {
public:
    explicit GridRegions(std::span<const GridAxis> axes);

    // Begins a tree without other nodes than thresholds and sets of levels.
    void begin(const PackedTree& tree);
    // What the unpacked tree has in place of packed node t, which gets number `at` there. The nodes
    // are passed in the order of the packed tree.
    InPlace operator()(Place t, std::uint32_t at) {
        const FeatureId f = tree_->nodes()[t].feature();
        for (std::size_t a = 0; a < axes_.size(); ++a)
            if (axes_[a].variable == f) return test(t, at, a);
        ends_[first_child_of(t)] = ends_[first_child_of(t) + 1] = ends_[at];
        return InPlace::node;
    }

    // At the end of a path: the number of the first child if it is a fork, and zero if it is a
    // leaf.
    std::uint32_t children(std::uint32_t at) const { return ends_[at].children; }
    std::uint32_t region(std::uint32_t at) const { return ends_[at].region; }
    // One more than the largest number of a node in the unpacked tree.
    std::uint32_t n_numbers() const { return static_cast<std::uint32_t>(ends_.size()); }
    std::size_t n_regions() const { return regions_.size(); }
    // Points of an axis, in ascending order of their values.
    std::span<const std::uint32_t> points(std::size_t region, std::size_t axis) const {
        const auto [begin, end] = regions_[region][axis];
        return std::span(axes_[axis].lists).subspan(begin, end - begin);
    }
    // visit(point, n) for the points of an axis, n consecutive ones at a time.
    template <class Visit>
    void for_runs(std::size_t region, std::size_t axis, Visit&& visit) const {
        const auto all = points(region, axis);
        if (all.empty()) return;
        if (axes_[axis].ascending && all.back() - all.front() + 1 == all.size())
            return visit(std::size_t{all.front()}, all.size());
        for (const std::uint32_t point : all) visit(std::size_t{point}, std::size_t{1});
    }

private:
    struct Axis {
        FeatureId variable = 0;
        std::vector<double> values;  // by point
        // Lists of points by ascending value, missing ones last. The first has all points.
        std::vector<std::uint32_t> lists;
        bool ascending = false;  // the points were given in this order
    };
    struct Range {
        std::size_t begin = 0, end = 0;
    };
    using Region = std::array<Range, GridTraversal::kMostAxes>;
    struct End {
        std::uint32_t region = 0, children = 0;
    };
    static std::uint32_t first_child_of(Place t) { return 2 * t + 2; }

    InPlace test(Place t, std::uint32_t at, std::size_t a);
    // The points of a list that go to the first child, and the others.
    std::array<Range, 2> divide(Axis& axis, Range range, Place t);

    std::vector<Axis> axes_;
    const PackedTree* tree_ = nullptr;
    std::vector<Region> regions_;  // the first is empty: of what cannot be reached
    std::vector<End> ends_;        // by number in the unpacked tree
    std::vector<std::uint32_t> others_;
};

}  // namespace silvics
