// The innermost loops, compiled once for any processor and once for processors with AVX2, and
// selected at run time. Both versions do the same operations in the same order and give the same
// bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace silvics {

// Sums of weights and of outputs left of each cut, and those of the node.
struct CutSums {
    const double* weight;
    const double* sum_y;
    double node_weight, node_sum_y, factor;
};

// Rows of sums left of each cut, one plane after another: the weights first, then each term. The
// sums of the node are in the same order.
struct CutPlanes {
    const double* left;
    std::size_t stride, n_terms;  // doubles between planes; terms besides the weight
    const double* node;
    double factor;
};

// Weights of the samples in the first bins of a variable: all of them, and by class, in planes of n
// + 1 numbers that begin with zero. Number b + 1 is the weight in the bins up to and including b.
struct ClassBins {
    const std::uint32_t* weight;
    const std::uint32_t* classes;
    std::size_t n, n_classes;
};

// Magic-number rounding: (y + high) - high rounds y to a multiple of the coarse grid, and `low`
// does the same for what that leaves.
struct OutputGrid {
    double high = 0.0, low = 0.0;

    double high_part(double y) const { return (y + high) - high; }
    double low_part(double y, double h) const { return ((y - h) + low) - low; }
};

// Magic-number rounding of weights, and of their products with outputs. No weight is rounded to
// less than the unit of its grid.
struct RoundingGrid {
    double weight = 0.0, least_weight = 0.0, sum = 0.0;
};

struct Kernels {
    const char* name;

    // ranks[i] is the number of keys[0 .. n) that are smaller than keys[i]. The arrays are padded
    // to a multiple of eight.
    void (*rank_keys)(const std::uint32_t* keys, std::size_t n, std::size_t padded,
                      std::uint32_t* ranks);
    // score[j] = factor * d^2 / (w (W - w)) with d = t W - T w. Returns the largest score.
    double (*score_cuts)(const CutSums& sums, std::size_t n, double* score);
    // The same with d^2 summed over several terms, in their order.
    void (*score_planes)(const CutPlanes& planes, std::size_t n, double* score);
    // open[b] is one if a cut within bin b could score `wanted` or more, by an upper bound; the
    // sums at the ends of the bin are sums[b - 1] and sums[b], and spread[b] is its weight times
    // its sum of squares around its mean. Covers bins 1 .. n - 2 and returns how many are open.
    std::size_t (*bins_above_bound)(const CutSums& sums, const double* spread, std::size_t n,
                                    double wanted, std::uint8_t* open);
    // score[j] = t ln(t / w) + (T - t) ln((T - t) / (W - w)); minus infinity if the sum of a side
    // is zero. Returns the largest score.
    double (*score_deviances)(const CutSums& sums, std::size_t n, double* score);
    // The same as bins_above_bound for these scores, given those of the cuts at the ends of bins.
    // Bins with a spread of zero are not open.
    std::size_t (*bins_above_deviance)(const CutSums& sums, const double* score,
                                       const double* spread, std::size_t n, double wanted,
                                       std::uint8_t* open);
    // The score of the cut after each bin: the sum over classes of (l W - n L)^2 over L (W - L),
    // where node has W and the weights n. bound[b] is an upper bound on the scores of cuts within
    // bin b; minus infinity if it is pure. There must be four bins at least; the score of the last
    // and the bounds of the first and the last mean nothing.
    void (*score_class_bins)(const ClassBins& bins, const double* node, double* score,
                             double* bound);
    // words[i] = w << class * bits for a sample whose upper half is the weight w and whose lower
    // half the class. Returns the sum of the words, and writes that of the weights. Words may be
    // null.
    std::uint64_t (*pack_classes)(const std::uint64_t* samples, std::size_t n, unsigned bits,
                                  std::uint64_t* words, std::uint64_t* weight);
    std::uint64_t (*sum_words)(const std::uint64_t* words, std::size_t n);
    // The sum of the words marked by one.
    std::uint64_t (*sum_words_marked)(const std::uint64_t* words, const std::uint8_t* marks,
                                      std::size_t n);
    // The sum of the words whose code is below the limit.
    std::uint64_t (*sum_words_below)(const std::uint16_t* codes, const std::uint64_t* words,
                                     std::size_t n, std::uint32_t limit);
    // The sum of the words whose value is at most the limit.
    std::uint64_t (*sum_words_upto)(const double* values, const std::uint64_t* words, std::size_t n,
                                    double limit);
    // Sums of w, w h and w l, where y = h + l on two grids (see exact_squared_error.hpp), over all
    // samples, the marked ones, those whose code is below a limit, and those whose value is at
    // most a limit. All of these sums are exact. Null weights mean that every weight is one.
    void (*sum_outputs)(const OutputGrid& grid, const double* weights, const double* y,
                        std::size_t n, double* sums);
    void (*sum_outputs_marked)(const OutputGrid& grid, const double* weights, const double* y,
                               const std::uint8_t* marks, std::size_t n, double* sums);
    void (*sum_outputs_below)(const OutputGrid& grid, const std::uint16_t* codes,
                              const double* weights, const double* y, std::size_t n,
                              std::uint32_t limit, double* sums);
    void (*sum_outputs_upto)(const OutputGrid& grid, const double* values, const double* weights,
                             const double* y, std::size_t n, double limit, double* sums);
    // Writes w, w h, w l and w (y - mean)^2 of each sample.
    void (*make_moments)(const OutputGrid& grid, const double* weights, const double* y,
                         std::size_t n, double mean, double* moments);
    // Returns the sum of w (y - mean)^2, added up in four lanes.
    double (*sum_squares)(const double* weights, const double* y, std::size_t n, double mean);
    // The same of w y ln(y / mean), for y of at least zero.
    double (*sum_deviances)(const double* weights, const double* y, std::size_t n, double mean);
    // Sums of rounded weights and of rounded products of these with y, over the same samples as
    // sum_outputs: two numbers.
    void (*sum_rounded)(const RoundingGrid& grid, const double* weights, const double* y,
                        std::size_t n, double* sums);
    void (*sum_rounded_marked)(const RoundingGrid& grid, const double* weights, const double* y,
                               const std::uint8_t* marks, std::size_t n, double* sums);
    void (*sum_rounded_below)(const RoundingGrid& grid, const std::uint16_t* codes,
                              const double* weights, const double* y, std::size_t n,
                              std::uint32_t limit, double* sums);
    void (*sum_rounded_upto)(const RoundingGrid& grid, const double* values, const double* weights,
                             const double* y, std::size_t n, double limit, double* sums);
    // Writes both of each sample, zero, and w (t / w - mean)^2 of these.
    void (*make_rounded_moments)(const RoundingGrid& grid, const double* weights, const double* y,
                                 std::size_t n, double mean, double* moments);
    // Finds the smallest and the largest value, and returns whether all are whole numbers of 31
    // bits (and none is NaN).
    bool (*whole_number_range)(const double* values, std::size_t n, double* low, double* high);
    // offsets[i] = values[i] - low, which must fit.
    void (*offsets)(const double* values, std::size_t n, double low, std::uint16_t* offsets);
    // bins[(codes[i] - low) >> shift] += samples[i], where a sample is one word, or a moment of
    // four numbers. With a stride, samples alternate between four tables of bins that are `stride`
    // bins apart; a stride of zero means one table.
    void (*add_words_to_bins)(const std::uint16_t* codes, std::size_t n, std::uint32_t low,
                              int shift, const std::uint64_t* samples, std::uint64_t* bins,
                              std::size_t stride);
    void (*add_moments_to_bins)(const std::uint16_t* codes, std::size_t n, std::uint32_t low,
                                int shift, const double* samples, double* bins, std::size_t stride);
    // Prefix sums: words[i] becomes the sum of words[0 .. i], and its upper and lower half are
    // written as doubles.
    void (*prefix_sum_words)(std::uint64_t* words, std::size_t n, double* upper, double* lower);
    // Writes the positions of the codes in [low, low + width) in ascending order and returns how
    // many there are. The buffer must hold one position more.
    std::size_t (*find_codes)(const std::uint16_t* codes, std::size_t n, std::uint32_t low,
                              std::uint32_t width, std::uint32_t* positions);
    // The same for the marks that are equal to `mark`.
    std::size_t (*find_marks)(const std::uint8_t* marks, std::size_t n, std::uint8_t mark,
                              std::uint32_t* positions);
    // Finds the smallest and the largest code.
    void (*code_range)(const std::uint16_t* codes, std::size_t n, std::uint16_t* low,
                       std::uint16_t* high);
    // Finds the largest code below the limit and the smallest code at or above it. Both must
    // exist.
    void (*codes_around)(const std::uint16_t* codes, std::size_t n, std::uint16_t limit,
                         std::uint16_t* below, std::uint16_t* above);
    // Finds the smallest and the largest of at least one value.
    void (*value_range)(const double* values, std::size_t n, double* low, double* high);
    // Copies the codes of some rows, which are `stride` codes apart.
    void (*gather_bytes)(const std::uint8_t* codes, std::size_t stride, const std::uint32_t* rows,
                         std::size_t n, std::uint16_t* gathered);
    void (*gather_words)(const std::uint16_t* codes, std::size_t stride, const std::uint32_t* rows,
                         std::size_t n, std::uint16_t* gathered);
    // Reads the values of some rows of a column, whose cells are `stride` bytes apart, and finds
    // their range.
    void (*read_floats)(const void* column, std::ptrdiff_t stride, const std::uint32_t* rows,
                        std::size_t n, double* values, double* low, double* high);
    void (*read_doubles)(const void* column, std::ptrdiff_t stride, const std::uint32_t* rows,
                         std::size_t n, double* values, double* low, double* high);
    // goes[i] = values[i] <= limit, one or zero. Returns the number of ones.
    std::size_t (*mark_upto)(const double* values, std::size_t n, double limit, std::uint8_t* goes);
    // goes[i] = codes[i] < limit, one or zero. Returns the number of ones.
    std::size_t (*mark_below)(const std::uint16_t* codes, std::size_t n, std::uint32_t limit,
                              std::uint8_t* goes);
    // Stable partition: samples that go left come first. Moves rows and one or two arrays of eight
    // bytes per sample. The buffer must hold three words for each sample and 12 more.
    void (*partition_samples)(const std::uint8_t* goes_left, std::size_t n, std::uint32_t* rows,
                              void* first, void* second, std::uint64_t* buffer);
};

// The best table for this processor, or the one that SILVICS_CPU names: "portable" or "avx2".
const Kernels& kernels();

}  // namespace silvics
