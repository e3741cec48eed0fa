// The codes of a node of few samples, sorted. Half of a full tree's nodes are as small as that, and
// what they cost is branches that cannot be foreseen: so their number is a constant here.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "splitter/gather.hpp"

namespace silvics {

template <std::size_t N>
class FewSamples {
public:
    FewSamples(const NumericColumn& column, const RowId* rows) {
        const CodeView& view = column.view(N);
        view.visit([&](const auto* from) {
            for (std::size_t i = 0; i < N; ++i)
                keys_[i] = static_cast<std::uint32_t>(from[rows[i] * view.stride]) << kShift |
                           static_cast<std::uint32_t>(i);
        });
        // Exchanges of neighbours, odd and even in turn, sort any N in N rounds.
        for (std::size_t round = 0; round < N; ++round)
            for (std::size_t i = round % 2; i + 1 < N; i += 2) {
                const std::uint32_t a = keys_[i], b = keys_[i + 1];
                keys_[i] = std::min(a, b);
                keys_[i + 1] = std::max(a, b);
            }
    }

    // Of the k-th by code, in row order among equals.
    Code code(std::size_t k) const { return keys_[k] >> kShift; }
    Position position(std::size_t k) const { return keys_[k] & ((1U << kShift) - 1); }
    bool constant() const { return code(0) == code(N - 1); }
    // Whether a cut may lie right after the k-th.
    bool cut_after(std::size_t k) const { return code(k) != code(k + 1); }
    bool all_differ() const {
        bool differ = true;
        for (std::size_t k = 0; k + 1 < N; ++k) differ &= cut_after(k);
        return differ;
    }
    Cut cut(std::size_t k, double score) const {
        return {score, code(k + 1), false, position(k), position(k + 1), 0.0, code(k)};
    }

private:
    static constexpr int kShift = 8;
    std::array<std::uint32_t, N> keys_;
};

// f(std::integral_constant<std::size_t, n>{}) for n from 2 to 8.
inline constexpr std::size_t kMostOfFew = 8;
template <class F>
decltype(auto) with_constant(std::size_t n, F&& f) {
    switch (n) {
        case 2:
            return f(std::integral_constant<std::size_t, 2>{});
        case 3:
            return f(std::integral_constant<std::size_t, 3>{});
        case 4:
            return f(std::integral_constant<std::size_t, 4>{});
        case 5:
            return f(std::integral_constant<std::size_t, 5>{});
        case 6:
            return f(std::integral_constant<std::size_t, 6>{});
        case 7:
            return f(std::integral_constant<std::size_t, 7>{});
        default:
            return f(std::integral_constant<std::size_t, 8>{});
    }
}

}  // namespace silvics
