// The largest values of a row, found through buckets.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace silvics {

class Nearest {
public:
    struct Neighbor {
        double value = 0.0;
        RowId column = 0;
    };

    // The `n` largest values with their columns, descending, the first column of ties; all of them
    // if there are fewer. They are valid until the next call. Values are finite and not negative.
    std::span<const Neighbor> of(std::span<const RowId> columns, std::span<const double> values,
                                 std::size_t n) {
        n = std::min(n, values.size());
        if (n == 0) return {};
        count(values);
        std::size_t last = 0, size = counts_[0];
        while (size < n) size += counts_[++last];
        if (size <= kMostInserted)
            insert(columns, values, last, size);
        else
            select(columns, values, last, size, n);
        best_.resize(n);
        return best_;
    }

private:
    // Bits of numbers that are not negative have the order of the numbers. Buckets are ranges of
    // the leading bits, 16 for each power of two, counted from the largest value down; the last
    // bucket takes all values that are smaller still.
    static constexpr std::size_t kBuckets = 256;
    static constexpr int kShift = 48;
    // Up to this number of values, insertion into an array that is nearly in order is faster.
    static constexpr std::size_t kMostInserted = 256;

    // Without branches, which would be hard to predict.
    static constexpr auto kNearer = [](const Neighbor& a, const Neighbor& b) {
        return static_cast<bool>(
            static_cast<int>(a.value > b.value) |
            (static_cast<int>(a.value == b.value) & static_cast<int>(a.column < b.column)));
    };

    // Finds the bucket of each value, and the number of values in each bucket.
    void count(std::span<const double> values) {
        std::uint64_t largest = 0;
        for (const double value : values)
            largest = std::max(largest, std::bit_cast<std::uint64_t>(value));
        const std::uint64_t top = largest >> kShift;
        if (buckets_.size() < values.size()) buckets_.resize(values.size());
        counts_.fill(0);
        for (std::size_t k = 0; k < values.size(); ++k) {
            const std::uint64_t below = top - (std::bit_cast<std::uint64_t>(values[k]) >> kShift);
            buckets_[k] = static_cast<std::uint8_t>(std::min<std::uint64_t>(below, kBuckets - 1));
            ++counts_[buckets_[k]];
        }
    }

    // Sorts the `size` values of the buckets up to `last`: into buckets, and then by insertion.
    void insert(std::span<const RowId> columns, std::span<const double> values, std::size_t last,
                std::size_t size) {
        std::uint32_t place = 0;
        for (std::size_t bucket = 0; bucket <= last; ++bucket)
            place += std::exchange(counts_[bucket], place);
        best_.resize(size + 1);  // the last place takes the values of other buckets
        for (std::size_t k = 0; k < values.size(); ++k) {
            const std::size_t bucket = buckets_[k];
            const bool wanted = bucket <= last;
            best_[wanted ? counts_[bucket] : size] = {values[k], columns[k]};
            counts_[bucket] += static_cast<std::uint32_t>(wanted);
        }
        best_.resize(size);
        for (std::size_t k = 1; k < size; ++k) {
            const Neighbor one = best_[k];
            std::size_t at = k;
            for (; at > 0 && kNearer(one, best_[at - 1]); --at) best_[at] = best_[at - 1];
            best_[at] = one;
        }
    }

    // Sorts the n largest of the `size` values of the buckets up to `last`.
    void select(std::span<const RowId> columns, std::span<const double> values, std::size_t last,
                std::size_t size, std::size_t n) {
        best_.resize(size + 1);  // one place more, which is written to but never counts
        std::size_t found = 0;
        for (std::size_t k = 0; k < values.size(); ++k) {
            best_[found] = {values[k], columns[k]};
            found += static_cast<std::size_t>(buckets_[k] <= last);
        }
        best_.resize(size);
        const auto end = best_.begin() + static_cast<std::ptrdiff_t>(n);
        if (n < size) std::ranges::nth_element(best_, end - 1, kNearer);
        std::ranges::sort(best_.begin(), end, kNearer);
    }

    std::array<std::uint32_t, kBuckets> counts_;
    std::vector<std::uint8_t> buckets_;
    std::vector<Neighbor> best_;
};

}  // namespace silvics
