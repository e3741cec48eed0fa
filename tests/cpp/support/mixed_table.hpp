// Tables of numbers and categories, with missing values, and outputs that depend on them.
#pragma once

#include <cmath>
#include <vector>

#include "splitter/other_columns.hpp"
#include "support/problem.hpp"

namespace silvics::test {

struct MixedTable {
    OtherTable of;
    std::vector<std::int64_t> n_levels;

    const Matrix& X() const { return *of.X; }
    const Table& table() const { return of.table(); }
    bool category(std::size_t j) const { return n_levels[j] >= 0; }
    // NaN where it is missing.
    double value(RowId row, std::size_t j) const {
        const double x = X().row(row)[j];
        return category(j) && x < 0.0 ? NAN : x;
    }
};

// Two columns of numbers without ties, one of them with missing values; one with ties; two
// categories, one of them with missing values.
inline MixedTable mixed_table(Rng& rng, std::size_t n, bool missing = true,
                              bool categories = true) {
    std::vector<std::int64_t> n_levels = {-1, -1, -1, 4, 7};
    if (!categories) n_levels.assign(5, -1);
    Matrix X = random_matrix(rng, n, 5);
    for (std::size_t i = 0; i < n; ++i) {
        double* const row = X.values.data() + i * 5;
        if (categories) {
            row[2] = std::floor(3.0 * row[2]);
            row[3] = static_cast<double>(pick(rng, 4));
            row[4] = static_cast<double>(pick(rng, 7));
        }
        if (!missing) continue;
        if (pick(rng, 4) == 0) row[1] = NAN;
        if (categories && pick(rng, 5) == 0) row[4] = pick(rng, 2) == 0 ? -1.0 : NAN;
    }
    return {other_table(std::move(X), n_levels), n_levels};
}

// With some noise; no two real outputs are equal.
inline double signal(const MixedTable& mixed, RowId row) {
    const double a = mixed.value(row, 0), b = mixed.value(row, 1), c = mixed.value(row, 4);
    return 2.0 * a + (std::isnan(b) ? 0.7 : b * b) + (c == 2.0 || c == 5.0 ? 1.0 : 0.0);
}

inline Target mixed_target(Rng& rng, const MixedTable& mixed, const std::vector<ClassId>& n_classes,
                           std::size_t n_outputs = 1) {
    const std::size_t n = mixed.X().rows;
    std::vector<std::int64_t> classes;
    std::vector<double> values;
    for (RowId row = 0; row < n; ++row) {
        for (const ClassId c : n_classes) {
            const double x = signal(mixed, row) + pick_real(rng, -1.0, 1.0) + 4.0;
            classes.push_back(static_cast<std::int64_t>(std::fmod(x, c)));
        }
        for (std::size_t k = 0; k < n_outputs; ++k)
            values.push_back(signal(mixed, row) + pick_real(rng, -0.5, 0.5));
    }
    return n_classes.empty() ? real_target(values, n, n_outputs, true)
                             : class_target(classes, n, n_classes);
}

}  // namespace silvics::test
