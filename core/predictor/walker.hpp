// What a forest says of samples: its mean prediction, their leaves, their ways down.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "data/matrix.hpp"
#include "forest/forest.hpp"
#include "predictor/loss_of_rows.hpp"
#include "predictor/packed_tree.hpp"

namespace silvics {

struct RowBlock;
template <class T>
class UnpackedTree;
class Walk;

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

// Groups of variables whose values each row takes from another row: what a permutation does.
struct PermutedGroups {
    std::vector<std::vector<FeatureId>> variables;  // of each group; a variable is in one at most
    std::size_t n_repeats = 1;                      // at most 64
    std::span<const std::uint32_t> rows;  // to take from: [(group * repeats + repeat) * rows + row]
};

// Trees made ready to be walked.
class Walker {
public:
    // `as_float32`: values are rounded to float32 first, for trees that learned from such.
    // `by_majority`: each tree has one vote for a class, instead of its shares of all.
    Walker(PackedForest forest, bool as_float32, bool by_majority = false);
    Walker(const std::vector<SharedTree>& trees, bool as_float32, bool by_majority = false)
        : Walker(pack(trees), as_float32, by_majority) {}

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

    // The same, and how those sums change when a group of variables is permuted (thesis 6.1.2):
    // groups x repeats x X.rows x value_width. Only what leaves its way is walked again, from where
    // it does.
    void permuted_out_of_bag(const Matrix& X, const DrawnTrees& trees, const PermutedGroups& groups,
                             std::span<double> changes, OutOfBagSums as_they_are,
                             ThreadTeam& team) const;
    // How the loss of single trees changes, summed over the samples that they did not draw:
    // groups x repeats x parts of the loss.
    void permuted_losses(const Matrix& X, const DrawnTrees& trees, const PermutedGroups& groups,
                         const LossOfRows& loss, std::span<double> changes, ThreadTeam& team) const;

private:
    // The samples of a block, as groups of variables are permuted, and what is gathered of them.
    template <class Gathered>
    class Permuter;
    template <class Gather>
    void permute(const Matrix& X, const DrawnTrees& trees, const PermutedGroups& groups,
                 std::size_t kept_of_row, ThreadTeam& team, Gather&& gather) const;

    // visit(tree, sample of the block, leaf, add) for all samples and some trees; of each sample,
    // in tree order. add(sum) adds what the leaf predicts.
    template <class Visit>
    void for_leaves(std::size_t first, std::size_t last, const RowBlock& block, Walk&& walk,
                    const StopFlag& stop, Visit&& visit) const;

    // visit(sample, leaf, add) for some samples of a block of at most Walk::kMost, in one tree.
    template <class Visit>
    void leaves_of(const PackedTree& tree, const RowBlock& block,
                   std::span<const std::uint32_t> some, Walk& walk, Visit&& visit) const;
    // The same of any number of samples, which have these values: in tree m, unpacked if that pays.
    template <class T, class Visit>
    void leaves_of_many(std::size_t m, const RowBlock& block, const T* values,
                        std::span<const std::uint32_t> some, UnpackedTree<T>& unpacked, Walk& walk,
                        Visit&& visit) const;
    // use(add): what a leaf of the tree predicts, or its share of it.
    template <class Use>
    void with_leaf_values(const PackedTree& tree, Use&& use) const;
    // use(add): of one tree, its shares or its votes.
    template <class Use>
    void with_leaves(const PackedTree& tree, Use&& use) const;
    // One vote for the most likely class of each output (equation 4.20); the first of equals.
    void add_vote(std::span<const double> shares, std::span<double> sum) const;
    const NodeNumbers& numbers(std::size_t m) const;

    // use(block)(m, samples of the block that tree m did not draw), in tree order for each block of
    // at most so many rows; finish() of it at last, if it has that.
    template <class Use>
    void for_out_of_bag(const Matrix& X, const DrawnTrees& trees, std::size_t most_rows,
                        ThreadTeam& team, Use&& use) const;

    void check_width(const Matrix& X) const;

    PackedForest forest_;
    std::vector<PackedTree> trees_;
    std::size_t width_ = 0, n_steps_ = 0;
    bool ruled_ = false, as_float32_ = false, by_majority_ = false;
    // Few ask for the numbers of nodes: they are found when first asked for.
    mutable std::once_flag numbered_;
    mutable std::vector<NodeNumbers> numbers_;
};

}  // namespace silvics
