#include <cmath>
#include <functional>

#include "builder/growing_tree.hpp"
#include "doctest/doctest.h"
#include "importance/impurity_decrease.hpp"
#include "support/descend.hpp"
#include "support/tree_example.hpp"
#include "tree/compact.hpp"
#include "tree/level_rule.hpp"
#include "tree/prune.hpp"

namespace silvics {
namespace {

using Example = test::TreeExample;
using Case = test::TreeCase;
using test::all_tree_cases;
using test::tree_example;

// ---- what is derived, against the rows themselves

double naive_impurity(const std::string& criterion, std::span<const double> classes) {
    const double whole = std::accumulate(classes.begin(), classes.end(), 0.0);
    double sum = 0.0, largest = 0.0;
    for (const double c : classes) {
        const double p = c / whole;
        if (criterion == "gini") sum += p * (1.0 - p);
        if (criterion == "entropy" && p > 0.0) sum -= p * std::log2(p);
        largest = std::max(largest, p);
    }
    return criterion == "misclassification" ? 1.0 - largest : sum;
}

TEST_CASE("every node of a compact tree has what the rows that reach it say") {
    for (const Case& of : all_tree_cases()) {
        const Example made = tree_example(of);
        CAPTURE(std::string(of.criterion));
        REQUIRE(made.tree.compact());
        CHECK_NOTHROW(check_tree(made.tree));
        const Tree tree = expand(made.tree);
        CHECK(!tree.compact());
        CHECK_NOTHROW(check_tree(tree));
        const std::size_t width = tree.value_width(), n = made.X.rows;
        std::vector<std::vector<RowId>> rows(tree.nodes.size());
        for (const RowId row : made.subset.rows)
            test::descend(tree, made.X.row(row), [&](NodeId t) { rows[t].push_back(row); });
        const auto values = tree.all_values();
        CHECK(made.tree.all_values() == values);
        bool right = true;
        for (NodeId t = 0; t < tree.nodes.size(); ++t) {
            double weight = 0.0, impurity = 0.0;
            std::vector<double> value(width, 0.0);
            for (const RowId row : rows[t]) {
                const double w = made.weight(row);
                weight += w;
                std::size_t first = 0;
                for (const ClassId c : of.n_classes) {
                    const std::size_t k = first == 0 ? 0 : 1;
                    value[first + made.target.classes[k * n + row]] += w;
                    first += c;
                }
                if (of.n_classes.empty()) value[0] += w * made.target.original[row];
            }
            std::size_t first = 0;
            for (const ClassId c : of.n_classes) {
                impurity += naive_impurity(of.criterion, std::span(value).subspan(first, c)) /
                            static_cast<double>(of.n_classes.size());
                first += c;
            }
            for (double& v : value) v /= weight;
            if (of.n_classes.empty())
                for (const RowId row : rows[t])
                    impurity += made.weight(row) *
                                std::pow(made.target.original[row] - value[0], 2.0) / weight;
            right &= tree.n_node_samples[t] == rows[t].size();
            right &= std::fabs(tree.weighted_n_node_samples[t] - weight) < 1e-12 * weight;
            right &= std::fabs(test::users_impurity(tree, t) - impurity) < 1e-12;
            for (std::size_t c = 0; c < width; ++c)
                right &= std::fabs(values[t * width + c] - value[c]) < 1e-12;
            right &= !tree.nodes[t].leaf() || tree.nodes[t].threshold == kLeaf;
        }
        CHECK(right);
    }
}

// ---- there and back

TEST_CASE("packing what was expanded gives the same tree") {
    for (const Case& of : all_tree_cases()) {
        const Tree tree = tree_example(of).tree, plain = expand(tree);
        const Tree again = compact(plain, tree.derivation);
        REQUIRE(again.compact());
        CHECK(test::same_trees(expand(again), plain));
        CHECK(again.memory_bytes() == tree.memory_bytes());
        CHECK(test::same_trees(expand(plain), plain));
    }
}

TEST_CASE("a tree of counts is expanded to what was grown, to the last bit") {
    // exact_tree of unit weights: class 0 is cut off, one by one.
    GrowingTree growing;
    const double n = 6.0;
    for (NodeId level = 0; level < 5; ++level) {
        GrowingNode node;
        node.feature = 0;
        node.threshold = level;
        node.first = 2 * level + 1;
        node.second = 2 * level + 2;
        node.n = static_cast<std::uint32_t>(n) - level;
        node.weight = node.n;
        node.impurity = (node.weight * node.weight - (node.weight - 1) * (node.weight - 1) - 1) /
                        (node.weight * node.weight);
        growing.nodes.push_back(node);
        GrowingNode leaf;
        leaf.n = 1;
        leaf.weight = 1.0;
        leaf.value = kPureBit;
        growing.nodes.push_back(leaf);
    }
    growing.nodes.push_back(growing.nodes[1]);
    growing.nodes.back().value = kPureBit | 1;
    const Target target = class_target(std::vector<std::int64_t>{0, 1}, 2, {2});
    const Tree plain = finish_tree(growing, target, 1, false);
    CHECK(test::same_trees(expand(compact(plain, Derivation::gini)), plain));
}

TEST_CASE("where missing values and levels go is kept in both layouts") {
    Tree plain = expand(tree_example({"gini", {2}, test::Weights::unit, 1}).tree);
    const Level far = 4000;
    std::size_t n_inner = 0;
    for (NodeId t = 0; t < plain.nodes.size(); ++t) {
        Node& node = plain.nodes[t];
        if (node.leaf()) continue;
        node.set_second(node.second(), n_inner++ % 2 == 0);
        if (n_inner % 3 == 0)  // levels apart
            node.threshold = LevelRule::of({&far, 1}, {}, false, plain.level_sets).in_place();
        if (n_inner % 3 == 1)  // coins
            node.threshold = LevelRule(LevelRule::Form::coin, t, true).in_place();
    }
    REQUIRE(n_inner > 10);
    REQUIRE_NOTHROW(check_tree(plain));
    const Tree tree = compact(plain, Derivation::gini);
    CHECK(tree.compact());
    CHECK_NOTHROW(check_tree(tree));
    CHECK(tree.level_sets == plain.level_sets);
    bool kept = true;
    for (NodeId t = 0; t < tree.nodes.size(); ++t)
        kept &= plain.nodes[t].leaf() ? tree.nodes[t].leaf()
                                      : test::same_nodes(tree.nodes[t], plain.nodes[t]);
    CHECK(kept);
    CHECK(test::same_trees(expand(tree), plain));
}

// ---- the bytes

double bytes_per_node(const Case& of) {
    const Tree tree = tree_example(of).tree;
    return static_cast<double>(tree.memory_bytes() - sizeof(Tree) -
                               tree.n_classes.capacity() * sizeof(ClassId)) /
           static_cast<double>(tree.nodes.size());
}

TEST_CASE("a node takes 16 bytes, and what its leaf cannot hold") {
    using test::Weights;
    CHECK(bytes_per_node({"gini", {2}, Weights::whole, 1}) == 16.0);
    CHECK(bytes_per_node({"gini", {2}, Weights::whole, 5}) <= 18.1);
    CHECK(bytes_per_node({"entropy", {7}, Weights::unit, 5}) <= 23.3);
    CHECK(bytes_per_node({"squared_error", {}, Weights::unit, 1}) == 16.0);
    CHECK(bytes_per_node({"squared_error", {}, Weights::whole, 1}) <= 17.1);
    CHECK(bytes_per_node({"squared_error", {}, Weights::unit, 5}) <= 20.1);
    CHECK(bytes_per_node({"squared_error", {}, Weights::whole, 5}) <= 21.2);
    CHECK(bytes_per_node({"squared_error", {}, Weights::fractional, 5}) <= 24.3);
}

TEST_CASE("counts beyond two bytes take four") {
    for (const char* criterion : {"gini", "squared_error"}) {
        Tree plain = expand(
            tree_example({criterion,
                          *criterion == 'g' ? std::vector<ClassId>{2} : std::vector<ClassId>{},
                          test::Weights::unit, 5})
                .tree);
        for (double& w : plain.weighted_n_node_samples) w *= 65536.0;
        for (double& w : plain.leaf_weights) w *= 65536.0;
        const Tree tree = compact(plain, find_criterion(criterion).derivation);
        CHECK(tree.whole_weights.narrow.empty());
        CHECK(!tree.whole_weights.wide.empty());
        CHECK_NOTHROW(check_tree(tree));
        CHECK(test::same_trees(expand(tree), plain));
    }
}

// ---- what cannot be derived stays as it is

TEST_CASE("trees whose inner nodes do not follow from their leaves are plain") {
    using test::Weights;
    CHECK(!tree_example({"absolute_error", {}, Weights::unit, 5}).tree.compact());
    CHECK(!tree_example({"poisson", {}, Weights::unit, 5}).tree.compact());
    CHECK(!tree_example({"squared_error", {}, Weights::unit, 5}, 0.0, 2).tree.compact());
    // Means that were rounded too far from zero.
    CHECK(tree_example({"squared_error", {}, Weights::unit, 5}, 100.0).tree.compact());
    CHECK(!tree_example({"squared_error", {}, Weights::unit, 5}, 1e9).tree.compact());
    CHECK(tree_example({"squared_error", {}, Weights::unit, 1}, 1e9).tree.compact());

    const Tree classes = expand(tree_example({"gini", {3}, Weights::unit, 5}).tree);
    CHECK(!compact(classes, Derivation::none).compact());
    Tree tree = classes;
    SUBCASE("values of their own") {
        tree.node_values = tree.all_values();
        tree.leaf_weights.clear();
    }
    SUBCASE("a leaf of next to no weight") {
        if ((tree.nodes.back().link & kPureBit) == 0)
            tree.leaf_weights.resize(tree.leaf_weights.size() - 3);
        tree.nodes.back().link = kPureBit;
        tree.weighted_n_node_samples.back() *= 0x1.0p-400;
    }
    SUBCASE("another impurity") {
        for (double& w : tree.weighted_n_node_samples) w *= 0.3;
        for (double& w : tree.leaf_weights) w *= 0.3;
        tree.impurity[0] *= 1.001;
    }
    REQUIRE_NOTHROW(check_tree(tree));
    CHECK(test::same_trees(compact(tree, Derivation::gini), tree));
}

TEST_CASE("outputs of any size are derived in their own unit") {
    for (const double size : {1e-300, 1e300}) {
        std::vector<double> y(40);
        for (std::size_t i = 0; i < 40; ++i) y[i] = size * static_cast<double>(i % 7);
        test::Rng rng(131);
        const Table table = test::coded(test::random_matrix(rng, 40, 2));
        const Target target = real_target(y, 40, 1, true);
        const GrowthRules rules = test::full_search(table);
        const Tree tree =
            build_tree({find_criterion("squared_error"), table, target, rules, test::kNeverStop},
                       test::subset_of(40), 7)
                .tree;
        REQUIRE(tree.compact());
        const Tree plain = expand(tree);
        CHECK_NOTHROW(check_tree(plain));
        const double mean = std::accumulate(y.begin(), y.end(), 0.0,
                                            [](double sum, double v) { return sum + v / 40.0; });
        CHECK(plain.node_values[0] == doctest::Approx(mean).epsilon(1e-12));
        double variance = 0.0;
        for (const double v : y) variance += (v / size - mean / size) * (v / size - mean / size);
        const double impurity =
            std::ldexp(std::sqrt(plain.impurity[0]), plain.impurity_exponent / 2);
        CHECK(impurity / size == doctest::Approx(std::sqrt(variance / 40.0)).epsilon(1e-12));
    }
}

// ---- what uses a tree

TEST_CASE("pruning and importances are the same in both layouts") {
    for (const Case& of : all_tree_cases()) {
        const Tree tree = tree_example(of).tree, plain = expand(tree);
        const PruningPath path = pruning_path(tree), other = pruning_path(plain);
        CHECK(path.alphas == other.alphas);
        CHECK(path.impurities == other.impurities);
        CHECK(impurity_decrease(tree, true) == impurity_decrease(plain, true));
        const double alpha = path.alphas[path.alphas.size() / 2];
        const Tree pruned = prune(tree, alpha), unpacked = prune(plain, alpha);
        CHECK(pruned.compact());
        CHECK_NOTHROW(check_tree(pruned));
        CHECK(!unpacked.compact());
        CHECK(pruned.nodes.size() == unpacked.nodes.size());
        const auto values = pruned.all_values(), others = unpacked.all_values();
        for (std::size_t i = 0; i < values.size(); ++i)
            CHECK(values[i] == doctest::Approx(others[i]).epsilon(1e-12));
    }
}

TEST_CASE("a compact chain of depth 100,000 is expanded without recursion") {
    const NodeId depth = 100000;
    for (const bool first_goes_on : {false, true}) {
        Tree tree;
        tree.n_features = 1;
        tree.n_classes = {3};
        tree.max_depth = depth;
        tree.derivation = Derivation::gini;
        const auto leaf = [](std::uint32_t c) {
            return Node{std::bit_cast<double>(LeafCounts{1, 2}), kLeaf, kPureBit | c};
        };
        for (NodeId level = 0; level < depth; ++level) {
            const NodeId second = first_goes_on ? 2 * depth - level : 2 * level + 2;
            tree.nodes.push_back({0.5, 0, second});
            if (!first_goes_on) tree.nodes.push_back(leaf(level % 3));
        }
        tree.nodes.push_back(leaf(0));
        if (first_goes_on)
            for (NodeId level = 0; level < depth; ++level) tree.nodes.push_back(leaf(level % 3));
        REQUIRE_NOTHROW(check_tree(tree));
        const Tree plain = expand(tree);
        CHECK(plain.n_node_samples[0] == depth + 1);
        CHECK(plain.weighted_n_node_samples[0] == 2.0 * (depth + 1));
        CHECK(plain.impurity[0] == doctest::Approx(2.0 / 3.0));
        CHECK_NOTHROW(check_tree(plain));
    }
}

// ---- what is no tree

struct Corruption {
    const char* complaint;
    std::function<void(Tree&)> apply;
};

void check_refused(const Tree& good, const std::vector<Corruption>& corruptions) {
    REQUIRE(good.compact());
    REQUIRE_NOTHROW(check_tree(good));
    for (const auto& [complaint, apply] : corruptions) {
        Tree bad = good;
        apply(bad);
        const std::string expected = std::string("not a valid tree: ") + complaint;
        CHECK_THROWS_WITH_AS(check_tree(bad), expected.c_str(), std::invalid_argument);
    }
}

NodeId find_leaf(const Tree& tree, bool pure) {
    NodeId t = 0;
    while (!tree.nodes[t].leaf() || ((tree.nodes[t].link & kPureBit) != 0) != pure) ++t;
    return t;
}

TEST_CASE("a compact tree of counts is checked") {
    const Tree good = tree_example({"gini", {2}, test::Weights::whole, 5}).tree;
    const NodeId pure = find_leaf(good, true), impure = find_leaf(good, false);
    const auto with = [](Tree& t, NodeId leaf, LeafCounts counts) {
        t.nodes[leaf].threshold = std::bit_cast<double>(counts);
    };
    check_refused(
        good,
        {
            {"derivation", [](Tree& t) { t.derivation = Derivation::variance; }},
            {"derivation", [](Tree& t) { t.derivation = static_cast<Derivation>(5); }},
            {"derivation", [](Tree& t) { t.derivation = static_cast<Derivation>(255); }},
            {"values", [](Tree& t) { t.node_values = {1.0}; }},
            {"whole weights", [](Tree& t) { t.whole_weights.wide = {1, 1}; }},
            {"length of an array", [](Tree& t) { t.n_node_samples = {1}; }},
            {"length of an array", [](Tree& t) { t.weighted_n_node_samples = {1.0}; }},
            {"length of an array",
             [](Tree& t) { t.weighted_n_node_samples.assign(t.n_leaves(), 1.0); }},
            {"length of an array", [](Tree& t) { t.impurity.assign(t.n_leaves(), 0.0); }},
            {"leaf weights", [](Tree& t) { t.n_node_samples.assign(t.n_leaves(), 1); }},
            {"leaf weights", [](Tree& t) { t.leaf_weights = {1.0, 2.0}; }},
            {"leaf weights", [](Tree& t) { t.whole_weights.narrow.push_back(1); }},
            {"leaf weights",
             [](Tree& t) { t.whole_weights.narrow.insert(t.whole_weights.narrow.end(), 2, 1); }},
            {"weights of a leaf", [](Tree& t) { t.whole_weights.narrow.resize(2); }},
            {"weights of a leaf", [](Tree& t) { ++t.whole_weights.narrow[0]; }},
            {"weights of a leaf", [&](Tree& t) { ++t.nodes[impure].link; }},
            {"class of a leaf", [&](Tree& t) { t.nodes[pure].link = kPureBit | 2; }},
            {"numbers of a leaf", [&](Tree& t) { with(t, pure, {0, 1}); }},
            {"numbers of a leaf", [&](Tree& t) { with(t, pure, {1, 0}); }},
            {"weights of a leaf", [&](Tree& t) { with(t, impure, {5, 1}); }},
            {"number of samples", [&](Tree& t) { with(t, pure, {0xFFFFFFFFU, 1}); }},
            {"threshold of a split", [](Tree& t) { t.nodes[0].threshold = NAN; }},
            {"threshold of a split",
             [](Tree& t) {
                 t.nodes[0].threshold = LevelRule(LevelRule::Form::apart, 0, false).in_place();
             }},
            {"order of nodes", [](Tree& t) { ++t.nodes[0].link; }},
            {"depth", [](Tree& t) { ++t.max_depth; }},
        });
}

TEST_CASE("a compact tree of real class weights is checked") {
    const Tree good = tree_example({"entropy", {3}, test::Weights::fractional, 5}).tree;
    const NodeId impure = find_leaf(good, false);
    check_refused(good,
                  {
                      {"length of an array", [](Tree& t) { t.n_node_samples.pop_back(); }},
                      {"length of an array", [](Tree& t) { t.n_node_samples.push_back(1); }},
                      {"numbers of a leaf", [](Tree& t) { t.n_node_samples[0] = 0; }},
                      {"leaf weights", [](Tree& t) { t.whole_weights.narrow = {1, 1, 1}; }},
                      {"leaf weights", [](Tree& t) { t.leaf_weights.pop_back(); }},
                      {"weights of a leaf", [](Tree& t) { t.leaf_weights[0] = NAN; }},
                      {"weights of a leaf", [](Tree& t) { t.leaf_weights[0] = INFINITY; }},
                      {"weights of a leaf",
                       [](Tree& t) {
                           t.leaf_weights[1] -= t.leaf_weights[0] + 10.0, t.leaf_weights[0] += 10.0;
                       }},
                      {"numbers of a leaf", [&](Tree& t) { t.nodes[impure].threshold = NAN; }},
                      {"numbers of a leaf", [&](Tree& t) { t.nodes[impure].threshold = -1.0; }},
                      {"numbers of a leaf", [&](Tree& t) { t.nodes[impure].threshold = INFINITY; }},
                      {"weights of a leaf", [&](Tree& t) { t.nodes[impure].threshold *= 1.1; }},
                  });
}

TEST_CASE("a compact tree of means is checked") {
    const Tree whole = tree_example({"squared_error", {}, test::Weights::whole, 5}).tree;
    const NodeId leaf =
        static_cast<NodeId>(std::ranges::find_if(whole.nodes, &Node::leaf) - whole.nodes.begin());
    const double top = std::numeric_limits<double>::max();
    check_refused(
        whole,
        {
            {"derivation", [](Tree& t) { t.derivation = Derivation::gini; }},
            {"derivation", [](Tree& t) { t.n_classes = {1}; }},
            {"values", [](Tree& t) { t.n_outputs = 2; }},
            {"values", [](Tree& t) { t.node_values.assign(t.nodes.size(), 1.0); }},
            {"length of an array", [](Tree& t) { t.n_node_samples.assign(t.n_leaves(), 1); }},
            {"length of an array", [](Tree& t) { t.leaf_weights = {1.0}; }},
            {"length of an array", [](Tree& t) { t.impurity.pop_back(); }},
            {"whole weights", [](Tree& t) { t.whole_weights.narrow.pop_back(); }},
            {"whole weights", [](Tree& t) { t.whole_weights.narrow.push_back(1); }},
            {"whole weights", [](Tree& t) { t.weighted_n_node_samples.assign(t.n_leaves(), 1.0); }},
            {"unit of impurities", [](Tree& t) { ++t.impurity_exponent; }},
            {"unit of impurities", [](Tree& t) { t.impurity_exponent = 4096; }},
            {"numbers of a leaf", [](Tree& t) { t.impurity_exponent = -4096; }},
            {"numbers of a leaf", [](Tree& t) { t.whole_weights.narrow[0] = 0; }},
            {"numbers of a leaf", [](Tree& t) { t.impurity[0] = -1.0; }},
            {"numbers of a leaf", [](Tree& t) { t.impurity[0] = NAN; }},
            {"numbers of a leaf", [&](Tree& t) { t.impurity[0] = top; }},
            {"numbers of a leaf", [&](Tree& t) { t.nodes[leaf].threshold = INFINITY; }},
            {"numbers of a leaf", [&](Tree& t) { t.nodes[leaf].threshold = NAN; }},
            {"numbers of a leaf", [&](Tree& t) { t.nodes[leaf].threshold = top; }},
            {"numbers of a leaf", [&](Tree& t) { t.nodes[leaf].link = 0; }},
            {"number of samples", [&](Tree& t) { t.nodes[leaf].link = 0xFFFFFFFFU; }},
        });
    check_refused(
        tree_example({"squared_error", {}, test::Weights::fractional, 1}).tree,
        {
            {"length of an array", [](Tree& t) { t.weighted_n_node_samples.pop_back(); }},
            {"numbers of a leaf", [](Tree& t) { t.weighted_n_node_samples[0] = 0.0; }},
            {"numbers of a leaf", [](Tree& t) { t.weighted_n_node_samples[0] = INFINITY; }},
        });
}

TEST_CASE("a plain tree has no whole weights") {
    Tree plain = expand(tree_example({"gini", {2}, test::Weights::whole, 5}).tree);
    plain.whole_weights.narrow = {1};
    CHECK_THROWS_AS(check_tree(plain), std::invalid_argument);
}

}  // namespace
}  // namespace silvics
