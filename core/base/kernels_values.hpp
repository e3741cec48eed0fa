// Values of a column: their range, their offsets, and which of them lie below a threshold.
#pragma once

#include "base/kernels_vectors.hpp"

namespace silvics {
namespace {

bool whole_number_range(const double* values, std::size_t n, double* low, double* high) {
    double least[4], most[4];
    for (int l = 0; l < 4; ++l) least[l] = most[l] = values[0];
    int others = 0;
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int l = 0; l < 4; ++l) {
            const double v = values[i + l];
            others |= static_cast<double>(static_cast<std::int32_t>(v)) != v;
            least[l] = v < least[l] ? v : least[l];
            most[l] = v > most[l] ? v : most[l];
        }
    for (; i < n; ++i) {
        const double v = values[i];
        others |= static_cast<double>(static_cast<std::int32_t>(v)) != v;
        least[0] = v < least[0] ? v : least[0];
        most[0] = v > most[0] ? v : most[0];
    }
    for (int l = 1; l < 4; ++l) {
        least[0] = least[l] < least[0] ? least[l] : least[0];
        most[0] = most[l] > most[0] ? most[l] : most[0];
    }
    *low = least[0];
    *high = most[0];
    return others == 0;
}

void offsets(const double* values, std::size_t n, double low, std::uint16_t* out) {
    for (std::size_t i = 0; i < n; ++i)
        out[i] = static_cast<std::uint16_t>(static_cast<std::int32_t>(values[i] - low));
}

// Finds the range of n values: four(i) returns four of them from position i on, one(i) a single
// one.
template <class FourFrom, class One>
inline void range_of(std::size_t n, double* low, double* high, FourFrom four, One one) {
    Four least, most;
    std::size_t i = 0;
    if (n >= 4) {
        least = most = four(0);
        for (i = 4; i + 4 <= n; i += 4) {
            const Four v = four(i);
            least = v < least ? v : least;
            most = v > most ? v : most;
        }
    } else {
        const double first = one(0);
        least = most = Four{first, first, first, first};
        i = 1;
    }
    const double a = least[0] < least[1] ? least[0] : least[1];
    const double b = least[2] < least[3] ? least[2] : least[3];
    const double c = most[0] > most[1] ? most[0] : most[1];
    const double d = most[2] > most[3] ? most[2] : most[3];
    double lowest = a < b ? a : b, highest = c > d ? c : d;
    for (; i < n; ++i) {
        const double v = one(i);
        lowest = v < lowest ? v : lowest;
        highest = v > highest ? v : highest;
    }
    *low = lowest;
    *high = highest;
}

void value_range(const double* values, std::size_t n, double* low, double* high) {
    range_of(
        n, low, high, [=](std::size_t i) { return load<Four>(values + i); },
        [=](std::size_t i) { return values[i]; });
}

template <class T>
inline void read_values(const void* column, std::ptrdiff_t stride, const std::uint32_t* rows,
                        std::size_t n, double* values, double* low, double* high) {
    const char* const cells = static_cast<const char*>(column);
    const auto cell = [=](std::size_t i) {
        return load<T>(cells + static_cast<std::ptrdiff_t>(rows[i]) * stride);
    };
    range_of(
        n, low, high,
        [=](std::size_t i) {
            typedef T FourCells __attribute__((vector_size(4 * sizeof(T))));
            const FourCells v = {cell(i), cell(i + 1), cell(i + 2), cell(i + 3)};
            const Four four = __builtin_convertvector(v, Four);
            __builtin_memcpy(values + i, &four, sizeof four);
            return four;
        },
        [=](std::size_t i) { return values[i] = static_cast<double>(cell(i)); });
}

void read_floats(const void* column, std::ptrdiff_t stride, const std::uint32_t* rows,
                 std::size_t n, double* values, double* low, double* high) {
    read_values<float>(column, stride, rows, n, values, low, high);
}

void read_doubles(const void* column, std::ptrdiff_t stride, const std::uint32_t* rows,
                  std::size_t n, double* values, double* low, double* high) {
    read_values<double>(column, stride, rows, n, values, low, high);
}

std::size_t mark_upto(const double* values, std::size_t n, double limit, std::uint8_t* goes) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) {
        goes[i] = values[i] <= limit;
        count += goes[i];
    }
    return count;
}

}  // namespace
}  // namespace silvics
