// Quantiles of the training outputs in the leaves of a row (quantile regression forests).
//
// The weight of a training row is the mean over the trees of its in-bag weight divided by that of
// the leaf, or of the node above if a leaf has no row in bag. The distribution F of the outputs
// under these weights is not sorted: the weights are added up by ranks, in at most 256 equal parts
// of all ranks first, and rank by rank only in the part that contains a quantile. The work is
// proportional to the number of rows in the leaves. The rows of each part are linked, so that those
// of a part are found without a second pass over all of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/kernels.hpp"
#include "proximity/leaf_cells.hpp"
#include "proximity/leaf_table.hpp"
#include "proximity/numbered_rows.hpp"

namespace silvics {

// What a quantile is if F passes its level between two outputs. `inverted_cdf`: the smallest output
// y with F(y) >= level. The others are those of NumPy, for rows whose weights differ: the row i in
// the order of the outputs has the level (W_i - w_i / 2 - w_1 / 2) / (1 - w_1 / 2 - w_n / 2), where
// W_i is the sum of the weights w up to it; for equal weights, that is (i - 1) / (n - 1).
enum class Interpolation : std::uint8_t { inverted_cdf, linear, lower, higher, midpoint, nearest };

class LeafQuantiles {
public:
    // `outputs`: training rows x n_outputs.
    LeafQuantiles(const Predictor& predictor, const LeafMembership& membership,
                  std::span<const double> outputs, std::size_t n_outputs, ThreadTeam& team);

    std::size_t n_outputs() const { return sorted_.size(); }
    std::size_t n_rows(const Matrix* X) const {
        return X == nullptr ? membership_.n_rows : X->rows;
    }
    // For each row, level and output. Rows without training rows in their leaves have NaN. The rows
    // are those of X, or, if it is null, the training rows, with the trees for which they are out
    // of bag.
    void quantiles(const Matrix* X, std::span<const double> levels, Interpolation interpolation,
                   std::span<double> out, ThreadTeam& team) const;

private:
    // Values of F that are this close to a level count as equal, because F is a sum that is
    // rounded.
    static constexpr double kTolerance = 1e-12;

    // The rows of a leaf: their words, and the weight of the cell, or zero if it is the leaf.
    struct InBag {
        std::size_t begin, size;
        double whole;
    };
    static constexpr std::size_t kMaxSorted = 96;       // at most so many rows of a part are sorted
    using Weighted = std::pair<std::uint32_t, double>;  // a rank, and its weight
    struct Scratch {
        std::vector<InBag> leaves, next;  // of this row, and of the next one
        // Of the n rows in these leaves: the numbers, which are the ranks of the first output, the
        // ranks of another one, the weights, and the parts. Arrays are longer than that.
        std::size_t n = 0;
        std::vector<std::uint32_t> numbers, ranks;
        std::vector<double> weights;
        std::vector<double> parts, ranks_of_part;  // sums of weights
        // The rows of a part: the last one, and for each row the one before.
        std::vector<std::uint32_t> last_in_part, next_in_part;
        struct {
            std::vector<Weighted> rows;
            std::array<std::uint32_t, kMaxSorted> keys, order;
        } found;                        // in a part
        std::vector<Weighted> ordered;  // these rows, or all
    };

    // Finds the leaves of a row, and fetches their rows.
    template <class Words>
    void locate(const Words& words, std::span<const std::uint32_t> leaves,
                std::vector<InBag>& found) const;
    void fetch(std::span<const std::uint32_t> leaves) const;
    template <class Words>
    void collect(const Words& words, Scratch& scratch) const;
    std::span<const std::uint32_t> ranks_of(std::size_t output, Scratch& scratch) const;
    void of_block(const LeafTable& table, std::span<const std::uint32_t> rows,
                  std::span<const double> levels, Interpolation interpolation,
                  std::span<double> out, Scratch& scratch) const;
    // Both write a quantile for each level, `n_outputs` places apart.
    void invert(std::size_t output, std::span<const double> levels, double* out,
                Scratch& scratch) const;
    void interpolate(std::size_t output, std::span<const double> levels, Interpolation how,
                     double* out, Scratch& scratch) const;
    // Adds up the weights by parts, and then over these, and links the rows of each.
    void add_up_parts(std::span<const std::uint32_t> ranks, std::size_t n_parts,
                      Scratch& scratch) const;
    // Finds the rows of a part, and sorts them if they are few.
    void find_in_part(std::span<const std::uint32_t> ranks, std::size_t part,
                      Scratch& scratch) const;
    // The first rank of this part at which the sum of weights, `before` at its begin, reaches a
    // target.
    std::uint32_t rank_in_part(std::size_t part, double before, double target,
                               Scratch& scratch) const;

    const Predictor& predictor_;
    const LeafMembership& membership_;
    LeafCells cells_;                                // leaves, or the nodes above empty ones
    NumberedRows rows_;                              // in bag
    std::vector<std::vector<double>> sorted_;        // the values of each output, ascending
    std::vector<std::vector<std::uint32_t>> ranks_;  // by output and number; ties by row
    unsigned shift_ = 0;                             // a part has 2^shift ranks
    decltype(Kernels::rank_keys) rank_keys_;
};

}  // namespace silvics
