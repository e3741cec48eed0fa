#include "criterion/binary_gini.hpp"
#include "criterion/class_counts.hpp"
#include "criterion/integer_entropy.hpp"
#include "criterion/integer_gini.hpp"
#include "sampling/feature_draw.hpp"
#include "splitter/fast/variable_search.hpp"
#include "splitter/other_columns.hpp"

namespace silvics {
namespace {

using test::ByRows;
using test::Loss;
using test::Rng;
using test::Rows;

template <class C>
constexpr Loss kLoss = std::is_same_v<C, IntegerEntropy> ? Loss::entropy : Loss::gini;

// The search of one criterion at a node of plain variables.
template <class C>
struct Searched {
    const Table& table;
    const Target& target;
    LearningSubset subset;
    SearchRules rules;
    SampleOrder order{};
    std::vector<FeatureId> features;
    ByRows<C> criterion;
    VariableSearch<C> search;
    NodeSamples node;

    Searched(const Table& of, const Target& y, const SearchRules& by)
        : table(of),
          target(y),
          subset(test::subset_of(y.n_rows)),
          rules(by),
          features(FeatureDraw::first_features(of.n_features())),
          criterion(target, subset, test::kNeverStop),
          search({table, target, subset, rules, test::kNeverStop, order, features}, criterion),
          node{0, subset.rows.size(), 17, {}} {
        criterion.enter(subset.rows);
        search.prepare(node.n);
    }
    std::vector<std::uint8_t> marks(const Split& split) const {
        const auto of = search.marks(split.feature, node.n);
        return {of.begin(), of.end()};
    }
};

TEST_CASE_TEMPLATE("the best cut on a variable is the best of all thresholds", C, BinaryGini,
                   IntegerGini, IntegerEntropy, ClassCounts<Gini>) {
    Rng rng(97);
    for (const std::size_t n : {3U, 8U, 9U, 40U, 300U}) {
        const test::Matrix X = test::random_matrix(rng, n, 3, 12);
        const Table table = test::coded(X);
        const Target target = test::random_classes(rng, n, {2});
        Searched<C> at(table, target, {});
        if (at.criterion.homogeneous()) continue;
        for (const FeatureId f : at.features) {
            double best = -kInfinity;
            for (double threshold = -0.875; threshold < 2.0; threshold += 0.25) {
                std::vector<std::uint8_t> marks;
                for (std::size_t i = 0; i < n; ++i) marks.push_back(X.row(i)[f] <= threshold);
                best = std::max(best, test::scratch_decrease(kLoss<C>, target, at.subset,
                                                             at.subset.rows, marks));
            }
            Found found{.feature = f};
            const bool varies = at.search.search(at.node, at.subset.rows, found);
            REQUIRE(varies == (best > -kInfinity));
            if (!varies) continue;
            CHECK(at.criterion.decrease(found.cut.score) == doctest::Approx(best).epsilon(1e-9));
            const double threshold = at.search.threshold_of(found, at.subset.rows);
            const Split split = at.search.mark(at.node, found, at.subset.rows);
            CHECK(split.feature == f);
            CHECK(split.threshold == threshold);
            const auto marks = at.marks(split);
            bool right = true;
            for (std::size_t i = 0; i < n; ++i)
                right &= (marks[i] != 0) == (X.row(i)[f] <= split.threshold);
            CHECK(right);
            CHECK(split.n_left == static_cast<std::size_t>(std::ranges::count(marks, 1)));
        }
    }
}

TEST_CASE_TEMPLATE("random cuts on codes are those on values", C, BinaryGini, IntegerGini,
                   IntegerEntropy, ClassCounts<Gini>) {
    Rng rng(98);
    for (const std::size_t n : {4U, 30U, 200U}) {
        const test::Matrix X = test::random_matrix(rng, n, 3);
        const Table coded = test::coded(X);
        ThreadTeam team(1, nullptr);
        const Table values = table_of_values(X.view(), team);
        const Target target = test::random_classes(rng, n, {2});
        SearchRules rules;
        rules.random_cut = true;
        Searched<C> by_codes(coded, target, rules), by_values(values, target, rules);
        CHECK_FALSE(by_codes.search.by_values(n));
        CHECK(by_values.search.by_values(n));
        for (const FeatureId f : by_codes.features) {
            Found a{.feature = f}, b{.feature = f};
            REQUIRE(by_codes.search.search(by_codes.node, by_codes.subset.rows, a));
            REQUIRE(by_values.search.search(by_values.node, by_values.subset.rows, b));
            CHECK(a.threshold == b.threshold);
            CHECK(a.cut.score == b.cut.score);
            const Split one = by_codes.search.mark(by_codes.node, a, by_codes.subset.rows);
            const Split other = by_values.search.mark(by_values.node, b, by_values.subset.rows);
            CHECK(by_codes.marks(one) == by_values.marks(other));
            CHECK(one.n_left == other.n_left);
        }
    }
}

}  // namespace
}  // namespace silvics
