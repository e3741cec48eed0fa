#include "predictor/walker.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "predictor/walker_inside.hpp"

namespace silvics {
namespace {

// Samples from which on a tree is walked by all of a block, and not each sample down all trees.
constexpr std::size_t kManySamples = 8;

}  // namespace

Walker::Walker(PackedForest forest, bool as_float32, bool by_majority)
    : forest_(std::move(forest)),
      width_(forest_.value_width()),
      as_float32_(as_float32),
      by_majority_(by_majority && !forest_.n_classes.empty()) {
    trees_.reserve(forest_.n_trees());
    for (std::size_t m = 0; m < forest_.n_trees(); ++m) {
        trees_.emplace_back(forest_, m);
        ruled_ |= forest_.shapes[m].ruled;
        n_steps_ += forest_.shapes[m].depth + 1;
    }
}

std::size_t Walker::n_nodes() const {
    std::size_t n = 0;
    for (const TreeShape& shape : forest_.shapes) n += shape.n_nodes;
    return n;
}

const NodeNumbers& Walker::numbers(std::size_t m) const {
    std::call_once(numbered_, [&] {
        std::vector<NodeNumbers> numbers;
        for (const PackedTree& tree : trees_) numbers.emplace_back(tree);
        numbers_ = std::move(numbers);
    });
    return numbers_[m];
}

void Walker::check_width(const Matrix& X) const {
    if (X.cols != n_features())
        throw std::invalid_argument("X does not have the number of variables of the trees");
}

void Walker::add_vote(std::span<const double> shares, std::span<double> sum) const {
    std::size_t first = 0;
    for (const std::uint32_t n : forest_.n_classes) {
        const auto of_output = shares.subspan(first, n);
        const auto most = std::ranges::max_element(of_output) - of_output.begin();
        sum[first + static_cast<std::size_t>(most)] += 1.0;
        first += n;
    }
}

template <class Visit>
void Walker::for_leaves(std::size_t first, std::size_t last, const RowBlock& block, Walk&& walk,
                        const StopFlag& stop, Visit&& visit) const {
    if (block.size >= kManySamples || forest_.both_ways) {
        std::vector<std::uint32_t> all(block.size);
        std::iota(all.begin(), all.end(), 0U);
        // A tree is walked by all samples while it is in the cache.
        const auto walked = [&]<class T>(const T* values) {
            UnpackedTree<T> unpacked(n_features());
            for (std::size_t m = first; m < last; ++m) {
                stop.check();
                leaves_of_many(
                    m, block, values, all, unpacked, walk,
                    [&](std::uint32_t i, PackedLeaf leaf, auto&& add) { visit(m, i, leaf, add); });
            }
        };
        bool any = false;  // is worth it, otherwise nobody asks for floats
        for (std::size_t m = first; m < last && !any; ++m)
            any = UnpackedTree<float>::pays(forest_, m, block.size);
        const auto floats = any ? exact_floats(block) : std::vector<float>();
        floats.empty() ? walked(block.values) : walked(floats.data());
        return;
    }
    const std::span<const PackedTree> trees(trees_);
    for (std::size_t i = 0; i < block.size; ++i)
        for (std::size_t begin = first; begin < last; begin += Walk::kMost) {
            const auto some = trees.subspan(begin, std::min(Walk::kMost, last - begin));
            walk.down(some, block.whole && !ruled_, block.row(i));
            for (std::size_t k = 0; k < some.size(); ++k)
                with_leaves(some[k], [&](auto&& add) { visit(begin + k, i, walk.leaf(k), add); });
        }
}

void Walker::average(const Matrix& X, std::span<double> out, ThreadTeam& team) const {
    check_width(X);
    const auto n = static_cast<double>(n_trees());
    for_row_blocks(X, as_float32_, team, [&](const RowBlock& block) {
        const auto sums = out.subspan(block.first * width_, block.size * width_);
        std::ranges::fill(sums, 0.0);
        for_leaves(0, n_trees(), block, Walk(), team.stop(),
                   [&](std::size_t, std::size_t i, PackedLeaf leaf, auto&& add) {
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
    const RowBlock block{
        .size = 1, .width = sample.size(), .values = sample.data(), .whole = !any_missing(sample)};
    for_leaves(0, n_trees(), block, Walk(), StopFlag(),
               [&](std::size_t, std::size_t, PackedLeaf leaf, auto&& add) { add(leaf, out); });
    for (double& sum : out) sum /= static_cast<double>(n_trees());
}

void Walker::apply(const Matrix& X, std::size_t first, std::size_t size,
                   std::span<std::int64_t> out, ThreadTeam& team) const {
    check_width(X);
    if (first + size > n_trees()) throw std::invalid_argument("there are not so many trees");
    if (forest_.both_ways)
        throw std::invalid_argument("samples end in several leaves of these trees");
    for_row_blocks(X, as_float32_, team, [&](const RowBlock& block) {
        for_leaves(first, first + size, block, Walk(true), team.stop(),
                   [&](std::size_t m, std::size_t i, PackedLeaf leaf, auto&&) {
                       out[(block.first + i) * size + m - first] = numbers(m).of(trees_[m], leaf);
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
            numbers(m).for_way(trees_[m], leaf,
                               [&](NodeId t) { paths.nodes.push_back(before + t); });
            before += static_cast<std::int64_t>(forest_.shapes[m].n_nodes);
        }
        paths.starts.push_back(static_cast<std::int64_t>(paths.nodes.size()));
    }
    return paths;
}

void OutOfBagSums::clear(std::size_t n_rows, std::size_t width) const {
    if (sums.size() != n_rows * width || counts.size() != n_rows)
        throw std::invalid_argument("a place for each sum");
    std::ranges::fill(sums, 0.0);
    std::ranges::fill(counts, 0);
}

void Walker::out_of_bag(const Matrix& X, const DrawnTrees& trees, OutOfBagSums of,
                        ThreadTeam& team) const {
    of.clear(X.rows, width_);
    constexpr std::size_t kRows = 32768;
    for_out_of_bag(X, trees, kRows, team, [&](const RowBlock& block) {
        return [&, block, walk = Walk(), unpacked = UnpackedTree<double>(n_features())](
                   std::size_t m, std::span<const std::uint32_t> some) mutable {
            leaves_of_many(m, block, block.values, some, unpacked, walk,
                           [&](std::uint32_t i, PackedLeaf leaf, auto&& add) {
                               ++of.counts[block.first + i];
                               add(leaf, of.sums.subspan((block.first + i) * width_, width_));
                           });
        };
    });
}

}  // namespace silvics
