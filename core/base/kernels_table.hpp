// The table of the kernels, included by one source file for each kind of processor. SILVICS_KERNELS
// is the name of the table in that file, SILVICS_KERNELS_NAME the name that SILVICS_CPU selects it
// by.
#include "base/kernels_classes.hpp"
#include "base/kernels_codes.hpp"
#include "base/kernels_cuts.hpp"
#include "base/kernels_deviance.hpp"
#include "base/kernels_histogram.hpp"
#include "base/kernels_partition.hpp"
#include "base/kernels_rounded.hpp"
#include "base/kernels_sums.hpp"
#include "base/kernels_values.hpp"

namespace silvics {

extern const Kernels SILVICS_KERNELS;
const Kernels SILVICS_KERNELS = {
    .name = SILVICS_KERNELS_NAME,
    .rank_keys = rank_keys,
    .score_cuts = score_cuts,
    .score_planes = score_planes,
    .bins_above_bound = bins_above_bound,
    .score_deviances = score_deviances,
    .bins_above_deviance = bins_above_deviance,
    .score_class_bins = score_class_bins,
    .pack_classes = pack_classes,
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
    .sum_deviances = sum_deviances,
    .sum_rounded = sum_rounded,
    .sum_rounded_marked = sum_rounded_marked,
    .sum_rounded_below = sum_rounded_below,
    .sum_rounded_upto = sum_rounded_upto,
    .make_rounded_moments = make_rounded_moments,
    .whole_number_range = whole_number_range,
    .offsets = offsets,
    .add_words_to_bins = add_words_to_bins,
    .add_moments_to_bins = add_moments_to_bins,
    .prefix_sum_words = prefix_sum_words,
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
    .partition_samples = partition_samples,
};

}  // namespace silvics
