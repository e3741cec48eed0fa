#include "predictor/leaf_membership.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include "predictor/leaf_visits.hpp"

namespace silvics {
namespace {

enum Part : std::uint8_t { kInBag, kOutOfBag, kNeither };

template <class Weight>
struct Arrays {
    std::vector<std::uint64_t> first_leaf;
    std::vector<std::uint32_t> ends;
    std::vector<RowId> rows;
    std::vector<Weight> weights;
    std::vector<double> row_weights;
};

bool draws_rows(const SamplingPlan& plan) { return plan.bootstrap || plan.subsample; }

bool some_are_neither(const SamplingPlan& plan) {
    return plan.structure > 0.0 || !plan.held_out.empty() ||
           ((!draws_rows(plan) || plan.patches || plan.grouped()) &&
            std::ranges::count(plan.weights, 0.0) > 0);
}

// Groups the rows of one tree by leaf, and returns whether all weights fit their type.
template <class Weight>
class TreeGrouper {
public:
    TreeGrouper(const LearningSubset& subset, const SamplingPlan& plan, std::uint32_t seed,
                std::size_t n_parts, const StopFlag& stop)
        : subset_(subset), n_parts_(n_parts), part_(plan.n_rows, kNeither) {
        if (draws_rows(plan)) {
            const std::vector<bool> out = silvics::out_of_bag(plan, seed, stop);
            for (std::size_t i = 0; i < out.size(); ++i)
                if (out[i]) part_[i] = kOutOfBag;
        }
        for (const RowId row : subset.rows) part_[row] = kInBag;
    }

    // `leaf_of`: the number of the leaf of every row. `weights` may be empty.
    bool group(std::span<const std::uint32_t> leaf_of, std::span<std::uint32_t> ends,
               std::span<RowId> rows, std::span<Weight> weights) const {
        std::ranges::fill(ends, 0U);
        for (std::size_t i = 0; i < leaf_of.size(); ++i) ++ends[leaf_of[i] * n_parts_ + part_[i]];
        std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), 0U);
        // From here on `ends` is where the next row of each part goes; after the loop it is the end
        // of the part.
        bool fits = true;
        for (std::size_t i = 0; i < leaf_of.size(); ++i) {
            const std::uint32_t to = ends[leaf_of[i] * n_parts_ + part_[i]]++;
            rows[to] = static_cast<RowId>(i);
            if (weights.empty() || part_[i] != kInBag) continue;
            const double weight = subset_.weight(static_cast<RowId>(i)) * subset_.unit;
            if constexpr (!std::is_same_v<Weight, double>)
                if (weight > static_cast<double>(std::numeric_limits<Weight>::max())) fits = false;
            weights[to] = static_cast<Weight>(weight);
        }
        return fits;
    }

private:
    const LearningSubset& subset_;
    std::size_t n_parts_;
    std::vector<std::uint8_t> part_;
};

// The number of trees that are applied together; the leaves of all rows take at most 32 MiB.
std::size_t trees_at_once(std::size_t n_rows) {
    constexpr std::size_t kMaxLeaves = std::size_t{1} << 22;
    return std::max<std::size_t>(kMaxLeaves / std::max<std::size_t>(n_rows, 1), 1);
}

// Returns a null pointer if a weight does not fit its type.
template <class Weight>
std::shared_ptr<Arrays<Weight>> build(const Predictor& predictor, const Matrix& X,
                                      const Target& target, const DrawnTrees& trees,
                                      std::size_t n_parts, ThreadTeam& team) {
    const SamplingPlan& plan = trees.sampling;
    const std::size_t n_rows = X.rows, n_trees = predictor.n_trees();
    auto arrays = std::make_shared<Arrays<Weight>>();
    arrays->first_leaf.assign(1, 0);
    for (std::size_t m = 0; m < n_trees; ++m)
        arrays->first_leaf.push_back(arrays->first_leaf.back() +
                                     predictor.tree(m).shape().n_leaves);
    arrays->ends.resize(checked_product(arrays->first_leaf.back(), n_parts));
    arrays->rows.resize(checked_product(n_rows, n_trees));
    if (plan.bootstrap)
        arrays->weights.resize(arrays->rows.size());
    else
        arrays->row_weights = plan.weights;
    const std::size_t at_once = trees_at_once(n_rows);
    std::vector<std::uint32_t> leaves;
    std::vector<char> fits(n_trees, 1);
    for (std::size_t first = 0; first < n_trees; first += at_once) {
        const std::size_t size = std::min(at_once, n_trees - first);
        leaves.resize(n_rows * size);
        predictor.leaf_numbers(X, first, size, leaves, team);
        team.run(size, [&](std::size_t k, std::size_t) {
            const std::size_t m = first + k;
            std::vector<std::uint32_t> leaf_of(n_rows);
            for (std::size_t i = 0; i < n_rows; ++i) leaf_of[i] = leaves[i * size + k];
            const LearningSubset subset = estimation_subset(
                learning_subset(plan, target, trees.seeds[m], team.stop()), n_rows);
            const TreeGrouper<Weight> grouper(subset, plan, trees.seeds[m], n_parts, team.stop());
            const std::size_t begin = arrays->first_leaf[m] * n_parts;
            const std::size_t end = arrays->first_leaf[m + 1] * n_parts;
            const std::span<Weight> weights(arrays->weights);
            fits[m] =
                grouper.group(leaf_of, std::span(arrays->ends).subspan(begin, end - begin),
                              std::span(arrays->rows).subspan(m * n_rows, n_rows),
                              weights.empty() ? weights : weights.subspan(m * n_rows, n_rows));
        });
        if (std::ranges::count(fits, 0) > 0) return nullptr;
    }
    return arrays;
}

template <class Weight>
LeafMembership view_of(std::shared_ptr<Arrays<Weight>> arrays, std::size_t n_rows,
                       std::size_t n_parts) {
    LeafMembership membership;
    membership.n_rows = n_rows;
    membership.n_parts = n_parts;
    membership.first_leaf = arrays->first_leaf;
    membership.ends = arrays->ends;
    membership.rows = arrays->rows;
    membership.weights = std::span<const Weight>(arrays->weights);
    membership.row_weights = arrays->row_weights;
    membership.memory = std::move(arrays);
    return membership;
}

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(std::string("not a valid leaf membership: ") + what);
}

// Checks the rows of one tree: every row occurs once, in bag with a positive weight or elsewhere
// with weight zero.
void check_tree_membership(const LeafMembership& membership, std::size_t m) {
    const TreeMembership tree = membership.tree(m);
    const auto ends = membership.ends.subspan(membership.first_leaf[m] * membership.n_parts,
                                              tree.n_leaves() * membership.n_parts);
    require(std::ranges::is_sorted(ends) && ends.back() == membership.n_rows,
            "the leaves of a tree do not hold all rows");
    const auto rows = membership.rows.subspan(m * membership.n_rows, membership.n_rows);
    std::vector<bool> seen(membership.n_rows, false);
    for (const RowId row : rows) {
        require(row < membership.n_rows && !seen[row], "a tree does not have every row once");
        seen[row] = true;
    }
    for (std::size_t leaf = 0; leaf < tree.n_leaves(); ++leaf) {
        const std::size_t begin = tree.begin(leaf), n_in_bag = tree.in_bag(leaf).size();
        for (std::size_t k = 0; k < tree.all(leaf).size(); ++k) {
            const bool in_bag = k < n_in_bag;
            if (size_of(membership.weights) == 0 && !in_bag) break;
            const double weight = membership.weight(m, begin + k);
            require(in_bag ? weight > 0.0 && weight <= std::numeric_limits<double>::max()
                           : weight == 0.0,
                    "a weight is not that of its row");
        }
    }
}

}  // namespace

std::size_t LeafMembership::bytes() const {
    return first_leaf.size_bytes() + ends.size_bytes() + rows.size_bytes() +
           row_weights.size_bytes() +
           std::visit([](auto all) { return all.size_bytes(); }, weights);
}

TreeMembership LeafMembership::tree(std::size_t m) const {
    const std::size_t first = first_leaf[m] * n_parts, last = first_leaf[m + 1] * n_parts;
    return {rows.subspan(m * n_rows, n_rows), ends.subspan(first, last - first), n_parts};
}

LeafMembership leaf_membership(const Predictor& predictor, const Matrix& X, const Target& target,
                               const DrawnTrees& trees, ThreadTeam& team) {
    const SamplingPlan& plan = trees.sampling;
    if (trees.first != 0 || trees.seeds.size() != predictor.n_trees() || plan.n_rows != X.rows ||
        target.n_rows != X.rows)
        throw std::invalid_argument("trees, seeds and rows do not belong together");
    const std::size_t n_parts = some_are_neither(plan) ? 3 : 2;
    const auto built = [&]<class Weight>(Weight) {
        return build<Weight>(predictor, X, target, trees, n_parts, team);
    };
    if (plan.balanced_subsample) return view_of(built(double{}), X.rows, n_parts);
    // A row is rarely drawn more than 255 times.
    if (auto arrays = built(std::uint8_t{})) return view_of(std::move(arrays), X.rows, n_parts);
    return view_of(built(std::uint32_t{}), X.rows, n_parts);
}

void check_membership(const LeafMembership& membership, const PackedForest& forest,
                      ThreadTeam& team) {
    require(membership.n_parts == 2 || membership.n_parts == 3, "leaves have two or three parts");
    require(membership.n_trees() == forest.n_trees() && membership.first_leaf[0] == 0,
            "it does not have the trees of the forest");
    for (std::size_t m = 0; m < forest.n_trees(); ++m)
        require(
            membership.first_leaf[m + 1] - membership.first_leaf[m] == forest.shapes[m].n_leaves,
            "a tree has another number of leaves");
    const auto product = [](std::size_t a, std::size_t b) {
        require(b == 0 || a <= std::numeric_limits<std::size_t>::max() / b, "it is too large");
        return a * b;
    };
    const std::size_t n = product(membership.n_rows, forest.n_trees());
    require(membership.rows.size() == n, "wrong number of rows");
    require(membership.ends.size() == product(membership.first_leaf.back(), membership.n_parts),
            "wrong number of ends");
    const std::size_t n_weights = size_of(membership.weights);
    const std::size_t n_row_weights = membership.row_weights.size();
    require(n_weights == 0 || (n_weights == n && n_row_weights == 0), "wrong number of weights");
    require(n_row_weights == 0 || n_row_weights == membership.n_rows, "wrong number of weights");
    team.run(forest.n_trees(),
             [&](std::size_t m, std::size_t) { check_tree_membership(membership, m); });
}

void apply(const LeafMembership& membership, const Predictor& predictor, std::size_t first,
           std::size_t size, std::span<std::int64_t> out, ThreadTeam& team) {
    if (first + size > membership.n_trees() || out.size() != membership.n_rows * size)
        throw std::invalid_argument("the output needs one element for each row and tree");
    team.run(size, [&](std::size_t k, std::size_t) {
        const TreeMembership tree = membership.tree(first + k);
        const std::vector<NumberedLeaf> leaves = numbered_leaves(predictor.tree(first + k));
        for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf)
            for (const RowId row : tree.all(leaf)) out[row * size + k] = leaves[leaf].id;
    });
}

void add_out_of_bag(const LeafMembership& membership, const Predictor& predictor, std::size_t first,
                    std::size_t size, OutOfBagSums out, ThreadTeam& team) {
    const std::size_t width = predictor.value_width();
    if (first > membership.n_trees() || size > membership.n_trees() - first ||
        membership.n_trees() != predictor.n_trees() ||
        out.sums.size() != membership.n_rows * width || out.counts.size() != membership.n_rows)
        throw std::invalid_argument("trees, sums and counts do not belong together");
    team.set_total(size);
    for (std::size_t m = first; m < first + size; ++m) {
        // A row is in one leaf, so threads that process different leaves add to different rows.
        // Sums run in tree order.
        const TreeMembership tree = membership.tree(m);
        const std::vector<NumberedLeaf> leaves = numbered_leaves(predictor.tree(m));
        const std::size_t n_blocks = membership.n_rows < 65536 ? 1 : 4 * team.size();
        const std::size_t per_block = (leaves.size() + n_blocks - 1) / n_blocks;
        team.run_steps(n_blocks, [&](std::size_t block, std::size_t) {
            const std::size_t begin = std::min(block * per_block, leaves.size());
            const std::size_t end = std::min(begin + per_block, leaves.size());
            predictor.with_leaves(predictor.tree(m), [&](auto&& add) {
                for (std::size_t leaf = begin; leaf < end; ++leaf)
                    for (const RowId row : tree.out_of_bag(leaf)) {
                        add(leaves[leaf].leaf, out.sums.subspan(row * width, width));
                        ++out.counts[row];
                    }
            });
        });
        team.report(m + 1 - first);
    }
}

void out_of_bag(const LeafMembership& membership, const Predictor& predictor, OutOfBagSums out,
                ThreadTeam& team) {
    out.clear(membership.n_rows, predictor.value_width());
    add_out_of_bag(membership, predictor, 0, membership.n_trees(), out, team);
}

}  // namespace silvics
