// Does the output depend on a variable at all? A test of independence at a node (conditional
// inference, Hothorn et al. 2006), by which trees can stop before they fit noise (thesis 7.2.2).
//
// Given the values of both, all orders of the output are equally likely if there is no dependence.
// (n - 1) times the share of one that the other explains, summed over the dimensions of both, is
// then about chi-square: R^2 of two numbers, eta^2 of a number and classes, Pearson's statistic / n
// of two categories.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace silvics {

// P(X > x) of a chi-square variable.
double chi_square_tail(double x, double degrees);

// One side of the test: numbers, or numbers of classes, of which there are `n_classes`.
struct Margin {
    std::span<const double> values;
    std::span<const Code> classes;
    std::size_t n_classes = 0;  // 0: numbers
    std::size_t size() const { return n_classes == 0 ? values.size() : classes.size(); }
};

// How likely so strong a dependence is where there is none; one if either side is constant.
double p_value_of_independence(const Margin& x, const Margin& y, std::span<const double> weights);

}  // namespace silvics
