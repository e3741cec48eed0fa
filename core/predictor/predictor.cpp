#include "predictor/predictor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "predictor/leaf_visits.hpp"
#include "predictor/zero_paths.hpp"

namespace silvics {
namespace {

// Blocks of at least this many samples are traversed tree by tree. In smaller blocks, each sample
// traverses all trees at once.
constexpr std::size_t kMinSamplesTreeByTree = 8;

// visit(tree, row, leaf, add) for all rows of a sparse matrix and the trees first .. last - 1; for
// each row, in tree order.
template <class Visit>
void for_sparse_leaves(const Predictor& predictor, std::size_t first, std::size_t last,
                       const Matrix& X, ThreadTeam& team, Visit&& visit) {
    constexpr std::size_t kMinRows = 256, kMaxRows = 32768;
    const std::size_t rows =
        std::clamp((X.rows + team.size() - 1) / team.size(), kMinRows, kMaxRows);
    team.run((X.rows + rows - 1) / rows, [&](std::size_t block, std::size_t) {
        const std::size_t begin = block * rows;
        const CellsByColumn cells(X, begin, std::min(rows, X.rows - begin), predictor.as_float32());
        ZeroPaths paths;
        for (std::size_t m = first; m < last; ++m) {
            team.stop().check();
            const PackedTree& tree = predictor.tree(m);
            predictor.with_leaves(tree, [&](auto&& add) {
                paths.down(tree, cells,
                           [&](std::size_t i, PackedLeaf leaf) { visit(m, begin + i, leaf, add); });
            });
        }
    });
}

}  // namespace

Predictor::Predictor(PackedForest forest, bool as_float32, bool by_majority)
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
    if (ruled_) levels_ = LevelColumns(forest_);
}

std::size_t Predictor::n_nodes() const {
    std::size_t n = 0;
    for (const TreeShape& shape : forest_.shapes) n += shape.n_nodes;
    return n;
}

std::span<const NodeNumbers> Predictor::numbers(LazyNumbers& lazy) const {
    std::call_once(lazy.once, [&] {
        std::vector<NodeNumbers> numbers;
        for (const PackedTree& tree : trees_) numbers.push_back(lazy.make(tree));
        lazy.of_trees = std::move(numbers);
    });
    return lazy.of_trees;
}

void Predictor::check_width(const Matrix& X) const {
    if (X.cols != n_features())
        throw std::invalid_argument("X does not have the number of variables of the trees");
}

void Predictor::add_vote(std::span<const double> shares, std::span<double> sum) const {
    std::size_t first = 0;
    for (const std::uint32_t n : forest_.n_classes) {
        const auto of_output = shares.subspan(first, n);
        const auto most = std::ranges::max_element(of_output) - of_output.begin();
        sum[first + static_cast<std::size_t>(most)] += 1.0;
        first += n;
    }
}

bool Predictor::levels_pay(std::size_t first, std::size_t last, std::size_t n_samples) const {
    for (std::size_t m = first; m < last && !levels_.empty(); ++m)
        if (forest_.shapes[m].ruled && UnpackedLevels::pays(forest_, m, n_samples)) return true;
    return false;
}

template <class Visit>
void Predictor::for_leaves(std::size_t first, std::size_t last, const RowBlock& block,
                           Traversal&& traversal, const StopFlag& stop, Visit&& visit) const {
    if (block.size >= kMinSamplesTreeByTree || forest_.both_children) {
        std::vector<std::uint32_t> all(block.size);
        std::iota(all.begin(), all.end(), 0U);
        // All samples traverse a tree while it is in the cache.
        with_unpacked(first, last, block, block.size, [&](const auto* values, auto&& unpacked) {
            for (std::size_t m = first; m < last; ++m) {
                stop.check();
                leaves_of_many(
                    m, block, values, all, unpacked, traversal,
                    [&](std::uint32_t i, PackedLeaf leaf, auto&& add) { visit(m, i, leaf, add); });
            }
        });
        return;
    }
    const std::span<const PackedTree> trees(trees_);
    for (std::size_t i = 0; i < block.size; ++i)
        for (std::size_t begin = first; begin < last; begin += Traversal::kMaxPaths) {
            const auto batch = trees.subspan(begin, std::min(Traversal::kMaxPaths, last - begin));
            traversal.down(batch, block.whole && !ruled_, block.row(i));
            for (std::size_t k = 0; k < batch.size(); ++k)
                with_leaves(batch[k],
                            [&](auto&& add) { visit(begin + k, i, traversal.leaf(k), add); });
        }
}

void Predictor::average(const RowBlock& block, std::span<double> means,
                        const StopFlag& stop) const {
    const auto n = static_cast<double>(n_trees());
    std::ranges::fill(means, 0.0);
    for_leaves(0, n_trees(), block, Traversal(), stop,
               [&](std::size_t, std::size_t i, PackedLeaf leaf, auto&& add) {
                   add(leaf, means.subspan(i * width_, width_));
               });
    const bool overflow =
        !std::ranges::all_of(means, [](double sum) { return std::isfinite(sum); });
    const std::vector<double> scaled =
        overflow ? scaled_sums(block, std::ldexp(1.0, -std::ilogb(n) - 1), stop)
                 : std::vector<double>();
    for (std::size_t i = 0; i < means.size(); ++i) {
        if (std::isfinite(means[i])) {
            means[i] /= n;
        } else if (std::isfinite(scaled[i])) {  // a mean is no larger than the largest value
            constexpr double kLargest = std::numeric_limits<double>::max();
            means[i] =
                std::clamp(scaled[i] / std::ldexp(n, -std::ilogb(n) - 1), -kLargest, kLargest);
        }
    }
}

std::vector<double> Predictor::scaled_sums(const RowBlock& block, double scale,
                                           const StopFlag& stop) const {
    std::vector<double> sums(block.size * width_, 0.0), tree_values(width_);
    for_leaves(0, n_trees(), block, Traversal(), stop,
               [&](std::size_t, std::size_t i, PackedLeaf leaf, auto&& add) {
                   std::ranges::fill(tree_values, 0.0);
                   add(leaf, std::span(tree_values));
                   for (std::size_t c = 0; c < width_; ++c)
                       sums[i * width_ + c] += scale * tree_values[c];
               });
    return sums;
}

void Predictor::average(const Matrix& X, std::span<double> out, ThreadTeam& team) const {
    check_width(X);
    if (pays_to_follow_zeros(forest_, trees_, X)) {
        std::ranges::fill(out, 0.0);
        for_sparse_leaves(*this, 0, n_trees(), X, team,
                          [&](std::size_t, std::size_t row, PackedLeaf leaf, auto&& add) {
                              add(leaf, out.subspan(row * width_, width_));
                          });
        if (std::ranges::all_of(out, [](double sum) { return std::isfinite(sum); })) {
            for (double& sum : out) sum /= static_cast<double>(n_trees());
            return;
        }
    }
    for_row_blocks(X, as_float32_, team, [&](const RowBlock& block) {
        average(block, out.subspan(block.first * width_, block.size * width_), team.stop());
    });
}

void Predictor::average(std::span<double> sample, std::span<double> out) const {
    if (sample.size() != n_features() || out.size() != width_)
        throw std::invalid_argument("a sample or its prediction has the wrong length");
    if (as_float32_)
        for (double& x : sample) x = static_cast<double>(static_cast<float>(x));
    average(
        {.size = 1, .width = sample.size(), .values = sample.data(), .whole = !any_missing(sample)},
        out, StopFlag());
}

template <class Number>
void Predictor::write_leaves(const Matrix& X, std::size_t first, std::size_t size,
                             LazyNumbers& lazy, std::span<Number> out, ThreadTeam& team) const {
    check_width(X);
    if (first + size > n_trees())
        throw std::invalid_argument("the range of trees is beyond the last tree");
    if (forest_.both_children)
        throw std::invalid_argument("samples end in several leaves of these trees");
    // Numbers are not kept for so many rows that their time does not count, because they take 8
    // bytes for each leaf.
    constexpr std::size_t kManyRows = 4;  // for each node
    std::vector<NodeNumbers> own;
    std::span<const NodeNumbers> of_trees;
    if (X.rows / kManyRows * n_trees() < forest_.nodes.size()) {
        of_trees = numbers(lazy).subspan(first, size);
    } else {
        for (std::size_t m = first; m < first + size; ++m) own.push_back(lazy.make(trees_[m]));
        of_trees = own;
    }
    const auto write = [&](std::size_t m, std::size_t row, PackedLeaf leaf) {
        out[row * size + m - first] = of_trees[m - first].of(trees_[m], leaf);
    };
    if (pays_to_follow_zeros(forest_, std::span(trees_).subspan(first, size), X))
        return for_sparse_leaves(
            *this, first, first + size, X, team,
            [&](std::size_t m, std::size_t row, PackedLeaf leaf, auto&&) { write(m, row, leaf); });
    for_row_blocks(X, as_float32_, team, [&](const RowBlock& block) {
        for_leaves(first, first + size, block, Traversal(true), team.stop(),
                   [&](std::size_t m, std::size_t i, PackedLeaf leaf, auto&&) {
                       write(m, block.first + i, leaf);
                   });
    });
}

void Predictor::apply(const Matrix& X, std::size_t first, std::size_t size,
                      std::span<std::int64_t> out, ThreadTeam& team) const {
    write_leaves(X, first, size, node_numbers_, out, team);
}

void Predictor::leaf_numbers(const Matrix& X, std::size_t first, std::size_t size,
                             std::span<std::uint32_t> out, ThreadTeam& team) const {
    write_leaves(X, first, size, leaf_numbers_, out, team);
}

DecisionPaths Predictor::paths(const Matrix& X, ThreadTeam& team) const {
    std::vector<std::int64_t> leaves(checked_product(X.rows, n_trees()));
    apply(X, leaves, team);
    const std::span<const NodeNumbers> of_trees = numbers(node_numbers_);
    // visit(row, node) for every node that a row visits; rows are shared over the team.
    const auto for_visits = [&](auto&& visit) {
        constexpr std::size_t kRows = 256;
        team.run((X.rows + kRows - 1) / kRows, [&](std::size_t block, std::size_t) {
            for (std::size_t i = block * kRows; i < std::min(X.rows, (block + 1) * kRows); ++i) {
                team.stop().check();
                std::int64_t before = 0;  // the number of nodes of the trees before
                for (std::size_t m = 0; m < n_trees(); ++m) {
                    const auto leaf = static_cast<NodeId>(leaves[i * n_trees() + m]);
                    of_trees[m].for_path(trees_[m], leaf, [&](NodeId t) { visit(i, before + t); });
                    before += static_cast<std::int64_t>(forest_.shapes[m].n_nodes);
                }
            }
        });
    };
    DecisionPaths paths;
    paths.starts.assign(X.rows + 1, 0);
    for_visits([&](std::size_t i, std::int64_t) { ++paths.starts[i + 1]; });
    std::partial_sum(paths.starts.begin(), paths.starts.end(), paths.starts.begin());
    paths.nodes.resize(static_cast<std::size_t>(paths.starts.back()));
    std::vector<std::int64_t> next(paths.starts.begin(), paths.starts.end() - 1);
    for_visits([&](std::size_t i, std::int64_t node) {
        paths.nodes[static_cast<std::size_t>(next[i]++)] = node;
    });
    return paths;
}

void OutOfBagSums::clear(std::size_t n_rows, std::size_t width) const {
    if (sums.size() != n_rows * width || counts.size() != n_rows)
        throw std::invalid_argument("sums or counts of the wrong size");
    std::ranges::fill(sums, 0.0);
    std::ranges::fill(counts, 0);
}

void Predictor::out_of_bag(const Matrix& X, const DrawnTrees& trees, OutOfBagSums out,
                           ThreadTeam& team) const {
    out.clear(X.rows, width_);
    constexpr std::size_t kRows = 32768;
    for_out_of_bag(X, trees, kRows, team, [&](const RowBlock& block) {
        const std::size_t last = trees.first + trees.seeds.size();
        struct OfLevels {
            OfLevels(const LevelColumns& columns, const RowBlock& rows)
                : block(columns, rows), unpacked(block) {}
            LevelBlock block;
            UnpackedLevels unpacked;
        };
        auto levels = levels_pay(trees.first, last, block.size)
                          ? std::make_unique<OfLevels>(levels_, block)
                          : nullptr;
        return [&, block, levels = std::move(levels), traversal = Traversal(),
                plain = UnpackedTree<double>(n_features())](
                   std::size_t m, std::span<const std::uint32_t> samples) mutable {
            const auto add_leaf = [&](std::uint32_t i, PackedLeaf leaf, auto&& add) {
                ++out.counts[block.first + i];
                add(leaf, out.sums.subspan((block.first + i) * width_, width_));
            };
            if (levels)
                leaves_of_many(m, block, levels->block.values(), samples, levels->unpacked,
                               traversal, add_leaf);
            else
                leaves_of_many(m, block, block.values, samples, plain, traversal, add_leaf);
        };
    });
}

}  // namespace silvics
