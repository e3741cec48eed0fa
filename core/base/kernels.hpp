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

// Adding and taking away one of these rounds to a multiple of the grid.
struct OutputGrid {
    double high = 0.0, low = 0.0;

    double high_part(double y) const { return (y + high) - high; }
    double low_part(double y, double h) const { return ((y - h) + low) - low; }
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
    // Of those marked by one and not by zero.
    std::uint64_t (*sum_words_marked)(const std::uint64_t* words, const std::uint8_t* marks,
                                      std::size_t n);
    // Of those whose code is below the limit.
    std::uint64_t (*sum_words_below)(const std::uint16_t* codes, const std::uint64_t* words,
                                     std::size_t n, std::uint32_t limit);
    // Of those whose value is not above the limit.
    std::uint64_t (*sum_words_upto)(const double* values, const std::uint64_t* words, std::size_t n,
                                    double limit);
    // Sums of w, w h and w l, where y = h + l on two grids (see exact_squared_error.hpp); the same
    // of those marked, of those below, and of those up to a limit. All of these sums are exact.
    // Without weights all are one.
    void (*sum_outputs)(const OutputGrid& grid, const double* weights, const double* y,
                        std::size_t n, double* sums);
    void (*sum_outputs_marked)(const OutputGrid& grid, const double* weights, const double* y,
                               const std::uint8_t* marks, std::size_t n, double* sums);
    void (*sum_outputs_below)(const OutputGrid& grid, const std::uint16_t* codes,
                              const double* weights, const double* y, std::size_t n,
                              std::uint32_t limit, double* sums);
    void (*sum_outputs_upto)(const OutputGrid& grid, const double* values, const double* weights,
                             const double* y, std::size_t n, double limit, double* sums);
    // w, w h, w l and w (y - mean)^2 of each.
    void (*make_moments)(const OutputGrid& grid, const double* weights, const double* y,
                         std::size_t n, double mean, double* moments);
    // Sum of w (y - mean)^2, in four lanes.
    double (*sum_squares)(const double* weights, const double* y, std::size_t n, double mean);
    // The least and the largest value, and whether all are whole numbers of 31 bits (so no NaN).
    bool (*survey)(const double* values, std::size_t n, double* low, double* high);
    // offsets[i] = values[i] - low, which fits.
    void (*offsets)(const double* values, std::size_t n, double low, std::uint16_t* offsets);
    // bins[(codes[i] - low) >> shift] += samples[i], of one word each, or of four numbers. Samples
    // take turns at four tables of bins that stand so far apart, or all go to one.
    void (*add_words)(const std::uint16_t* codes, std::size_t n, std::uint32_t low, int shift,
                      const std::uint64_t* samples, std::uint64_t* bins, std::size_t apart);
    void (*add_fours)(const std::uint16_t* codes, std::size_t n, std::uint32_t low, int shift,
                      const double* samples, double* bins, std::size_t apart);
    // Running sums: words[i] becomes the sum of those up to it, and its halves are told.
    void (*run_words)(std::uint64_t* words, std::size_t n, double* upper, double* lower);
    // Positions of the codes in [low, low + width[, ascending; returns how many. There must be
    // room for one more.
    std::size_t (*find_codes)(const std::uint16_t* codes, std::size_t n, std::uint32_t low,
                              std::uint32_t width, std::uint32_t* positions);
    // The same of the marks that are so.
    std::size_t (*find_marks)(const std::uint8_t* marks, std::size_t n, std::uint8_t mark,
                              std::uint32_t* positions);
    // The least and the largest.
    void (*code_range)(const std::uint16_t* codes, std::size_t n, std::uint16_t* low,
                       std::uint16_t* high);
    // The largest code below the limit and the least one of the others; there are both.
    void (*codes_around)(const std::uint16_t* codes, std::size_t n, std::uint16_t limit,
                         std::uint16_t* below, std::uint16_t* above);
    // The least and the largest; there is one at least.
    void (*value_range)(const double* values, std::size_t n, double* low, double* high);
    // The codes of some rows, that stand so many apart.
    void (*gather_bytes)(const std::uint8_t* codes, std::size_t stride, const std::uint32_t* rows,
                         std::size_t n, std::uint16_t* gathered);
    void (*gather_words)(const std::uint16_t* codes, std::size_t stride, const std::uint32_t* rows,
                         std::size_t n, std::uint16_t* gathered);
    // The values of some rows of a column, whose cells are so many bytes apart; and their range.
    void (*read_floats)(const void* column, std::ptrdiff_t stride, const std::uint32_t* rows,
                        std::size_t n, double* values, double* low, double* high);
    void (*read_doubles)(const void* column, std::ptrdiff_t stride, const std::uint32_t* rows,
                         std::size_t n, double* values, double* low, double* high);
    // goes[i] = values[i] <= limit, one or zero; returns how many.
    std::size_t (*mark_upto)(const double* values, std::size_t n, double limit, std::uint8_t* goes);
    // goes[i] = codes[i] < limit, one or zero; returns how many.
    std::size_t (*mark_below)(const std::uint16_t* codes, std::size_t n, std::uint32_t limit,
                              std::uint8_t* goes);
    // Those that go left first, both sides in the order they had: rows, and one or two arrays of
    // eight bytes each. There must be room aside for three words for each, and 12 more.
    void (*part_samples)(const std::uint8_t* goes_left, std::size_t n, std::uint32_t* rows,
                         void* first, void* second, std::uint64_t* buffer);
};

// The best for this processor, or what SILVICS_CPU names: "portable" or "avx2".
const Kernels& kernels();

}  // namespace silvics
