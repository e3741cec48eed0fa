// Vectors of four numbers or words, for the loops of the kernels.
//
// The files kernels_*.hpp are compiled once for each kind of processor (kernels_table.hpp). They
// call nothing from a library: an inline function compiled for a newer processor could otherwise be
// linked into the code that runs on older ones.
#pragma once

#include "base/kernels.hpp"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace silvics {
namespace {

// Four numbers at a time take one instruction with AVX2 and two without.
typedef double Four __attribute__((vector_size(32)));
typedef std::uint64_t FourWords __attribute__((vector_size(32)));

template <class Vector, class T>
inline Vector load(const T* from) {
    Vector vector;
    __builtin_memcpy(&vector, from, sizeof vector);
    return vector;
}

// Sets all bits of the lanes whose code is below the limit.
inline FourWords below(const std::uint16_t* codes, std::uint32_t limit) {
#ifdef __AVX2__
    const __m256i wide =
        _mm256_cvtepu16_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(codes)));
    return (FourWords)_mm256_cmpgt_epi64(_mm256_set1_epi64x(limit), wide);
#else
    const FourWords wide = {codes[0], codes[1], codes[2], codes[3]};
    return (FourWords)(wide < std::uint64_t{limit});
#endif
}

// Sets all bits of the lanes whose value is at most the limit.
inline FourWords upto(const double* values, double limit) {
    return (FourWords)(load<Four>(values) <= limit);
}

}  // namespace
}  // namespace silvics
