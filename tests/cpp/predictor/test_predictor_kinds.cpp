// Forests of every kind against the reference traversal, bit for bit.
#include "doctest/doctest.h"
#include "predictor/made_forests.hpp"
#include "predictor/plain_forest.hpp"
#include "support/sparse.hpp"

namespace silvics {
namespace {

using test::Kind;
using test::Matrix;
using test::PlainForest;
using test::Predictions;
using test::Rng;
using test::Trials;

Matrix first_rows(const Matrix& X, std::size_t rows) {
    return {rows, X.cols, {X.values.begin(), X.values.begin() + X.cols * rows}};
}

void check_said(const std::vector<SharedTree>& trees, const Matrix& X) {
    const Predictions expected = PlainForest(trees).predict(X);
    const Predictor predictor(trees, false);
    test::with_teams([&](ThreadTeam& team) {
        CHECK(test::predictions_of(predictor, X.view(), team) == expected);
    });
}

TEST_CASE("the kinds of trees differ in how their leaves keep what they predict") {
    std::size_t counts = 0, wide = 0, weights = 0, plain_classes = 0, class_values = 0,
                variances = 0, values = 0, pure = 0, roots = 0;
    for (const Kind& kind : test::all_kinds())
        for (const StoredTree& tree : kind.trees) {
            CHECK_NOTHROW(check_tree(tree));
            CHECK(tree->value_width() == kind.trees[0]->value_width());
            const bool classes = tree->classification();
            if (const CompactTree* const compact = tree.compact()) {
                counts += classes && compact->counts_in_leaves();
                wide += classes && !compact->whole_weights.wide.empty();
                weights += classes && !compact->leaf_weights.empty();
                variances += compact->rule == CompactionRule::variance;
            } else {
                const bool of_nodes = tree.plain()->has_node_values();
                plain_classes += classes && !of_nodes;
                class_values += classes && of_nodes;
                values += !classes && of_nodes;
            }
            for (const Node& node : tree->nodes) pure += classes && node.leaf() && node.pure();
            roots += tree->nodes.size() == 1;
        }
    for (const std::size_t n :
         {counts, wide, weights, plain_classes, class_values, variances, values, pure, roots})
        CHECK(n > 0);
}

TEST_CASE("trees of every kind predict what the reference traversal predicts") {
    Rng rng(320);
    for (const Kind& kind : test::all_kinds())
        for (const Trials& trials : test::kAllTrials) {
            CAPTURE(kind.name);
            const auto trees = kind.forest(rng, kind.trees.size() + 3, trials);
            for (const std::size_t rows : {1U, 7U, 8U, 300U})
                check_said(trees, test::samples_for(rng, rows, trials));
        }
}

TEST_CASE("predictions have the same bits for any numbers of rows and trees") {
    Rng rng(321);
    const auto kinds = test::all_kinds();
    for (const std::size_t k : {0U, 3U})
        for (const Trials& trials : {Trials{false, false}, Trials{true, true}})
            for (const std::size_t n_trees : {1U, 255U, 256U, 257U, 600U}) {
                CAPTURE(kinds[k].name);
                CAPTURE(n_trees);
                const auto trees = kinds[k].forest(rng, n_trees, trials);
                const Predictor predictor(trees, false);
                const PlainForest plain(trees);
                const Matrix X = test::samples_for(rng, 257, trials);
                for (const std::size_t rows : {1U, 7U, 8U, 9U, 255U, 256U, 257U}) {
                    const Matrix part = first_rows(X, rows);
                    const Predictions expected = plain.predict(part);
                    test::with_teams([&](ThreadTeam& team) {
                        CHECK(test::predictions_of(predictor, part.view(), team) == expected);
                    });
                }
            }
}

TEST_CASE("one sample alone has the bits that it has in a matrix") {
    Rng rng(322);
    for (const Kind& kind : test::all_kinds())
        for (const Trials& trials : test::kAllTrials)
            for (const std::size_t n_trees : {1U, 40U, 300U})
                for (const bool as_float32 : {false, true}) {
                    CAPTURE(kind.name);
                    const Predictor predictor(kind.forest(rng, n_trees, trials), as_float32);
                    Matrix X = test::samples_for(rng, 20, trials);
                    for (double& x : X.values) x *= 1.0 + 1e-12;
                    const std::size_t width = predictor.value_width();
                    std::vector<double> all(20 * width, -1.0), one(width);
                    ThreadTeam team;
                    predictor.average(X.view(), all, team);
                    bool same = true;
                    for (std::size_t i = 0; i < 20; ++i) {
                        std::vector<double> sample(X.row(i), X.row(i) + X.cols);
                        std::ranges::fill(one, -1.0);
                        predictor.average(sample, one);
                        same &= test::same_bits(one, std::span(all).subspan(i * width, width));
                    }
                    CHECK(same);
                }
}

TEST_CASE("a missing value in one block does not change the steps of another") {
    Rng rng(323);
    const auto kinds = test::all_kinds();
    // Trees that know of missing values, samples that have one at most.
    const auto trees = kinds[0].forest(rng, 50, {.missing = true});
    for (const std::size_t hole : {0U, 255U, 256U, 511U, 599U}) {
        Matrix X = test::samples_for(rng, 600, {});
        X.values[hole * X.cols + hole % X.cols] = NAN;
        check_said(trees, X);
    }
}

TEST_CASE("trees with categories and trees without predict in one forest") {
    Rng rng(324);
    const auto kinds = test::all_kinds();
    for (const Kind& kind : {kinds[0], kinds[3]}) {
        auto trees = kind.forest(rng, 20, {});
        const auto others = kind.forest(rng, 20, {.categories = true});
        for (std::size_t m = 1; m < 20; m += 3) trees[m] = others[m];
        for (const std::size_t rows : {3U, 100U})
            check_said(trees, test::samples_for(rng, rows, {.categories = true}));
    }
}

TEST_CASE("wide samples come in small blocks") {
    Rng rng(325);
    const auto kinds = test::all_kinds();
    for (const std::size_t n_features : {64U, 2048U, 2049U, 3000U, 20000U}) {  // 256 rows to 1
        const Trials trials{true, true, n_features};
        const Matrix X = test::samples_for(rng, 20, trials);
        check_said(kinds[1].forest(rng, 30, trials), X);
    }
}

TEST_CASE("values rounded to float32 go where float32 values go, dense or sparse") {
    Rng rng(326);
    const auto kinds = test::all_kinds();
    for (const Kind& kind : {kinds[0], kinds[3]})
        for (const Trials& trials : test::kAllTrials) {
            const auto trees = kind.forest(rng, 30, trials);
            Matrix X = test::thinned(rng, test::samples_for(rng, 257, trials), 2);
            for (double& x : X.values) x += 1e-12;  // just above thresholds, and levels
            Matrix rounded = X;
            for (double& x : rounded.values) x = static_cast<float>(x);
            const Predictions expected = PlainForest(trees).predict(rounded),
                              exact = PlainForest(trees).predict(X);
            CHECK_FALSE(expected == exact);
            const test::SparseMatrix sparse(X, {.by_columns = false});
            const Predictor predictor(trees, true), other(trees, false);
            test::with_teams([&](ThreadTeam& team) {
                CHECK(test::predictions_of(predictor, X.view(), team) == expected);
                CHECK(test::predictions_of(predictor, sparse.view(), team) == expected);
                CHECK(test::predictions_of(other, X.view(), team) == exact);
                CHECK(test::predictions_of(other, sparse.view(), team) == exact);
            });
        }
}

TEST_CASE("sparse rows of any number go down trees of every kind") {
    Rng rng(327);
    for (const Kind& kind : test::all_kinds()) {
        const Trials trials{true, true, 6};
        const auto trees = kind.forest(rng, 20, trials);
        const Predictor predictor(trees, false);
        for (const std::size_t rows : {1U, 7U, 8U, 257U}) {
            const Matrix X = test::thinned(rng, test::samples_for(rng, rows, trials), 3);
            const test::SparseMatrix sparse(X, {.by_columns = false});
            const Predictions expected = PlainForest(trees).predict(X);
            test::with_teams([&](ThreadTeam& team) {
                CHECK(test::predictions_of(predictor, sparse.view(), team) == expected);
            });
        }
    }
}

TEST_CASE("chains of 5,000 levels predict what the reference traversal predicts") {
    std::vector<SharedTree> trees;
    for (const std::uint32_t every : {1U, 2U, 5U, 6000U})
        trees.push_back(std::make_shared<const StoredTree>(
            test::chain_of(5000, [&](std::uint32_t level) { return level % every == every - 1; })));
    trees.push_back(std::make_shared<const StoredTree>(test::chain_of(0, {})));
    Rng rng(328);
    CHECK(Predictor(trees, false).n_steps() == 4 * 5001 + 1);
    for (const std::size_t rows : {1U, 7U, 30U}) {
        Matrix X = test::random_matrix(rng, rows, 2);
        for (double& x : X.values) x = 5000.0 + 5001.0 * x;
        X.values[0] = NAN;
        check_said(trees, X);
    }
}

TEST_CASE("a monitor that requests a stop ends prediction between two trees") {
    struct Stopper : Monitor {
        bool poll(std::size_t, std::size_t) override { return false; }
    };
    const auto chain = std::make_shared<const StoredTree>(
        test::chain_of(5000, [](std::uint32_t level) { return level % 3 == 0; }));
    const std::vector<SharedTree> trees(200, chain);
    const Predictor predictor(pack(trees), false);
    Matrix X;  // of samples that go to its end: tenths of a second of work, in one block
    X.rows = 100, X.cols = 2;
    X.values.assign(X.rows * X.cols, 3333.0);
    std::vector<std::int64_t> leaves(X.rows * trees.size(), -1);
    Stopper stopper;
    ThreadTeam team(1, &stopper);
    CHECK_THROWS_AS(predictor.apply(X.view(), leaves, team), Interrupted);
    CHECK(leaves.back() == -1);
}

TEST_CASE("a category rule of each form sends known, unknown and missing levels") {
    Rng rng(329);
    std::vector<SharedTree> trees;
    const Level few[] = {0, 3, 46}, far[] = {2, 5, 90000};
    for (const int form : {0, 1, 2})
        for (const bool others_left : {false, true})
            for (const bool missing_left : {false, true}) {
                Tree tree = test::chain_of(1, [](std::uint32_t) { return true; });
                const LevelRule rule =
                    form == 0   ? LevelRule::of(few, {}, others_left, tree.level_sets)
                    : form == 1 ? LevelRule(LevelRule::Form::coin, rng(), others_left)
                                : LevelRule::of(far, {}, others_left, tree.level_sets);
                tree.nodes[0].set_rule(rule);
                tree.nodes[0].set_second(2, missing_left);
                CHECK_NOTHROW(check_tree(tree));
                trees.push_back(std::make_shared<const StoredTree>(tree));
            }
    Matrix X{0, 2, {}};
    for (const double x :
         {0.0, -0.0, 2.0, 3.0, 5.0, 46.0, 47.0, 89999.0, 90000.0, 4294967295.0, 4294967296.0, -1.0,
          -2.0, -3.0, -0.5, HUGE_VAL, -HUGE_VAL, std::nan("")}) {
        X.values.insert(X.values.end(), {x, 0.0});
        ++X.rows;
    }
    check_said(trees, X);                 // a block down each tree
    check_said(trees, first_rows(X, 7));  // each sample down all trees
    std::vector<std::int64_t> unknown(trees.size()), missing(trees.size());
    const Matrix levels{1, 2, {kUnknownLevel, 0.0}}, none{1, 2, {-1.0, 0.0}};
    ThreadTeam team;
    const Predictor predictor(trees, false);
    predictor.apply(levels.view(), unknown, team);
    predictor.apply(none.view(), missing, team);
    for (std::size_t m = 0; m < trees.size(); ++m) {
        CHECK(unknown[m] == (m % 4 < 2 ? 2 : 1));
        CHECK(missing[m] == (m % 2 == 0 ? 2 : 1));
    }
}

}  // namespace
}  // namespace silvics
