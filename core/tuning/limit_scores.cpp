#include "tuning/limit_scores.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <stdexcept>

namespace silvics {
namespace {

// For each node the limits under which it is a leaf while its ancestors are split, as bits, and the
// nearest node above that has any.
struct LeafBits {
    std::vector<std::uint64_t> bits;
    std::vector<NodeId> above;  // of the root: itself
};

LeafBits leaf_bits(const DetailedTree& tree, std::span<const TreeLimits> limits) {
    const Tree& nodes = tree.plain();
    const std::size_t n = nodes.nodes.size();
    LeafBits found{std::vector<std::uint64_t>(n, 0), std::vector<NodeId>(n, 0)};
    for (std::size_t s = 0; s < limits.size(); ++s) {
        const std::vector<char> cut = cut_by(tree, limits[s]);
        for (std::size_t t = 0; t < n; ++t)
            if (cut[t] != 0 || nodes.nodes[t].leaf()) found.bits[t] |= std::uint64_t{1} << s;
    }
    // A node below a leaf is no leaf itself.
    std::vector<std::uint64_t> ended(n, 0);
    for (NodeId t = 0; t < n; ++t) {
        const std::uint64_t before = ended[t];
        found.bits[t] &= ~before;
        if (nodes.nodes[t].leaf()) continue;
        nodes.for_children(t, [&](NodeId child) {
            ended[child] = before | found.bits[t];
            found.above[child] = found.bits[t] != 0 ? t : found.above[t];
        });
    }
    return found;
}

}  // namespace

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

void LimitScores::add(const DetailedTree& tree, std::span<const std::int64_t> leaves,
                      std::size_t stride, std::span<const std::uint32_t> slots, ThreadTeam& team) {
    if (tree.plain().value_width() != width_)
        throw std::invalid_argument("the tree has other outputs");
    const LeafBits path = leaf_bits(tree, limits_);
    for (const std::uint64_t bits : path.bits)
        for (std::uint64_t rest = bits; rest != 0; rest &= rest - 1)
            ++n_leaves[static_cast<std::size_t>(std::countr_zero(rest))];
    std::map<double, std::vector<double>> values;
    for (const TreeLimits& limits : limits_) {
        const auto [at, added] = values.try_emplace(limits.shrinkage);
        if (!added) continue;
        at->second = shrunken_values(tree.plain(), limits.shrinkage);
        if (by_majority_) turn_into_votes(at->second);
    }
    std::vector<const double*> of_limit;
    for (const TreeLimits& limits : limits_) of_limit.push_back(values[limits.shrinkage].data());
    constexpr std::size_t kRows = 1024;
    team.run((slots.size() + kRows - 1) / kRows, [&](std::size_t block, std::size_t) {
        const std::size_t end = std::min(slots.size(), (block + 1) * kRows);
        for (std::size_t i = block * kRows; i < end; ++i) {
            if (slots[i] == kSkipped) continue;
            ++counts[slots[i]];
            auto t = static_cast<NodeId>(leaves[i * stride]);
            for (std::uint64_t done = 0;; t = path.above[t]) {
                for (std::uint64_t rest = path.bits[t]; rest != 0; rest &= rest - 1) {
                    const auto s = static_cast<std::size_t>(std::countr_zero(rest));
                    add_row(slots[i], s, {of_limit[s] + std::size_t{t} * width_, width_});
                }
                done |= path.bits[t];
                if (std::popcount(done) == static_cast<int>(limits_.size())) break;
            }
        }
    });
}

void LimitScores::add_row(std::size_t slot, std::size_t limit, std::span<const double> value) {
    const std::size_t at = slot * limits_.size() + limit;
    for (std::size_t c = 0; c < width_; ++c) votes[at * width_ + c] += value[c];
    squares[at] += squared_error(slot, value);
}

double LimitScores::squared_error(std::size_t slot, std::span<const double> value) const {
    const double* const y = outputs_.data() + slot * scale_.size();
    double sum = 0.0;
    std::size_t first = 0;
    for (std::size_t k = 0; k < scale_.size(); ++k) {
        if (n_classes_.empty()) {
            sum += scale_[k] * (value[k] - y[k]) * (value[k] - y[k]);
            continue;
        }
        double of_output = 1.0 - 2.0 * value[first + static_cast<std::size_t>(y[k])];
        for (std::size_t c = 0; c < n_classes_[k]; ++c)
            of_output += value[first + c] * value[first + c];
        sum += scale_[k] * of_output;
        first += n_classes_[k];
    }
    return sum;
}

// The first of the most likely classes of each output gets one.
void LimitScores::turn_into_votes(std::vector<double>& values) const {
    for (std::size_t row = 0; row < values.size(); row += width_) {
        auto shares = std::span(values).subspan(row, width_);
        for (const std::uint32_t n : n_classes_) {
            const auto of_output = shares.first(n);
            const auto most = std::ranges::max_element(of_output) - of_output.begin();
            std::ranges::fill(of_output, 0.0);
            of_output[static_cast<std::size_t>(most)] = 1.0;
            shares = shares.subspan(n);
        }
    }
}

}  // namespace silvics
