// Sorted numbers, by radix sort.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/stop.hpp"
#include "base/types.hpp"

namespace silvics {

// The rows sorted by value; rows of equal values are in row order, and rows whose value is missing
// (NaN) are left out.
class SortedValues {
public:
    SortedValues(std::span<const double> values, const StopFlag& stop);

    std::size_t size() const { return keys_.size(); }
    RowId row(std::size_t i) const { return static_cast<RowId>(keys_[i]); }
    // Whether the value differs from the one before.
    bool another(std::size_t i) const { return another_[i] != 0; }
    std::size_t n_distinct() const { return n_distinct_; }

private:
    // The upper half of a key has the leading bits of the value, which suffice for most columns;
    // the lower half has the row.
    using Key = std::uint64_t;

    bool order_by_floats(std::span<const double> values, const StopFlag& stop);
    void order_by_doubles(std::span<const double> values, const StopFlag& stop);
    void sort(const StopFlag& stop);
    void separate_equals(std::span<const double> values, const StopFlag& stop);

    std::vector<Key> keys_;
    std::vector<std::uint8_t> another_;
    std::size_t n_distinct_ = 0;
};

}  // namespace silvics
