#include "data/level_code.hpp"

#include <cmath>
#include <stdexcept>

namespace silvics {

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
        column.has_missing |= !(number >= 0.0);
        if (number >= static_cast<double>(n_levels))
            throw std::invalid_argument("a level of a category is out of range");
    }
    const std::size_t most = n_levels + (column.has_missing ? 1 : 0);
    if (most > kMaxCodes) return coded;  // levels are read from the caller's matrix
    coded.codes = smallest_codes(read.size(), most, [&]<class T>(T& codes) {
        for (std::size_t i = 0; i < read.size(); ++i)
            codes[i] = static_cast<typename T::value_type>(column.level_of(read[i]));
    });
    return coded;
}

}  // namespace silvics
