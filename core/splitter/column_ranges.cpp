#include "splitter/column_ranges.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "splitter/gather.hpp"

namespace silvics {
namespace {

// Calls use(j, values) for each column of numbers with its values that are not missing.
template <class Use>
void for_numbers(const Table& table, ThreadTeam& team, Use&& use) {
    std::vector<RowId> rows(table.n_rows);
    std::iota(rows.begin(), rows.end(), RowId{0});
    team.run_steps(table.n_features(), [&](std::size_t j, std::size_t) {
        const Column& column = table.columns[j];
        if (column.kind == Column::Kind::category) return;
        std::vector<double> values(rows.size());
        read_any_values(column, rows, values.data());
        std::erase_if(values, [](double x) { return std::isnan(x); });
        use(j, values);
    });
}

}  // namespace

std::vector<std::pair<double, double>> column_ranges(const Table& table, ThreadTeam& team) {
    std::vector<std::pair<double, double>> ranges(table.n_features(), {0.0, 0.0});
    for_numbers(table, team, [&](std::size_t j, const std::vector<double>& values) {
        if (values.empty()) return;
        const auto [low, high] = std::ranges::minmax(values);
        ranges[j] = {low, high};
    });
    return ranges;
}

std::vector<std::vector<double>> column_edges(const Table& table, std::size_t most,
                                              ThreadTeam& team) {
    std::vector<std::vector<double>> edges(table.n_features());
    for_numbers(table, team, [&](std::size_t j, std::vector<double>& values) {
        std::ranges::sort(values);
        std::size_t distinct = 0;
        for (std::size_t i = 0; i < values.size(); ++i)
            distinct += i == 0 || values[i] != values[i - 1];
        const auto n = static_cast<double>(values.size()), slots = static_cast<double>(most);
        double before = -1.0;
        for (std::size_t begin = 0, end; begin < values.size(); begin = end) {
            end = begin + 1;
            while (end < values.size() && values[end] == values[begin]) ++end;
            // The middle of the rows of a value determines its group.
            const double middle = (static_cast<double>(begin) + static_cast<double>(end - 1)) / 2;
            const double slot =
                distinct <= most ? static_cast<double>(begin) : std::floor(middle / n * slots);
            if (begin > 0 && slot != before)
                edges[j].push_back(middle_of_gap(values[begin - 1], values[begin]));
            before = slot;
        }
    });
    return edges;
}

}  // namespace silvics
