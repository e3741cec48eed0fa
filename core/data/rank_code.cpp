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
    const std::size_t n = read.size();
    Sorted sorted{std::vector<Key>(n), std::vector<std::uint8_t>(n)};
    auto& keys = sorted.keys;
    in_blocks(n, stop, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            keys[i] = (ordered_bits(read[i]) & ~Key{0xFFFFFFFF}) | i;
    });
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

// Gives codes to the distinct values of a column, one after another.
class Coder {
public:
    Coder(std::size_t n_distinct, std::size_t n_rows, double low, double high, const BinRule& rule,
          NumericColumn& column)
        : n_(n_distinct),
          n_rows_(n_rows),
          low_(low / 2),
          range_(high / 2 - low_),
          rule_(rule),
          column_(column) {
        using Kind = NumericColumn::Kind;
        const bool binned = rule.max_bins != 0 && n_ > rule.max_bins;
        column.kind = binned ? Kind::bin : n_ > kMaxCodes ? Kind::several_values : Kind::one_value;
        most_ = binned ? rule.max_bins : std::min(n_, kMaxCodes);
        column.knot_shift = most_ <= 1024 ? 0 : std::bit_width(most_ - 1) - 10;
    }

    // At most as many.
    std::size_t most() const { return most_; }

    // The code of the next value, that of rows `begin` to `end` in the order of values.
    Code next(double value, std::size_t begin, std::size_t end) {
        if (column_.kind == NumericColumn::Kind::bin)
            next_bin(value, begin, end);
        else if (rank_ > 0)
            step();
        ++rank_;
        column_.n_codes = code_ + std::size_t{1};
        if (code_ >> column_.knot_shift >= column_.knots.size())
            column_.knots.push_back(value == 0.0 ? 0.0 : value);
        return code_;
    }

private:
    // rank * most / n, without dividing.
    void step() {
        rest_ += most_;
        if (rest_ < n_) return;
        rest_ -= n_;
        ++code_;
    }

    // By equal frequency of rows or by equal width of the range.
    void next_bin(double value, std::size_t begin, std::size_t end) {
        const auto wanted = static_cast<double>(rule_.max_bins);
        const double place =  // in [0, 1): where along the column this value stands
            rule_.widths == BinRule::Widths::equal_width
                ? (value / 2 - low_) / range_
                : (static_cast<double>(begin) + static_cast<double>(end - 1)) / 2 /
                      static_cast<double>(n_rows_);
        const double slot = std::min(std::floor(place * wanted), wanted - 1);
        if (rank_ > 0 && slot != slot_) ++code_;
        slot_ = slot;
    }

    const std::size_t n_, n_rows_;
    const double low_, range_;
    const BinRule& rule_;
    NumericColumn& column_;
    std::size_t most_ = 0, rank_ = 0, rest_ = 0;
    double slot_ = 0.0;
    Code code_ = 0;
};

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
    if (!std::ranges::all_of(read, [](double v) { return std::isfinite(v); }))
        throw std::invalid_argument(kNotFinite);
    const Sorted sorted = sorted_values(read, stop);
    const auto& keys = sorted.keys;
    Coder coder(sorted.n_distinct, read.size(), read[row_of(keys.front())],
                read[row_of(keys.back())], rule, column);
    coded.codes = smallest_codes(read.size(), coder.most(), [&]<class T>(T& codes) {
        for (std::size_t begin = 0, end; begin < keys.size(); begin = end) {
            for (end = begin + 1; end < keys.size() && sorted.first[end] == 0;) ++end;
            const auto code = static_cast<typename T::value_type>(
                coder.next(read[row_of(keys[begin])], begin, end));
            for (std::size_t i = begin; i < end; ++i) codes[row_of(keys[i])] = code;
        }
    });
    column.knots.shrink_to_fit();
    return coded;
}

}  // namespace silvics
