#include "importance/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace silvics {
namespace {

constexpr std::size_t kTableSize = 1 << 15;  // stays in the second-level cache

bool all_whole(std::span<const double> values) {
    return std::ranges::all_of(
        values, [](double v) { return v == std::floor(v) && v >= 0.0 && v < 0x1p52; });
}

}  // namespace

void check(const Distribution& d) {
    const auto require = [](bool right, const char* what) {
        if (!right) throw std::invalid_argument(what);
    };
    require(d.n_rows > 0 && d.n_rows < std::uint32_t(-1), "a distribution needs rows");
    require(d.n_variables > 0 && d.n_levels.size() == d.n_variables, "levels of each variable");
    require(d.levels.size() == d.n_rows * d.n_variables, "a level of each row and variable");
    require(d.width > 0 && d.statistics.size() == d.n_rows * d.width, "statistics of each row");
    require(d.impurity != Impurity::variance || d.width == 3, "three moments");
    for (std::size_t j = 0; j < d.n_variables; ++j)
        for (std::size_t r = 0; r < d.n_rows; ++r)
            require(d.levels_of(j)[r] < d.n_levels[j], "a level beyond those of its variable");
    require(std::ranges::all_of(d.statistics, [](double v) { return std::isfinite(v); }),
            "finite statistics");
    double whole = 0.0;
    for (std::size_t r = 0; r < d.n_rows; ++r)
        for (std::size_t c = 0; c < (d.impurity == Impurity::variance ? 1 : d.width); ++c) {
            require(d.statistics_of(r)[c] >= 0.0, "weights that are not negative");
            whole += d.statistics_of(r)[c];
        }
    require(whole > 0.0, "weights that are not all zero");
    require(d.values.empty() || d.values.size() == d.n_variables, "values of each variable");
    for (const std::vector<double>& values : d.values) {
        require(values.size() == d.n_levels[static_cast<std::size_t>(&values - d.values.data())],
                "a value of each level");
        require(std::isfinite(values.back() - values.front()), "values with a finite range");
        for (std::size_t l = 1; l < values.size(); ++l)
            require(values[l - 1] < values[l], "values that ascend");
    }
}

WeightedImpurity::WeightedImpurity(const Distribution& d) : impurity_(d.impurity), width_(d.width) {
    if (impurity_ == Impurity::variance || !all_whole(d.statistics)) return;
    counts_fit_ = std::accumulate(d.statistics.begin(), d.statistics.end(), 0.0) < 0x1p32;
    if (impurity_ != Impurity::entropy) return;
    table_.resize(kTableSize);
    for (std::size_t i = 0; i < kTableSize; ++i) table_[i] = x_log2_x(static_cast<double>(i));
}

double WeightedImpurity::weight(const double* s) const {
    if (impurity_ == Impurity::variance) return s[0];
    double sum = 0.0;
    for (std::size_t c = 0; c < width_; ++c) sum += s[c];
    return sum;
}

}  // namespace silvics
