#include "data/sparse_code.hpp"

#include <cmath>
#include <numeric>

#include "data/coder.hpp"

namespace silvics {
namespace {

std::size_t index_at(const ColumnView& view, std::size_t i) {
    return static_cast<std::size_t>(view[i]);
}

ColumnView from(const ColumnView& view, std::size_t first) {
    return {view.at(first), view.stride, view.type};
}

std::vector<RowId> rows_of_cells(const ColumnView& places, std::size_t n_cells,
                                 std::size_t n_rows) {
    std::vector<RowId> rows(n_cells);
    visit_scalar(places.type, [&]<class T>(std::type_identity<T>) {
        for (std::size_t k = 0; k < n_cells; ++k) {
            const double row = load_as_double<T>(places.at(k));
            if (!(row >= 0.0 && row < static_cast<double>(n_rows)))
                throw std::invalid_argument("a place in the sparse matrix is out of range");
            rows[k] = static_cast<RowId>(row);
        }
    });
    for (std::size_t k = 1; k < n_cells; ++k)
        if (rows[k] <= rows[k - 1])
            throw std::invalid_argument("places in the sparse matrix are not in order");
    return rows;
}

}  // namespace

SparseColumn sparse_code(const Matrix& X, std::size_t j, const BinRule& rule,
                         const StopFlag& stop) {
    const SparseView& sparse = *X.sparse;
    const std::size_t begin = index_at(sparse.starts, j),
                      n = index_at(sparse.starts, j + 1) - begin;
    SparseColumn made;
    made.cells = rows_of_cells(from(sparse.places, begin), n, X.rows);
    Column& column = made.coded.column;
    column.values = from(sparse.values, begin);
    column.sparse = true;
    column.plain = false;
    std::vector<double> read(n);
    visit_scalar(column.values.type, [&]<class T>(std::type_identity<T>) {
        for (std::size_t k = 0; k < n; ++k) read[k] = load_as_double<T>(column.values.at(k));
    });
    std::vector<std::uint32_t>& order = made.order;
    order.reserve(n);
    for (std::size_t k = 0; k < n; ++k) {
        if (std::isinf(read[k])) throw std::invalid_argument(kInfinite);
        if (std::isnan(read[k]))
            column.has_missing = true;
        else
            order.push_back(static_cast<std::uint32_t>(k));
    }
    stop.check();
    std::ranges::sort(order, {}, [&](std::uint32_t k) { return read[k]; });
    // Implicit zeros come before the first cell that is not negative.
    const std::size_t not_stored = X.rows - n, n_known = order.size() + not_stored;
    const auto value = [&](std::size_t i) { return read[order[i]]; };
    const auto negative = static_cast<std::size_t>(
        std::ranges::partition_point(order, [&](std::uint32_t k) { return read[k] < 0.0; }) -
        order.begin());
    std::size_t n_distinct = not_stored > 0;
    for (std::size_t i = 0; i < order.size(); ++i)
        n_distinct += (i == 0 || value(i) != value(i - 1)) && !(not_stored > 0 && value(i) == 0.0);
    double low = 0.0, high = 0.0;
    if (!order.empty()) {
        low = not_stored > 0 ? std::min(0.0, value(0)) : value(0);
        high = not_stored > 0 ? std::max(0.0, value(order.size() - 1)) : value(order.size() - 1);
    }
    Coder coder(n_distinct, n_known, low, high, rule, column);
    if (column.code_value_shift == 0) column.code_values.reserve(coder.most());
    made.coded.codes = smallest_codes(n, coder.most(), [&]<class T>(T& codes) {
        using Narrow = typename T::value_type;
        std::size_t at = 0, rows = 0;
        const auto next = [&](double v, std::size_t n_zeros) {
            std::size_t end = at;
            while (end < order.size() && value(end) == v) ++end;
            const std::size_t size = end - at + n_zeros;
            const Code code = coder.next(v, rows, rows + size);
            rows += size;
            for (; at < end; ++at) codes[order[at]] = static_cast<Narrow>(code);
            return code;
        };
        while (at < negative) next(value(at), 0);
        if (not_stored > 0) column.zero = next(0.0, not_stored);
        while (at < order.size()) next(value(at), 0);
        for (std::size_t k = 0; column.has_missing && k < n; ++k)
            if (std::isnan(read[k])) codes[k] = static_cast<Narrow>(column.n_codes);
    });
    for (std::size_t k = 0; column.has_missing && k < n; ++k)
        if (std::isnan(read[k])) order.push_back(static_cast<std::uint32_t>(k));
    column.code_values.shrink_to_fit();
    return made;
}

}  // namespace silvics
