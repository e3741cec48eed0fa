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

    // Adds the votes of a tree, whose leaf of row i is leaves[i * stride]. Row i is row slots[i] of
    // the sums; kSkipped leaves it out.
    static constexpr std::uint32_t kSkipped = ~std::uint32_t{0};
    void add(const DetailedTree& tree, std::span<const std::int64_t> leaves, std::size_t stride,
             std::span<const std::uint32_t> slots, ThreadTeam& team);

    std::size_t n_rows() const { return counts.size(); }
    std::size_t n_limits() const { return limits_.size(); }
    std::size_t width() const { return width_; }

    std::vector<double> votes;           // rows x limits x width
    std::vector<double> squares;         // rows x limits
    std::vector<std::int64_t> counts;    // trees that voted, by row
    std::vector<std::int64_t> n_leaves;  // by limit, of all trees

private:
    void add_row(std::size_t slot, std::size_t limit, std::span<const double> value);
    double squared_error(std::size_t slot, std::span<const double> value) const;
    void turn_into_votes(std::vector<double>& values) const;

    std::vector<TreeLimits> limits_;
    std::vector<double> outputs_, scale_;
    std::vector<std::uint32_t> n_classes_;
    std::size_t width_;
    bool by_majority_;
};

}  // namespace silvics
