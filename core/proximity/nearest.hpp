// The largest values of a row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace silvics {

class Nearest {
public:
    struct Neighbor {
        double value = 0.0;
        RowId column = 0;
    };

    // The `n` largest values with their columns, descending, the first column of ties; all of them
    // if there are fewer. They are valid until the next call.
    std::span<const Neighbor> of(std::span<const RowId> columns, std::span<const double> values,
                                 std::size_t n) {
        n = std::min(n, values.size());
        best_.clear();
        if (n == 0) return {};
        // Values are collected up to a limit, at which only the n largest are kept. From then on
        // most values are smaller than the last of these and are passed over.
        const std::size_t limit = std::max<std::size_t>(4 * n, 256);
        bool bounded = false;
        Neighbor last;
        for (std::size_t k = 0; k < values.size(); ++k) {
            if (bounded && values[k] < last.value) continue;
            const Neighbor candidate{values[k], columns[k]};
            if (bounded && !kNearer(candidate, last)) continue;
            best_.push_back(candidate);
            if (best_.size() < limit) continue;
            keep(n);
            last = best_[n - 1];
            bounded = true;
        }
        keep(n);
        std::ranges::sort(best_, kNearer);
        return best_;
    }

private:
    // Without branches, which would be hard to predict.
    static constexpr auto kNearer = [](const Neighbor& a, const Neighbor& b) {
        return static_cast<bool>(
            static_cast<int>(a.value > b.value) |
            (static_cast<int>(a.value == b.value) & static_cast<int>(a.column < b.column)));
    };
    // Keeps the n largest, of which the last in the order has the last place.
    void keep(std::size_t n) {
        if (best_.size() <= n) return;
        std::ranges::nth_element(best_, best_.begin() + static_cast<std::ptrdiff_t>(n - 1),
                                 kNearer);
        best_.resize(n);
    }

    std::vector<Neighbor> best_;
};

}  // namespace silvics
