#include "data/byte_code.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <mutex>
#include <type_traits>

#include "base/thread_team.hpp"

namespace silvics {
namespace {

// Loads a value in its own type.
template <class T>
auto load(const std::byte* from) {
    if constexpr (std::is_same_v<T, bool>) {
        return static_cast<std::uint8_t>(std::to_integer<int>(*from) != 0 ? 1 : 0);
    } else {
        T value;
        std::memcpy(&value, from, sizeof value);
        return value;
    }
}

// Whether the value is a whole number (not NaN) that a double represents exactly, as are its
// neighbours.
template <class T>
bool whole(T value) {
    constexpr std::int64_t kMaxExactInteger = (std::int64_t{1} << 53) - 1;
    if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(static_cast<std::int32_t>(value)) == value;
    else if constexpr (sizeof(T) < 8)
        return true;
    else if constexpr (std::is_unsigned_v<T>)
        return value <= static_cast<T>(kMaxExactInteger);
    else
        return value >= -kMaxExactInteger && value <= kMaxExactInteger;
}

constexpr std::size_t kRowsAtOnce = 256;

// Calls work(begin, end) for blocks of rows, distributed over the team.
template <class Work>
void for_row_blocks(std::size_t n, ThreadTeam& team, Work&& work) {
    team.run((n + kRowsAtOnce - 1) / kRowsAtOnce, [&](std::size_t block, std::size_t) {
        team.stop().check();
        work(block * kRowsAtOnce, std::min(n, (block + 1) * kRowsAtOnce));
    });
}

// Calls f(j, address) for the values of a row. Contiguous values have a separate loop, which
// compilers vectorise.
template <class T, class F>
void for_row(const MatrixView& X, std::size_t row, F&& f) {
    const std::byte* at = X.at(row, 0);
    if (X.col_stride == sizeof(T))
        for (std::size_t j = 0; j < X.cols; ++j) f(j, at + j * sizeof(T));
    else
        for (std::size_t j = 0; j < X.cols; ++j, at += X.col_stride) f(j, at);
}

template <class Value>
struct Survey {
    std::vector<Value> low, high;
    std::vector<std::uint8_t> others;  // whether some value is not a whole number

    void merge(const Survey& other) {
        for (std::size_t j = 0; j < low.size(); ++j) {
            low[j] = std::min(low[j], other.low[j]);
            high[j] = std::max(high[j], other.high[j]);
            others[j] |= other.others[j];
        }
    }
};

template <class T, class Value = decltype(load<T>(nullptr))>
Survey<Value> survey(const MatrixView& X, ThreadTeam& team) {
    const Survey<Value> first = [&] {
        Survey<Value> at_first{std::vector<Value>(X.cols), {}, std::vector<std::uint8_t>(X.cols)};
        for_row<T>(X, 0,
                   [&](std::size_t j, const std::byte* at) { at_first.low[j] = load<T>(at); });
        at_first.high = at_first.low;
        return at_first;
    }();
    Survey<Value> all = first;
    std::mutex mutex;
    for_row_blocks(X.rows, team, [&](std::size_t begin, std::size_t end) {
        Survey<Value> here = first;
        Value *low = here.low.data(), *high = here.high.data();
        std::uint8_t* others = here.others.data();
        for (std::size_t i = begin; i < end; ++i)
            for_row<T>(X, i, [&](std::size_t j, const std::byte* at) {
                const Value v = load<T>(at);
                low[j] = v < low[j] ? v : low[j];
                high[j] = v > high[j] ? v : high[j];
                others[j] |= !whole(v);
            });
        const std::scoped_lock lock(mutex);
        all.merge(here);
    });
    return all;
}

// Transposes 8 x 8 bytes: exchanges opposite blocks of 4 x 4, then of 2 x 2 within each, then
// bytes.
void transpose_8x8(std::array<std::uint64_t, 8>& words) {
    const auto exchange = [&](std::size_t apart, int bits, std::uint64_t mask) {
        for (std::size_t r = 0; r < 8; ++r) {
            if ((r & apart) != 0) continue;
            const std::uint64_t both = (words[r] >> bits ^ words[r + apart]) & mask;
            words[r] ^= both << bits;
            words[r + apart] ^= both;
        }
    };
    exchange(4, 32, 0x00000000FFFFFFFF);
    exchange(2, 16, 0x0000FFFF0000FFFF);
    exchange(1, 8, 0x00FF00FF00FF00FF);
}

// Transposes a range of rows and columns of a matrix of bytes with m columns into columns of n
// rows.
void transpose(const std::uint8_t* rows, std::size_t m, std::size_t begin, std::size_t end,
               std::size_t first, std::size_t last, std::uint8_t* columns, std::size_t n) {
    constexpr bool kWords = std::endian::native == std::endian::little;
    std::size_t k = first;
    for (; kWords && k + 8 <= last; k += 8) {
        std::size_t i = begin;
        for (; i + 8 <= end; i += 8) {
            std::array<std::uint64_t, 8> words;
            for (std::size_t r = 0; r < 8; ++r) std::memcpy(&words[r], rows + (i + r) * m + k, 8);
            transpose_8x8(words);
            for (std::size_t c = 0; c < 8; ++c)
                std::memcpy(columns + (k + c) * n + i, &words[c], 8);
        }
        for (; i < end; ++i)
            for (std::size_t c = 0; c < 8; ++c) columns[(k + c) * n + i] = rows[i * m + k + c];
    }
    for (; k < last; ++k)
        for (std::size_t i = begin; i < end; ++i) columns[k * n + i] = rows[i * m + k];
}

// If fewer than half of the codes occur, replaces them by ranks without gaps.
void remove_gaps(Column& column, std::size_t n_rows, std::uint8_t* codes, std::size_t stride,
                 std::uint8_t* codes_by_rows, std::size_t stride_by_rows) {
    std::array<std::uint8_t, 256> present{}, rank{};
    std::size_t n_present = 0;
    const auto eight_zeros =
        [&](std::size_t i) {  // skips runs of zeros, which are long in sparse columns
            std::uint64_t eight;
            std::memcpy(&eight, codes + i, sizeof eight);
            return eight == 0;
        };
    for (std::size_t i = 0; i < n_rows; ++i) {
        while (stride == 1 && present[0] != 0 && i + 8 < n_rows && eight_zeros(i)) i += 8;
        n_present += present[codes[i * stride]] == 0;
        present[codes[i * stride]] = 1;
        if (2 * n_present > column.n_codes) return;  // most columns leave here after a few rows
    }
    std::vector<double> code_values;
    for (std::size_t code = 0; code < column.n_codes; ++code) {
        rank[code] = static_cast<std::uint8_t>(code_values.size());
        if (present[code] != 0) code_values.push_back(column.code_values[code]);
    }
    for (std::size_t i = 0; i < n_rows; ++i) codes[i * stride] = rank[codes[i * stride]];
    for (std::size_t i = 0; codes_by_rows != nullptr && i < n_rows; ++i)
        codes_by_rows[i * stride_by_rows] = codes[i * stride];
    column.n_codes = code_values.size();
    column.code_values = std::move(code_values);
}

template <class T>
std::vector<bool> code(const MatrixView& X, std::size_t most, Table& table, ThreadTeam& team) {
    const auto found = survey<T>(X, team);
    using Value = typename decltype(found.low)::value_type;
    std::vector<bool> done(X.cols);
    std::vector<std::size_t> columns;
    for (std::size_t j = 0; j < X.cols; ++j) {
        const double range =
            static_cast<double>(found.high[j]) - static_cast<double>(found.low[j]) + 1.0;
        done[j] = found.others[j] == 0 && range <= static_cast<double>(most);
        if (!done[j]) continue;
        columns.push_back(j);
        Column column;
        column.values = X.column(j);
        column.n_codes = static_cast<std::size_t>(range);
        for (std::size_t k = 0; k < column.n_codes; ++k)
            column.code_values.push_back(static_cast<double>(found.low[j]) +
                                         static_cast<double>(k));
        table.columns[j] = std::move(column);
    }
    const std::size_t n = X.rows, m = columns.size();
    if (m == 0) return done;
    table.buffers.emplace_back(n * m);
    auto* const rows = reinterpret_cast<std::uint8_t*>(table.buffers.back().data());
    // If another thread changes the matrix meanwhile, the codes may be wrong, but they stay in
    // range.
    const auto code_of = [](Value v, Value low, Value high) {
        const Value above = (v < high ? v : high) - low;
        if constexpr (std::is_floating_point_v<Value>)
            return static_cast<std::uint8_t>(static_cast<std::int32_t>(above));
        else
            return static_cast<std::uint8_t>(above);
    };
    for_row_blocks(n, team, [&](std::size_t begin, std::size_t end) {
        const Value *low = found.low.data(), *high = found.high.data();
        for (std::size_t i = begin; i < end; ++i) {
            std::uint8_t* const __restrict to = rows + i * m;
            if (m == X.cols)
                for_row<T>(X, i, [=](std::size_t j, const std::byte* at) {
                    to[j] = code_of(load<T>(at), low[j], high[j]);
                });
            else
                for (std::size_t k = 0; k < m; ++k) {
                    const std::size_t j = columns[k];
                    to[k] = code_of(load<T>(X.at(i, j)), low[j], high[j]);
                }
        }
    });
    const bool wide = m > kMaxNarrowRowBytes || m == 1;
    std::uint8_t* by_columns = nullptr;
    if (wide) {
        table.buffers.emplace_back(n * m);
        by_columns = reinterpret_cast<std::uint8_t*>(table.buffers.back().data());
    }
    constexpr std::size_t kColumnsAtOnce = 64;  // one cache line
    team.run((m + kColumnsAtOnce - 1) / kColumnsAtOnce, [&](std::size_t block, std::size_t) {
        const std::size_t first = block * kColumnsAtOnce,
                          last = std::min(m, first + kColumnsAtOnce);
        for (std::size_t begin = 0; wide && begin < n; begin += kRowsAtOnce) {
            team.stop().check();
            transpose(rows, m, begin, std::min(n, begin + kRowsAtOnce), first, last, by_columns, n);
        }
        for (std::size_t k = first; k < last; ++k) {
            auto& column = table.columns[columns[k]];
            const CodeView in_rows{reinterpret_cast<const std::byte*>(rows + k), m, false};
            if (!wide) {
                column.codes = in_rows;
                remove_gaps(column, n, rows + k, m, nullptr, 0);
                continue;
            }
            column.codes = {reinterpret_cast<const std::byte*>(by_columns + k * n), 1, false};
            if (m > 1) column.by_rows = in_rows;
            remove_gaps(column, n, by_columns + k * n, 1, rows + k, m);
        }
    });
    return done;
}

}  // namespace

std::vector<bool> code_bytes(const MatrixView& X, std::size_t most, Table& table,
                             ThreadTeam& team) {
    return visit_scalar(
        X.type, [&]<class T>(std::type_identity<T>) { return code<T>(X, most, table, team); });
}

}  // namespace silvics
