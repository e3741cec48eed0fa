#include "data/rank_code.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/kernels.hpp"
#include "data/coder.hpp"
#include "data/sorted_values.hpp"

namespace silvics {

CodedColumn rank_code(std::span<const double> read, const ColumnView& values, const BinRule& rule,
                      const StopFlag& stop) {
    CodedColumn coded;
    Column& column = coded.column;
    column.values = values;
    double low, high;
    const bool whole = kernels().whole_number_range(read.data(), read.size(), &low, &high);
    if (whole && high - low < static_cast<double>(std::min(2 * read.size() + 1024, kMaxCodes))) {
        // Whole numbers of a small range: a counting sort.
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
        column.code_values.shrink_to_fit();
        return coded;
    }
    for (const double v : read) {
        if (std::isinf(v)) throw std::invalid_argument(kInfinite);
        column.has_missing |= std::isnan(v);
    }
    column.plain = !column.has_missing;
    const SortedValues sorted(read, stop);
    const std::size_t n = sorted.size();
    const auto value = [&](std::size_t i) { return read[sorted.row(i)]; };
    Coder coder(sorted.n_distinct(), n, n == 0 ? 0.0 : value(0), n == 0 ? 0.0 : value(n - 1), rule,
                column);
    coded.codes = smallest_codes(read.size(), coder.most(), [&]<class T>(T& codes) {
        using Narrow = typename T::value_type;
        for (std::size_t begin = 0, end; begin < n; begin = end) {
            for (end = begin + 1; end < n && !sorted.another(end);) ++end;
            const auto code = static_cast<Narrow>(coder.next(value(begin), begin, end));
            for (std::size_t i = begin; i < end; ++i) codes[sorted.row(i)] = code;
        }
        for (std::size_t i = 0; column.has_missing && i < read.size(); ++i)
            if (std::isnan(read[i])) codes[i] = static_cast<Narrow>(column.n_codes);
    });
    column.code_values.shrink_to_fit();
    return coded;
}

}  // namespace silvics
