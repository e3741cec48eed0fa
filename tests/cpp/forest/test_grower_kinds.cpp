// Trees with every kind of split: they are valid, and samples descend to the leaves they grew.
#include <cmath>
#include <map>
#include <set>

#include "doctest/doctest.h"
#include "forest/grower.hpp"
#include "sampling/feature_draw.hpp"
#include "support/descend.hpp"
#include "support/mixed_table.hpp"

namespace silvics {
namespace {

const std::map<SplitKind, std::string> kKinds = {
    {SplitKind::binary, "binary"},
    {SplitKind::multiway, "multiway"},
    {SplitKind::multiway_categories, "multiway categories"},
    {SplitKind::oblique, "oblique"}};
const std::map<MissingRule, std::string> kMissing = {
    {MissingRule::learned, "learned"}, {MissingRule::apart, "apart"}, {MissingRule::both, "both"}};
const std::map<CutDraw, std::string> kCuts = {
    {CutDraw::uniform, "uniform"},         {CutDraw::gap, "gap"},
    {CutDraw::pair, "between a pair"},     {CutDraw::middle, "middle"},
    {CutDraw::relevance, "relevance"},     {CutDraw::cell_uniform, "cell, uniform"},
    {CutDraw::cell_middle, "cell, middle"}};

struct Grown {
    test::MixedTable mixed;
    Target target;
    ForestPlan plan;
    std::vector<SharedTree> trees;

    LearningSubset subset(std::size_t m) const {
        return learning_subset(plan.sampling, target, plan.seeds[m]);
    }
};

struct Setting {
    const char* criterion = "gini";
    std::vector<ClassId> n_classes{3};
    std::size_t n_outputs = 1, n = 70;
    bool bootstrap = false, weighted = false;
    std::uint32_t seed = 1;
};

Grown grow(const GrowthRules& rules, const Setting& of) {
    test::Rng rng(510 + of.seed);
    auto mixed = test::mixed_table(rng, of.n);
    Target target = test::mixed_target(rng, mixed, of.n_classes, of.n_outputs);
    ForestPlan plan{find_criterion(of.criterion), rules, {}, {}};
    plan.sampling.n_rows = of.n;
    plan.sampling.n_draws = of.n;
    plan.sampling.bootstrap = of.bootstrap;
    plan.sampling.structure = rules.search.honest ? 0.5 : 0.0;
    if (of.weighted)
        for (std::size_t i = 0; i < of.n; ++i)
            plan.sampling.weights.push_back(test::pick_real(rng, 0.2, 2.0));
    plan.sampling.prepare();
    plan.rules.search.relevant = {1, 0, 1, 0, 0};
    for (std::uint32_t m = 0; m < 2; ++m) plan.seeds.push_back(tree_seed(of.seed, m));
    ThreadTeam team(1, nullptr);
    auto trees = grow_forest(mixed.table(), target, plan, team).trees;
    return {std::move(mixed), std::move(target), std::move(plan), std::move(trees)};
}

// The samples of every node with their weights, found by descent from the root.
struct Arrived {
    std::vector<std::vector<std::pair<RowId, double>>> at;

    Arrived(const Grown& of, std::size_t m) : at(of.trees[m]->base().nodes.size()) {
        const Tree tree = expand(*of.trees[m]);
        const LearningSubset subset = of.subset(m);
        for (std::size_t i = 0; i < subset.rows.size(); ++i) {
            const RowId row = subset.rows[i];
            if (!subset.estimates.empty() && subset.estimates[i] == 0) continue;
            const double w = subset.weight(row) * subset.unit;
            const double* sample = of.mixed.X().row(row);
            if (tree.both_children)
                test::descend_both(tree, sample, [&](NodeId t, double share) {
                    at[t].emplace_back(row, share * w);
                });
            else
                test::descend(tree, sample, [&](NodeId t) { at[t].emplace_back(row, w); });
        }
    }
    double weight(NodeId t) const {
        double sum = 0.0;
        for (const auto& [row, w] : at[t]) sum += w;
        return sum;
    }
};

// What a node with these samples predicts: class shares, or means.
std::vector<double> value_of(const Grown& of, const Arrived& arrived, NodeId t) {
    const Target& y = of.target;
    std::vector<double> value(y.value_width(), 0.0);
    for (const auto& [row, w] : arrived.at[t]) {
        std::size_t first = 0;
        for (std::size_t k = 0; k < y.n_outputs; ++k) {
            const std::size_t at = k * y.n_rows + row;
            if (y.classification()) {
                value[first + y.classes[at]] += w;
                first += y.n_classes[k];
            } else {
                value[k] += w * y.original[at];
            }
        }
    }
    for (double& v : value) v /= arrived.weight(t);
    return value;
}

void check_grown(const Grown& of) {
    for (std::size_t m = 0; m < of.trees.size(); ++m) {
        const StoredTree& kept = *of.trees[m];
        CHECK_NOTHROW(check_tree(kept));
        const Tree tree = expand(kept);
        const Arrived arrived(of, m);
        const std::size_t width = tree.value_width();
        std::vector<NodeId> parent(tree.nodes.size(), 0);
        bool counts = true, weights = true, values = true, sums = true;
        const auto predicted = tree.all_values();
        const auto close = [](double a, double b) { return std::fabs(a - b) < 1e-8; };
        for (NodeId t = 0; t < tree.nodes.size(); ++t) {
            if (!tree.nodes[t].leaf()) {
                double below = 0.0;
                tree.for_children(t, [&](NodeId child) {
                    parent[child] = t;
                    below += tree.weighted_n_node_samples[child];
                });
                sums &= close(below, tree.weighted_n_node_samples[t]);
            }
            counts &= arrived.at[t].size() == tree.n_node_samples[t];
            weights &= close(arrived.weight(t), tree.weighted_n_node_samples[t]);
            if (std::string(of.plan.criterion.name) == "absolute_error") continue;
            const bool empty = arrived.at[t].empty();
            const auto expected = empty ? std::vector<double>() : value_of(of, arrived, t);
            for (std::size_t c = 0; c < width; ++c)
                values &= close(predicted[t * width + c],
                                empty ? predicted[parent[t] * width + c] : expected[c]);
        }
        CHECK(counts);
        CHECK(weights);
        CHECK(values);
        CHECK(sums);
    }
}

GrowthRules rules_of(SplitKind kind, MissingRule missing, bool honest) {
    GrowthRules rules;
    rules.search.max_features = 3;
    rules.search.kind = kind;
    rules.search.missing = missing;
    rules.search.honest = honest;
    return rules;
}

const std::vector<Setting> kSettings = {
    {},
    {.criterion = "entropy", .n_classes = {2, 3}, .bootstrap = true, .seed = 2},
    {.criterion = "squared_error", .n_classes = {}, .weighted = true, .seed = 3},
    {.criterion = "squared_error", .n_classes = {}, .n_outputs = 2, .bootstrap = true, .seed = 4},
    {.criterion = "absolute_error", .n_classes = {}, .weighted = true, .seed = 5}};

void check_all(const GrowthRules& rules) {
    for (const Setting& setting : kSettings) {
        CAPTURE(std::string(setting.criterion));
        CAPTURE(setting.seed);
        check_grown(grow(rules, setting));
    }
}

TEST_CASE("every kind, by the best cut, every rule on missing values, honest or not") {
    for (const auto& [kind, kind_name] : kKinds)
        for (const auto& [missing, missing_name] : kMissing)
            for (const bool honest : {false, true}) {
                if (honest && missing == MissingRule::both) continue;  // refused
                CAPTURE(kind_name);
                CAPTURE(missing_name);
                CAPTURE(honest);
                check_all(rules_of(kind, missing, honest));
            }
}

TEST_CASE("every draw of cuts, every rule on missing values, honest or not") {
    for (const auto& [cut, cut_name] : kCuts)
        for (const auto& [missing, missing_name] : kMissing)
            for (const bool honest : {false, true}) {
                if (honest && missing == MissingRule::both) continue;  // refused
                CAPTURE(cut_name);
                CAPTURE(missing_name);
                CAPTURE(honest);
                GrowthRules rules = rules_of(SplitKind::binary, missing, honest);
                rules.search.random_cut = true;
                rules.search.cut_draw = cut;
                rules.stopping.max_depth = 8;  // cells may be cut for ever
                check_all(rules);
            }
}

TEST_CASE("oblique cuts that are drawn") {
    for (const CutDraw cut : {CutDraw::uniform, CutDraw::gap, CutDraw::middle})
        for (const bool honest : {false, true}) {
            GrowthRules rules = rules_of(SplitKind::oblique, MissingRule::learned, honest);
            rules.search.random_cut = true;
            rules.search.cut_draw = cut;
            check_all(rules);
        }
}

TEST_CASE("every choice, draw of variables and order of growth") {
    for (const Choice choice : {Choice::best, Choice::gain_ratio, Choice::one_of_best,
                                Choice::near_best, Choice::significant})
        for (const VariableDraw draw : {VariableDraw::uniform, VariableDraw::unused,
                                        VariableDraw::poisson, VariableDraw::weighted})
            for (const auto& [kind, kind_name] : kKinds)
                for (const Growth growth :
                     {Growth::depth_first, Growth::best_first, Growth::random}) {
                    CAPTURE(static_cast<int>(choice));
                    CAPTURE(static_cast<int>(draw));
                    CAPTURE(kind_name);
                    CAPTURE(static_cast<int>(growth));
                    GrowthRules rules = rules_of(kind, MissingRule::learned, false);
                    rules.search.choice = choice;
                    rules.search.variable_draw = draw;
                    rules.search.probabilities = {0.3, 0.1, 0.0, 0.2, 0.4};
                    if (choice == Choice::significant) rules.search.significance = 0.5;
                    rules.growth = growth;
                    if (growth != Growth::depth_first) rules.stopping.max_leaf_nodes = 10;
                    check_all(rules);
                }
}

TEST_CASE("samples that go to both children, in every order of growth") {
    for (const Growth growth : {Growth::best_first, Growth::random, Growth::breadth_first}) {
        GrowthRules rules = rules_of(SplitKind::binary, MissingRule::both, false);
        rules.growth = growth;
        rules.stopping.max_leaf_nodes = 12;
        check_all(rules);
    }
}

TEST_CASE("leaves are as large as asked, whatever rows fill them") {
    for (const bool honest : {false, true})
        for (const SplitKind kind : {SplitKind::binary, SplitKind::oblique}) {
            GrowthRules rules = rules_of(kind, MissingRule::learned, honest);
            rules.search.min_samples_leaf = 4;
            for (const Setting& setting : kSettings) {
                const Grown of = grow(rules, setting);
                check_grown(of);
                for (const SharedTree& kept : of.trees) {
                    const Tree tree = expand(*kept);
                    for (NodeId t = 0; t < tree.nodes.size(); ++t)
                        if (tree.nodes[t].leaf()) CHECK(tree.n_node_samples[t] >= 4);
                }
            }
        }
}

TEST_CASE("leaves are as heavy as asked, whatever rows fill them") {
    for (const bool honest : {false, true}) {
        CAPTURE(honest);
        GrowthRules rules = rules_of(SplitKind::binary, MissingRule::learned, honest);
        rules.min_weight_fraction_leaf = 0.1;
        for (const Setting& setting : kSettings) {
            const Grown of = grow(rules, setting);
            for (const SharedTree& kept : of.trees) {
                const Tree tree = expand(*kept);
                const double least = 0.1 * tree.weighted_n_node_samples[0] - 1e-9;
                for (NodeId t = 0; t < tree.nodes.size(); ++t)
                    if (tree.nodes[t].leaf()) CHECK(tree.weighted_n_node_samples[t] >= least);
            }
        }
    }
}

TEST_CASE("cells are cut whether samples are in them or not, to as many leaves as asked") {
    for (const CutDraw cut : {CutDraw::cell_uniform, CutDraw::cell_middle})
        for (const bool honest : {false, true}) {
            GrowthRules rules = rules_of(SplitKind::binary, MissingRule::learned, honest);
            rules.search.random_cut = true;
            rules.search.cut_draw = cut;
            rules.search.max_features = 1;
            rules.stopping.split_pure = true;
            rules.stopping.min_samples_split = 1;
            rules.stopping.max_leaf_nodes = 40;
            rules.growth = Growth::random;
            check_all(rules);
        }
}

TEST_CASE("estimation samples do not change the splits of honest trees") {
    for (const auto& [kind, kind_name] : kKinds) {
        CAPTURE(kind_name);
        GrowthRules rules = rules_of(kind, MissingRule::learned, true);
        Grown of = grow(rules, {});
        const LearningSubset subset = of.subset(0);
        std::vector<std::int64_t> y(of.target.classes.begin(), of.target.classes.end());
        for (std::size_t i = 0; i < subset.rows.size(); ++i)
            if (subset.estimates[i] != 0) y[subset.rows[i]] = (y[subset.rows[i]] + 1) % 3;
        const Target turned = class_target(y, y.size(), {3});
        ThreadTeam team(1, nullptr);
        ForestPlan plan = of.plan;
        plan.seeds.resize(1);
        const SharedTree other = grow_forest(of.mixed.table(), turned, plan, team).trees[0];
        const Tree &one = *of.trees[0]->plain(), &two = *other->plain();
        CHECK(std::ranges::equal(one.nodes, two.nodes, test::same_nodes));
        CHECK(one.branches == two.branches);
        CHECK(one.n_node_samples == two.n_node_samples);
        CHECK(one.node_values != two.node_values);
    }
}

TEST_CASE("a tree uses the columns that it drew, and no others") {
    for (const auto& [kind, kind_name] : kKinds) {
        GrowthRules rules = rules_of(kind, MissingRule::learned, false);
        rules.columns_of_tree = 2;
        const Grown of = grow(rules, {});
        for (std::size_t m = 0; m < 2; ++m) {
            const auto columns = draw_columns(5, 2, of.plan.seeds[m]);
            const Tree tree = expand(*of.trees[m]);
            const auto drawn = [&](FeatureId f) { return std::ranges::count(columns, f) > 0; };
            for (const Node& node : tree.nodes) {
                if (node.leaf()) continue;
                CHECK(drawn(static_cast<FeatureId>(node.feature)));
                if (!tree.has_record(node)) continue;
                for (std::size_t i = 0; i < tree.record(node).n_terms(); ++i)
                    CHECK(drawn(tree.record(node).term(i).feature));
            }
        }
    }
}

TEST_CASE("where each variable is used once on a branch, none is used twice") {
    for (const SplitKind kind : {SplitKind::multiway, SplitKind::binary}) {
        GrowthRules rules = rules_of(kind, MissingRule::learned, false);
        rules.search.variable_draw = VariableDraw::unused;
        rules.search.max_features = 1;
        rules.stopping.split_pure = true;
        const Grown of = grow(rules, {});
        for (const SharedTree& kept : of.trees) {
            const Tree tree = expand(*kept);
            std::vector<std::set<std::int32_t>> used(tree.nodes.size());
            for (NodeId t = 0; t < tree.nodes.size(); ++t) {
                if (tree.nodes[t].leaf()) continue;
                auto here = used[t];
                CHECK(here.insert(tree.nodes[t].feature).second);
                tree.for_children(t, [&](NodeId child) { used[child] = here; });
            }
            CHECK(tree.max_depth <= 5);
        }
        check_grown(of);
    }
}

TEST_CASE("honest trees do not send samples to both children") {
    CHECK_THROWS_AS(grow(rules_of(SplitKind::binary, MissingRule::both, true), {}),
                    std::invalid_argument);
}

TEST_CASE("several threads on one tree grow the same tree, of every kind") {
    for (const auto& [kind, kind_name] : kKinds)
        for (const auto& [missing, missing_name] : kMissing)
            for (const bool honest : {false, true}) {
                if (honest && missing == MissingRule::both) continue;  // refused
                CAPTURE(kind_name);
                CAPTURE(missing_name);
                CAPTURE(honest);
                const Grown of = grow(rules_of(kind, missing, honest), {.n = 150});
                ForestPlan plan = of.plan;
                plan.seeds.resize(1);
                plan.rules.search.shared_from = 8;
                for (const std::size_t threads : {2U, 4U}) {
                    ThreadTeam team(threads, nullptr);
                    const auto other = grow_forest(of.mixed.table(), of.target, plan, team).trees;
                    CHECK(test::same_trees(*of.trees[0], *other[0]));
                }
            }
}

}  // namespace
}  // namespace silvics
