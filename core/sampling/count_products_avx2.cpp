#include <immintrin.h>

#include "sampling/count_products.hpp"

namespace silvics {

// Products of bytes are added in pairs to 16 bits by one instruction. No sum reaches 2^15.
extern const CountTile kAvx2CountTile = [](const std::uint8_t* four, const std::uint8_t* two,
                                           std::size_t stride, std::size_t n_vectors,
                                           std::size_t most, std::uint32_t* sums) {
    constexpr std::size_t kFour = 4, kTwo = 2;
    const auto load = [](const std::uint8_t* from) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    };
    const __m256i ones = _mm256_set1_epi16(1);
    __m256i wide[kFour][kTwo];
    for (auto& row : wide)
        for (__m256i& sum : row) sum = _mm256_setzero_si256();
    for (std::size_t v = 0; v < n_vectors;) {
        const std::size_t end = n_vectors - v < most ? n_vectors : v + most;
        __m256i narrow[kFour][kTwo];
        for (auto& row : narrow)
            for (__m256i& sum : row) sum = _mm256_setzero_si256();
        for (; v < end; ++v) {
            const __m256i b[kTwo] = {load(two + 32 * v), load(two + stride + 32 * v)};
#pragma GCC unroll 4
            for (std::size_t i = 0; i < kFour; ++i) {
                const __m256i a = load(four + i * stride + 32 * v);
                for (std::size_t j = 0; j < kTwo; ++j)
                    narrow[i][j] = _mm256_add_epi16(narrow[i][j], _mm256_maddubs_epi16(a, b[j]));
            }
        }
        for (std::size_t i = 0; i < kFour; ++i)
            for (std::size_t j = 0; j < kTwo; ++j)
                wide[i][j] = _mm256_add_epi32(wide[i][j], _mm256_madd_epi16(narrow[i][j], ones));
    }
    for (std::size_t i = 0; i < kFour; ++i)
        for (std::size_t j = 0; j < kTwo; ++j) {
            alignas(32) std::uint32_t lanes[8];
            _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), wide[i][j]);
            std::uint32_t sum = 0;
            for (const std::uint32_t lane : lanes) sum += lane;
            sums[i * kTwo + j] = sum;
        }
};

}  // namespace silvics
