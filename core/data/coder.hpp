// What all coders share: from the distinct values of a column, in ascending order, to codes.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "data/table.hpp"

namespace silvics {

inline constexpr const char* kInfinite =
    "Input X contains infinity or a value too large for dtype('float64').";

struct CodedColumn {
    Column column;    // without its codes
    CodeArray codes;  // of each row, not yet placed in a table
};

// Gives codes to the distinct values of a column, in ascending order.
class Coder {
public:
    Coder(std::size_t n_distinct, std::size_t n_rows, double low, double high, const BinRule& rule,
          Column& column)
        : n_(n_distinct),
          n_rows_(n_rows),
          low_(low / 2),
          range_(high / 2 - low_),
          rule_(rule),
          column_(column) {
        using Kind = Column::Kind;
        const std::size_t codes = kMaxCodes - (column.has_missing ? 1 : 0);
        const bool binned = rule.max_bins != 0 && n_ > rule.max_bins;
        column.kind = binned ? Kind::bin : n_ > codes ? Kind::several_values : Kind::one_value;
        most_ = std::min(binned ? rule.max_bins : n_, codes);
        column.code_value_shift = most_ <= 1024 ? 0 : std::bit_width(most_ - 1) - 8;
    }

    // An upper bound of the number of codes, including the one for missing values.
    std::size_t most() const { return most_ + (column_.has_missing ? 1 : 0); }

    // The code of the next distinct value, which rows `begin` to `end` have in the order of
    // values.
    Code next(double value, std::size_t begin, std::size_t end) {
        if (column_.kind == Column::Kind::bin)
            next_bin(value, begin, end);
        else if (rank_ > 0)
            step();
        ++rank_;
        column_.n_codes = code_ + std::size_t{1};
        if (code_ >> column_.code_value_shift >= column_.code_values.size())
            column_.code_values.push_back(value == 0.0 ? 0.0 : value);
        return code_;
    }

private:
    // Sets the code to rank * most / n without a division.
    void step() {
        rest_ += most_;
        if (rest_ < n_) return;
        rest_ -= n_;
        ++code_;
    }

    // Bins of equal frequency or of equal width.
    void next_bin(double value, std::size_t begin, std::size_t end) {
        if (rule_.widths == BinRule::Widths::equal_width)
            return enter_slot(slot_of((value / 2 - low_) / range_));
        const std::size_t middle = begin + (end - 1);  // twice the middle of the rows
        if (middle < slot_end_) return;                // most values stay in the bin: no division
        enter_slot(slot_of_middle(middle));
        if (slot_ == static_cast<double>(most_ - 1)) {
            slot_end_ = 2 * n_rows_;
        } else {  // an estimate, then corrected to the exact row
            slot_end_ = static_cast<std::size_t>(
                (slot_ + 1.0) * 2.0 * static_cast<double>(n_rows_) / static_cast<double>(most_));
            while (slot_of_middle(slot_end_) > slot_) --slot_end_;
            while (slot_of_middle(slot_end_) <= slot_) ++slot_end_;
        }
    }

    // The bin of a position in [0, 1), the relative rank or value.
    double slot_of(double place) const {
        const auto wanted = static_cast<double>(most_);
        return std::min(std::floor(place * wanted), wanted - 1);
    }
    double slot_of_middle(std::size_t twice) const {
        return slot_of(static_cast<double>(twice) / 2 / static_cast<double>(n_rows_));
    }
    void enter_slot(double slot) {
        if (rank_ > 0 && slot != slot_) ++code_;
        slot_ = slot;
    }

    const std::size_t n_, n_rows_;
    const double low_, range_;
    const BinRule& rule_;
    Column& column_;
    std::size_t most_ = 0, rank_ = 0, rest_ = 0;
    double slot_ = 0.0;
    std::size_t slot_end_ = 0;  // twice the middle of the first rows that belong to the next bin
    Code code_ = 0;
};

// Calls fill(codes) with an array of one-byte codes, or of two-byte codes if there are more than
// 256.
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

}  // namespace silvics
