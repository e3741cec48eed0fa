// Rows of numbers that add up, whose width is known to the compiler if it is small.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace silvics {

template <std::size_t W>
using FixedWidth = std::integral_constant<std::size_t, W>;

// Calls f with the width, which is a constant from 2 to 4.
template <class F>
decltype(auto) with_width(std::size_t width, F&& f) {
    switch (width) {
        case 2:
            return f(FixedWidth<2>{});
        case 3:
            return f(FixedWidth<3>{});
        case 4:
            return f(FixedWidth<4>{});
        default:
            return f(width);
    }
}

// A sum of rows.
template <class Width>
class RowOf {
public:
    explicit RowOf(Width width) : width_(width) {
        if constexpr (!kFixed) sums_.assign(width, 0.0);
    }
    void set(const double* row) {
        for (std::size_t k = 0; k < width_; ++k) sums_[k] = row[k];
    }
    // Reads numbers that are `stride` apart.
    void set_from(const double* first, std::size_t stride) {
        for (std::size_t k = 0; k < width_; ++k) sums_[k] = first[k * stride];
    }
    void add(const double* row) {
        for (std::size_t k = 0; k < width_; ++k) sums_[k] += row[k];
    }
    // Adds the row if taken is one, and zeros if it is zero.
    void add_if(double taken, const double* row) {
        for (std::size_t k = 0; k < width_; ++k) sums_[k] += taken * row[k];
    }
    const double* data() const { return sums_.data(); }
    double operator[](std::size_t k) const { return sums_[k]; }

private:
    static constexpr bool kFixed = !std::is_same_v<Width, std::size_t>;

    static constexpr std::size_t fixed_width() {
        if constexpr (kFixed)
            return Width::value;
        else
            return 0;
    }

    [[no_unique_address]] Width width_;
    std::conditional_t<kFixed, std::array<double, fixed_width()>, std::vector<double>> sums_{};
};

}  // namespace silvics
