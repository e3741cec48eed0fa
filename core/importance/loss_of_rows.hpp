// The loss of the prediction for a row, output by output.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "data/target.hpp"

namespace silvics {

struct LossOfRows {
    enum class Kind { error, log_loss, squared_error, absolute_error };
    // The parts that are reported separately: the rows of each class of a single output, or each
    // output.
    enum class Parts { none, classes, outputs };

    Kind kind = Kind::error;
    Parts parts = Parts::none;
    const Target& target;

    std::size_t n_parts() const {
        if (parts == Parts::none) return 1;
        return parts == Parts::classes ? target.n_classes[0] : target.n_outputs;
    }

    // use(part, loss of `after` minus loss of `before`). Without parts, it is the mean over
    // outputs.
    template <class Use>
    void for_parts(std::size_t row, std::span<const double> before, std::span<const double> after,
                   Use&& use) const {
        double sum = 0.0;
        std::size_t first = 0;
        for (std::size_t k = 0; k < target.n_outputs; ++k) {
            const std::size_t width = target.classification() ? target.n_classes[k] : 1;
            const double change = of_output(row, k, after.subspan(first, width)) -
                                  of_output(row, k, before.subspan(first, width));
            if (parts == Parts::outputs) use(k, change);
            sum += change;
            first += width;
        }
        if (parts == Parts::classes) use(target.classes[row], sum);
        if (parts == Parts::none) use(0, sum / static_cast<double>(target.n_outputs));
    }

private:
    double of_output(std::size_t row, std::size_t k, std::span<const double> predicted) const {
        const std::size_t at = k * target.n_rows + row;
        if (target.classification()) {
            const std::size_t true_class = target.classes[at];
            if (kind == Kind::error)  // the first of ties
                return std::ranges::max_element(predicted) - predicted.begin() !=
                               static_cast<std::ptrdiff_t>(true_class)
                           ? 1.0
                           : 0.0;
            return -std::log(
                std::clamp(predicted[true_class], std::numeric_limits<double>::epsilon(), 1.0));
        }
        const double residual = predicted[0] - target.original[at];
        return kind == Kind::squared_error ? residual * residual : std::abs(residual);
    }
};

}  // namespace silvics
