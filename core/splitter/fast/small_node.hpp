// The sorted codes of a node of few samples. Half of the nodes of a full tree are that small, and
// unpredictable branches would dominate their cost: the number of samples is therefore a template
// parameter.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "splitter/gather.hpp"

namespace silvics {

// Batcher's sorting network: the pairs to compare and exchange, in this order, to sort any N keys.
template <std::size_t N>
struct SortingNetwork {
    struct Pair {
        std::uint8_t low, high;
    };

    template <class Visit>
    static constexpr void visit(Visit&& pair) {
        for (std::size_t p = 1; p < N; p *= 2)
            for (std::size_t k = p; k >= 1; k /= 2)
                for (std::size_t j = k % p; j + k < N; j += 2 * k)
                    for (std::size_t i = 0; i < k && i + j + k < N; ++i)
                        if ((i + j) / (2 * p) == (i + j + k) / (2 * p)) pair(i + j, i + j + k);
    }
    static constexpr std::size_t kSize = [] {
        std::size_t size = 0;
        visit([&](std::size_t, std::size_t) { ++size; });
        return size;
    }();
    static constexpr std::array<Pair, kSize> kPairs = [] {
        std::array<Pair, kSize> pairs{};
        std::size_t at = 0;
        visit([&](std::size_t low, std::size_t high) {
            pairs[at++] = {static_cast<std::uint8_t>(low), static_cast<std::uint8_t>(high)};
        });
        return pairs;
    }();

    template <class T>
    static void sort(std::array<T, N>& keys) {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (exchange(keys[kPairs[I].low], keys[kPairs[I].high]), ...);
        }(std::make_index_sequence<kSize>{});
    }

private:
    template <class T>
    static void exchange(T& a, T& b) {
        const T low = std::min(a, b);
        b = std::max(a, b);
        a = low;
    }
};

template <std::size_t N>
class SmallNode {
public:
    SmallNode(const Column& column, const RowId* rows) {
        const CodeView& view = column.view(N);
        view.visit([&](const auto* from) {
            for (std::size_t i = 0; i < N; ++i)
                keys_[i] = static_cast<std::uint32_t>(from[rows[i] * view.stride]) << kShift |
                           static_cast<std::uint32_t>(i);
        });
        SortingNetwork<N>::sort(keys_);
    }

    // The code and the position of the k-th sample by code; equals are in row order.
    Code code(std::size_t k) const { return keys_[k] >> kShift; }
    Position position(std::size_t k) const { return keys_[k] & ((1U << kShift) - 1); }
    bool constant() const { return code(0) == code(N - 1); }
    // Whether a cut may lie right after the k-th sample.
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

inline constexpr std::size_t kMaxSmallNode = 8;

// Calls f(std::integral_constant<std::size_t, n>{}) for n from 2 to kMaxSmallNode.
template <std::size_t N = 2, class F>
decltype(auto) with_constant(std::size_t n, F&& f) {
    if constexpr (N < kMaxSmallNode)
        if (n != N) return with_constant<N + 1>(n, std::forward<F>(f));
    return f(std::integral_constant<std::size_t, N>{});
}

}  // namespace silvics
