// Sums of the changes of predictions, or of their losses, when groups of variables are permuted.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "importance/permutation.hpp"
#include "predictor/row_blocks.hpp"

namespace silvics {

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

// The columns of the permuted variables, shared by all blocks.
struct PermutedColumns {
    struct Place {
        std::uint32_t group = kNone, first = 0;  // `first`: of its values in a PermutedSamples row
    };

    const PermutedGroups& groups;
    std::vector<Place> of_feature;
    std::vector<double> values;           // of the variables of all groups, one after the other
    std::vector<std::uint32_t> group_of;  // the group of each of these variables
    bool whole = false;                   // no value is missing
    std::size_t n_rows = 0;

    std::size_t n_groups() const { return groups.variables.size(); }
};

// Sums the changes of the predictions of a block, for each sample, group, repeat and predicted
// value. The unpermuted predictions are summed as well.
class PredictionChanges {
public:
    PredictionChanges(const PermutedColumns& columns, const RowBlock& block, std::size_t width,
                      std::span<double> changes, OutOfBagSums unpermuted)
        : columns_(columns),
          first_(block.first),
          size_(block.size),
          width_(width),
          changes_(changes),
          unpermuted_(unpermuted),
          sums_(size_ * columns.n_groups() * columns.groups.n_repeats * width, 0.0) {}

    void add(std::size_t i, std::span<const double> before) {
        double* sum = &unpermuted_.sums[(first_ + i) * width_];
        for (std::size_t c = 0; c < width_; ++c) sum[c] += before[c];
        ++unpermuted_.counts[first_ + i];
    }
    void add(std::size_t i, std::size_t g, std::size_t r, std::span<const double> before,
             std::span<const double> after) {
        double* sum = &sums_[at(i, g, r)];
        for (std::size_t c = 0; c < width_; ++c) sum[c] += after[c] - before[c];
    }

    // Adds the sums of the block to the result. Until then trees are summed in a compact buffer.
    void finish() {
        const std::size_t n_repeats = columns_.groups.n_repeats;
        for (std::size_t g = 0; g < columns_.n_groups(); ++g)
            for (std::size_t r = 0; r < n_repeats; ++r) {
                double* change =
                    &changes_[((g * n_repeats + r) * columns_.n_rows + first_) * width_];
                for (std::size_t i = 0; i < size_; ++i)
                    for (std::size_t c = 0; c < width_; ++c)
                        change[i * width_ + c] += sums_[at(i, g, r) + c];
            }
    }

private:
    std::size_t at(std::size_t i, std::size_t g, std::size_t r) const {
        return ((g * columns_.groups.n_repeats + r) * size_ + i) * width_;
    }

    const PermutedColumns& columns_;
    std::size_t first_, size_, width_;
    std::span<double> changes_;
    OutOfBagSums unpermuted_;
    std::vector<double> sums_;
};

// Keeps the sums of each block, and adds them in the order of rows, independent of threads.
class SumsOfBlocks {
public:
    void put(std::size_t first, std::vector<double> sums) {
        const std::lock_guard lock(mutex_);
        blocks_[first] = std::move(sums);
    }
    void add_to(std::span<double> whole) const {
        for (const auto& [first, sums] : blocks_)
            for (std::size_t i = 0; i < whole.size(); ++i) whole[i] += sums[i];
    }

private:
    std::mutex mutex_;
    std::map<std::size_t, std::vector<double>> blocks_;
};

// Sums the changes of the loss over the samples of a block.
class LossChanges {
public:
    LossChanges(const PermutedColumns& columns, const RowBlock& block, const LossOfRows& loss,
                SumsOfBlocks& blocks)
        : loss_(loss),
          blocks_(blocks),
          first_(block.first),
          n_repeats_(columns.groups.n_repeats),
          n_parts_(loss.n_parts()),
          sums_(columns.n_groups() * n_repeats_ * n_parts_, 0.0) {}

    void add(std::size_t, std::span<const double>) {}
    void add(std::size_t i, std::size_t g, std::size_t r, std::span<const double> before,
             std::span<const double> after) {
        double* sum = &sums_[(g * n_repeats_ + r) * n_parts_];
        loss_.for_parts(first_ + i, before, after,
                        [&](std::size_t part, double change) { sum[part] += change; });
    }

    void finish() { blocks_.put(first_, std::move(sums_)); }

private:
    const LossOfRows& loss_;
    SumsOfBlocks& blocks_;
    std::size_t first_, n_repeats_, n_parts_;
    std::vector<double> sums_;
};

}  // namespace silvics
