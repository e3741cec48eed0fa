// What a forest says of samples: its mean prediction, their leaves, their ways down.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "base/stop.hpp"
#include "base/thread_team.hpp"
#include "data/matrix.hpp"
#include "forest/forest.hpp"
#include "predictor/packed_tree.hpp"
#include "sampling/learning_subset.hpp"

namespace silvics {

struct RowBlock;
template <class T>
class UnpackedTree;
class Traversal;

// The nodes that each sample visits, as a sparse matrix over the nodes of all trees.
struct DecisionPaths {
    std::vector<std::int64_t> starts, nodes;
};

// Some trees one after the other, and how each has drawn its rows.
struct DrawnTrees {
    std::size_t first = 0;
    std::span<const std::uint32_t> seeds;
    const SamplingPlan& sampling;
};

// Over the trees that did not draw a sample: sums of predictions, rows x value width, and how many.
struct OutOfBagSums {
    std::span<double> sums;
    std::span<std::int64_t> counts;

    // Throws std::invalid_argument unless they are of this size.
    void clear(std::size_t n_rows, std::size_t width) const;
};

// A forest that predicts: its trees are packed once, and traversed by blocks of samples.
class Predictor {
public:
    // `as_float32`: values are rounded to float32 first, for trees that learned from such.
    // `by_majority`: each tree has one vote for a class, instead of its shares of all.
    Predictor(PackedForest forest, bool as_float32, bool by_majority = false);
    Predictor(const std::vector<SharedTree>& trees, bool as_float32, bool by_majority = false)
        : Predictor(pack(trees), as_float32, by_majority) {}

    const PackedForest& forest() const { return forest_; }
    std::size_t n_trees() const { return trees_.size(); }
    bool as_float32() const { return as_float32_; }
    std::size_t n_features() const { return forest_.n_features; }
    std::size_t value_width() const { return width_; }
    std::size_t n_nodes() const;
    // Steps that a sample takes at most.
    std::size_t n_steps() const { return n_steps_; }

    // Means of the trees' predictions, X.rows x value_width. Sums run in tree order, whatever the
    // team.
    void average(const Matrix& X, std::span<double> out, ThreadTeam& team) const;
    // The same of one sample, in the calling thread; the sample may be rounded in its place.
    void average(std::span<double> sample, std::span<double> out) const;
    // The leaf of every sample in some trees, X.rows x trees.
    void apply(const Matrix& X, std::size_t first, std::size_t size, std::span<std::int64_t> out,
               ThreadTeam& team) const;
    void apply(const Matrix& X, std::span<std::int64_t> out, ThreadTeam& team) const {
        apply(X, 0, n_trees(), out, team);
    }
    DecisionPaths paths(const Matrix& X, ThreadTeam& team) const;

    // What trees say of the samples that they did not draw (thesis 4.4.1).
    void out_of_bag(const Matrix& X, const DrawnTrees& trees, OutOfBagSums sums,
                    ThreadTeam& team) const;

    // For code that looks at leaves itself (leaf_visits.hpp has the definitions).

    const PackedTree& tree(std::size_t m) const { return trees_[m]; }
    // Throws std::invalid_argument unless X has the forest's variables.
    void check_width(const Matrix& X) const;

    // use(add): of one tree, its shares or its votes.
    template <class Use>
    void with_leaves(const PackedTree& tree, Use&& use) const;
    // visit(sample, leaf, add) for some samples of a block of at most Traversal::kMost, in one
    // tree.
    template <class Visit>
    void leaves_of(const PackedTree& tree, const RowBlock& block,
                   std::span<const std::uint32_t> some, Traversal& traversal, Visit&& visit) const;
    // use(block)(m, samples of the block that tree m did not draw), in tree order for each block of
    // at most so many rows; finish() of it at last, if it has that.
    template <class Use>
    void for_out_of_bag(const Matrix& X, const DrawnTrees& trees, std::size_t most_rows,
                        ThreadTeam& team, Use&& use) const;

private:
    // Means of the samples of a block.
    void average(const RowBlock& block, std::span<double> means, const StopFlag& stop) const;
    // Sums over the trees of what they predict times a power of two, for sums that overflow
    // without.
    std::vector<double> scaled_sums(const RowBlock& block, double scale,
                                    const StopFlag& stop) const;
    // visit(tree, sample of the block, leaf, add) for all samples and some trees; of each sample,
    // in tree order. add(sum) adds what the leaf predicts.
    template <class Visit>
    void for_leaves(std::size_t first, std::size_t last, const RowBlock& block,
                    Traversal&& traversal, const StopFlag& stop, Visit&& visit) const;

    // visit(sample, leaf, add) for any number of samples, which have these values: in tree m,
    // unpacked if that pays.
    template <class T, class Visit>
    void leaves_of_many(std::size_t m, const RowBlock& block, const T* values,
                        std::span<const std::uint32_t> some, UnpackedTree<T>& unpacked,
                        Traversal& traversal, Visit&& visit) const;
    // use(add): what a leaf of the tree predicts, or its share of it.
    template <class Use>
    void with_leaf_values(const PackedTree& tree, Use&& use) const;
    // One vote for the most likely class of each output (equation 4.20); the first of equals.
    void add_vote(std::span<const double> shares, std::span<double> sum) const;
    const NodeNumbers& numbers(std::size_t m) const;

    PackedForest forest_;
    std::vector<PackedTree> trees_;
    std::size_t width_ = 0, n_steps_ = 0;
    bool ruled_ = false, as_float32_ = false, by_majority_ = false;
    // Few ask for the numbers of nodes: they are found when first asked for.
    mutable std::once_flag numbered_;
    mutable std::vector<NodeNumbers> numbers_;
};

}  // namespace silvics
