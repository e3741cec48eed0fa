// Predictions of rows under many limits of growth at once: a row visits each tree once, and every
// node of its path that is a leaf under some of the limits votes for these.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "tree/detailed_tree.hpp"

namespace silvics {

// Sums over trees, for each row and each of the limits: of what trees predict, and of the squared
// errors of these predictions.
class LimitScores {
public:
    static constexpr std::size_t kMaxLimits = 64;

    // `outputs`: by row, the classes or the real values of all outputs; `scale`: what the squared
    // error of each output is multiplied by. `n_classes` is empty for real outputs. `by_majority`:
    // a tree votes for its most likely class.
    LimitScores(std::vector<TreeLimits> limits, std::vector<double> outputs,
                std::vector<double> scale, std::vector<std::uint32_t> n_classes, bool by_majority);

    // Adds the votes of trees. The leaf of row i in tree k is leaves[i * trees.size() + k]; kNoVote
    // leaves the row out.
    static constexpr std::int64_t kNoVote = -1;
    void add(std::span<const DetailedTree* const> trees, std::span<const std::int64_t> leaves,
             ThreadTeam& team);

    std::size_t n_rows() const { return counts.size(); }
    std::size_t n_limits() const { return limits_.size(); }
    std::size_t width() const { return width_; }

    std::vector<double> votes;           // rows x limits x width
    std::vector<double> squares;         // rows x limits
    std::vector<std::int64_t> counts;    // trees that voted, by row
    std::vector<std::int64_t> n_leaves;  // by limit, of all trees

    // For each node the limits under which it is a leaf while its ancestors are split, as bits, the
    // nearest node above that has any, and the node above. Those of the root are itself.
    struct LeafBits {
        std::vector<std::uint64_t> bits;
        std::vector<NodeId> above, parent;
    };

private:
    struct TreeValues;

    TreeValues values_of(const DetailedTree& tree, std::span<const NodeId> needed) const;
    void add_path(std::size_t row, NodeId leaf, const LeafBits& path, const TreeValues& of);
    void add_value(std::size_t row, std::size_t limit, std::span<const double> value,
                   double square);
    double square_of(std::span<const double> value) const;
    double squared_error(std::size_t row, std::span<const double> value, double square) const;
    void turn_into_vote(std::span<double> value) const;

    std::vector<TreeLimits> limits_;
    std::vector<double> outputs_, scale_;
    std::vector<std::uint32_t> n_classes_;
    std::size_t width_;
    bool by_majority_;
};

}  // namespace silvics
