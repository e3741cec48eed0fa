// A small table with permuted groups of variables.
#pragma once

#include "importance/permuted_changes.hpp"
#include "predictor/row_blocks.hpp"
#include "support/problem.hpp"

namespace silvics::test {

// Every variable of a group takes its values from random rows, in each of the repeats.
struct PermutedExample {
    Matrix X;
    std::vector<std::uint32_t> rows;
    PermutedGroups groups;
    PermutedColumns columns;
    std::vector<double> values;  // of X, and one more

    PermutedExample(Rng& rng, Matrix table, std::vector<std::vector<FeatureId>> variables,
                    std::size_t n_repeats)
        : X(std::move(table)),
          rows(variables.size() * n_repeats * X.rows),
          groups{std::move(variables), n_repeats, {}},
          columns{groups, {}, {}, {}, true, X.rows},
          values(X.values) {
        for (auto& row : rows) row = static_cast<std::uint32_t>(pick(rng, X.rows));
        groups.rows = rows;
        columns.of_feature.resize(X.cols + 1);
        for (std::uint32_t g = 0; g < groups.variables.size(); ++g)
            for (const FeatureId j : groups.variables[g]) {
                columns.of_feature[j] = {
                    g, static_cast<std::uint32_t>(columns.group_of.size() * n_repeats)};
                columns.group_of.push_back(g);
                for (std::size_t i = 0; i < X.rows; ++i)
                    columns.values.push_back(X.values[i * X.cols + j]);
            }
        values.push_back(0.0);
    }
    PermutedExample(const PermutedExample&) = delete;

    RowBlock block(std::size_t first, std::size_t size) const {
        return {.first = first,
                .size = size,
                .width = X.cols,
                .values = values.data() + first * X.cols,
                .whole = true};
    }
    // The row from which row i takes the values of a group in a repeat.
    std::size_t source(std::size_t g, std::size_t r, std::size_t i) const {
        return rows[(g * groups.n_repeats + r) * X.rows + i];
    }
    // Row i with the values of group g in repeat r.
    std::vector<double> permuted(std::size_t i, std::size_t g, std::size_t r) const {
        std::vector<double> row(X.row(i), X.row(i) + X.cols);
        for (const FeatureId j : groups.variables[g]) row[j] = X.row(source(g, r, i))[j];
        return row;
    }
};

}  // namespace silvics::test
