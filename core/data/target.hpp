// The output variables: class numbers, or real numbers scaled so that sums of them are safe.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "data/impurity_function.hpp"

namespace silvics {

struct Target {
    std::size_t n_rows = 0, n_outputs = 1;

    // Classification: class of row i for output k at [k * n_rows + i].
    std::vector<ClassId> n_classes;  // per output; empty for regression
    std::vector<ClassId> classes;

    // Regression: output k of row i at [k * n_rows + i].
    std::span<const double> original;
    std::shared_ptr<const void> holder;  // keeps the memory of `original` alive
    // The centre is a value of the output itself, the median of its distinct values, and the scale
    // is a power of two, so that y + 1e9 and 1e300 * y keep all digits that the doubles hold.
    std::vector<double> centre;
    double scale = 1.0;

    // The impurity, if it is a function of the user.
    std::shared_ptr<const ImpurityFunction> impurity;

    // (original - centre) * scale, the value that criteria sum.
    double value(std::size_t k, RowId row) const { return scaled(k, original[k * n_rows + row]); }
    // The same for any value of output k.
    double scaled(std::size_t k, double y) const {
        const double difference = y - centre[k];
        return std::isfinite(difference) ? difference * scale : y * scale - centre[k] * scale;
    }
    // Converts a value of output k back to the user's units. The centre is added while still
    // scaled: the sum may be finite where its unscaled parts are not.
    double unscaled(std::size_t k, double value) const {
        return (value + centre[k] * scale) / scale;
    }

    // Whether output k has the same value in all rows. The original values are compared, since
    // values that differ by less than the precision of the centre are different.
    bool same_value(std::size_t k, std::span<const RowId> rows) const {
        const double* of_row = original.data() + k * n_rows;
        return std::ranges::all_of(rows, [&](RowId r) { return of_row[r] == of_row[rows[0]]; });
    }

    bool classification() const { return !n_classes.empty(); }
    // Width of the value of a node: all classes of all outputs, or one number per output.
    std::size_t value_width() const;
};

Target class_target(std::span<const std::int64_t> y, std::size_t n_rows,
                    std::vector<ClassId> n_classes);
// `centred` is false for criteria that need the sign of the values (Poisson). Rows of weight zero
// do not influence centre and scale; without weights, all rows do. With a holder, a single output
// is not copied.
Target real_target(std::span<const double> y, std::size_t n_rows, std::size_t n_outputs,
                   bool centred, std::span<const double> weights = {},
                   std::shared_ptr<const void> holder = nullptr);

}  // namespace silvics
