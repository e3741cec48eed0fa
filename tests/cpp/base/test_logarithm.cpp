#include <cmath>
#include <limits>

#include "base/logarithm.hpp"
#include "doctest/doctest.h"
#include "support/problem.hpp"

namespace silvics {
namespace {

double ulps_from_log2(double x) {
    const double right = std::log2(x);
    const double ulp = std::nextafter(std::fabs(right), INFINITY) - std::fabs(right);
    return std::fabs(log2_portable(x) - right) / ulp;
}

TEST_CASE("log2_portable stays within two units in the last place at every magnitude") {
    test::Rng rng(1);
    double worst = 0.0;
    for (int exponent = -1070; exponent <= 1023; ++exponent)
        for (int repeat = 0; repeat < 50; ++repeat)
            worst = std::max(worst,
                             ulps_from_log2(std::ldexp(test::pick_real(rng, 1.0, 2.0), exponent)));
    CHECK(worst <= 2.0);
}

TEST_CASE("log2_portable stays within two units in the last place close to one") {
    double worst = 0.0;
    for (int k = 1; k <= 52; ++k)
        for (const double x : {1.0 + std::ldexp(1.0, -k), 1.0 - std::ldexp(1.0, -k - 1)})
            worst = std::max(worst, ulps_from_log2(x));
    CHECK(worst <= 2.0);
}

TEST_CASE("log2_portable is exact at powers of two") {
    for (int exponent = -1074; exponent <= 1023; ++exponent)
        CHECK(log2_portable(std::ldexp(1.0, exponent)) == exponent);
}

TEST_CASE("ln_portable agrees with the natural logarithm") {
    for (const double x : {1e-300, 0.1, 0.5, 2.0, 3.0, 1e6, 1e300})
        CHECK(ln_portable(x) == doctest::Approx(std::log(x)).epsilon(1e-15));
}

TEST_CASE("x_log2_x has the limit zero at zero, and forgives a weight rounded below it") {
    CHECK(x_log2_x(0.0) == 0.0);
    CHECK(x_log2_x(-1e-17) == 0.0);
    CHECK(x_log2_x(1.0) == 0.0);
    CHECK(x_log2_x(0.5) == -0.5);
    CHECK(x_log2_x(8.0) == 24.0);
    CHECK(std::fabs(x_log2_x(std::numeric_limits<double>::denorm_min())) < 1e-300);
}

TEST_CASE("x_log2_x of whole numbers has the same bits in and beyond the table") {
    for (std::uint32_t n = 1; n < kTabulated + 1000; ++n) {
        const double x = n;
        if (x_log2_x(x) != x * log2_portable(x)) FAIL("differs at ", n);
    }
    for (const double x : {0.25, 1.5, 65535.5, 65536.5}) CHECK(x_log2_x(x) == x * log2_portable(x));
}

}  // namespace
}  // namespace silvics
