#include <cmath>
#include <thread>
#include <vector>

#include "base/n_log_n.hpp"
#include "doctest/doctest.h"
#include "support/problem.hpp"

namespace silvics {
namespace {

// The distance from n log2 n, in units of the table.
double error_of(std::uint64_t fixed, std::uint64_t n) {
    const long double x = static_cast<long double>(n);
    const long double right = n == 0 ? 0.0L : x * std::log2(x);
    return static_cast<double>(std::fabs(static_cast<long double>(fixed) * kNLogNUnit - right) /
                               kNLogNUnit);
}

// Half a unit, and what double precision adds for large n.
double allowed_error(std::uint64_t n) {
    const double x = static_cast<double>(n);
    return 0.5 + (n == 0 ? 0.0 : 1e-15 * x * std::log2(x) / kNLogNUnit);
}

TEST_CASE("the table holds n log2 n rounded to a unit, whatever its size") {
    for (const std::size_t largest : {0, 1, 5, 1023, 1024, 1025, 70000}) {
        const NLogN table(largest);
        for (std::uint64_t n = 0; n < 80000; n = n < 2000 ? n + 1 : n + 37)
            CHECK(error_of(table(n), n) <= allowed_error(n));
        CHECK(table(0) == 0);
        CHECK(table(1) == 0);
    }
}

TEST_CASE("numbers beyond the table are computed, to the accuracy of a double") {
    const NLogN table(10);
    for (const std::uint64_t n : {NLogN::kMaxTabled - 1, NLogN::kMaxTabled, NLogN::kMaxTabled + 1,
                                  (std::size_t{1} << 25) - 1}) {
        CHECK(table(n) == fixed_n_log2_n(n));
        CHECK(error_of(table(n), n) <= allowed_error(n));
    }
    CHECK(table(std::uint64_t{1} << 24) == std::uint64_t{24} << 56);
}

TEST_CASE("threads that extend the table at the same time read the same values") {
    std::vector<std::thread> threads;
    std::vector<int> wrong(4, 0);
    for (std::size_t t = 0; t < wrong.size(); ++t)
        threads.emplace_back([&wrong, t] {
            for (std::size_t size = 1000 + t; size < 300000; size = size * 3 / 2 + t) {
                const NLogN table(size);
                wrong[t] += table(size) != fixed_n_log2_n(size);
                wrong[t] += table(size / 2) != fixed_n_log2_n(size / 2);
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == std::vector<int>(4, 0));
}

TEST_CASE("whole numbers have the rounding of the table, others that of x_log2_x") {
    const NLogN table(1000);
    for (const std::uint64_t n : {0, 1, 2, 3, 999, 65535, 65537, 3000000})
        CHECK(rounded_x_log2_x(static_cast<double>(n)) ==
              static_cast<double>(table(n)) * kNLogNUnit);
    for (const double x : {0.3, 2.5, 1e5 + 0.25, 0x1.0p25, 0x1.0p25 + 3.0, 1e300})
        CHECK(rounded_x_log2_x(x) == x_log2_x(x));
    CHECK(rounded_x_log2_x(-1e-17) == 0.0);
}

TEST_CASE("sums of rounded terms do not depend on their order") {
    test::Rng rng(7);
    for (int repeat = 0; repeat < 100; ++repeat) {
        double forward = 0.0, backward = 0.0;
        std::vector<double> terms(20);
        for (double& term : terms)
            term = rounded_x_log2_x(static_cast<double>(test::pick(rng, 5000)));
        for (std::size_t i = 0; i < terms.size(); ++i) {
            forward += terms[i];
            backward += terms[terms.size() - 1 - i];
        }
        CHECK(forward == backward);
    }
}

}  // namespace
}  // namespace silvics
