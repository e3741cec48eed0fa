// Surrogate splits, against all cuts tried one by one.
#include <algorithm>
#include <cmath>
#include <limits>

#include "doctest/doctest.h"
#include "importance/impurity_decrease.hpp"
#include "importance/surrogates.hpp"
#include "predictor/forest_example.hpp"
#include "tree/compact.hpp"

namespace silvics {
namespace {

Surrogates found_by(const test::ForestExample& forest, const test::Matrix& X, ThreadTeam& team,
                    Impurity impurity = Impurity::gini, bool mimicry = true) {
    return surrogate_importances(Predictor(forest.trees, false), forest.trees, X.view(),
                                 forest.target, {0, forest.plan.seeds, forest.plan.sampling},
                                 std::vector<bool>(X.cols, false), impurity, mimicry, team);
}

// The same trees for a table with more columns: copies, and one that is constant.
test::ForestExample with_more(const test::ForestExample& forest, test::Matrix& X) {
    const std::size_t p = forest.X.cols, more = p + 2;
    X = {forest.X.rows, more, std::vector<double>(forest.X.rows * more)};
    for (std::size_t i = 0; i < X.rows; ++i) {
        std::copy_n(forest.X.row(i), p, &X.values[i * more]);
        X.values[i * more + p] = forest.X.row(i)[1];
        X.values[i * more + p + 1] = 3.0;
    }
    test::ForestExample wider = forest;
    for (SharedTree& tree : wider.trees)
        tree = std::make_shared<const StoredTree>(
            test::changed(*tree, [&](TreeBase& base) { base.n_features = more; }));
    return wider;
}

TEST_CASE("copies have what their twins have, constants nothing, and all at least their own") {
    for (const char* criterion : {"gini", "squared_error"}) {
        const Impurity impurity =
            std::string(criterion) == "gini" ? Impurity::gini : Impurity::variance;
        test::Matrix X;
        const auto forest = with_more(test::forest_example(criterion, 90, 4), X);
        std::vector<double> first;
        test::with_teams([&](ThreadTeam& team) {
            const Surrogates found = found_by(forest, X, team, impurity);
            if (first.empty()) first = found.importances;
            CHECK(found.importances == first);
            const std::size_t p = X.cols, twin = p - 2, constant = p - 1;
            double splits = 0.0;
            for (std::size_t m = 0; m < 4; ++m) {
                const auto own = impurity_decrease(*forest.trees[m], false);
                const double* of_tree = &found.importances[m * p];
                CHECK(of_tree[twin] == of_tree[1]);
                CHECK(of_tree[constant] == 0.0);
                for (std::size_t j = 0; j < p; ++j) CHECK(of_tree[j] >= own[j] * (1.0 - 1e-9));
                splits += own[1];
            }
            CHECK(found.mimicry[1 * p + twin] == doctest::Approx(splits).epsilon(1e-9));
            CHECK(found.mimicry[1 * p + 1] == doctest::Approx(splits).epsilon(1e-9));
            CHECK(found.mimicry[1 * p + constant] == 0.0);
        });
    }
}

TEST_CASE("the cut is the one that most rows agree with") {
    const test::ForestExample forest = test::forest_example("gini", 40, 6);
    ThreadTeam team(1, nullptr);
    const Surrogates found = found_by(forest, forest.X, team, Impurity::gini, false);
    std::vector<std::int64_t> leaves(40 * 6);
    forest.predictor().apply(forest.X.view(), leaves, team);
    const std::size_t p = forest.X.cols;
    for (std::size_t m = 0; m < 6; ++m) {
        const Tree tree = expand(*forest.trees[m]);
        const auto ends = tree.subtree_ends();
        std::vector<double> drawn(40, 0.0);
        for (const RowId row : draw_rows(forest.plan.sampling, forest.plan.seeds[m]))
            drawn[row] += 1.0;
        for (std::size_t j = 0; j < p; ++j) {
            double sum = 0.0;
            for (NodeId t = 0; t < tree.nodes.size(); ++t) {
                if (tree.nodes[t].leaf()) continue;
                std::vector<std::size_t> rows;
                for (std::size_t i = 0; i < 40; ++i)
                    if (drawn[i] > 0.0 && leaves[i * 6 + m] >= t && leaves[i * 6 + m] < ends[t])
                        rows.push_back(i);
                const auto first = [&](std::size_t i) {
                    return leaves[i * 6 + m] < tree.nodes[t].second();
                };
                // Of the cuts that agree best, those that part the rows most evenly.
                double best = -1.0, least = 0.0, whole = 0.0, larger = 0.0;
                std::vector<double> cuts;
                for (const std::size_t i : rows) {
                    whole += drawn[i];
                    larger += first(i) ? drawn[i] : 0.0;
                }
                larger = std::max(larger, whole - larger);
                for (const std::size_t at : rows) {
                    const double value = forest.X.row(at)[j];
                    double agree = 0.0, below = 0.0;
                    for (const std::size_t i : rows) {
                        const bool low = forest.X.row(i)[j] <= value;
                        below += low ? drawn[i] : 0.0;
                        agree += low == first(i) ? drawn[i] : 0.0;
                    }
                    if (below == whole) continue;
                    agree = std::max(agree, whole - agree);
                    const double uneven = std::fabs(whole - 2.0 * below);
                    if (agree < best || (agree == best && uneven > least)) continue;
                    if (agree > best || uneven < least) cuts.clear();
                    best = agree;
                    least = uneven;
                    if (std::ranges::find(cuts, value) == cuts.end()) cuts.push_back(value);
                }
                if (best <= larger) continue;
                CHECK(cuts.size() <= 2);
                for (const double cut : cuts) {
                    double counts[3][3] = {}, weights[3] = {};
                    for (const std::size_t i : rows) {
                        const int side = forest.X.row(i)[j] <= cut ? 0 : 1;
                        for (const int part : {side, 2}) {
                            counts[part][forest.target.classes[i]] += drawn[i];
                            weights[part] += drawn[i];
                        }
                    }
                    const auto purity = [&](int part) {
                        double squares = 0.0;
                        for (const double count : counts[part]) squares += count * count;
                        return squares / weights[part];
                    };
                    sum += (purity(0) + purity(1) - purity(2)) / 40.0 /
                           static_cast<double>(cuts.size());
                }
            }
            CHECK(found.importances[m * p + j] == doctest::Approx(sum).epsilon(1e-9));
        }
    }
}

TEST_CASE("a variable and its negative have the same") {
    for (const char* criterion : {"gini", "squared_error"}) {
        test::Matrix X;
        const auto forest = with_more(test::forest_example(criterion, 90, 4), X);
        test::Rng rng(3);
        const std::size_t p = X.cols, a = p - 2, b = p - 1;  // that no tree splits on
        for (std::size_t i = 0; i < X.rows; ++i) {
            double value = static_cast<double>(test::pick(rng, 6)) - 2.0;
            if (test::pick(rng, 5) == 0) value = std::numeric_limits<double>::quiet_NaN();
            X.values[i * p + a] = value;
            X.values[i * p + b] = -value;
        }
        ThreadTeam team(1, nullptr);
        const Surrogates found =
            found_by(forest, X, team,
                     std::string(criterion) == "gini" ? Impurity::gini : Impurity::variance);
        double sum = 0.0;
        for (std::size_t m = 0; m < 4; ++m) {
            CHECK(found.importances[m * p + a] == found.importances[m * p + b]);
            sum += found.importances[m * p + a];
        }
        CHECK(sum > 0.0);
    }
}

TEST_CASE("missing values go with most of them") {
    test::Matrix X;
    const auto forest = with_more(test::forest_example("gini", 60, 3), X);
    // The copy lacks the values of some rows: it does less, but not nothing.
    test::Rng rng(7);
    for (std::size_t i = 0; i < X.rows; ++i)
        if (test::pick(rng, 4) == 0)
            X.values[i * X.cols + X.cols - 2] = std::numeric_limits<double>::quiet_NaN();
    ThreadTeam team(1, nullptr);
    const Surrogates found = found_by(forest, X, team);
    const double likeness = found.mimicry[1 * X.cols + X.cols - 2] / found.mimicry[1 * X.cols + 1];
    CHECK(likeness > 0.4);
    CHECK(likeness < 1.0);
}

TEST_CASE("parts that do not belong together are refused") {
    const test::ForestExample forest = test::forest_example("gini", 30, 3);
    ThreadTeam team(1, nullptr);
    auto seeds = forest.plan.seeds;
    std::vector<bool> categories(forest.X.cols, false);
    SUBCASE("a seed missing") { seeds.pop_back(); }
    SUBCASE("a variable missing") { categories.pop_back(); }
    CHECK_THROWS_AS(surrogate_importances(forest.predictor(), forest.trees, forest.X.view(),
                                          forest.target, {0, seeds, forest.plan.sampling},
                                          categories, Impurity::gini, false, team),
                    std::invalid_argument);
}

}  // namespace
}  // namespace silvics
