// Sums of samples by bins of their codes.
#pragma once

#include "base/kernels_vectors.hpp"

namespace silvics {
namespace {

void add_words_to_bins(const std::uint16_t* codes, std::size_t n, std::uint32_t low, int shift,
                       const std::uint64_t* samples, std::uint64_t* bins, std::size_t stride) {
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (std::size_t k = 0; k < 4; ++k)
            bins[k * stride + ((codes[i + k] - low) >> shift)] += samples[i + k];
    for (; i < n; ++i) bins[(codes[i] - low) >> shift] += samples[i];
}

void add_moments_to_bins(const std::uint16_t* codes, std::size_t n, std::uint32_t low, int shift,
                         const double* samples, double* bins, std::size_t stride) {
    const auto add = [=](std::size_t i, std::size_t table) {
        double* const bin = bins + 4 * (table * stride + ((codes[i] - low) >> shift));
        const Four sum = load<Four>(bin) + load<Four>(samples + 4 * i);
        __builtin_memcpy(bin, &sum, sizeof sum);
    };
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (std::size_t k = 0; k < 4; ++k) add(i + k, k);
    for (; i < n; ++i) add(i, 0);
}

void prefix_sum_words(std::uint64_t* words, std::size_t n, double* upper, double* lower) {
    FourWords before{};  // the sum of all words before, in every lane
    std::size_t i = 0;
    // A number below 2^32 in the last bits of the double 2^52 makes the double 2^52 plus that
    // number.
    const std::uint64_t bits = 0x4330000000000000ULL, last = 0xFFFFFFFFULL;
    for (; i + 4 <= n; i += 4) {
        FourWords four = load<FourWords>(words + i);
        four += FourWords{0, four[0], four[1], four[2]};
        four += FourWords{0, 0, four[0], four[1]};
        four += before;
        before = FourWords{four[3], four[3], four[3], four[3]};
        __builtin_memcpy(words + i, &four, sizeof four);
        const Four high = (Four)(four >> 32 | bits) - 0x1.0p52;
        const Four low = (Four)((four & last) | bits) - 0x1.0p52;
        __builtin_memcpy(upper + i, &high, sizeof high);
        __builtin_memcpy(lower + i, &low, sizeof low);
    }
    std::uint64_t sum = before[0];
    for (; i < n; ++i) {
        words[i] = sum += words[i];
        upper[i] = static_cast<double>(static_cast<std::uint32_t>(sum >> 32));
        lower[i] = static_cast<double>(static_cast<std::uint32_t>(sum));
    }
}

}  // namespace
}  // namespace silvics
