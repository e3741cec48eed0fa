// Leaf membership: the training rows of every tree, grouped by the leaf that they reach.
//
// Proximities, kernels, neighbours, quantiles and intervals are read from it. Every row is in one
// leaf of every tree. A row is in bag if it estimates the value of its leaf, and out of bag if the
// tree used it for nothing. Structure samples of honest trees, rows held out for pruning and rows
// of weight zero are neither.
//
// The numbers lie in flat arrays, in memory of the core or in a mapped file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/target.hpp"
#include "predictor/packed_forest.hpp"
#include "predictor/predictor.hpp"

namespace silvics {

// The rows of one tree. Leaves are numbered in depth-first order.
class TreeMembership {
public:
    TreeMembership(std::span<const RowId> rows, std::span<const std::uint32_t> ends,
                   std::size_t n_parts)
        : rows_(rows), ends_(ends), n_parts_(n_parts) {}

    std::size_t n_leaves() const { return ends_.size() / n_parts_; }
    // Where the rows of a leaf begin among those of the tree; its rows in bag come first.
    std::size_t begin(std::size_t leaf) const { return leaf == 0 ? 0 : ends_[leaf * n_parts_ - 1]; }
    std::span<const RowId> in_bag(std::size_t leaf) const {
        return between(begin(leaf), ends_[leaf * n_parts_]);
    }
    std::span<const RowId> out_of_bag(std::size_t leaf) const {
        return between(ends_[leaf * n_parts_], ends_[leaf * n_parts_ + 1]);
    }
    std::span<const RowId> all(std::size_t leaf) const {
        return between(begin(leaf), ends_[(leaf + 1) * n_parts_ - 1]);
    }

private:
    std::span<const RowId> between(std::size_t begin, std::size_t end) const {
        return rows_.subspan(begin, end - begin);
    }

    std::span<const RowId> rows_;
    std::span<const std::uint32_t> ends_;
    std::size_t n_parts_;
};

struct LeafMembership {
    std::size_t n_rows = 0;
    // Parts of a leaf: in bag and out of bag, and a third one if some rows are neither.
    std::size_t n_parts = 2;
    std::span<const std::uint64_t> first_leaf;  // for each tree, then the total number
    std::span<const std::uint32_t> ends;  // for each part of each leaf, within the tree's rows
    std::span<const RowId> rows;          // n_rows for each tree
    // In-bag weights parallel to `rows`: bootstrap counts, or these times class weights. Rows that
    // are not in bag have zero. Without bootstrap it is empty, and the weight of a row is the same
    // in every tree.
    Numbers weights;
    std::span<const double> row_weights;  // by row, without bootstrap; empty if all are one
    std::shared_ptr<const void> memory;   // owns the arrays

    std::size_t n_trees() const { return first_leaf.empty() ? 0 : first_leaf.size() - 1; }
    std::size_t bytes() const;
    TreeMembership tree(std::size_t m) const;
    // The in-bag weight of the row at a position among those of tree m.
    double weight(std::size_t m, std::size_t position) const {
        const std::size_t i = m * n_rows + position;
        if (size_of(weights) > 0) return at(weights, i);
        return row_weights.empty() ? 1.0 : row_weights[rows[i]];
    }
};

// Builds the leaf membership by one descent of all rows. X and the target are those of fit; `trees`
// are all trees of the predictor. Throws std::invalid_argument if rows end in several leaves
// (missing="both").
LeafMembership leaf_membership(const Predictor& predictor, const Matrix& X, const Target& target,
                               const DrawnTrees& trees, ThreadTeam& team);

// Throws std::invalid_argument unless the arrays fit together and to the forest, every tree has
// every row once, and weights are positive in bag and zero elsewhere.
void check_membership(const LeafMembership& membership, const PackedForest& forest,
                      ThreadTeam& team);

// The leaf (as a node number) of every row in some trees, rows x trees: what Predictor::apply gives
// for the training rows.
void apply(const LeafMembership& membership, const Predictor& predictor, std::size_t first,
           std::size_t size, std::span<std::int64_t> out, ThreadTeam& team);

// Adds the out-of-bag predictions of trees first .. first + size - 1 to the sums and counts of
// the training rows. Adding all trees, some at a time, gives the same sums as all at once.
void add_out_of_bag(const LeafMembership& membership, const Predictor& predictor, std::size_t first,
                    std::size_t size, OutOfBagSums out, ThreadTeam& team);

// Out-of-bag predictions of the training rows (thesis 4.4.1), equal to Predictor::out_of_bag.
void out_of_bag(const LeafMembership& membership, const Predictor& predictor, OutOfBagSums out,
                ThreadTeam& team);

}  // namespace silvics
