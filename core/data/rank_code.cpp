#include "data/rank_code.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace silvics {
namespace {

struct Keyed {
    std::uint64_t key;
    RowId row;
};

// An integer that orders as the double does; -0.0 and 0.0 are the same value.
std::uint64_t ordered_bits(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value == 0.0 ? 0.0 : value);
    return (bits >> 63) != 0 ? ~bits : bits | (std::uint64_t{1} << 63);
}

double from_ordered_bits(std::uint64_t key) {
    return std::bit_cast<double>((key >> 63) != 0 ? key & ~(std::uint64_t{1} << 63) : ~key);
}

// Least significant digit first, and only the digits in which the keys differ: one or
// two passes for small integers, three for float32.
void radix_sort(std::vector<Keyed>& keyed, const StopFlag& stop) {
    constexpr int kDigits = 6, kBits = 11;
    constexpr std::size_t kBuckets = std::size_t{1} << kBits;
    const auto digit = [](std::uint64_t key, int d) {
        return static_cast<std::size_t>(key >> (d * kBits)) & (kBuckets - 1);
    };
    std::vector<std::array<std::size_t, kBuckets>> counts(kDigits);
    in_blocks(keyed.size(), stop, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            for (int d = 0; d < kDigits; ++d) ++counts[d][digit(keyed[i].key, d)];
    });
    std::vector<Keyed> other(keyed.size());
    for (int d = 0; d < kDigits; ++d) {
        auto& count = counts[d];
        if (count[digit(keyed.front().key, d)] == keyed.size()) continue;
        std::size_t start = 0;
        for (auto& c : count) start += std::exchange(c, start);
        in_blocks(keyed.size(), stop, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                other[count[digit(keyed[i].key, d)]++] = keyed[i];
        });
        keyed.swap(other);
    }
}

std::vector<Keyed> sorted_column(const MatrixView& X, std::size_t column, const StopFlag& stop) {
    std::vector<Keyed> keyed(X.rows);
    visit_scalar(X.type, [&]<class T>(std::type_identity<T>) {
        in_blocks(X.rows, stop, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const double value = load_as_double<T>(X.at(i, column));
                if (!std::isfinite(value))
                    throw std::invalid_argument("Input X contains NaN or infinity.");
                keyed[i] = {ordered_bits(value), static_cast<RowId>(i)};
            }
        });
    });
    if (keyed.size() < 1024)
        std::sort(keyed.begin(), keyed.end(),
                  [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
    else
        radix_sort(keyed, stop);
    return keyed;
}

// Code of each sorted position -> code of each row, in the smallest type that holds it.
template <class CodeAt>
CodeArray scatter_codes(const std::vector<Keyed>& sorted, std::size_t n_codes, const StopFlag& stop,
                        CodeAt&& code_at) {
    const auto fill = [&]<class T>(std::vector<T> codes) -> CodeArray {
        codes.resize(sorted.size());
        in_blocks(sorted.size(), stop, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                codes[sorted[i].row] = static_cast<T>(code_at(i));
        });
        return codes;
    };
    if (n_codes <= std::size_t{1} << 8) return fill(std::vector<std::uint8_t>{});
    if (n_codes <= std::size_t{1} << 16) return fill(std::vector<std::uint16_t>{});
    return fill(std::vector<std::uint32_t>{});
}

// The bin of each rank, by equal frequency of rows or by equal width of the range.
std::vector<Code> bins_of_ranks(const NumericColumn& column, const std::vector<std::size_t>& ends,
                                std::size_t n_rows, const BinRule& rule) {
    const std::size_t distinct = column.values.size();
    const auto wanted = static_cast<double>(rule.max_bins);
    const double low = column.values.front() / 2, range = column.values.back() / 2 - low;
    std::vector<Code> bin(distinct);
    double previous = -1.0;
    Code next = 0;
    for (std::size_t rank = 0; rank < distinct; ++rank) {
        double place;  // in [0, 1): where along the column this value stands
        if (rule.widths == BinRule::Widths::equal_width) {
            place = (column.values[rank] / 2 - low) / range;
        } else {
            const std::size_t begin = rank == 0 ? 0 : ends[rank - 1];
            place = (static_cast<double>(begin) + static_cast<double>(ends[rank] - 1)) / 2 /
                    static_cast<double>(n_rows);
        }
        const double slot = std::min(std::floor(place * wanted), wanted - 1);
        if (rank > 0 && slot != previous) ++next;
        previous = slot;
        bin[rank] = next;
    }
    return bin;
}

}  // namespace

NumericColumn rank_code(const MatrixView& X, std::size_t column, const BinRule& rule,
                        const StopFlag& stop) {
    const std::vector<Keyed> sorted = sorted_column(X, column, stop);
    NumericColumn coded;
    std::vector<std::size_t> ends;  // of each rank, in sorted order
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (i == 0 || sorted[i].key != sorted[i - 1].key) {
            coded.values.push_back(from_ordered_bits(sorted[i].key));
            ends.push_back(i);
        }
        ends.back() = i + 1;
    }
    coded.values.shrink_to_fit();
    Code rank = 0;
    coded.ranks = scatter_codes(sorted, coded.values.size(), stop, [&](std::size_t i) {
        if (i == ends[rank]) ++rank;
        return rank;
    });
    if (rule.max_bins != 0 && coded.values.size() > rule.max_bins) {
        const std::vector<Code> bin = bins_of_ranks(coded, ends, sorted.size(), rule);
        coded.last_ranks.resize(bin.back() + std::size_t{1});
        for (std::size_t r = 0; r < bin.size(); ++r)
            coded.last_ranks[bin[r]] = static_cast<Code>(r);
        rank = 0;
        coded.bins = scatter_codes(sorted, coded.last_ranks.size(), stop, [&](std::size_t i) {
            if (i == ends[rank]) ++rank;
            return bin[rank];
        });
    }
    return coded;
}

}  // namespace silvics
