#include "data/rank_code.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "base/kernels.hpp"
#include "data/coder.hpp"

namespace silvics {
namespace {

// An integer that orders as the double does; -0.0 and 0.0 are the same value.
std::uint64_t ordered_bits(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value == 0.0 ? 0.0 : value);
    return (bits >> 63) != 0 ? ~bits : bits | (std::uint64_t{1} << 63);
}

// Upper half of the ordered bits, and the row: enough to sort most columns by.
using Key = std::uint64_t;
RowId row_of(Key key) { return static_cast<RowId>(key); }

// Least significant digit first, and only the digits in which the keys differ.
template <int kBits>
void radix_sort(std::vector<Key>& keys, const StopFlag& stop) {
    constexpr int kDigits = (32 + kBits - 1) / kBits;
    constexpr std::size_t kBuckets = std::size_t{1} << kBits;
    const auto digit = [](Key key, int d) {
        return static_cast<std::size_t>(key >> (32 + d * kBits)) & (kBuckets - 1);
    };
    std::array<std::array<std::uint32_t, kBuckets>, kDigits> counts{};
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

// The rows in the order of their values, and whether each value is another than the one before.
struct Sorted {
    std::vector<Key> keys;
    std::vector<std::uint8_t> first;
    std::size_t n_distinct = 0;
};

Sorted sorted_values(std::span<const double> read, const StopFlag& stop) {
    Sorted sorted{std::vector<Key>(read.size()), {}};
    auto& keys = sorted.keys;
    std::size_t n = 0;  // of those not missing
    in_blocks(read.size(), stop, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            keys[n] = (ordered_bits(read[i]) & ~Key{0xFFFFFFFF}) | i;
            n += !std::isnan(read[i]);
        }
    });
    keys.resize(n);
    sorted.first.resize(n);
    if (n == 0) return sorted;
    if (n < 32)
        std::ranges::sort(keys);
    else if (n < 2048)
        radix_sort<8>(keys, stop);  // few buckets to clear
    else
        radix_sort<11>(keys, stop);
    const auto upper = [](Key key) { return key >> 32; };
    const auto value = [&](Key key) { return read[row_of(key)]; };
    for (std::size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && upper(keys[end]) == upper(keys[begin]);) ++end;
        sorted.first[begin] = 1;
        ++sorted.n_distinct;
        if (end - begin == 1) continue;
        // Values that may differ in the lower half.
        const auto run = std::span(keys).subspan(begin, end - begin);
        const auto differs = [&](Key key) { return value(key) != value(run[0]); };
        if (!std::ranges::any_of(run, differs)) continue;
        stop.check();
        std::ranges::sort(run, {}, value);
        for (std::size_t i = begin + 1; i < end; ++i) {
            sorted.first[i] = value(keys[i]) != value(keys[i - 1]);
            sorted.n_distinct += sorted.first[i];
        }
    }
    return sorted;
}

}  // namespace

CodedColumn rank_code(std::span<const double> read, const ColumnView& values, const BinRule& rule,
                      const StopFlag& stop) {
    CodedColumn coded;
    Column& column = coded.column;
    column.values = values;
    double low, high;
    const bool whole = kernels().survey(read.data(), read.size(), &low, &high);
    if (whole && high - low < static_cast<double>(std::min(2 * read.size() + 1024, kMaxCodes))) {
        // Counted, not sorted.
        std::vector<std::uint16_t> offset(read.size());
        kernels().offsets(read.data(), read.size(), low, offset.data());
        const auto range = static_cast<std::size_t>(high - low) + 1;
        std::vector<RowId> count(range, 0);
        for (const std::uint16_t o : offset) ++count[o];
        const auto n_distinct = range - static_cast<std::size_t>(std::ranges::count(count, 0U));
        Coder coder(n_distinct, read.size(), low, high, rule, column);
        std::vector<std::uint16_t> code_of(range);
        std::size_t rows = 0;
        for (std::size_t o = 0; o < range; ++o) {
            if (count[o] == 0) continue;
            const std::size_t begin = std::exchange(rows, rows + count[o]);
            code_of[o] =
                static_cast<std::uint16_t>(coder.next(low + static_cast<double>(o), begin, rows));
        }
        coded.codes = smallest_codes(read.size(), coder.most(), [&]<class T>(T& codes) {
            for (std::size_t i = 0; i < offset.size(); ++i)
                codes[i] = static_cast<typename T::value_type>(code_of[offset[i]]);
        });
        column.knots.shrink_to_fit();
        return coded;
    }
    for (const double v : read) {
        if (std::isinf(v)) throw std::invalid_argument(kInfinite);
        column.holes |= std::isnan(v);
    }
    column.plain = !column.holes;
    const Sorted sorted = sorted_values(read, stop);
    const auto& keys = sorted.keys;
    const auto value = [&](Key key) { return read[row_of(key)]; };
    Coder coder(sorted.n_distinct, keys.size(), keys.empty() ? 0.0 : value(keys.front()),
                keys.empty() ? 0.0 : value(keys.back()), rule, column);
    coded.codes = smallest_codes(read.size(), coder.most(), [&]<class T>(T& codes) {
        using Narrow = typename T::value_type;
        for (std::size_t begin = 0, end; begin < keys.size(); begin = end) {
            for (end = begin + 1; end < keys.size() && sorted.first[end] == 0;) ++end;
            const auto code = static_cast<Narrow>(coder.next(value(keys[begin]), begin, end));
            for (std::size_t i = begin; i < end; ++i) codes[row_of(keys[i])] = code;
        }
        for (std::size_t i = 0; column.holes && i < read.size(); ++i)
            if (std::isnan(read[i])) codes[i] = static_cast<Narrow>(column.n_codes);
    });
    column.knots.shrink_to_fit();
    return coded;
}

CodedColumn level_code(std::span<const double> read, const ColumnView& values,
                       std::size_t n_levels) {
    CodedColumn coded;
    Column& column = coded.column;
    column.values = values;
    column.kind = Column::Kind::category;
    column.plain = false;
    column.n_codes = n_levels;
    for (const double number : read) {
        if (std::isinf(number)) throw std::invalid_argument(kInfinite);
        column.holes |= !(number >= 0.0);
        if (number >= static_cast<double>(n_levels))
            throw std::invalid_argument("a level of a category is out of range");
    }
    const std::size_t most = n_levels + (column.holes ? 1 : 0);
    if (most > kMaxCodes) return coded;  // looked up in the caller's matrix
    coded.codes = smallest_codes(read.size(), most, [&]<class T>(T& codes) {
        for (std::size_t i = 0; i < read.size(); ++i)
            codes[i] = static_cast<typename T::value_type>(column.level_of(read[i]));
    });
    return coded;
}

}  // namespace silvics
