// With rules that both splitters obey, the general one grows the trees of the fast one.
#include <cmath>
#include <string_view>

#include "doctest/doctest.h"
#include "support/mixed_table.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

using test::Weights;

// Compares two trees node by node. Where they differ in splits of equal decrease, both are right,
// and their subtrees are not compared.
class Comparison {
public:
    Comparison(const Tree& a, const Tree& b) : a_(a), b_(b) { compare(0, 0); }
    bool same() const { return same_; }
    std::size_t n_inner() const { return n_inner_; }
    std::size_t n_ties() const { return n_ties_; }

private:
    static bool close(double x, double y) {
        return std::fabs(x - y) <= 1e-9 * (1.0 + std::fabs(x) + std::fabs(y));
    }
    static double decrease(const Tree& tree, NodeId t) {
        const auto mass = [&](NodeId u) {
            return tree.weighted_n_node_samples[u] * test::users_impurity(tree, u);
        };
        return mass(t) - mass(t + 1) - mass(tree.nodes[t].second());
    }
    bool same_split(NodeId t, NodeId u) const {
        const Node &x = a_.nodes[t], &y = b_.nodes[u];
        if (x.feature != y.feature || x.rule().is_threshold() != y.rule().is_threshold() ||
            x.missing_left() != y.missing_left())
            return false;
        const SplitRule a = x.rule(), b = y.rule();
        if (a.is_threshold())
            return a.threshold() == b.threshold() || close(a.threshold(), b.threshold());
        const LevelRule p = a.levels(), q = b.levels();
        bool equal = p.others_left() == q.others_left();
        for (Level level = 0; level < 10; ++level)
            equal &= p.goes_left(level, a_.level_sets) == q.goes_left(level, b_.level_sets);
        return equal;
    }
    void compare(NodeId t, NodeId u) {
        same_ &= a_.n_node_samples[t] == b_.n_node_samples[u] &&
                 close(a_.weighted_n_node_samples[t], b_.weighted_n_node_samples[u]) &&
                 close(test::users_impurity(a_, t), test::users_impurity(b_, u));
        const std::size_t width = a_.value_width();
        std::vector<double> x(width), y(width);
        a_.write_value(t, x);
        b_.write_value(u, y);
        for (std::size_t c = 0; c < width; ++c) same_ &= close(x[c], y[c]);
        same_ &= a_.nodes[t].leaf() == b_.nodes[u].leaf();
        if (!same_ || a_.nodes[t].leaf()) return;
        ++n_inner_;
        if (!same_split(t, u)) {
            ++n_ties_;
            same_ &= close(decrease(a_, t), decrease(b_, u));
            return;
        }
        compare(t + 1, u + 1);
        compare(a_.nodes[t].second(), b_.nodes[u].second());
    }

    const Tree &a_, &b_;
    bool same_ = true;
    std::size_t n_inner_ = 0, n_ties_ = 0;
};

struct Plain {
    const char* criterion;
    std::vector<ClassId> n_classes;
    std::size_t n_outputs = 1;
};

void check_same_growth(const Plain& plain, bool missing, bool categories, bool random_cut) {
    test::Rng rng(500);
    std::size_t n_inner = 0, n_ties = 0;
    for (const Weights weights : test::kAllWeights)
        for (int repeat = 0; repeat < 8; ++repeat) {
            CAPTURE(repeat);
            const std::size_t n = 60 + test::pick(rng, 120);
            const auto mixed = test::mixed_table(rng, n, missing, categories);
            const Target target = test::mixed_target(rng, mixed, plain.n_classes, plain.n_outputs);
            const LearningSubset subset = test::random_subset(rng, n, weights);
            GrowthRules rules;
            rules.search.random_cut = random_cut;
            rules.search.max_features = 1 + test::pick(rng, 5);
            rules.search.constants_count = repeat % 2 == 0;
            rules.search.adjust_levels = repeat % 3 != 0;
            rules.search.min_samples_leaf = 3 + test::pick(rng, 4);
            rules.stopping.min_samples_split = 12;
            // The splitters add absolute errors in different orders, so that rounding decides ties
            // between thresholds. With a limit of leaves, a tie changes other branches as well.
            const bool limited =
                repeat % 4 == 3 && std::string_view(plain.criterion) != "absolute_error";
            if (limited) rules.stopping.max_leaf_nodes = 9;
            if (limited) rules.growth = Growth::best_first;
            const Tree fast = test::grown(plain.criterion, mixed.table(), target, subset, rules);
            rules.search.general = true;
            const Tree general = test::grown(plain.criterion, mixed.table(), target, subset, rules);
            CHECK_NOTHROW(check_tree(general));
            const Comparison comparison(fast, general);
            CHECK(comparison.same());
            n_inner += comparison.n_inner();
            n_ties += comparison.n_ties();
        }
    CHECK(n_inner > 60);
    CHECK(n_ties <= n_inner / 20);
}

TEST_CASE("plain rules give the same tree with the general splitter as with the fast one") {
    for (const Plain& plain : std::vector<Plain>{{"gini", {2}},
                                                 {"gini", {3}},
                                                 {"gini", {2, 3}},
                                                 {"entropy", {3}},
                                                 {"squared_error", {}},
                                                 {"squared_error", {}, 2},
                                                 {"friedman_mse", {}},
                                                 {"absolute_error", {}}})
        for (const bool missing : {false, true})
            for (const bool categories : {false, true})
                for (const bool random_cut : {false, true}) {
                    CAPTURE(std::string(plain.criterion));
                    CAPTURE(plain.n_classes.size());
                    CAPTURE(missing);
                    CAPTURE(categories);
                    CAPTURE(random_cut);
                    check_same_growth(plain, missing, categories, random_cut);
                }
}

TEST_CASE(
    "monotonic constraints give the same tree with the general splitter as with the fast one") {
    test::Rng rng(501);
    for (int repeat = 0; repeat < 10; ++repeat) {
        const auto mixed = test::mixed_table(rng, 150, false, false);
        const Target target = test::mixed_target(rng, mixed, {});
        GrowthRules rules = test::full_search(mixed.table());
        rules.search.min_samples_leaf = 4;
        rules.search.monotonic = {1, 0, -1, 0, 0};
        rules.search.random_cut = repeat % 2 == 1;
        const LearningSubset subset = test::random_subset(rng, 150, Weights::fractional);
        const Tree fast = test::grown("squared_error", mixed.table(), target, subset, rules);
        rules.search.general = true;
        const Tree general = test::grown("squared_error", mixed.table(), target, subset, rules);
        CHECK(Comparison(fast, general).same());
    }
}

TEST_CASE("sparse columns grow the same tree") {
    test::Rng rng(502);
    for (int repeat = 0; repeat < 10; ++repeat) {
        test::Matrix X = test::random_matrix(rng, 120, 5);
        for (double& x : X.values)
            if (test::pick(rng, 2) == 0) x = 0.0;
        const test::MixedTable mixed{test::sparse_table(std::move(X)),
                                     std::vector<std::int64_t>(5, -1)};
        const Target target = test::mixed_target(rng, mixed, {});
        GrowthRules rules = test::full_search(mixed.table());
        rules.search.min_samples_leaf = 4;
        rules.search.random_cut = repeat % 2 == 1;
        const LearningSubset subset = test::random_subset(rng, 120, Weights::whole);
        const Tree fast = test::grown("squared_error", mixed.table(), target, subset, rules);
        rules.search.general = true;
        const Tree general = test::grown("squared_error", mixed.table(), target, subset, rules);
        CHECK(Comparison(fast, general).same());
    }
}

}  // namespace
}  // namespace silvics
