#include "data/sorted_values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>
#include <utility>

namespace silvics {
namespace {

// An integer that has the order of the numbers; -0.0 and 0.0 are equal.
template <class Float>
auto ordered_bits(Float value) {
    using Bits = std::conditional_t<sizeof(Float) == 4, std::uint32_t, std::uint64_t>;
    constexpr Bits kSign = Bits{1} << (8 * sizeof(Float) - 1);
    const Bits bits = std::bit_cast<Bits>(value == Float{0} ? Float{0} : value);
    return static_cast<Bits>(bits ^ ((bits & kSign) != 0 ? ~Bits{0} : kSign));
}

std::uint32_t upper(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32); }

// Radix sort from the least significant digit; digits in which all keys agree are skipped.
template <int kBits>
void radix_sort(std::vector<std::uint64_t>& keys, const StopFlag& stop) {
    constexpr int kDigits = (32 + kBits - 1) / kBits;
    constexpr std::size_t kBuckets = std::size_t{1} << kBits;
    const auto digit = [](std::uint64_t key, int d) {
        return static_cast<std::size_t>(key >> (32 + d * kBits)) & (kBuckets - 1);
    };
    std::array<std::array<std::uint32_t, kBuckets>, kDigits> counts{};
    in_blocks(keys.size(), stop, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            for (int d = 0; d < kDigits; ++d) ++counts[d][digit(keys[i], d)];
    });
    std::vector<std::uint64_t> other(keys.size());
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

}  // namespace

SortedValues::SortedValues(std::span<const double> values, const StopFlag& stop)
    : keys_(values.size()) {
    if (order_by_floats(values, stop)) {
        sort(stop);
        another_.resize(keys_.size());
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            another_[i] = i == 0 || upper(keys_[i]) != upper(keys_[i - 1]);
            n_distinct_ += another_[i];
        }
    } else {
        order_by_doubles(values, stop);
        sort(stop);
        separate_equals(values, stop);
    }
}

// If all numbers fit single precision, the upper half of the key orders them completely.
bool SortedValues::order_by_floats(std::span<const double> values, const StopFlag& stop) {
    constexpr std::size_t kBlock = 256;
    std::size_t n = 0;
    for (std::size_t begin = 0; begin < values.size(); begin += kBlock) {
        if (begin % kStopBlock == 0) stop.check();
        const std::size_t end = std::min(begin + kBlock, values.size());
        bool all = true;
        for (std::size_t i = begin; i < end; ++i) {
            const double v = values[i], within = std::fabs(v) <= 3e38 ? v : 0.0;
            const auto narrow = static_cast<float>(within);
            keys_[n] = std::uint64_t{ordered_bits(narrow)} << 32 | i;
            n += v == v;
            all &= (narrow == v) | (v != v);
        }
        if (!all) return false;
    }
    keys_.resize(n);
    return true;
}

void SortedValues::order_by_doubles(std::span<const double> values, const StopFlag& stop) {
    std::size_t n = 0;
    in_blocks(values.size(), stop, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            keys_[n] = (ordered_bits(values[i]) & ~Key{0xFFFFFFFF}) | i;
            n += values[i] == values[i];
        }
    });
    keys_.resize(n);
}

void SortedValues::sort(const StopFlag& stop) {
    if (keys_.size() < 32)
        std::ranges::sort(keys_);
    else if (keys_.size() < 2048)
        radix_sort<8>(keys_, stop);  // fewer buckets to clear
    else
        radix_sort<11>(keys_, stop);
}

// Sorts values that agree in the upper half of their bits and differ in the lower half.
void SortedValues::separate_equals(std::span<const double> values, const StopFlag& stop) {
    const std::size_t n = keys_.size();
    another_.resize(n);
    const auto value = [&](Key key) { return values[static_cast<RowId>(key)]; };
    for (std::size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && upper(keys_[end]) == upper(keys_[begin]);) ++end;
        another_[begin] = 1;
        ++n_distinct_;
        if (end - begin == 1) continue;
        const auto run = std::span(keys_).subspan(begin, end - begin);
        const auto differs = [&](Key key) { return value(key) != value(run[0]); };
        if (!std::ranges::any_of(run, differs)) continue;
        stop.check();
        std::ranges::stable_sort(run, {}, value);
        for (std::size_t i = begin + 1; i < end; ++i) {
            another_[i] = value(keys_[i]) != value(keys_[i - 1]);
            n_distinct_ += another_[i];
        }
    }
}

}  // namespace silvics
