// Rows through one tree while one or two variables take the values of a grid in place of their own.
//
// All rows and all points of each axis begin at the root. A node that tests the variable of an axis
// divides the points of that axis over its children, and all rows go along with each part; any
// other node divides the rows. Every row and every combination of points thus meets in one leaf,
// which is what prediction does for every point one by one.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/stop.hpp"
#include "dependence/column_block.hpp"
#include "predictor/packed_tree.hpp"

namespace silvics {

struct GridAxis {
    FeatureId variable = 0;
    std::span<const double> points;
};

class GridTraversal {
public:
    // The lists that nodes divide: the rows, and the points of the axes.
    static constexpr std::size_t kMostAxes = 2, kMostLists = 1 + kMostAxes;

    // Rows or points with the share of each that comes to a leaf: less than one after nodes that
    // send missing values to both children.
    struct Part {
        std::span<const std::uint32_t> items;
        std::span<const double> share;  // by item
    };
    using Parts = std::array<Part, kMostLists>;

    GridTraversal(std::span<const GridAxis> axes, bool both_children)
        : axes_(axes.begin(), axes.end()), both_children_(both_children) {}

    // visit(leaf, parts) for every leaf that rows and points reach. Part 0 has rows of the block;
    // the others have points of the axes.
    template <class Visit>
    void run(const PackedTree& tree, const ColumnBlock& rows, const StopFlag& stop, Visit&& visit) {
        begin(tree, rows);
        if (rows.size == 0) return;
        open(PackedTree::kRoot, ranges_of_all());
        for (std::size_t n = 0; !nodes_.empty(); ++n) {
            if (n % 1024 == 0) stop.check();
            Node& node = nodes_.back();  // until the next one is opened
            if (!next_child(node)) {
                nodes_.pop_back();
                continue;
            }
            const std::uint32_t which = node.which;
            const Child child = tree.child(node.at, which);
            Ranges ranges = node.ranges;
            ranges[node.list] = {node.rest, node.middle};
            if (node.rest == node.middle) continue;
            if (child.leaf())
                visit(PackedLeaf{child.content(), node.at, which}, parts(ranges));
            else
                open(child.place(), ranges);
        }
    }

private:
    struct Range {
        std::size_t begin = 0, end = 0;
    };
    using Ranges = std::array<Range, kMostLists>;
    struct Node {
        Place at = 0;
        FeatureId variable = 0;
        Ranges ranges;
        std::uint32_t list = 0;  // that the node divides
        std::uint32_t n_children = 0, which = 0;
        std::size_t rest = 0, middle = 0;  // the child has the items from rest to middle
        bool started = false;
    };

    void begin(const PackedTree& tree, const ColumnBlock& rows);
    Ranges ranges_of_all() const;
    void open(Place at, const Ranges& ranges);
    // Moves the items of the next child to the front of what is left; false if there is no child.
    bool next_child(Node& node);
    void divide(Node& node);
    void scale_both(const Node& node, double factor);
    std::uint32_t child_of(const Node& node, std::uint32_t item);  // or kBoth
    // The values of the variable of a node, by item.
    const double* values_of(const Node& node) const;
    Parts parts(const Ranges& ranges) const;

    static constexpr std::uint32_t kBoth = ~std::uint32_t{0};

    std::vector<GridAxis> axes_;
    bool both_children_;
    const PackedTree* tree_ = nullptr;
    const ColumnBlock* rows_ = nullptr;
    std::array<std::vector<std::uint32_t>, kMostLists> items_;
    std::array<std::vector<double>, kMostLists> share_;
    std::vector<Node> nodes_;  // open nodes, from the root on
    std::vector<double> sample_;
};

}  // namespace silvics
