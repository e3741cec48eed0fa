// Columns that are not plain, and what a split of them is worth, from scratch.
#pragma once

#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "criterion/against_scratch.hpp"
#include "data/table.hpp"
#include "support/sparse.hpp"

namespace silvics::test {

// A table of dense columns, some of them categories (n_levels as in silvics::Matrix), kept with
// its matrix.
struct OtherTable {
    std::shared_ptr<const Matrix> X;
    std::shared_ptr<const SparseMatrix> sparse;
    std::shared_ptr<const Table> coded;

    const Table& table() const { return *coded; }
    const Column& column(std::size_t j = 0) const { return coded->columns[j]; }
};

inline OtherTable other_table(Matrix X, std::vector<std::int64_t> n_levels,
                              const BinRule& rule = {}) {
    auto kept = std::make_shared<const Matrix>(std::move(X));
    silvics::Matrix view(kept->view());
    view.n_levels = std::move(n_levels);
    ThreadTeam team(1, nullptr);
    return {kept, nullptr, std::make_shared<const Table>(code_table(view, rule, team))};
}

inline OtherTable sparse_table(Matrix X, const BinRule& rule = {}) {
    auto kept = std::make_shared<const Matrix>(std::move(X));
    auto sparse = std::make_shared<const SparseMatrix>(*kept);
    ThreadTeam team(1, nullptr);
    return {kept, sparse, std::make_shared<const Table>(code_table(sparse->view(), rule, team))};
}

// A category of some rows by level, -1 for missing.
inline OtherTable category(const std::vector<double>& levels, std::int64_t n_levels) {
    return other_table(column_of(levels), {n_levels});
}

enum class Loss { gini, entropy, misclassification, squared, poisson, absolute };

inline double scratch_impurity(Loss loss, const Target& target, const LearningSubset& subset,
                               const Rows& rows, std::size_t k) {
    const double whole = weight_of(subset, rows);
    if (target.classification()) {
        std::map<ClassId, double> weights;
        for (const RowId row : rows)
            weights[target.classes[k * target.n_rows + row]] += subset.weight(row);
        double sum = 0.0, most = 0.0;
        for (const auto& [c, w] : weights) {
            const double share = w / whole;
            sum += loss == Loss::gini ? share * (1.0 - share) : -share * std::log2(share);
            most = std::max(most, share);
        }
        return loss == Loss::misclassification ? 1.0 - most : sum;
    }
    const double* y = target.original.data() + k * target.n_rows;
    const auto total = [&](auto&& of) {
        double sum = 0.0;
        for (const RowId row : rows) sum += subset.weight(row) * of(y[row]);
        return sum / whole;
    };
    if (loss == Loss::absolute) {  // the least error is found at one of the outputs
        double least = INFINITY;
        for (const RowId row : rows)
            least = std::min(least, total([&](double v) { return std::fabs(v - y[row]); }));
        return least;
    }
    const double mean = total([](double v) { return v; });
    if (loss == Loss::squared) return total([&](double v) { return (v - mean) * (v - mean); });
    return total([&](double v) { return v > 0.0 ? v * std::log(v / mean) : 0.0; });
}

// The decrease of impurity by a split; -infinity where there is none.
inline double scratch_decrease(Loss loss, const Target& target, const LearningSubset& subset,
                               const Rows& rows, const std::vector<std::uint8_t>& marks) {
    Rows side[2];
    for (std::size_t i = 0; i < rows.size(); ++i) side[marks[i]].push_back(rows[i]);
    if (side[0].empty() || side[1].empty()) return -INFINITY;
    const auto impurity = [&](const Rows& of) {
        double sum = 0.0;
        for (std::size_t k = 0; k < target.n_outputs; ++k) {
            if (loss == Loss::poisson &&
                std::ranges::all_of(of, [&](RowId r) { return target.original[r] == 0.0; }))
                return static_cast<double>(INFINITY);  // no logarithm
            sum += scratch_impurity(loss, target, subset, of, k);
        }
        return weight_of(subset, of) * sum / static_cast<double>(target.n_outputs);
    };
    return (impurity(rows) - impurity(side[0]) - impurity(side[1])) / weight_of(subset, rows);
}

}  // namespace silvics::test
