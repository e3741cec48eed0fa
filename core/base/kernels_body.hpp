// The loops of kernels.hpp, included by one file per kind of processor (SILVICS_KERNELS is the
// name of the table). Plain loops over pointers: nothing from a library, so that no inline
// function compiled for a newer processor can end up where an older one calls it.
#include "base/kernels.hpp"

#ifdef __AVX2__
#include <immintrin.h>
#endif

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

// Four numbers at a time: one instruction on newer processors, two on older ones.
typedef double Four __attribute__((vector_size(32)));
typedef std::uint64_t FourWords __attribute__((vector_size(32)));

template <class Vector, class T>
inline Vector load(const T* from) {
    Vector vector;
    __builtin_memcpy(&vector, from, sizeof vector);
    return vector;
}

double score_cuts(const CutSums& sums, std::size_t n, double* score) {
    const double *w = sums.weight, *t = sums.term;
    const double W = sums.node_weight, T = sums.node_term, factor = sums.factor;
    if (n < 4) {
        double best = 0.0;
        for (std::size_t j = 0; j < n; ++j) {
            const double d = t[j] * W - T * w[j];
            score[j] = factor * (d * d) / (w[j] * (W - w[j]));
            best = j == 0 || score[j] > best ? score[j] : best;
        }
        return best;
    }
    const auto score_four = [&](std::size_t j) {
        const Four weight = load<Four>(w + j), d = load<Four>(t + j) * W - T * weight;
        const Four four = factor * (d * d) / (weight * (W - weight));
        __builtin_memcpy(score + j, &four, sizeof four);
        return four;
    };
    Four best = score_four(n - 4);  // some of them once more: no loop for a rest
    for (std::size_t j = 0; j + 4 < n; j += 4) {
        const Four four = score_four(j);
        best = four > best ? four : best;
    }
    const double a = best[0] > best[1] ? best[0] : best[1];
    const double b = best[2] > best[3] ? best[2] : best[3];
    return a > b ? a : b;
}

// The sum of part of a bin lies no further from its share than half the root of the spread, so
// that any cut within lies in a parallelogram around the bin's chord; the score is convex, and
// largest at a corner.
std::size_t bins_that_may(const CutSums& sums, const double* spread, std::size_t n, double wanted,
                          std::uint8_t* may) {
    const double *w = sums.weight, *t = sums.term;
    const double W = sums.node_weight, T = sums.node_term, factor = sums.factor;
    const double bar = wanted * (1.0 - 1e-9);
    std::size_t count = 0;
    for (std::size_t b = 1; b + 1 < n; ++b) {
        const double d0 = t[b - 1] * W - T * w[b - 1], d1 = t[b] * W - T * w[b];
        const double e2 = spread[b] * (0.25 * W * W);
        const double b0 = bar * (w[b - 1] * (W - w[b - 1])), b1 = bar * (w[b] * (W - w[b]));
        const double e = __builtin_sqrt(e2);
        const double a0 = (d0 < 0 ? -d0 : d0) + e, a1 = (d1 < 0 ? -d1 : d1) + e;
        const bool may_be =
            (factor * (a0 * a0) >= b0 || factor * (a1 * a1) >= b1) && spread[b] > 0.0;
        may[b] = may_be;
        count += may_be;
    }
    return count;
}

std::uint64_t sum_words(const std::uint64_t* words, std::size_t n) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += words[i];
    return sum;
}

std::uint64_t sum_words_marked(const std::uint64_t* words, const std::uint8_t* marks,
                               std::size_t n) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += words[i] & (std::uint64_t{0} - marks[i]);
    return sum;
}

// All bits of a lane whose code is below the limit.
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

std::uint64_t sum_words_below(const std::uint16_t* codes, const std::uint64_t* words, std::size_t n,
                              std::uint32_t limit) {
    FourWords lanes = {0, 0, 0, 0};
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) lanes += load<FourWords>(words + i) & below(codes + i, limit);
    std::uint64_t sum = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    for (; i < n; ++i) sum += codes[i] < limit ? words[i] : 0;
    return sum;
}

// All bits of a lane whose value is not above the limit.
inline FourWords upto(const double* values, double limit) {
    return (FourWords)(load<Four>(values) <= limit);
}

std::uint64_t sum_words_upto(const double* values, const std::uint64_t* words, std::size_t n,
                             double limit) {
    FourWords lanes = {0, 0, 0, 0};
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) lanes += load<FourWords>(words + i) & upto(values + i, limit);
    std::uint64_t sum = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    for (; i < n; ++i) sum += words[i] & (std::uint64_t{0} - (values[i] <= limit ? 1 : 0));
    return sum;
}

// Weights, or ones.
struct Weighted {
    const double* weights;
    Four four(std::size_t i) const { return load<Four>(weights + i); }
    double one(std::size_t i) const { return weights[i]; }
};
struct Unweighted {
    static Four four(std::size_t) { return Four{1.0, 1.0, 1.0, 1.0}; }
    static double one(std::size_t) { return 1.0; }
};
template <class F>
inline void with_weights(const double* weights, F&& f) {
    if (weights != nullptr)
        f(Weighted{weights});
    else
        f(Unweighted{});
}

// Those of four samples that the mask leaves, mask(i), or of one, takes(i).
template <class Mask, class Takes>
inline void sum_outputs_of(const OutputGrid& grid, const double* weights, const double* y,
                           std::size_t n, double* sums, Mask mask, Takes takes) {
    with_weights(weights, [&](auto weight) {
        const double high = grid.high, low = grid.low;
        Four w4 = {0, 0, 0, 0}, h4 = w4, l4 = w4;
        std::size_t i = 0;
        for (; i + 4 <= n; i += 4) {
            const Four w = (Four)((FourWords)weight.four(i) & mask(i));
            const Four v = load<Four>(y + i), h = (v + high) - high;
            w4 += w;
            h4 += w * h;
            l4 += w * (((v - h) + low) - low);
        }
        sums[0] = (w4[0] + w4[1]) + (w4[2] + w4[3]);
        sums[1] = (h4[0] + h4[1]) + (h4[2] + h4[3]);
        sums[2] = (l4[0] + l4[1]) + (l4[2] + l4[3]);
        for (; i < n; ++i) {
            const double w = takes(i) ? weight.one(i) : 0.0, h = (y[i] + high) - high;
            sums[0] += w;
            sums[1] += w * h;
            sums[2] += w * (((y[i] - h) + low) - low);
        }
    });
}

void sum_outputs(const OutputGrid& grid, const double* weights, const double* y, std::size_t n,
                 double* sums) {
    sum_outputs_of(
        grid, weights, y, n, sums, [](std::size_t) { return ~FourWords{}; },
        [](std::size_t) { return true; });
}

void sum_outputs_marked(const OutputGrid& grid, const double* weights, const double* y,
                        const std::uint8_t* marks, std::size_t n, double* sums) {
    sum_outputs_of(
        grid, weights, y, n, sums,
        [=](std::size_t i) {
            return -FourWords{marks[i], marks[i + 1], marks[i + 2], marks[i + 3]};
        },
        [=](std::size_t i) { return marks[i] != 0; });
}

void sum_outputs_below(const OutputGrid& grid, const std::uint16_t* codes, const double* weights,
                       const double* y, std::size_t n, std::uint32_t limit, double* sums) {
    sum_outputs_of(
        grid, weights, y, n, sums, [=](std::size_t i) { return below(codes + i, limit); },
        [=](std::size_t i) { return codes[i] < limit; });
}

void sum_outputs_upto(const OutputGrid& grid, const double* values, const double* weights,
                      const double* y, std::size_t n, double limit, double* sums) {
    sum_outputs_of(
        grid, weights, y, n, sums, [=](std::size_t i) { return upto(values + i, limit); },
        [=](std::size_t i) { return values[i] <= limit; });
}

void make_moments(const OutputGrid& grid, const double* weights, const double* y, std::size_t n,
                  double mean, double* moments) {
    const double high = grid.high, low = grid.low;
    with_weights(weights, [&](auto weight) {
        std::size_t i = 0;
#ifdef __AVX2__
        for (; i + 4 <= n; i += 4) {
            const Four w = weight.four(i), v = load<Four>(y + i);
            const Four h = (v + high) - high, l = ((v - h) + low) - low, e = v - mean;
            const Four b = w * h, c = w * l, d = w * (e * e);
            // Four of each become each of four.
            const __m256d wb0 = _mm256_unpacklo_pd(w, b), wb1 = _mm256_unpackhi_pd(w, b);
            const __m256d cd0 = _mm256_unpacklo_pd(c, d), cd1 = _mm256_unpackhi_pd(c, d);
            double* const to = moments + 4 * i;
            _mm256_storeu_pd(to, _mm256_permute2f128_pd(wb0, cd0, 0x20));
            _mm256_storeu_pd(to + 4, _mm256_permute2f128_pd(wb1, cd1, 0x20));
            _mm256_storeu_pd(to + 8, _mm256_permute2f128_pd(wb0, cd0, 0x31));
            _mm256_storeu_pd(to + 12, _mm256_permute2f128_pd(wb1, cd1, 0x31));
        }
#endif
        for (; i < n; ++i) {
            const double w = weight.one(i), h = (y[i] + high) - high, e = y[i] - mean;
            moments[4 * i] = w;
            moments[4 * i + 1] = w * h;
            moments[4 * i + 2] = w * (((y[i] - h) + low) - low);
            moments[4 * i + 3] = w * (e * e);
        }
    });
}

double sum_squares(const double* weights, const double* y, std::size_t n, double mean) {
    Four lanes = {0, 0, 0, 0};
    with_weights(weights, [&](auto weight) {
        std::size_t i = 0;
        for (; i + 4 <= n; i += 4) {
            const Four e = load<Four>(y + i) - mean;
            lanes += weight.four(i) * (e * e);
        }
        for (std::size_t lane = 0; i < n; ++i, ++lane) {
            const double e = y[i] - mean;
            lanes[lane] += weight.one(i) * (e * e);
        }
    });
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

bool survey(const double* values, std::size_t n, double* low, double* high) {
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
        // Packing takes the halves of both in turn; put them straight again.
        const __m256i both = _mm256_permute4x64_epi64(_mm256_packs_epi16(a, b), 0xD8);
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(both));
    };
    const auto report = [&](std::uint32_t bits, std::size_t at) {
        for (; bits != 0; bits &= bits - 1)
            positions[found++] =
                static_cast<std::uint32_t>(at) + static_cast<std::uint32_t>(__builtin_ctz(bits));
    };
    for (; begin + 32 <= n; begin += 32) report(hits_of_32(begin), begin);
    if (n >= 32 && begin < n) {  // the rest, with some before it that have been told
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
    if (n >= 8) {  // the last ones with some before them once more: no loop for a rest
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

void add_words(const std::uint16_t* codes, std::size_t n, std::uint32_t low, int shift,
               const std::uint64_t* samples, std::uint64_t* bins, std::size_t apart) {
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (std::size_t k = 0; k < 4; ++k)
            bins[k * apart + ((codes[i + k] - low) >> shift)] += samples[i + k];
    for (; i < n; ++i) bins[(codes[i] - low) >> shift] += samples[i];
}

void add_fours(const std::uint16_t* codes, std::size_t n, std::uint32_t low, int shift,
               const double* samples, double* bins, std::size_t apart) {
    const auto add = [=](std::size_t i, std::size_t table) {
        double* const bin = bins + 4 * (table * apart + ((codes[i] - low) >> shift));
        const Four sum = load<Four>(bin) + load<Four>(samples + 4 * i);
        __builtin_memcpy(bin, &sum, sizeof sum);
    };
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (std::size_t k = 0; k < 4; ++k) add(i + k, k);
    for (; i < n; ++i) add(i, 0);
}

void run_words(std::uint64_t* words, std::size_t n, double* upper, double* lower) {
    FourWords before{};  // all that came before, four times
    std::size_t i = 0;
    // A number below 2^32 put into the last bits of 2^52 is itself and 2^52.
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

// The range of n values: four(i) from the i-th on, or one(i).
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
    if (n >= 32 && i < n) {  // the rest, with some before it once more
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

#ifdef __AVX2__
// How to bring those of four that are marked to the front, for words of 32 and of 64 bits.
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

// Both places are written, one is kept.
template <bool two>
inline void part_arrays(const std::uint8_t* goes_left, std::size_t n, std::uint32_t* rows,
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

void part_samples(const std::uint8_t* goes_left, std::size_t n, std::uint32_t* rows, void* first,
                  void* second, std::uint64_t* buffer) {
    char* const one = static_cast<char*>(first);
    if (second == nullptr)
        part_arrays<false>(goes_left, n, rows, one, nullptr, buffer);
    else
        part_arrays<true>(goes_left, n, rows, one, static_cast<char*>(second), buffer);
}

}  // namespace

extern const Kernels SILVICS_KERNELS;
const Kernels SILVICS_KERNELS = {
    .name = SILVICS_KERNELS_NAME,
    .rank_keys = rank_keys,
    .score_cuts = score_cuts,
    .bins_that_may = bins_that_may,
    .sum_words = sum_words,
    .sum_words_marked = sum_words_marked,
    .sum_words_below = sum_words_below,
    .sum_words_upto = sum_words_upto,
    .sum_outputs = sum_outputs,
    .sum_outputs_marked = sum_outputs_marked,
    .sum_outputs_below = sum_outputs_below,
    .sum_outputs_upto = sum_outputs_upto,
    .make_moments = make_moments,
    .sum_squares = sum_squares,
    .survey = survey,
    .offsets = offsets,
    .add_words = add_words,
    .add_fours = add_fours,
    .run_words = run_words,
    .find_codes = find_codes,
    .find_marks = find_marks,
    .code_range = code_range,
    .codes_around = codes_around,
    .value_range = value_range,
    .gather_bytes = gather_bytes,
    .gather_words = gather_words,
    .read_floats = read_floats,
    .read_doubles = read_doubles,
    .mark_upto = mark_upto,
    .mark_below = mark_below,
    .part_samples = part_samples,
};

}  // namespace silvics
