#include "predictor/walker.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "predictor/row_blocks.hpp"
#include "predictor/walk.hpp"

namespace silvics {
namespace {

constexpr auto kFirst = [] {
    std::array<std::uint32_t, Walk::kMost> numbers;
    std::iota(numbers.begin(), numbers.end(), 0U);
    return numbers;
}();

// Samples from which on a tree is walked by all of a block, and not each sample down all trees.
constexpr std::size_t kManySamples = 8;

// use(add), where add(leaf, sum) adds what a leaf of the tree predicts. How leaves keep it is asked
// once.
template <class Use>
void with_leaf_values(const Tree& tree, Use&& use) {
    const Node* const nodes = tree.nodes.data();
    const auto with_shares = [&](const auto& weights, auto&& whole_of) {
        use([&, nodes](PackedLeaf leaf, std::span<double> sum) {
            if (leaf.only_class() != PackedLeaf::kNotPure) {
                sum[leaf.only_class()] += 1.0;
                return;
            }
            const Node& node = nodes[leaf.id()];
            if (node.link & kPureBit) {
                sum[node.link & ~kPureBit] += 1.0;
                return;
            }
            const std::size_t row = std::size_t{node.link} * sum.size();
            const double whole = whole_of(leaf.id());
            for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += weights[row + c] / whole;
        });
    };
    if (tree.derivation == Derivation::variance)
        use([&](PackedLeaf leaf, std::span<double> sum) { sum[0] += nodes[leaf.id()].threshold; });
    else if (!tree.node_values.empty())
        use([&](PackedLeaf leaf, std::span<double> sum) {
            const double* value = tree.node_values.data() + std::size_t{leaf.id()} * sum.size();
            for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += value[c];
        });
    else if (!tree.compact())
        with_shares(tree.leaf_weights, [&](NodeId id) { return tree.weighted_n_node_samples[id]; });
    else if (tree.counts_in_leaves())
        with_shares(tree.whole_weights,
                    [&](NodeId id) { return static_cast<double>(nodes[id].counts().weight); });
    else
        with_shares(tree.leaf_weights, [&](NodeId id) { return nodes[id].threshold; });
}

// One vote for the most likely class of each output (equation 4.20); the first of equals.
void add_vote(const Tree& tree, std::span<const double> shares, std::span<double> sum) {
    std::size_t first = 0;
    for (const std::uint32_t n : tree.n_classes) {
        const auto of_output = shares.subspan(first, n);
        const auto most = std::ranges::max_element(of_output) - of_output.begin();
        sum[first + static_cast<std::size_t>(most)] += 1.0;
        first += n;
    }
}

// In nodes: whole lines of cache, and one node before the root.
std::size_t room_for(const Tree& tree) { return (tree.nodes.size() + 1 + 3) / 4 * 4; }

std::size_t bytes_of(std::span<const SharedTree> trees) {
    if (trees.empty()) throw std::invalid_argument("no trees");
    std::size_t n = 0;
    for (const SharedTree& tree : trees) {
        if (!tree) throw std::invalid_argument("no tree");
        n += room_for(*tree);
    }
    return n * sizeof(PackedNode);
}

bool any_missing(std::span<const double> values) {
    bool any = false;
    for (const double x : values) any |= std::isnan(x);
    return any;
}

}  // namespace

Walker::Walker(std::vector<SharedTree> trees, bool as_float32, bool by_majority)
    : trees_(std::move(trees)), nodes_(bytes_of(trees_)), as_float32_(as_float32) {
    width_ = trees_[0]->value_width();
    by_majority_ = by_majority && trees_[0]->classification();
    auto* nodes = reinterpret_cast<PackedNode*>(nodes_.data());
    packed_.reserve(trees_.size());
    for (const SharedTree& tree : trees_) {
        if (tree->value_width() != width_ || tree->n_features != trees_[0]->n_features)
            throw std::invalid_argument("trees of different kinds");
        packed_.emplace_back(*tree, nodes);
        nodes += room_for(*tree);
        has_categories_ |= packed_.back().has_categories();
        both_ways_ |= tree->both_ways;
        n_steps_ += tree->max_depth + 1;
    }
}

std::size_t Walker::n_nodes() const {
    std::size_t n = 0;
    for (const SharedTree& tree : trees_) n += tree->nodes.size();
    return n;
}

void Walker::check_width(const Matrix& X) const {
    if (X.cols != n_features())
        throw std::invalid_argument("X does not have the number of variables of the trees");
}

template <class Use>
void Walker::with_leaves(const Tree& tree, Use&& use) const {
    with_leaf_values(tree, [&](auto&& add) {
        if (!by_majority_) return use(add);
        std::vector<double> shares(width_);
        use([&](PackedLeaf leaf, std::span<double> sum) {
            std::ranges::fill(shares, 0.0);
            add(leaf, shares);
            add_vote(tree, shares, sum);
        });
    });
}

template <class Visit>
void Walker::leaves_of(const PackedTree& tree, const RowBlock& block, bool whole,
                       std::span<const std::uint32_t> some, Walk& walk, Visit&& visit) const {
    if (!tree.tree().both_ways) {
        walk.down(tree, whole && !tree.has_categories(), block, some);
        with_leaves(tree.tree(), [&](auto&& add) {
            for (const std::uint32_t i : some) visit(i, tree.leaf(walk.at(i)), add);
        });
        return;
    }
    // What a sample's ways end in, by their shares, is what one leaf would have said.
    std::vector<double> value(width_), part(width_);
    with_leaf_values(tree.tree(), [&](auto&& add) {
        for (const std::uint32_t i : some) {
            std::ranges::fill(value, 0.0);
            tree.both_ways(block.row(i), [&](PackedLeaf leaf, double share) {
                std::ranges::fill(part, 0.0);
                add(leaf, part);
                for (std::size_t c = 0; c < width_; ++c) value[c] += share * part[c];
            });
            visit(i, PackedLeaf(0, PackedLeaf::kNotPure), [&](PackedLeaf, std::span<double> sum) {
                if (by_majority_) return add_vote(tree.tree(), value, sum);
                for (std::size_t c = 0; c < width_; ++c) sum[c] += value[c];
            });
        }
    });
}

template <class Visit>
void Walker::for_leaves(const RowBlock& block, Visit&& visit) const {
    Walk walk;
    const bool whole = !any_missing({block.values, block.size * block.width});
    if (block.size >= kManySamples || both_ways_) {
        const auto all = std::span(kFirst).first(block.size);
        for (std::size_t m = 0; m < packed_.size(); ++m)
            leaves_of(
                packed_[m], block, whole, all, walk,
                [&](std::uint32_t i, PackedLeaf leaf, auto&& add) { visit(m, i, leaf, add); });
        return;
    }
    for (std::size_t i = 0; i < block.size; ++i)
        for (std::size_t begin = 0; begin < packed_.size(); begin += Walk::kMost) {
            const auto some =
                std::span(packed_).subspan(begin, std::min(Walk::kMost, packed_.size() - begin));
            walk.down(some, whole && !has_categories_, block.row(i));
            for (std::size_t k = 0; k < some.size(); ++k)  // what is not in the packed leaf
                __builtin_prefetch(&some[k].tree().nodes[some[k].leaf(walk.at(k)).id()]);
            for (std::size_t k = 0; k < some.size(); ++k)
                with_leaves(some[k].tree(), [&](auto&& add) {
                    visit(begin + k, i, some[k].leaf(walk.at(k)), add);
                });
        }
}

void Walker::average(const Matrix& X, std::span<double> out, ThreadTeam& team) const {
    check_width(X);
    const auto n = static_cast<double>(n_trees());
    for_row_blocks(X, as_float32_, team, [&](const RowBlock& block) {
        const auto sums = out.subspan(block.first * width_, block.size * width_);
        std::ranges::fill(sums, 0.0);
        for_leaves(block, [&](std::size_t, std::size_t i, PackedLeaf leaf, auto&& add) {
            add(leaf, sums.subspan(i * width_, width_));
        });
        for (double& sum : sums) sum /= n;
    });
}

void Walker::average(std::span<double> sample, std::span<double> out) const {
    if (sample.size() != n_features() || out.size() != width_)
        throw std::invalid_argument("a sample or its prediction is of another width");
    if (as_float32_)
        for (double& x : sample) x = static_cast<double>(static_cast<float>(x));
    std::ranges::fill(out, 0.0);
    for_leaves({.first = 0, .size = 1, .width = sample.size(), .values = sample.data()},
               [&](std::size_t, std::size_t, PackedLeaf leaf, auto&& add) { add(leaf, out); });
    for (double& sum : out) sum /= static_cast<double>(n_trees());
}

void Walker::apply(const Matrix& X, std::span<std::int64_t> out, ThreadTeam& team) const {
    check_width(X);
    if (both_ways_) throw std::invalid_argument("samples end in several leaves of these trees");
    for_row_blocks(X, as_float32_, team, [&](const RowBlock& block) {
        for_leaves(block, [&](std::size_t m, std::size_t i, PackedLeaf leaf, auto&&) {
            out[(block.first + i) * n_trees() + m] = leaf.id();
        });
    });
}

DecisionPaths Walker::paths(const Matrix& X, ThreadTeam& team) const {
    std::vector<std::int64_t> leaves(X.rows * n_trees());
    apply(X, leaves, team);
    DecisionPaths paths;
    paths.starts.push_back(0);
    for (std::size_t i = 0; i < X.rows; ++i) {
        std::int64_t before = 0;  // nodes of the trees before
        for (std::size_t m = 0; m < n_trees(); ++m) {
            const auto leaf = static_cast<NodeId>(leaves[i * n_trees() + m]);
            // Depth first, all nodes below a child come before the next.
            for (NodeId t = 0;;) {
                paths.nodes.push_back(before + t);
                if (t == leaf) break;
                NodeId on = t + 1;
                trees_[m]->for_children(t, [&](NodeId child) { on = leaf < child ? on : child; });
                t = on;
            }
            before += static_cast<std::int64_t>(trees_[m]->nodes.size());
        }
        paths.starts.push_back(static_cast<std::int64_t>(paths.nodes.size()));
    }
    return paths;
}

void Walker::out_of_bag(const Matrix& X, std::span<const std::uint32_t> seeds,
                        const SamplingPlan& sampling, std::span<double> sums,
                        std::span<std::int64_t> counts, ThreadTeam& team) const {
    check_width(X);
    if (n_trees() != seeds.size() || sampling.n_rows != X.rows)
        throw std::invalid_argument("trees, seeds and rows do not belong together");
    std::ranges::fill(sums, 0.0);
    std::ranges::fill(counts, 0);
    constexpr std::size_t kBatch = 64;  // trees at a time: their draws take 8 bytes a row
    for (std::size_t begin = 0; begin < n_trees(); begin += kBatch) {
        const std::size_t size = std::min(kBatch, n_trees() - begin);
        std::vector<std::vector<bool>> out(size);
        team.run(size, [&](std::size_t m, std::size_t) {
            out[m] = silvics::out_of_bag(sampling, seeds[begin + m]);
        });
        for_row_blocks(X, as_float32_, team, [&](const RowBlock& block) {
            Walk walk;
            std::vector<std::uint32_t> some;
            const bool whole = !any_missing({block.values, block.size * block.width});
            for (std::size_t m = 0; m < size; ++m) {
                some.clear();
                for (std::uint32_t i = 0; i < block.size; ++i)
                    if (out[m][block.first + i]) some.push_back(i);
                leaves_of(packed_[begin + m], block, whole, some, walk,
                          [&](std::uint32_t i, PackedLeaf leaf, auto&& add) {
                              ++counts[block.first + i];
                              add(leaf, sums.subspan((block.first + i) * width_, width_));
                          });
            }
        });
    }
}

}  // namespace silvics
