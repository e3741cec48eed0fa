// The output variables: class numbers, or real numbers made safe for summing.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace silvics {

struct Target {
    std::size_t n_rows = 0, n_outputs = 1;

    // Classification: class of row i for output k at [k * n_rows + i].
    std::vector<ClassId> n_classes;  // per output; empty for regression
    std::vector<ClassId> classes;

    // Regression: output k of row i at [k * n_rows + i].
    std::span<const double> original;
    std::shared_ptr<const void> holder;  // of their memory
    // The centre is a value of the output itself, the median of its distinct values, and the scale
    // a power of two, so that y + 1e9 and 1e300 * y lose nothing that the doubles still hold.
    std::vector<double> centre;
    double scale = 1.0;

    // (original - centre) * scale, what criteria reckon with.
    double value(std::size_t k, RowId row) const { return scaled(k, original[k * n_rows + row]); }
    // The same of any value of output k.
    double scaled(std::size_t k, double y) const {
        const double difference = y - centre[k];
        return std::isfinite(difference) ? difference * scale : y * scale - centre[k] * scale;
    }
    // A value of output k in the user's units. Added while still scaled: the sum may be finite
    // where its parts are not.
    double unscaled(std::size_t k, double value) const {
        return (value + centre[k] * scale) / scale;
    }

    // Whether output k is one and the same in all rows. Asked of the original: values that differ
    // by less than the centre's precision are different values.
    bool same_value(std::size_t k, std::span<const RowId> rows) const {
        const double* of_row = original.data() + k * n_rows;
        return std::ranges::all_of(rows, [&](RowId r) { return of_row[r] == of_row[rows[0]]; });
    }

    bool classification() const { return !n_classes.empty(); }
    // Width of a node's value: all classes of all outputs, or one number per output.
    std::size_t value_width() const;
};

Target class_target(std::span<const std::int64_t> y, std::size_t n_rows,
                    std::vector<ClassId> n_classes);
// `centred` is false for criteria that need the values' signs (Poisson). Rows of weight zero
// have no say in centre and scale; no weights: all have. One output that something holds is not
// copied.
Target real_target(std::span<const double> y, std::size_t n_rows, std::size_t n_outputs,
                   bool centred, std::span<const double> weights = {},
                   std::shared_ptr<const void> holder = nullptr);

}  // namespace silvics
