// Our own logarithm: the C library picks a variant by processor, and the last bit of
// an entropy may then differ from machine to machine. This one is plain arithmetic.
#pragma once

#include <cmath>

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

// x log2 x, with the limit 0 at 0 (and below it: a weight that rounding took under zero).
inline double x_log2_x(double x) { return x > 0.0 ? x * log2_portable(x) : 0.0; }

}  // namespace silvics
