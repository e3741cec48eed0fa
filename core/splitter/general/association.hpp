// A test of independence of a variable and the output at a node (conditional inference, Hothorn et
// al. 2006), by which trees can stop before they fit noise (thesis 7.2.2).
//
// Under independence, all orders of the output are equally likely given the values of both. (n -
// 1) times the fraction of one that the other explains, summed over the dimensions of both, is
// then approximately chi-square: R^2 for two numbers, eta^2 for a number and classes, Pearson's
// statistic / n for two categories.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace silvics {

// P(X > x) of a chi-square variable.
double chi_square_tail(double x, double degrees);

// One side of the test: numbers, or class numbers below n_classes.
struct Margin {
    std::span<const double> values;
    std::span<const Code> classes;
    std::size_t n_classes = 0;  // 0: numbers
    std::size_t size() const { return n_classes == 0 ? values.size() : classes.size(); }
};

// The probability of so strong a dependence under independence; one if either side is constant.
double p_value_of_independence(const Margin& x, const Margin& y, std::span<const double> weights);

}  // namespace silvics
