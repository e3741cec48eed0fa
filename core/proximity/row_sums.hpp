// The sums of one row of a matrix, most of whose elements are zero.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace silvics {

// `Sum`: double, or an unsigned integer for counts. A smaller type keeps more of the row in cache.
template <class Sum>
class RowSums {
public:
    void resize(std::size_t n_columns) {
        sums_.resize(n_columns, Sum{});
        touched_.resize(n_columns + 1);  // the last place is written to but never counts
    }

    // Adds value(k) to the sum of columns[k], for each k. Values must not be negative.
    template <class Value>
    void add(std::span<const RowId> columns, Value&& value) {
        Sum* sums = sums_.data();
        RowId* touched = touched_.data();
        std::size_t n = n_;
        for (std::size_t k = 0; k < columns.size(); ++k) {
            const RowId column = columns[k];
            const Sum before = sums[column], after = static_cast<Sum>(before + value(k));
            // Without a branch, which would be hard to predict. A value that underflowed to zero
            // does not list the column.
            touched[n] = column;
            n += static_cast<std::size_t>(before == Sum{}) &
                 static_cast<std::size_t>(after != Sum{});
            sums[column] = after;
        }
        n_ = n;
    }

    // The columns whose sums are not zero, in the order in which they were added to.
    std::span<RowId> columns() { return std::span(touched_).first(n_); }

    // Writes the sums of columns() and sets all sums to zero.
    void take(std::span<double> out) {
        for (std::size_t k = 0; k < n_; ++k) {
            Sum& sum = sums_[touched_[k]];
            out[k] = static_cast<double>(sum);
            sum = Sum{};
        }
        n_ = 0;
    }

private:
    std::vector<Sum> sums_;
    std::vector<RowId> touched_;
    std::size_t n_ = 0;
};

}  // namespace silvics
