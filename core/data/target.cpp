#include "data/target.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "data/sorted_values.hpp"

namespace silvics {
namespace {

double middle_of_distinct(std::span<const double> values) {
    const SortedValues sorted(values, StopFlag{});
    std::size_t before = (sorted.n_distinct() - 1) / 2 + 1, i = 0;
    while ((before -= sorted.another(i)) > 0) ++i;
    return values[sorted.row(i)];
}

}  // namespace

std::size_t Target::value_width() const {
    return classification() ? std::accumulate(n_classes.begin(), n_classes.end(), std::size_t{0})
                            : n_outputs;
}

// Both functions take y as the caller stores it, row by row.
Target class_target(std::span<const std::int64_t> y, std::size_t n_rows,
                    std::vector<ClassId> n_classes) {
    Target target;
    target.n_rows = n_rows;
    target.n_outputs = n_classes.size();
    if (n_classes.empty() || y.size() != n_rows * n_classes.size())
        throw std::invalid_argument("y does not have one class per row and output");
    target.classes.resize(y.size());
    for (std::size_t i = 0; i < n_rows; ++i)
        for (std::size_t k = 0; k < n_classes.size(); ++k) {
            const std::int64_t label = y[i * n_classes.size() + k];
            if (label < 0 || label >= std::int64_t{n_classes[k]})
                throw std::invalid_argument("a class number of y is out of range");
            target.classes[k * n_rows + i] = static_cast<ClassId>(label);
        }
    target.n_classes = std::move(n_classes);
    return target;
}

Target real_target(std::span<const double> y, std::size_t n_rows, std::size_t n_outputs,
                   bool centred, std::span<const double> weights,
                   std::shared_ptr<const void> holder) {
    Target target;
    target.n_rows = n_rows;
    target.n_outputs = n_outputs;
    if (n_rows == 0 || n_outputs == 0 || y.size() != n_rows * n_outputs)
        throw std::invalid_argument("y does not have one value per row and output");
    if (!weights.empty() && weights.size() != n_rows)
        throw std::invalid_argument("sample_weight does not have one value per row");
    if (!std::ranges::all_of(y, [](double v) { return std::isfinite(v); }))
        throw std::invalid_argument("Input y contains NaN or infinity.");
    if (holder != nullptr && n_outputs == 1) {
        target.original = y;
        target.holder = std::move(holder);
    } else {
        auto own = std::make_shared_for_overwrite<double[]>(y.size());
        for (std::size_t i = 0; i < n_rows; ++i)
            for (std::size_t k = 0; k < n_outputs; ++k) own[k * n_rows + i] = y[i * n_outputs + k];
        target.original = {own.get(), y.size()};
        target.holder = std::move(own);
    }
    target.centre.assign(n_outputs, 0.0);
    double largest = 0.0;  // half of the largest deviation: the deviation itself may overflow
    for (std::size_t k = 0; k < n_outputs; ++k) {
        std::vector<double> used;
        used.reserve(n_rows);
        for (std::size_t i = 0; i < n_rows; ++i)
            if (weights.empty() || weights[i] > 0.0)
                used.push_back(target.original[k * n_rows + i]);
        if (used.empty()) continue;
        if (centred) target.centre[k] = middle_of_distinct(used);
        const auto [low, high] = std::ranges::minmax(used);
        for (const double end : {low, high})
            largest = std::max(largest, std::fabs(end / 2 - target.centre[k] / 2));
    }
    if (largest > 0.0)
        target.scale = std::ldexp(1.0, -std::clamp(std::ilogb(largest) + 2, -1000, 1022));
    return target;
}

}  // namespace silvics
