// A logarithm in plain arithmetic. The C library selects a variant by processor, so that the last
// bit of an entropy could differ between machines.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace silvics {

inline constexpr double kLn2 = 0.693147180559945309417232121458;

// log2 of a finite x > 0, within about one unit in the last place.
inline double log2_portable(double x) {
    int exponent = 0;
    double mantissa = std::frexp(x, &exponent);  // in [0.5, 1)
    if (mantissa < 0.70710678118654752) {
        mantissa *= 2.0;
        exponent -= 1;
    }
    // log(m) = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.172
    const double s = (mantissa - 1.0) / (mantissa + 1.0);
    const double s2 = s * s;
    double sum = 0.0;
    for (int k = 21; k >= 3; k -= 2) sum = (sum + 1.0 / k) * s2;
    return static_cast<double>(exponent) + (s + s * sum) * (2.0 / kLn2);
}

inline double ln_portable(double x) { return log2_portable(x) * kLn2; }

// x log2 x of the whole numbers below kTabulated, computed once: most weights are such numbers.
inline constexpr std::uint32_t kTabulated = 1U << 16;
inline const double* x_log2_x_of_whole() {
    static const std::vector<double> table = [] {
        std::vector<double> made(kTabulated, 0.0);
        for (std::uint32_t n = 1; n < kTabulated; ++n) {
            const double x = n;
            made[n] = x * log2_portable(x);
        }
        return made;
    }();
    return table.data();
}

// x log2 x, with the limit 0 at 0. A weight that rounding made negative counts as 0.
inline double x_log2_x(double x) {
    if (!(x > 0.0)) return 0.0;
    if (x < kTabulated) {
        const auto whole = static_cast<std::uint32_t>(x);
        if (static_cast<double>(whole) == x) return x_log2_x_of_whole()[whole];
    }
    return x * log2_portable(x);
}

}  // namespace silvics
