// Predictions of a forest, and the leaves and decision paths of samples.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "base/stop.hpp"
#include "base/thread_team.hpp"
#include "data/matrix.hpp"
#include "forest/forest.hpp"
#include "predictor/level_block.hpp"
#include "predictor/packed_tree.hpp"
#include "sampling/learning_subset.hpp"

namespace silvics {

struct RowBlock;
class Traversal;

// The nodes that each sample visits, as a sparse matrix over the nodes of all trees.
struct DecisionPaths {
    std::vector<std::int64_t> starts, nodes;
};

// Consecutive trees of a forest, with the seed of each and the plan by which it drew its rows.
struct DrawnTrees {
    std::size_t first = 0;  // the number of the first tree
    std::span<const std::uint32_t> seeds;
    const SamplingPlan& sampling;
};

// For each sample, the sum of the predictions of the trees that did not draw it (rows x value
// width), and the number of these trees.
struct OutOfBagSums {
    std::span<double> sums;
    std::span<std::int64_t> counts;

    // Sets all to zero. Throws std::invalid_argument unless they have this size.
    void clear(std::size_t n_rows, std::size_t width) const;
};

// A forest for prediction. Trees are packed once, and blocks of samples traverse them.
class Predictor {
public:
    // `as_float32`: values are rounded to float32 first, for trees that were grown on float32.
    // `by_majority`: each tree votes for one class per output, instead of predicting class shares.
    Predictor(PackedForest forest, bool as_float32, bool by_majority = false);
    Predictor(const std::vector<SharedTree>& trees, bool as_float32, bool by_majority = false)
        : Predictor(pack(trees), as_float32, by_majority) {}

    const PackedForest& forest() const { return forest_; }
    std::size_t n_trees() const { return trees_.size(); }
    bool as_float32() const { return as_float32_; }
    std::size_t n_features() const { return forest_.n_features; }
    std::size_t value_width() const { return width_; }
    std::size_t n_nodes() const;
    // The maximum number of steps that one sample takes through all trees.
    std::size_t n_steps() const { return n_steps_; }

    // Means of the trees' predictions, X.rows x value_width. Sums run in tree order for any size of
    // the team.
    void average(const Matrix& X, std::span<double> out, ThreadTeam& team) const;
    // The same for one sample, in the calling thread. The sample may be rounded in place.
    void average(std::span<double> sample, std::span<double> out) const;
    // The leaf of every sample, as a node number, in trees first .. first + size - 1: X.rows x
    // size.
    void apply(const Matrix& X, std::size_t first, std::size_t size, std::span<std::int64_t> out,
               ThreadTeam& team) const;
    void apply(const Matrix& X, std::span<std::int64_t> out, ThreadTeam& team) const {
        apply(X, 0, n_trees(), out, team);
    }
    // The same as the number of the leaf among those of its tree, in the order of node numbers.
    void leaf_numbers(const Matrix& X, std::size_t first, std::size_t size,
                      std::span<std::uint32_t> out, ThreadTeam& team) const;
    DecisionPaths paths(const Matrix& X, ThreadTeam& team) const;

    // Predictions of trees for the samples that they did not draw (thesis 4.4.1).
    void out_of_bag(const Matrix& X, const DrawnTrees& trees, OutOfBagSums out,
                    ThreadTeam& team) const;

    // For code that visits leaves itself. The definitions are in leaf_visits.hpp.

    const PackedTree& tree(std::size_t m) const { return trees_[m]; }
    // Throws std::invalid_argument unless X has as many columns as the forest has variables.
    void check_width(const Matrix& X) const;

    // use(add), where add(leaf, sum) adds the prediction of a leaf of this tree: its values, or its
    // votes.
    template <class Use>
    void with_leaves(const PackedTree& tree, Use&& use) const;
    // visit(sample, leaf, add) for the given samples of a block of at most Traversal::kMaxPaths, in
    // one tree.
    template <class Visit>
    void leaves_of(const PackedTree& tree, const RowBlock& block,
                   std::span<const std::uint32_t> samples, Traversal& traversal,
                   Visit&& visit) const;
    // use(values, unpacked): the values of a block as unpacked trees compare them, and a tree to
    // unpack the trees first .. last - 1 into, if that pays with `n_samples` samples.
    template <class Use>
    void with_unpacked(std::size_t first, std::size_t last, const RowBlock& block,
                       std::size_t n_samples, Use&& use) const;
    // Calls use(block) for each block of at most `max_rows` rows, and the function that it returns
    // with (m, samples of the block that tree m did not draw), in tree order. If that has a member
    // finish(), it is called after the last tree.
    template <class Use>
    void for_out_of_bag(const Matrix& X, const DrawnTrees& trees, std::size_t max_rows,
                        ThreadTeam& team, Use&& use) const;

private:
    // Mean predictions of the samples of a block.
    void average(const RowBlock& block, std::span<double> means, const StopFlag& stop) const;
    // Sums of the trees' predictions times a power of two, for sums that overflow otherwise.
    std::vector<double> scaled_sums(const RowBlock& block, double scale,
                                    const StopFlag& stop) const;
    // visit(tree, sample of the block, leaf, add) for all samples and the trees first .. last - 1;
    // for each sample, in tree order. add(leaf, sum) adds what the leaf predicts.
    template <class Visit>
    void for_leaves(std::size_t first, std::size_t last, const RowBlock& block,
                    Traversal&& traversal, const StopFlag& stop, Visit&& visit) const;

    // Whether some of these trees test levels and are unpacked for as many samples.
    bool levels_pay(std::size_t first, std::size_t last, std::size_t n_samples) const;

    // visit(sample, leaf, add) for any number of samples of the block in tree m, which is unpacked
    // first if that pays. `values`: the values of the block, as the unpacked tree compares them.
    template <class Unpacked, class Visit>
    void leaves_of_many(std::size_t m, const RowBlock& block,
                        const typename Unpacked::Value* values,
                        std::span<const std::uint32_t> samples, Unpacked& unpacked,
                        Traversal& traversal, Visit&& visit) const;
    // The same as with_leaves, without majority votes.
    template <class Use>
    void with_leaf_values(const PackedTree& tree, Use&& use) const;
    // Adds one vote for the most likely class of each output (equation 4.20), the first of ties.
    void add_vote(std::span<const double> shares, std::span<double> sum) const;
    // The numbers of nodes, or of leaves, are not always needed, so they are computed on first use.
    using MakeNumbers = NodeNumbers (*)(const PackedTree&);
    struct LazyNumbers {
        MakeNumbers make;
        std::once_flag once = {};
        std::vector<NodeNumbers> of_trees = {};
    };
    std::span<const NodeNumbers> numbers(LazyNumbers& lazy) const;
    template <class Number>
    void write_leaves(const Matrix& X, std::size_t first, std::size_t size, LazyNumbers& lazy,
                      std::span<Number> out, ThreadTeam& team) const;

    PackedForest forest_;
    std::vector<PackedTree> trees_;
    LevelColumns levels_;
    std::size_t width_ = 0, n_steps_ = 0;
    bool ruled_ = false, as_float32_ = false, by_majority_ = false;
    mutable LazyNumbers node_numbers_{&NodeNumbers::of_nodes};
    mutable LazyNumbers leaf_numbers_{&NodeNumbers::of_leaves};
};

}  // namespace silvics
