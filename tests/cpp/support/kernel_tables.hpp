// Tables of kernels and random inputs for their tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/kernels.hpp"
#include "doctest/doctest.h"
#include "support/problem.hpp"

namespace silvics {

extern const Kernels kPortableKernels, kAvx2Kernels;

namespace test {

// Every table of kernels that this processor can run.
inline std::vector<const Kernels*> tables() {
    std::vector<const Kernels*> all = {&kPortableKernels};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
        all.push_back(&kAvx2Kernels);
#endif
    return all;
}

inline constexpr std::size_t kSizes[] = {1,  2,  3,  4,  5,  7,  8,  9,   15,  16,
                                         17, 31, 32, 33, 63, 64, 65, 255, 256, 1000};

// check(kernels, rng, n) for every table at every size, on the same input for all tables.
template <class Check>
void at_every_size(std::uint64_t seed, Check&& check) {
    for (const std::size_t n : kSizes)
        for (std::uint64_t repeat = 0; repeat < 6; ++repeat)
            for (const Kernels* table : tables()) {
                CAPTURE(n);
                CAPTURE(std::string(table->name));
                Rng rng(seed * 1000000 + n * 100 + repeat);
                check(*table, rng, n);
            }
}

inline std::vector<std::uint16_t> random_codes(Rng& rng, std::size_t n, std::size_t levels) {
    std::vector<std::uint16_t> codes(n);
    for (auto& code : codes) code = static_cast<std::uint16_t>(pick(rng, levels));
    return codes;
}

inline std::size_t random_levels(Rng& rng) {
    constexpr std::size_t kLevels[] = {1, 2, 30, 1000, 65536};
    return kLevels[pick(rng, 5)];
}

// Up to one above the largest code there can be.
inline std::uint32_t random_limit(Rng& rng, const std::vector<std::uint16_t>& codes) {
    const std::uint32_t limits[] = {0, 1, codes[pick(rng, codes.size())], 40000, 65535, 65536};
    return limits[pick(rng, 6)];
}

inline std::vector<double> random_reals(Rng& rng, std::size_t n, double low, double high) {
    std::vector<double> reals(n);
    for (double& r : reals) r = pick_real(rng, low, high);
    return reals;
}

inline std::vector<double> random_weights(Rng& rng, std::size_t n) {
    std::vector<double> weights(n);
    for (double& w : weights) w = static_cast<double>(1 + pick(rng, 7));
    return weights;
}

inline std::vector<std::uint8_t> random_marks(Rng& rng, std::size_t n) {
    std::vector<std::uint8_t> marks(n);
    for (auto& mark : marks) mark = static_cast<std::uint8_t>(pick(rng, 2));
    return marks;
}

// Values with ties, zeros of both signs among them, and a limit that is one of them, or not.
inline std::vector<double> tied_values(Rng& rng, std::size_t n) {
    const std::size_t levels = random_levels(rng);
    std::vector<double> values(n);
    for (double& v : values) v = (static_cast<double>(pick(rng, levels)) - 15.0) / 4.0;
    if (pick(rng, 2) == 0) values[pick(rng, n)] = -0.0;
    if (pick(rng, 4) == 0) values[pick(rng, n)] = std::numeric_limits<double>::max();
    if (pick(rng, 4) == 0) values[pick(rng, n)] = std::numeric_limits<double>::lowest();
    return values;
}

inline double random_limit(Rng& rng, const std::vector<double>& values) {
    const double of[] = {values[pick(rng, values.size())],
                         values[pick(rng, values.size())],
                         -0.0,
                         std::nextafter(values[0], -INFINITY),
                         std::numeric_limits<double>::max(),
                         -static_cast<double>(INFINITY)};
    return of[pick(rng, 6)];
}

}  // namespace test
}  // namespace silvics
