// A table of n log2 n for whole numbers, in fixed point.
//
// Sums of whole numbers are exact in any order, so that entropies of whole weights do not depend on
// the search that computed them, and equal partitions have equal entropies.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/logarithm.hpp"

namespace silvics {

// Multiples of 2^-32.
inline constexpr double kNLogNUnit = 0x1.0p-32;

// n log2 n for n below 2^25, rounded to a multiple of the unit.
inline std::uint64_t fixed_n_log2_n(std::uint64_t n) {
    return static_cast<std::uint64_t>(x_log2_x(static_cast<double>(n)) / kNLogNUnit + 0.5);
}

class NLogN {
public:
    // The whole process shares one table, which is extended when a larger one is asked for. Larger
    // numbers than kMaxTabled are computed one by one.
    static constexpr std::size_t kMaxTabled = std::size_t{1} << 20;

    // For numbers up to `largest`, most of which will be asked for.
    explicit NLogN(std::size_t largest);

    std::uint64_t operator()(std::uint64_t n) const {
        return n < size_ ? table_[n] : fixed_n_log2_n(n);
    }

private:
    const std::uint64_t* table_;
    std::size_t size_;
};

// x log2 x; for whole numbers below 2^25 it has the rounding of the table, so that floating-point
// sums of it are exact too, as long as they are below 2^21.
inline double rounded_x_log2_x(double x) {
    static const NLogN table(std::size_t{1} << 16);
    if (!(x < 0x1.0p25)) return x_log2_x(x);
    const auto n = static_cast<std::uint64_t>(x < 0.0 ? 0.0 : x);
    return static_cast<double>(n) == x ? static_cast<double>(table(n)) * kNLogNUnit : x_log2_x(x);
}

}  // namespace silvics
