// The part of a leaf's value that a variable gets, by the number of variables that only one of two
// rows passes.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace silvics {

// (a - 1)! b! / (a + b)!, and zero for a of zero.
class SubsetWeights {
public:
    void prepare(std::size_t n_variables) {
        const std::size_t n = std::min(n_variables, kMostTabled) + 1;
        if (n <= n_) return;
        n_ = n;
        table_.assign(n * n, 0.0);
        // b! (a - 1)! / (a + b)!, in steps of b from 1 / a.
        for (std::size_t a = 1; a < n; ++a) {
            double weight = 1.0 / static_cast<double>(a);
            for (std::size_t b = 0; b < n; ++b) {
                if (b > 0) weight *= static_cast<double>(b) / static_cast<double>(a + b);
                table_[a * n + b] = weight;
            }
        }
    }
    double operator()(std::size_t a, std::size_t b) const {
        return a < n_ && b < n_ ? tabled(a, b) : computed(a, b);
    }
    // For numbers up to the prepared one, which is at most kMostTabled.
    double tabled(std::size_t a, std::size_t b) const { return table_[a * n_ + b]; }

    static constexpr std::size_t kMostTabled = 256;

private:
    static double computed(std::size_t a, std::size_t b) {
        if (a == 0) return 0.0;
        const double x = static_cast<double>(a), y = static_cast<double>(b);
        return std::exp(std::lgamma(x) + std::lgamma(y + 1.0) - std::lgamma(x + y + 1.0));
    }

    std::size_t n_ = 0;
    std::vector<double> table_;
};

}  // namespace silvics
