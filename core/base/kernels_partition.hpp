// The stable partition of the samples of a node into those that go left and those that go right.
#pragma once

#include "base/kernels_vectors.hpp"

namespace silvics {
namespace {

#ifdef __AVX2__
// Permutations that move the marked ones of four elements to the front, for elements of 32 and of
// 64 bits.
struct alignas(32) Packing {
    std::uint8_t of_32[16][16];
    std::uint32_t of_64[16][8];
};
constexpr Packing packing_of_four() {
    Packing packing{};
    for (unsigned marks = 0; marks < 16; ++marks) {
        unsigned at = 0;
        for (unsigned i = 0; i < 4; ++i) {
            if ((marks >> i & 1U) == 0) continue;
            for (unsigned byte = 0; byte < 4; ++byte)
                packing.of_32[marks][4 * at + byte] = static_cast<std::uint8_t>(4 * i + byte);
            packing.of_64[marks][2 * at] = 2 * i;
            packing.of_64[marks][2 * at + 1] = 2 * i + 1;
            ++at;
        }
    }
    return packing;
}
constexpr Packing kPacking = packing_of_four();
#endif

// Branch-free stable partition: write each sample to both outputs, advance only the one it belongs
// to.
template <bool two>
inline void partition_arrays(const std::uint8_t* goes_left, std::size_t n, std::uint32_t* rows,
                             char* first, char* second, std::uint64_t* buffer) {
    std::uint32_t* const rows_buffer = reinterpret_cast<std::uint32_t*>(buffer);
    char* const first_buffer = reinterpret_cast<char*>(buffer + (n + 1) / 2 + 4);
    char* const second_buffer = first_buffer + 8 * (n + 4);
    std::size_t left = 0, right = 0, i = 0;
#ifdef __AVX2__
    const auto pack = [](const char* from, unsigned marks) {
        const __m256i order =
            _mm256_load_si256(reinterpret_cast<const __m256i*>(kPacking.of_64[marks]));
        return _mm256_permutevar8x32_epi32(
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)), order);
    };
    const auto part_words = [&](char* of, char* words_buffer, unsigned marks) {
        const __m256i go = pack(of + 8 * i, marks), stay = pack(of + 8 * i, marks ^ 15U);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(of + 8 * left), go);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(words_buffer + 8 * right), stay);
    };
    for (; i + 4 <= n; i += 4) {
        const unsigned marks = load<std::uint32_t>(goes_left + i) * 0x10204080U >> 28;
        const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows + i));
        const auto order = [](unsigned of) {
            return _mm_load_si128(reinterpret_cast<const __m128i*>(kPacking.of_32[of]));
        };
        _mm_storeu_si128(reinterpret_cast<__m128i*>(rows + left),
                         _mm_shuffle_epi8(four, order(marks)));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(rows_buffer + right),
                         _mm_shuffle_epi8(four, order(marks ^ 15U)));
        part_words(first, first_buffer, marks);
        if constexpr (two) part_words(second, second_buffer, marks);
        const auto go = static_cast<std::size_t>(__builtin_popcount(marks));
        left += go;
        right += 4 - go;
    }
#endif
    const auto part_word = [&](char* of, char* words_buffer) {
        const auto word = load<std::uint64_t>(of + 8 * i);
        __builtin_memcpy(of + 8 * left, &word, sizeof word);
        __builtin_memcpy(words_buffer + 8 * right, &word, sizeof word);
    };
    for (; i < n; ++i) {
        const std::size_t goes = goes_left[i];
        rows_buffer[right] = rows[i];
        rows[left] = rows[i];
        part_word(first, first_buffer);
        if constexpr (two) part_word(second, second_buffer);
        left += goes;
        right += 1 - goes;
    }
    const auto put_back = [&](char* to, const char* from) {
        for (std::size_t k = 0; k < right; ++k) {
            const auto word = load<std::uint64_t>(from + 8 * k);
            __builtin_memcpy(to + 8 * (left + k), &word, sizeof word);
        }
    };
    for (std::size_t k = 0; k < right; ++k) rows[left + k] = rows_buffer[k];
    put_back(first, first_buffer);
    if constexpr (two) put_back(second, second_buffer);
}

void partition_samples(const std::uint8_t* goes_left, std::size_t n, std::uint32_t* rows,
                       void* first, void* second, std::uint64_t* buffer) {
    char* const one = static_cast<char*>(first);
    if (second == nullptr)
        partition_arrays<false>(goes_left, n, rows, one, nullptr, buffer);
    else
        partition_arrays<true>(goes_left, n, rows, one, static_cast<char*>(second), buffer);
}

}  // namespace
}  // namespace silvics
