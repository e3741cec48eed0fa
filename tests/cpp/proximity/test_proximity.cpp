#include <algorithm>

#include "doctest/doctest.h"
#include "predictor/forest_example.hpp"
#include "proximity/proximity.hpp"

namespace silvics {
namespace {

constexpr std::size_t kRows = 120, kTrees = 70;  // more trees than bits of a word

struct Example {
    test::ForestExample forest = test::forest_example("squared_error", kRows, kTrees);
    Predictor predictor = forest.predictor();
    LeafMembership membership;
    std::vector<std::int64_t> nodes = std::vector<std::int64_t>(kRows * kTrees);
    std::vector<std::vector<bool>> out;

    Example() {
        ThreadTeam team;
        membership = leaf_membership(predictor, forest.X.view(), forest.target,
                                     {0, forest.plan.seeds, forest.plan.sampling}, team);
        predictor.apply(forest.X.view(), nodes, team);
        for (const std::uint32_t seed : forest.plan.seeds)
            out.push_back(out_of_bag(forest.plan.sampling, seed));
    }

    bool same(std::size_t i, std::size_t j, std::size_t m) const {
        return nodes[i * kTrees + m] == nodes[j * kTrees + m];
    }
    // The definition, pair by pair.
    std::vector<double> expected(ProximityKind kind) const {
        std::vector<double> matrix(kRows * kRows, 0.0);
        for (std::size_t m = 0; m < kTrees; ++m) {
            const LearningSubset subset =
                learning_subset(forest.plan.sampling, forest.target, forest.plan.seeds[m]);
            std::vector<double> weight(kRows, 0.0);
            for (const RowId row : subset.rows) weight[row] = subset.weight(row) * subset.unit;
            for (std::size_t i = 0; i < kRows; ++i) {
                double whole = 0.0;
                for (std::size_t j = 0; j < kRows; ++j) whole += same(i, j, m) ? weight[j] : 0.0;
                for (std::size_t j = 0; j < kRows; ++j) {
                    if (!same(i, j, m)) continue;
                    double& sum = matrix[i * kRows + j];
                    if (kind == ProximityKind::original) sum += 1.0;
                    if (kind == ProximityKind::oob) sum += out[m][i] && out[m][j];
                    if (kind == ProximityKind::kernel) sum += weight[j] / whole;
                    if (kind == ProximityKind::gap && out[m][i]) sum += weight[j] / whole;
                }
            }
        }
        for (std::size_t i = 0; i < kRows; ++i)
            for (std::size_t j = 0; j < kRows; ++j) {
                double n = kTrees;
                if (kind == ProximityKind::oob || kind == ProximityKind::gap) {
                    n = 0.0;
                    for (std::size_t m = 0; m < kTrees; ++m)
                        n += out[m][i] && (kind == ProximityKind::gap || out[m][j]);
                }
                if (n > 0.0) matrix[i * kRows + j] /= n;
            }
        return matrix;
    }
};

constexpr ProximityKind kKinds[] = {ProximityKind::original, ProximityKind::oob, ProximityKind::gap,
                                    ProximityKind::kernel};
constexpr std::pair<ProximityKind, std::size_t> kKindsOfCells[] = {
    {ProximityKind::original, 5}, {ProximityKind::oob, 5}, {ProximityKind::gap, 5},
    {ProximityKind::kernel, 5},   {ProximityKind::gap, 0}, {ProximityKind::kernel, 0}};

TEST_CASE("every kind is what its definition says, for any number of threads") {
    const Example example;
    for (const ProximityKind kind : kKinds) {
        const std::vector<double> expected = example.expected(kind);
        std::vector<double> first;
        for (const std::size_t threads : {1U, 3U}) {
            ThreadTeam team(threads, nullptr);
            const Proximity proximity(example.predictor, example.membership, kind, {}, 0, 1000,
                                      team);
            std::vector<double> found(kRows * kRows);
            proximity.dense(nullptr, found, team);
            for (std::size_t k = 0; k < found.size(); ++k)
                REQUIRE(found[k] == doctest::Approx(expected[k]).epsilon(1e-12));
            if (first.empty()) first = found;
            CHECK(found == first);
        }
    }
}

TEST_CASE("sparse rows, neighbours and products agree with the dense matrix") {
    const Example example;
    ThreadTeam team(2, nullptr);
    // Cells are leaves, or larger.
    for (const auto& [kind, min_samples] : kKindsOfCells) {
        const Proximity proximity(example.predictor, example.membership, kind, {}, min_samples,
                                  1000, team);
        std::vector<double> dense(kRows * kRows);
        proximity.dense(nullptr, dense, team);

        std::vector<double> again(kRows * kRows, 0.0);
        const SparseRows sparse = proximity.sparse(nullptr, team);
        for (std::size_t i = 0; i < kRows; ++i)
            for (auto k = sparse.starts[i]; k < sparse.starts[i + 1]; ++k) {
                const auto at = static_cast<std::size_t>(k);
                again[i * kRows + static_cast<std::size_t>(sparse.columns[at])] = sparse.values[at];
            }
        CHECK(again == dense);

        constexpr std::size_t n_neighbors = 7;
        std::vector<std::int32_t> indices(kRows * n_neighbors);
        std::vector<double> values(kRows * n_neighbors);
        proximity.neighbors(nullptr, n_neighbors, indices, values, team);
        for (std::size_t i = 0; i < kRows; ++i) {
            std::vector<std::size_t> order(kRows);
            for (std::size_t j = 0; j < kRows; ++j) order[j] = j;
            std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
                return dense[i * kRows + a] > dense[i * kRows + b];
            });
            for (std::size_t k = 0; k < n_neighbors; ++k) {
                const double value = dense[i * kRows + order[k]];
                CHECK(values[i * n_neighbors + k] == value);
                CHECK(indices[i * n_neighbors + k] ==
                      (value > 0.0 ? static_cast<std::int32_t>(order[k]) : -1));
            }
        }

        std::vector<double> factors(kRows * 2), product(kRows * 2);
        for (std::size_t k = 0; k < factors.size(); ++k) factors[k] = static_cast<double>(k % 5);
        proximity.product(nullptr, factors, 2, true, true, product, team);
        for (std::size_t i = 0; i < kRows; ++i)
            for (std::size_t c = 0; c < 2; ++c) {
                double sum = 0.0;
                for (std::size_t j = 0; j < kRows; ++j)
                    if (j != i)
                        sum += dense[i * kRows + j] * dense[i * kRows + j] * factors[j * 2 + c];
                CHECK(product[i * 2 + c] == doctest::Approx(sum).epsilon(1e-12));
            }
    }
}

TEST_CASE("rows of X have the proximities of the same training rows") {
    const Example example;
    ThreadTeam team(2, nullptr);
    const Matrix X = example.forest.X.view();
    for (const ProximityKind kind : {ProximityKind::original, ProximityKind::kernel}) {
        const Proximity proximity(example.predictor, example.membership, kind, {}, 0, 3, team);
        std::vector<double> known(kRows * kRows), given(kRows * kRows);
        proximity.dense(nullptr, known, team);
        proximity.dense(&X, given, team);
        CHECK(known == given);
        CHECK(proximity.has_rows(X, team));
        CHECK_FALSE(proximity.has_rows(X.part(1, kRows - 1), team));
    }
    const Proximity gap(example.predictor, example.membership, ProximityKind::gap, {}, 0, 3, team);
    std::vector<double> given(kRows * kRows);
    CHECK_THROWS_AS(gap.dense(&X, given, team), std::invalid_argument);
    const LeafMembership rows = rows_by_leaf(example.predictor, X, team);
    CHECK_THROWS_AS(Proximity(example.predictor, rows, ProximityKind::kernel, {}, 0, 1000, team),
                    std::invalid_argument);
}

}  // namespace
}  // namespace silvics
