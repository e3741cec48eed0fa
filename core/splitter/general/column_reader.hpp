// Reads the values of some rows for the general splitter.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "data/table.hpp"
#include "splitter/gather.hpp"

namespace silvics {

class ColumnReader {
public:
    ColumnReader(const Table& table, const SearchRules& rules) : table_(table), rules_(rules) {}

    static constexpr Code kMissing = ~Code{0};

    const Column& column(FeatureId f) const { return table_.columns[f]; }
    bool category(FeatureId f) const { return column(f).kind == Column::Kind::category; }

    // The values of a variable, or of a combination; NaN if one of them is missing.
    std::span<const double> numbers(FeatureId f, std::span<const RowId> rows,
                                    std::span<const Term> terms, std::vector<double>& into) const {
        into.resize(rows.size());
        if (terms.empty()) {
            read_any_values(table_.columns[f], rows, into.data());
            return into;
        }
        std::ranges::fill(into, 0.0);
        std::vector<double> one(rows.size());
        for (const Term& term : terms) {
            read_any_values(table_.columns[term.feature], rows, one.data());
            for (std::size_t i = 0; i < rows.size(); ++i) into[i] += term.coefficient * one[i];
        }
        return into;
    }

    // The levels of a category; kMissing where one is missing.
    std::span<const Code> levels(FeatureId f, std::span<const RowId> rows,
                                 std::vector<Code>& into) const {
        into.resize(rows.size());
        gather_levels(column(f), rows, into.data());
        for (Code& code : into)
            if (code == column(f).n_codes) code = kMissing;
        return into;
    }

    // The values that multiway splits separate: levels, or the intervals that numbers are in.
    std::span<const Code> codes(FeatureId f, std::span<const RowId> rows,
                                std::vector<Code>& into) const {
        if (category(f)) return levels(f, rows, into);
        std::vector<double> values(rows.size());
        read_any_values(column(f), rows, values.data());
        into.resize(rows.size());
        const auto& edges = rules_.edges[f];
        for (std::size_t i = 0; i < rows.size(); ++i)
            into[i] =
                std::isnan(values[i])
                    ? kMissing
                    : static_cast<Code>(std::ranges::lower_bound(edges, values[i]) - edges.begin());
        return into;
    }

private:
    const Table& table_;
    const SearchRules& rules_;
};

}  // namespace silvics
