// Codes of a column: their ranks, their range, and where some of them are.
#pragma once

#include "base/kernels_vectors.hpp"

namespace silvics {
namespace {

void rank_keys(const std::uint32_t* keys, std::size_t n, std::size_t padded, std::uint32_t* ranks) {
    for (std::size_t i = 0; i < padded; i += 8) {
        std::int32_t key[8], rank[8] = {};
        for (int l = 0; l < 8; ++l) key[l] = static_cast<std::int32_t>(keys[i + l]);
        for (std::size_t j = 0; j < n; ++j) {
            const auto other = static_cast<std::int32_t>(keys[j]);
            for (int l = 0; l < 8; ++l) rank[l] -= other < key[l] ? -1 : 0;
        }
        for (int l = 0; l < 8; ++l) ranks[i + l] = static_cast<std::uint32_t>(rank[l]);
    }
}

std::size_t find_codes(const std::uint16_t* codes, std::size_t n, std::uint32_t low,
                       std::uint32_t width, std::uint32_t* positions) {
    const auto first = static_cast<std::uint16_t>(low),
               last = static_cast<std::uint16_t>(width - 1);
    const auto within = [=](std::uint16_t code) {
        return static_cast<std::uint16_t>(code - first) <= last;
    };
    std::size_t found = 0, begin = 0;
#ifdef __AVX2__
    const __m256i least = _mm256_set1_epi16(static_cast<short>(first));
    const __m256i most = _mm256_set1_epi16(static_cast<short>(last));
    const auto hits = [&](std::size_t at) {
        const __m256i code = _mm256_sub_epi16(
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes + at)), least);
        return _mm256_cmpeq_epi16(_mm256_min_epu16(code, most), code);
    };
    const auto hits_of_32 = [&](std::size_t at) {
        const __m256i a = hits(at), b = hits(at + 16);
        // Packing interleaves the halves of both vectors; the permutation restores their order.
        const __m256i both = _mm256_permute4x64_epi64(_mm256_packs_epi16(a, b), 0xD8);
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(both));
    };
    const auto report = [&](std::uint32_t bits, std::size_t at) {
        for (; bits != 0; bits &= bits - 1)
            positions[found++] =
                static_cast<std::uint32_t>(at) + static_cast<std::uint32_t>(__builtin_ctz(bits));
    };
    for (; begin + 32 <= n; begin += 32) report(hits_of_32(begin), begin);
    if (n >= 32 && begin < n) {  // the last 32 overlap with codes that were reported before, which
                                 // the mask removes
        report(hits_of_32(n - 32) & ~std::uint32_t{0} << (begin - (n - 32)), n - 32);
        begin = n;
    }
#else
    constexpr std::size_t kBlock = 32;
    for (; begin + kBlock <= n; begin += kBlock) {
        std::uint16_t any = 0;
        for (std::size_t i = 0; i < kBlock; ++i)
            any |= within(codes[begin + i]) ? std::uint16_t{1} : std::uint16_t{0};
        if (any == 0) continue;
        for (std::size_t i = begin; i < begin + kBlock; ++i) {
            positions[found] = static_cast<std::uint32_t>(i);
            found += within(codes[i]);
        }
    }
#endif
    for (; begin < n; ++begin) {
        positions[found] = static_cast<std::uint32_t>(begin);
        found += within(codes[begin]);
    }
    return found;
}

std::size_t find_marks(const std::uint8_t* marks, std::size_t n, std::uint8_t mark,
                       std::uint32_t* positions) {
    std::size_t found = 0, begin = 0;
#ifdef __AVX2__
    const __m256i wanted = _mm256_set1_epi8(static_cast<char>(mark));
    for (; begin + 32 <= n; begin += 32) {
        const __m256i here = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(marks + begin));
        for (auto bits =
                 static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(here, wanted)));
             bits != 0; bits &= bits - 1)
            positions[found++] =
                static_cast<std::uint32_t>(begin) + static_cast<std::uint32_t>(__builtin_ctz(bits));
    }
#endif
    for (; begin < n; ++begin) {
        positions[found] = static_cast<std::uint32_t>(begin);
        found += marks[begin] == mark;
    }
    return found;
}

void code_range(const std::uint16_t* codes, std::size_t n, std::uint16_t* low,
                std::uint16_t* high) {
#ifdef __AVX2__
    if (n >=
        8) {  // the last vector overlaps with the one before, which saves a loop for the remainder
        const auto eight = [=](std::size_t at) {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes + at));
        };
        __m128i least = eight(n - 8), most = least;
        std::size_t i = 0;
        if (n >= 32) {
            const auto sixteen = [=](std::size_t at) {
                return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes + at));
            };
            __m256i a = sixteen(n - 16), b = a;
            for (; i + 16 < n; i += 16) {
                a = _mm256_min_epu16(a, sixteen(i));
                b = _mm256_max_epu16(b, sixteen(i));
            }
            least = _mm_min_epu16(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
            most = _mm_max_epu16(_mm256_castsi256_si128(b), _mm256_extracti128_si256(b, 1));
        } else {
            for (; i + 8 < n; i += 8) {
                least = _mm_min_epu16(least, eight(i));
                most = _mm_max_epu16(most, eight(i));
            }
        }
        const __m128i all = _mm_set1_epi16(-1);
        *low = static_cast<std::uint16_t>(_mm_cvtsi128_si32(_mm_minpos_epu16(least)));
        *high = static_cast<std::uint16_t>(
            ~_mm_cvtsi128_si32(_mm_minpos_epu16(_mm_xor_si128(most, all))));
        return;
    }
#endif
    std::uint16_t least = codes[0], most = codes[0];
    for (std::size_t i = 0; i < n; ++i) {
        least = codes[i] < least ? codes[i] : least;
        most = codes[i] > most ? codes[i] : most;
    }
    *low = least;
    *high = most;
}

void codes_around(const std::uint16_t* codes, std::size_t n, std::uint16_t limit,
                  std::uint16_t* below, std::uint16_t* above) {
    std::uint16_t most = 0, least = 0xFFFF;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint16_t low = codes[i] < limit ? codes[i] : std::uint16_t{0};
        const std::uint16_t high = codes[i] < limit ? std::uint16_t{0xFFFF} : codes[i];
        most = low > most ? low : most;
        least = high < least ? high : least;
    }
    *below = most;
    *above = least;
}

template <class T>
inline void gather(const T* codes, std::size_t stride, const std::uint32_t* rows, std::size_t n,
                   std::uint16_t* gathered) {
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (std::size_t k = 0; k < 4; ++k) gathered[i + k] = codes[rows[i + k] * stride];
    for (; i < n; ++i) gathered[i] = codes[rows[i] * stride];
}

void gather_bytes(const std::uint8_t* codes, std::size_t stride, const std::uint32_t* rows,
                  std::size_t n, std::uint16_t* gathered) {
    gather(codes, stride, rows, n, gathered);
}

void gather_words(const std::uint16_t* codes, std::size_t stride, const std::uint32_t* rows,
                  std::size_t n, std::uint16_t* gathered) {
    gather(codes, stride, rows, n, gathered);
}

std::size_t mark_below(const std::uint16_t* codes, std::size_t n, std::uint32_t limit,
                       std::uint8_t* goes) {
    std::size_t count = 0, i = 0;
#ifdef __AVX2__
    if (limit == 0) {
        for (; i < n; ++i) goes[i] = 0;
        return 0;
    }
    const __m256i last = _mm256_set1_epi16(static_cast<short>(limit - 1));
    const __m256i one = _mm256_set1_epi8(1);
    const auto hits = [&](std::size_t at) {
        const __m256i code = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes + at));
        return _mm256_cmpeq_epi16(_mm256_min_epu16(code, last), code);
    };
    const auto mark_32 = [&](std::size_t at) {
        const __m256i both =
            _mm256_permute4x64_epi64(_mm256_packs_epi16(hits(at), hits(at + 16)), 0xD8);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(goes + at), _mm256_and_si256(both, one));
        return static_cast<unsigned>(_mm256_movemask_epi8(both));
    };
    for (; i + 32 <= n; i += 32) count += static_cast<std::size_t>(__builtin_popcount(mark_32(i)));
    if (n >= 32 &&
        i < n) {  // the last 32 overlap with codes that were counted before, which the mask removes
        const unsigned rest = mark_32(n - 32) & ~0U << (i - (n - 32));
        return count + static_cast<std::size_t>(__builtin_popcount(rest));
    }
#endif
    for (; i < n; ++i) {
        goes[i] = codes[i] < limit;
        count += goes[i];
    }
    return count;
}

}  // namespace
}  // namespace silvics
