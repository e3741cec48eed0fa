// The sums of one row of a matrix, most of whose elements are zero.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace silvics {

// `Sum`: double, or an unsigned integer for counts. A smaller type keeps more of the row in cache.
template <class Sum>
class RowSums {
public:
    void resize(std::size_t n_columns) { sums_.resize(n_columns, Sum{}); }

    // Adds value(k) to the sum of columns[k], for each k. Values must not be negative.
    template <class Value>
    void add(std::span<const RowId> columns, Value&& value) {
        add(columns.size(), [&](std::size_t k) { return columns[k]; }, value);
    }
    // The same for `size` columns column(k).
    template <class Column, class Value>
    void add(std::size_t size, Column&& column_at, Value&& value) {
        // The place after the last column is written to but does not count.
        if (listed_.size() <= n_ + size) listed_.resize(2 * (n_ + size));
        Sum* sums = sums_.data();
        RowId* listed = listed_.data();
        std::size_t n = n_;
        for (std::size_t k = 0; k < size; ++k) {
            const RowId column = column_at(k);
            const Sum before = sums[column];
            // Without a branch, which would be hard to predict. A column may be listed again if a
            // value underflowed to zero.
            listed[n] = column;
            n += static_cast<std::size_t>(is_zero(before));
            sums[column] = static_cast<Sum>(before + value(k));
        }
        n_ = n;
    }

    // The columns in the order in which they were added to.
    std::span<RowId> columns() { return std::span(listed_).first(n_); }

    // Writes the sums that are not zero and sets all sums to zero. Returns the columns of these
    // sums, in the order of columns(); they are valid until the next addition.
    std::span<const RowId> take(std::vector<double>& out) {
        if (out.size() < n_) out.resize(listed_.size());
        std::size_t n = 0;
        for (std::size_t k = 0; k < n_; ++k) {
            const RowId column = listed_[k];
            const Sum sum = std::exchange(sums_[column], Sum{});
            listed_[n] = column;
            out[n] = static_cast<double>(sum);
            n += static_cast<std::size_t>(!is_zero(sum));
        }
        n_ = 0;
        return std::span(listed_).first(n);
    }

private:
    // Bits are compared faster than numbers. A sum is not negative zero.
    static bool is_zero(Sum sum) {
        if constexpr (std::is_same_v<Sum, double>)
            return std::bit_cast<std::uint64_t>(sum) == 0;
        else
            return sum == Sum{};
    }

    std::vector<Sum> sums_;
    std::vector<RowId> listed_;
    std::size_t n_ = 0;
};

}  // namespace silvics
