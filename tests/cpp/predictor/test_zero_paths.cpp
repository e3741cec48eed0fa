#include "doctest/doctest.h"
#include "predictor/made_trees.hpp"
#include "predictor/predictor.hpp"
#include "predictor/zero_paths.hpp"
#include "support/descend.hpp"
#include "support/sparse.hpp"

namespace silvics {
namespace {

using test::Matrix;
using test::Packed;
using test::Rng;
using test::Trials;

void check_leaves(const Packed& of, const Matrix& X, const test::SparseMatrix& sparse,
                  ZeroPaths& paths) {
    const std::size_t first = X.rows / 3;
    const CellsByColumn cells(sparse.view(), first, X.rows - first, false);
    std::size_t n_ends = 0;
    paths.down(of.packed(), cells, [&](std::size_t i, PackedLeaf leaf) {
        CHECK(i == n_ends++);
        CHECK(of.id(leaf) == test::descend(of.tree(), X.row(first + i)));
    });
    CHECK(n_ends == X.rows - first);
}

TEST_CASE("sparse rows arrive at the leaves of the dense rows that they stand for") {
    Rng rng(410);
    ZeroPaths paths;
    for (const test::TreeCase& each : test::all_tree_cases())
        for (const Trials& trials : test::kAllTrials)
            for (const std::size_t one_in : {1U, 3U, 20U}) {
                const Packed of(
                    test::with_other_splits(rng, test::tree_example(each).tree, trials));
                const Matrix X = test::thinned(rng, test::samples_for(rng, 60, trials), one_in);
                const test::SparseMatrix sparse(
                    X, {.by_columns = false,
                        .zero_is_stored = [](std::size_t i, std::size_t) { return i % 7 == 0; }});
                check_leaves(of, X, sparse, paths);
            }
}

TEST_CASE("chains and a root alone are followed as well") {
    Rng rng(411);
    ZeroPaths paths;
    for (const std::uint32_t depth : {0U, 1U, 50U}) {
        const Packed of(test::chain_of(depth, [](std::uint32_t level) { return level % 3 == 0; }));
        Matrix X = test::samples_for(rng, 90, {.missing = true, .n_features = 2});
        for (std::size_t i = 0; i < X.rows; ++i)  // ends at any depth
            X.values[i * X.cols] = i % 2 == 0 ? 0.0 : test::pick_real(rng, 0.0, 2.0 * depth);
        check_leaves(of, X, test::SparseMatrix(X, {.by_columns = false}), paths);
    }
}

TEST_CASE("values are rounded to float32 on request") {
    Matrix X{1, 1, {0.1}};
    const test::SparseMatrix sparse(X, {.by_columns = false});
    CHECK(CellsByColumn(sparse.view(), 0, 1, false).of(0)[0].value == 0.1);
    CHECK(CellsByColumn(sparse.view(), 0, 1, true).of(0)[0].value == static_cast<double>(0.1F));
}

// Trees in which the path of zeros is long.
std::vector<SharedTree> chains() {
    std::vector<SharedTree> trees;
    for (const std::uint32_t depth : {40U, 60U})
        trees.push_back(std::make_shared<const StoredTree>(
            test::chain_of(depth, [](std::uint32_t) { return false; })));
    return trees;
}

Matrix mostly_zeros(Rng& rng, std::size_t rows, std::size_t one_in) {
    Matrix X = test::samples_for(rng, rows, {.n_features = 2});
    for (double& x : X.values) x *= 50.0;
    return test::thinned(rng, std::move(X), one_in);
}

TEST_CASE("zeros are followed where few values are stored, in trees of thresholds") {
    Rng rng(412);
    const std::vector<SharedTree> trees = chains();
    const Predictor predictor(trees, false);
    const PackedTree both[] = {predictor.tree(0), predictor.tree(1)};
    const auto pays = [&](const Matrix& X) {
        const test::SparseMatrix sparse(X, {.by_columns = false});
        return pays_to_follow_zeros(predictor.forest(), both, sparse.view());
    };
    CHECK(pays(mostly_zeros(rng, 500, 20)));
    CHECK_FALSE(pays(mostly_zeros(rng, 3, 20)));
    CHECK_FALSE(pays(Matrix{500, 2, std::vector(1000, 1.0)}));
}

TEST_CASE("predictions and leaves of sparse rows are those of dense rows, for any team") {
    Rng rng(413);
    const Predictor predictor(chains(), false);
    const Matrix X = mostly_zeros(rng, 700, 20);
    const test::SparseMatrix sparse(X, {.by_columns = false});
    ThreadTeam one(1, nullptr), three(3, nullptr);
    std::vector<double> expected(X.rows);
    predictor.average(X.view(), expected, one);
    std::vector<std::int64_t> leaves(2 * X.rows);
    predictor.apply(X.view(), leaves, one);
    for (ThreadTeam* team : {&one, &three}) {
        std::vector<double> means(X.rows, -1.0);
        predictor.average(sparse.view(), means, *team);
        CHECK(means == expected);
        std::vector<std::int64_t> found(2 * X.rows, -1);
        predictor.apply(sparse.view(), found, *team);
        CHECK(found == leaves);
    }
}

}  // namespace
}  // namespace silvics
