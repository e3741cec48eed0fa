// A table taken as a distribution: its distinct rows, and the statistics of Y in each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/logarithm.hpp"

namespace silvics {

enum class Impurity { entropy, gini, variance };

struct Distribution {
    std::size_t n_rows = 0, n_variables = 0;
    std::span<const std::uint32_t>
        levels;  // the level of row r and variable j is at [j * n_rows + r]
    std::vector<std::uint32_t> n_levels;      // for each variable
    std::span<const double> statistics;       // `width` numbers per row: class weights, or
    std::size_t width = 0;                    //   weight, sum and sum of squares
    std::vector<std::vector<double>> values;  // of the levels, ascending; empty if unordered
    Impurity impurity = Impurity::entropy;

    const std::uint32_t* levels_of(std::size_t j) const { return &levels[j * n_rows]; }
    const double* statistics_of(std::size_t row) const { return &statistics[row * width]; }
};

// Throws std::invalid_argument unless sizes, levels and statistics are valid.
void check(const Distribution& distribution);

// Weight times impurity of a set of rows, from the sum of their statistics: doubles, or class
// counts. It is additive: the sum over the children of a split is lower by p(t) times the decrease.
class WeightedImpurity {
public:
    explicit WeightedImpurity(const Distribution& distribution);

    template <class Number>
    double operator()(const Number* statistics) const {
        switch (impurity_) {
            case Impurity::entropy:
                return entropy(statistics);
            case Impurity::gini:
                return gini(statistics);
            case Impurity::variance:
                return variance(statistics);
        }
        return 0.0;
    }
    double weight(const double* statistics) const;
    // Whether all statistics are counts whose sum fits 32 bits.
    bool has_counts() const { return counts_fit_; }

    template <class Number>
    double entropy_of_two(Number a, Number b) const {
        return x_log_x(a + b) - x_log_x(a) - x_log_x(b);
    }

private:
    template <class Number>
    double x_log_x(Number x) const {
        // Rounding may make a weight negative; it is not an index of the table.
        const bool negative = std::is_floating_point_v<Number> && x < Number{0};
        if (!negative && x < static_cast<Number>(table_.size()))
            return table_[static_cast<std::size_t>(x)];
        return x_log2_x(static_cast<double>(x));
    }
    template <class Number>
    double entropy(const Number* classes) const {
        Number whole = 0;
        double parts = 0.0;
        for (std::size_t c = 0; c < width_; ++c) {
            whole += classes[c];
            parts += x_log_x(classes[c]);
        }
        return x_log_x(whole) - parts;
    }
    template <class Number>
    double gini(const Number* classes) const {
        double whole = 0.0, squares = 0.0;
        for (std::size_t c = 0; c < width_; ++c) {
            const auto n = static_cast<double>(classes[c]);
            whole += n;
            squares += n * n;
        }
        return whole > 0.0 ? whole - squares / whole : 0.0;
    }
    template <class Number>
    double variance(const Number* s) const {
        if (!(s[0] > 0)) return 0.0;
        const auto sum = static_cast<double>(s[1]);
        return std::max(0.0, static_cast<double>(s[2]) - sum * sum / static_cast<double>(s[0]));
    }

    Impurity impurity_;
    std::size_t width_;
    bool counts_fit_ = false;
    std::vector<double> table_;  // x log2 x of whole numbers; empty unless all weights are whole
};

}  // namespace silvics
