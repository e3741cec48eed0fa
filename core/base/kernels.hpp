// The innermost loops, compiled once for any processor and once for newer ones, and picked at
// run time. Both do the same operations in the same order: they give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace silvics {

// Sums left of a cut, and those of the node.
struct CutSums {
    const double* weight;
    const double* term;
    double node_weight, node_term, factor;
};

struct Kernels {
    const char* name;

    // ranks[i]: how many of keys[0 .. n) are below keys[i]; arrays are padded to whole eights.
    void (*rank_keys)(const std::uint32_t* keys, std::size_t n, std::size_t padded,
                      std::uint32_t* ranks);
    // score[j] = factor * d^2 / (w (W - w)), d = t W - T w; returns the largest.
    double (*score_cuts)(const CutSums& sums, std::size_t n, double* score);
    // may[b]: whether a cut within bin b, of which sums[b - 1] and sums[b] are the ends and
    // spread[b] is weight times the sum of squares around its mean, may score `wanted` or more.
    // For bins 1 .. n - 2; returns how many may.
    std::size_t (*bins_that_may)(const CutSums& sums, const double* spread, std::size_t n,
                                 double wanted, std::uint8_t* may);
    std::uint64_t (*sum_words)(const std::uint64_t* words, std::size_t n);
    // Of those whose code is below the limit.
    std::uint64_t (*sum_words_below)(const std::uint16_t* codes, const std::uint64_t* words,
                                     std::size_t n, std::uint32_t limit);
    // Of fours of numbers, those marked by one and not by zero.
    void (*sum_fours_marked)(const double* fours, const std::uint8_t* marks, std::size_t n,
                             double* sums);
    // Positions of the codes in [low, low + width[, ascending; returns how many. There must be
    // room for one more.
    std::size_t (*find_codes)(const std::uint16_t* codes, std::size_t n, std::uint32_t low,
                              std::uint32_t width, std::uint32_t* positions);
    // The least and the largest.
    void (*code_range)(const std::uint16_t* codes, std::size_t n, std::uint16_t* low,
                       std::uint16_t* high);
    // The largest code below the limit and the least one of the others; there are both.
    void (*codes_around)(const std::uint16_t* codes, std::size_t n, std::uint16_t limit,
                         std::uint16_t* below, std::uint16_t* above);
    // goes[i] = codes[i] < limit, one or zero; returns how many.
    std::size_t (*mark_below)(const std::uint16_t* codes, std::size_t n, std::uint32_t limit,
                              std::uint8_t* goes);
};

// The best for this processor, or what SILVICS_CPU names: "portable" or "avx2".
const Kernels& kernels();

}  // namespace silvics
