#include "data/rank_code.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "base/kernels.hpp"

namespace silvics {
namespace {

// An integer that orders as the double does; -0.0 and 0.0 are the same value.
std::uint64_t ordered_bits(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value == 0.0 ? 0.0 : value);
    return (bits >> 63) != 0 ? ~bits : bits | (std::uint64_t{1} << 63);
}

// The distinct values of a column and where each of its rows stands among them, found one way
// or the other. `ends[r]` counts the rows up to and including rank r.
struct Ranked {
    std::vector<double> distinct;
    std::vector<std::size_t> ends;
};

// Upper half of the ordered bits, and the row: enough to sort most columns by.
using Key = std::uint64_t;
RowId row_of(Key key) { return static_cast<RowId>(key); }

// Least significant digit first, and only the digits in which the keys differ.
void radix_sort(std::vector<Key>& keys, const StopFlag& stop) {
    constexpr int kDigits = 3, kBits = 11;
    constexpr std::size_t kBuckets = std::size_t{1} << kBits;
    const auto digit = [](Key key, int d) {
        return static_cast<std::size_t>(key >> (32 + d * kBits)) & (kBuckets - 1);
    };
    std::array<std::vector<std::uint32_t>, kDigits> counts;
    for (auto& count : counts) count.assign(kBuckets, 0);
    in_blocks(keys.size(), stop, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            for (int d = 0; d < kDigits; ++d) ++counts[d][digit(keys[i], d)];
    });
    std::vector<Key> other(keys.size());
    for (int d = 0; d < kDigits; ++d) {
        auto& count = counts[d];
        if (count[digit(keys.front(), d)] == keys.size()) continue;
        std::uint32_t start = 0;
        for (auto& c : count) start += std::exchange(c, start);
        in_blocks(keys.size(), stop, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) other[count[digit(keys[i], d)]++] = keys[i];
        });
        keys.swap(other);
    }
}

std::vector<Key> sorted_keys(std::span<const double> read, const StopFlag& stop) {
    std::vector<Key> keys(read.size());
    in_blocks(read.size(), stop, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            keys[i] = (ordered_bits(read[i]) & ~Key{0xFFFFFFFF}) | i;
    });
    if (keys.size() < 512)
        std::ranges::sort(keys);
    else
        radix_sort(keys, stop);
    // Values that differ in the lower half only.
    const auto upper = [](Key key) { return key >> 32; };
    const auto less = [&](Key a, Key b) { return read[row_of(a)] < read[row_of(b)]; };
    for (std::size_t begin = 0, end; begin < keys.size(); begin = end) {
        bool differ = false;
        for (end = begin + 1; end < keys.size() && upper(keys[end]) == upper(keys[begin]); ++end)
            differ |= read[row_of(keys[end])] != read[row_of(keys[begin])];
        if (!differ) continue;
        stop.check();
        std::sort(keys.begin() + static_cast<std::ptrdiff_t>(begin),
                  keys.begin() + static_cast<std::ptrdiff_t>(end), less);
    }
    return keys;
}

// The bin of each rank, by equal frequency of rows or by equal width of the range.
std::vector<Code> bins_of_ranks(const Ranked& ranked, std::size_t n_rows, const BinRule& rule) {
    const std::size_t n = ranked.distinct.size();
    const auto wanted = static_cast<double>(rule.max_bins);
    const double low = ranked.distinct.front() / 2, range = ranked.distinct.back() / 2 - low;
    std::vector<Code> bin(n);
    double previous = -1.0;
    Code next = 0;
    for (std::size_t rank = 0; rank < n; ++rank) {
        double place;  // in [0, 1): where along the column this value stands
        if (rule.widths == BinRule::Widths::equal_width) {
            place = (ranked.distinct[rank] / 2 - low) / range;
        } else {
            const std::size_t begin = rank == 0 ? 0 : ranked.ends[rank - 1];
            place = (static_cast<double>(begin) + static_cast<double>(ranked.ends[rank] - 1)) / 2 /
                    static_cast<double>(n_rows);
        }
        const double slot = std::min(std::floor(place * wanted), wanted - 1);
        if (rank > 0 && slot != previous) ++next;
        previous = slot;
        bin[rank] = next;
    }
    return bin;
}

// The code of each rank, and what a code stands for.
std::vector<Code> codes_of_ranks(const Ranked& ranked, std::size_t n_rows, const BinRule& rule,
                                 NumericColumn& column) {
    using Kind = NumericColumn::Kind;
    const std::size_t n = ranked.distinct.size();
    std::vector<Code> code;
    if (rule.max_bins != 0 && n > rule.max_bins) {
        column.kind = Kind::bin;
        code = bins_of_ranks(ranked, n_rows, rule);
    } else {
        column.kind = n > kMaxCodes ? Kind::several_values : Kind::one_value;
        code.resize(n);
        for (std::size_t rank = 0; rank < n; ++rank)
            code[rank] = static_cast<Code>(n > kMaxCodes ? rank * kMaxCodes / n : rank);
    }
    column.n_codes = code.back() + std::size_t{1};
    return code;
}

void set_knots(const Ranked& ranked, std::span<const Code> code, NumericColumn& column) {
    column.knot_shift = column.n_codes <= 1024 ? 0 : std::bit_width(column.n_codes - 1) - 10;
    for (std::size_t rank = 0; rank < code.size(); ++rank)
        if (code[rank] >> column.knot_shift >= column.knots.size())
            column.knots.push_back(ranked.distinct[rank]);
    column.knots.shrink_to_fit();
}

template <class Fill>
CodeArray smallest_codes(std::size_t n_rows, std::size_t n_codes, Fill&& fill) {
    const auto filled = [&]<class T>(std::vector<T> codes) -> CodeArray {
        codes.resize(n_rows);
        fill(codes);
        return codes;
    };
    return n_codes <= 256 ? filled(std::vector<std::uint8_t>{})
                          : filled(std::vector<std::uint16_t>{});
}

}  // namespace

CodedColumn rank_code(std::span<const double> read, const ColumnView& values, const BinRule& rule,
                      const StopFlag& stop) {
    CodedColumn coded;
    NumericColumn& column = coded.column;
    column.values = values;
    Ranked ranked;
    double low, high;
    const bool whole = kernels().survey(read.data(), read.size(), &low, &high);
    if (whole && high - low < static_cast<double>(std::min(2 * read.size() + 1024, kMaxCodes))) {
        // Counted, not sorted.
        std::vector<std::uint16_t> offset(read.size());
        kernels().offsets(read.data(), read.size(), low, offset.data());
        const auto range = static_cast<std::size_t>(high - low) + 1;
        std::vector<std::uint8_t> present(range, 0);
        for (const std::uint16_t o : offset) present[o] = 1;
        for (std::size_t o = 0; o < range; ++o)
            if (present[o] != 0) ranked.distinct.push_back(low + static_cast<double>(o));
        if (rule.max_bins != 0) {
            std::vector<std::size_t> count(range, 0);
            for (const std::uint16_t o : offset) ++count[o];
            std::size_t rows = 0;
            for (const std::size_t c : count)
                if (c != 0) ranked.ends.push_back(rows += c);
        }
        const std::vector<Code> code = codes_of_ranks(ranked, read.size(), rule, column);
        std::vector<std::uint16_t> code_of(range);
        for (std::size_t o = 0, rank = 0; o < range; ++o)
            if (present[o] != 0) code_of[o] = static_cast<std::uint16_t>(code[rank++]);
        coded.codes = smallest_codes(read.size(), column.n_codes, [&]<class T>(T& codes) {
            for (std::size_t i = 0; i < offset.size(); ++i)
                codes[i] = static_cast<typename T::value_type>(code_of[offset[i]]);
        });
        set_knots(ranked, code, column);
        return coded;
    }
    if (!std::ranges::all_of(read, [](double v) { return std::isfinite(v); }))
        throw std::invalid_argument(kNotFinite);
    const std::vector<Key> keys = sorted_keys(read, stop);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const double value = read[row_of(keys[i])];
        if (i == 0 || value != ranked.distinct.back()) {
            ranked.distinct.push_back(value == 0.0 ? 0.0 : value);
            ranked.ends.push_back(i);
        }
        ranked.ends.back() = i + 1;
    }
    const std::vector<Code> code = codes_of_ranks(ranked, read.size(), rule, column);
    coded.codes = smallest_codes(read.size(), column.n_codes, [&]<class T>(T& codes) {
        std::size_t i = 0;
        for (std::size_t rank = 0; rank < code.size(); ++rank)
            for (; i < ranked.ends[rank]; ++i)
                codes[row_of(keys[i])] = static_cast<typename T::value_type>(code[rank]);
    });
    set_knots(ranked, code, column);
    return coded;
}

}  // namespace silvics
