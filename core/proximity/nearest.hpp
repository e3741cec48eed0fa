// The largest values of a row, found through buckets.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
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

    // The `n` largest of values / divisor with their columns, descending, the first column of ties;
    // all of them if there are fewer. They are valid until the next call. Values are finite and not
    // negative. If `numbers` is given, it has the number of each column, which takes its place.
    std::span<const Neighbor> of(std::span<const RowId> columns, std::span<const double> values,
                                 std::size_t n, double divisor = 1.0,
                                 std::span<const RowId> numbers = {}) {
        n = std::min(n, values.size());
        if (n == 0) return {};
        count(values);
        std::size_t last = 0, size = counts_[0];
        while (size < n) size += counts_[++last];
        const std::span<const std::uint32_t> found = collect(values, last);
        const auto neighbor = [&](std::uint32_t k) {
            const RowId column = columns[k];
            return Neighbor{values[k] / divisor, numbers.empty() ? column : numbers[column]};
        };
        best_.resize(found.size());
        if (found.size() <= kMostInserted) {
            place(values, found, last, neighbor);
            insert();
        } else {
            std::ranges::transform(found, best_.begin(), neighbor);
            select(n);
        }
        best_.resize(n);
        return best_;
    }

private:
    // Bits of numbers that are not negative have the order of the numbers. Buckets are ranges of
    // the leading bits, 16 for each power of two, counted from the largest value down; the last
    // bucket takes all values that are smaller still.
    static constexpr std::size_t kBuckets = 256, kLanes = 4;
    static constexpr int kShift = 48;
    // Up to this number of values, insertion into an array that is nearly in order is faster.
    static constexpr std::size_t kMostInserted = 256;

    // Without branches, which would be hard to predict.
    static constexpr auto kNearer = [](const Neighbor& a, const Neighbor& b) {
        return static_cast<bool>(
            static_cast<int>(a.value > b.value) |
            (static_cast<int>(a.value == b.value) & static_cast<int>(a.column < b.column)));
    };

    std::size_t bucket_of(double value) const {
        const std::uint64_t below = top_ - (std::bit_cast<std::uint64_t>(value) >> kShift);
        return static_cast<std::size_t>(std::min<std::uint64_t>(below, kBuckets - 1));
    }

    // Counts the values of each bucket. There are several counters of a bucket, because to add to a
    // number in memory again is slow right after it was written.
    void count(std::span<const double> values) {
        std::array<double, kLanes> largest{};
        const std::size_t whole = values.size() - values.size() % kLanes;
        for (std::size_t k = 0; k < whole; k += kLanes)
            for (std::size_t lane = 0; lane < kLanes; ++lane)
                largest[lane] = std::max(largest[lane], values[k + lane]);
        for (std::size_t k = whole; k < values.size(); ++k)
            largest[0] = std::max(largest[0], values[k]);
        top_ = std::bit_cast<std::uint64_t>(*std::ranges::max_element(largest)) >> kShift;
        counts_.fill(0);
        for (std::size_t k = 0; k < whole; k += kLanes)
            for (std::size_t lane = 0; lane < kLanes; ++lane)
                ++counts_[lane * kBuckets + bucket_of(values[k + lane])];
        for (std::size_t k = whole; k < values.size(); ++k) ++counts_[bucket_of(values[k])];
        for (std::size_t bucket = 0; bucket < kBuckets; ++bucket)
            for (std::size_t lane = 1; lane < kLanes; ++lane)
                counts_[bucket] += counts_[lane * kBuckets + bucket];
    }

    // The numbers of the values in the buckets up to `last`, and of those so little below that they
    // may be equal after the division.
    std::span<const std::uint32_t> collect(std::span<const double> values, std::size_t last) {
        constexpr double kLittle = 4.0 * std::numeric_limits<double>::epsilon();
        const double least = last + 1 == kBuckets
                                 ? 0.0
                                 : std::bit_cast<double>((top_ - last) << kShift) * (1.0 - kLittle);
        if (found_.size() <= values.size()) found_.resize(values.size() + 1);
        std::size_t n = 0;
        for (std::size_t k = 0; k < values.size(); ++k) {
            found_[n] = static_cast<std::uint32_t>(k);
            n += static_cast<std::size_t>(values[k] >= least);
        }
        return std::span(found_).first(n);
    }

    // Writes the values that were found bucket by bucket.
    template <class Make>
    void place(std::span<const double> values, std::span<const std::uint32_t> found,
               std::size_t last, Make&& neighbor) {
        std::uint32_t next = 0;
        for (std::size_t bucket = 0; bucket < std::min(last + 2, kBuckets); ++bucket)
            next += std::exchange(counts_[bucket], next);
        for (const std::uint32_t k : found) best_[counts_[bucket_of(values[k])]++] = neighbor(k);
    }

    // Sorts values that are nearly in order.
    void insert() {
        for (std::size_t k = 1; k < best_.size(); ++k) {
            const Neighbor one = best_[k];
            std::size_t at = k;
            for (; at > 0 && kNearer(one, best_[at - 1]); --at) best_[at] = best_[at - 1];
            best_[at] = one;
        }
    }

    // Sorts the n largest values.
    void select(std::size_t n) {
        const auto end = best_.begin() + static_cast<std::ptrdiff_t>(n);
        if (n < best_.size()) std::ranges::nth_element(best_, end - 1, kNearer);
        std::ranges::sort(best_.begin(), end, kNearer);
    }

    std::uint64_t top_ = 0;  // the leading bits of the largest value
    std::array<std::uint32_t, kBuckets * kLanes> counts_;
    std::vector<std::uint32_t> found_;
    std::vector<Neighbor> best_;
};

}  // namespace silvics
