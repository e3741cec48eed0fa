#include "tuning/limit_scores.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <stdexcept>

namespace silvics {
namespace {

using LeafBits = LimitScores::LeafBits;

LeafBits leaf_bits(const DetailedTree& tree, std::span<const TreeLimits> limits) {
    const Tree& nodes = tree.plain();
    const std::size_t n = nodes.nodes.size();
    LeafBits found{cuts_by(tree, limits), std::vector<NodeId>(n, 0), std::vector<NodeId>(n, 0)};
    const std::uint64_t all = ~std::uint64_t{0} >> (LimitScores::kMaxLimits - limits.size());
    // A node below a leaf is no leaf itself.
    std::vector<std::uint64_t> ended(n, 0);
    for (NodeId t = 0; t < n; ++t) {
        const std::uint64_t before = ended[t];
        if (nodes.nodes[t].leaf()) {
            found.bits[t] = all & ~before;
            continue;
        }
        found.bits[t] &= ~before;
        nodes.for_children(t, [&](NodeId child) {
            ended[child] = before | found.bits[t];
            found.above[child] = found.bits[t] != 0 ? t : found.above[t];
            found.parent[child] = t;
        });
    }
    return found;
}

// The leaves of the rows that vote and the nodes above them, in ascending order.
std::vector<NodeId> nodes_on_paths(const LeafBits& path, std::span<const std::int64_t> leaves,
                                   std::size_t stride) {
    std::vector<char> marked(path.bits.size(), 0);
    for (std::size_t i = 0; i < leaves.size(); i += stride) {
        if (leaves[i] == LimitScores::kNoVote) continue;
        for (auto t = static_cast<NodeId>(leaves[i]); marked[t] == 0; t = path.parent[t])
            marked[t] = 1;
    }
    std::vector<NodeId> found;
    for (NodeId t = 0; t < marked.size(); ++t)
        if (marked[t] != 0) found.push_back(t);
    return found;
}

constexpr std::uint32_t kNotNeeded = ~std::uint32_t{0};

}  // namespace

// What some nodes of a tree predict under each shrinkage of the limits.
struct LimitScores::TreeValues {
    std::vector<std::uint32_t> row;     // by node, or kNotNeeded
    std::vector<std::size_t> of_limit;  // by limit, the first row of its shrinkage
    std::vector<double> values;         // rows of the width
    std::vector<double> squares;        // by row, see square_of
};

LimitScores::LimitScores(std::vector<TreeLimits> limits, std::vector<double> outputs,
                         std::vector<double> scale, std::vector<std::uint32_t> n_classes,
                         bool by_majority)
    : limits_(std::move(limits)),
      outputs_(std::move(outputs)),
      scale_(std::move(scale)),
      n_classes_(std::move(n_classes)),
      width_(n_classes_.empty() ? scale_.size()
                                : std::accumulate(n_classes_.begin(), n_classes_.end(), 0U)),
      by_majority_(by_majority && !n_classes_.empty()) {
    if (limits_.empty() || limits_.size() > kMaxLimits)
        throw std::invalid_argument("there must be from 1 to 64 limits");
    if (scale_.empty() || outputs_.size() % scale_.size() != 0 ||
        (!n_classes_.empty() && n_classes_.size() != scale_.size()))
        throw std::invalid_argument("outputs and their scales do not fit together");
    for (std::size_t i = 0; i < outputs_.size() && !n_classes_.empty(); ++i)
        if (!(outputs_[i] >= 0.0 && outputs_[i] < n_classes_[i % scale_.size()]))
            throw std::invalid_argument("an output is not the number of a class");
    counts.resize(outputs_.size() / scale_.size());
    votes.resize(checked_product(counts.size(), limits_.size() * width_));
    squares.resize(counts.size() * limits_.size());
    n_leaves.resize(limits_.size());
}

void LimitScores::add(std::span<const DetailedTree* const> trees,
                      std::span<const std::int64_t> leaves, ThreadTeam& team) {
    if (leaves.size() != n_rows() * trees.size())
        throw std::invalid_argument("leaves, rows and trees do not fit together");
    std::vector<LeafBits> paths;
    std::vector<TreeValues> values;
    for (std::size_t k = 0; k < trees.size(); ++k) {
        if (trees[k]->plain().value_width() != width_)
            throw std::invalid_argument("the tree has other outputs");
        paths.push_back(leaf_bits(*trees[k], limits_));
        for (const std::uint64_t bits : paths[k].bits)
            for (std::uint64_t rest = bits; rest != 0; rest &= rest - 1)
                ++n_leaves[static_cast<std::size_t>(std::countr_zero(rest))];
        const auto of_tree = leaves.subspan(std::min(k, leaves.size()));
        values.push_back(values_of(*trees[k], nodes_on_paths(paths[k], of_tree, trees.size())));
    }
    // All trees for a row, then the next row: the sums of a row are in the cache.
    constexpr std::size_t kRows = 256;
    team.run((n_rows() + kRows - 1) / kRows, [&](std::size_t block, std::size_t) {
        const std::size_t end = std::min(n_rows(), (block + 1) * kRows);
        for (std::size_t i = block * kRows; i < end; ++i)
            for (std::size_t k = 0; k < trees.size(); ++k) {
                const std::int64_t leaf = leaves[i * trees.size() + k];
                if (leaf != kNoVote) add_path(i, static_cast<NodeId>(leaf), paths[k], values[k]);
            }
    });
}

void LimitScores::add_path(std::size_t row, NodeId leaf, const LeafBits& path,
                           const TreeValues& of) {
    ++counts[row];
    NodeId t = leaf;
    for (std::uint64_t done = 0;; t = path.above[t]) {
        for (std::uint64_t rest = path.bits[t]; rest != 0; rest &= rest - 1) {
            const auto s = static_cast<std::size_t>(std::countr_zero(rest));
            const std::size_t at = of.of_limit[s] + of.row[t];
            add_value(row, s, {of.values.data() + at * width_, width_}, of.squares[at]);
        }
        done |= path.bits[t];
        if (std::popcount(done) == static_cast<int>(limits_.size())) break;
    }
}

LimitScores::TreeValues LimitScores::values_of(const DetailedTree& tree,
                                               std::span<const NodeId> needed) const {
    const Tree& nodes = tree.plain();
    TreeValues found;
    found.row.assign(nodes.nodes.size(), kNotNeeded);
    for (std::size_t i = 0; i < needed.size(); ++i)
        found.row[needed[i]] = static_cast<std::uint32_t>(i);
    std::map<double, std::size_t> first_rows;
    first_rows[0.0] = 0;
    for (const TreeLimits& limits : limits_) {
        const std::size_t next = first_rows.size() * needed.size();
        found.of_limit.push_back(first_rows.try_emplace(limits.shrinkage, next).first->second);
    }
    found.values.resize(checked_product(first_rows.size() * needed.size(), width_));
    const auto value = [&](std::size_t row) {
        return std::span(found.values).subspan(row * width_, width_);
    };
    for (std::size_t i = 0; i < needed.size(); ++i) tree.write_value(needed[i], value(i));
    for (const auto& [shrinkage, first] : first_rows) {
        if (first == 0) continue;
        std::ranges::copy(value(0), value(first).begin());  // of the root
        for (const NodeId t : needed) {
            if (nodes.nodes[t].leaf()) continue;
            const double share = kept_by_shrinkage(shrinkage, nodes.weighted_n_node_samples[t]);
            const auto own = value(found.row[t]), shrunken = value(first + found.row[t]);
            nodes.for_children(t, [&](NodeId child) {
                if (found.row[child] == kNotNeeded) return;
                const auto from = value(found.row[child]), to = value(first + found.row[child]);
                for (std::size_t c = 0; c < width_; ++c)
                    to[c] = shrunken[c] + share * (from[c] - own[c]);
            });
        }
    }
    for (std::size_t i = 0; i < first_rows.size() * needed.size(); ++i) {
        if (by_majority_) turn_into_vote(value(i));
        found.squares.push_back(square_of(value(i)));
    }
    return found;
}

void LimitScores::add_value(std::size_t row, std::size_t limit, std::span<const double> value,
                            double square) {
    const std::size_t at = row * limits_.size() + limit;
    double* const sum = votes.data() + at * width_;
    for (std::size_t c = 0; c < width_; ++c) sum[c] += value[c];
    squares[at] += squared_error(row, value, square);
}

// The part of the squared error of class shares that does not depend on the classes.
double LimitScores::square_of(std::span<const double> value) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < n_classes_.size(); ++k) {
        const auto of_output = value.first(n_classes_[k]);
        sum += scale_[k] * (1.0 + std::inner_product(of_output.begin(), of_output.end(),
                                                     of_output.begin(), 0.0));
        value = value.subspan(n_classes_[k]);
    }
    return sum;
}

double LimitScores::squared_error(std::size_t row, std::span<const double> value,
                                  double square) const {
    const double* const y = outputs_.data() + row * scale_.size();
    double sum = square;
    std::size_t first = 0;
    for (std::size_t k = 0; k < scale_.size(); ++k) {
        if (n_classes_.empty()) {
            sum += scale_[k] * (value[k] - y[k]) * (value[k] - y[k]);
            continue;
        }
        sum -= 2.0 * scale_[k] * value[first + static_cast<std::size_t>(y[k])];
        first += n_classes_[k];
    }
    return sum;
}

// The first of the most likely classes of each output gets one.
void LimitScores::turn_into_vote(std::span<double> value) const {
    for (const std::uint32_t n : n_classes_) {
        const auto of_output = value.first(n);
        const auto most = std::ranges::max_element(of_output) - of_output.begin();
        std::ranges::fill(of_output, 0.0);
        of_output[static_cast<std::size_t>(most)] = 1.0;
        value = value.subspan(n);
    }
}

}  // namespace silvics
