// The loops of kernels.hpp, included by one file per kind of processor (SILVICS_KERNELS is the
// name of the table). Plain loops over pointers: nothing from a library, so that no inline
// function compiled for a newer processor can end up where an older one calls it.
#include "base/kernels.hpp"

namespace silvics {
namespace {

void rank_keys(const std::uint32_t* keys, std::size_t n, std::size_t padded,
               std::uint32_t* ranks) {
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

double score_cuts(const CutSums& sums, std::size_t n, double* score) {
    const double *w = sums.weight, *t = sums.term;
    const double W = sums.node_weight, T = sums.node_term, factor = sums.factor;
    for (std::size_t j = 0; j < n; ++j) {
        const double d = t[j] * W - T * w[j];
        score[j] = factor * (d * d) / (w[j] * (W - w[j]));
    }
    double best[4] = {score[0], score[0], score[0], score[0]};
    std::size_t j = 0;
    for (; j + 4 <= n; j += 4)
        for (int l = 0; l < 4; ++l) best[l] = score[j + l] > best[l] ? score[j + l] : best[l];
    for (; j < n; ++j) best[0] = score[j] > best[0] ? score[j] : best[0];
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
        const bool may_be = (factor * (a0 * a0) >= b0 || factor * (a1 * a1) >= b1) && spread[b] > 0.0;
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

std::uint64_t sum_words_below(const std::uint16_t* codes, const std::uint64_t* words,
                              std::size_t n, std::uint32_t limit) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < n; ++i)
        sum += words[i] & (codes[i] < limit ? ~std::uint64_t{0} : std::uint64_t{0});
    return sum;
}

void sum_fours_marked(const double* fours, const std::uint8_t* marks, std::size_t n,
                      double* sums) {
    typedef double Four __attribute__((vector_size(32)));
    typedef std::int64_t Mask __attribute__((vector_size(32)));
    Four sum = {0.0, 0.0, 0.0, 0.0};
    for (std::size_t i = 0; i < n; ++i) {
        Four four;
        __builtin_memcpy(&four, fours + 4 * i, sizeof four);
        const std::int64_t bits = -static_cast<std::int64_t>(marks[i]);
        const Mask mask = {bits, bits, bits, bits};
        sum += (Four)((Mask)four & mask);
    }
    __builtin_memcpy(sums, &sum, sizeof sum);
}

std::size_t find_codes(const std::uint16_t* codes, std::size_t n, std::uint32_t low,
                       std::uint32_t width, std::uint32_t* positions) {
    constexpr std::size_t kBlock = 32;
    const auto first = static_cast<std::uint16_t>(low), last = static_cast<std::uint16_t>(width - 1);
    const auto within = [=](std::uint16_t code) {
        return static_cast<std::uint16_t>(code - first) <= last;
    };
    std::size_t found = 0, begin = 0;
    for (; begin + kBlock <= n; begin += kBlock) {
        std::uint16_t any = 0;
        for (std::size_t i = 0; i < kBlock; ++i) any |= within(codes[begin + i]);
        if (any == 0) continue;
        for (std::size_t i = begin; i < begin + kBlock; ++i) {
            positions[found] = static_cast<std::uint32_t>(i);
            found += within(codes[i]);
        }
    }
    for (; begin < n; ++begin) {
        positions[found] = static_cast<std::uint32_t>(begin);
        found += within(codes[begin]);
    }
    return found;
}

void code_range(const std::uint16_t* codes, std::size_t n, std::uint16_t* low,
                std::uint16_t* high) {
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

std::size_t mark_below(const std::uint16_t* codes, std::size_t n, std::uint32_t limit,
                       std::uint8_t* goes) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) {
        goes[i] = codes[i] < limit;
        count += goes[i];
    }
    return count;
}

}  // namespace

extern const Kernels SILVICS_KERNELS;
const Kernels SILVICS_KERNELS = {
    SILVICS_KERNELS_NAME, rank_keys,  score_cuts, bins_that_may, sum_words,
    sum_words_below, sum_fours_marked, find_codes, code_range, codes_around, mark_below};

}  // namespace silvics
