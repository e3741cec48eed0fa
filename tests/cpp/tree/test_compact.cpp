#include <cmath>
#include <functional>

#include "builder/growing_tree.hpp"
#include "doctest/doctest.h"
#include "importance/impurity_decrease.hpp"
#include "support/descend.hpp"
#include "support/tree_example.hpp"
#include "tree/check_tree.hpp"
#include "tree/compact.hpp"
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

TEST_CASE("every node of a compact tree has the statistics of the rows that reach it") {
    for (const Case& of : all_tree_cases()) {
        const Example made = tree_example(of);
        CAPTURE(std::string(of.criterion));
        REQUIRE(made.tree.compact());
        CHECK_NOTHROW(check_tree(made.tree));
        const Tree tree = expand(made.tree);
        CHECK_NOTHROW(check_tree(tree));
        const std::size_t width = tree.value_width(), n = made.X.rows;
        std::vector<std::vector<RowId>> rows(tree.nodes.size());
        for (const RowId row : made.subset.rows)
            test::descend(tree, made.X.row(row), [&](NodeId t) { rows[t].push_back(row); });
        const auto values = tree.all_values();
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
            right &= !tree.nodes[t].leaf() || tree.nodes[t].payload() == kLeaf;
        }
        CHECK(right);
    }
}

// ---- there and back

TEST_CASE("packing what was expanded gives the same tree") {
    for (const Case& of : all_tree_cases()) {
        const StoredTree tree = tree_example(of).tree;
        const Tree plain = expand(tree);
        const StoredTree again = stored(plain, tree.compaction());
        REQUIRE(again.compact());
        CHECK(test::same_trees(expand(again), plain));
        CHECK(again.memory_bytes() == tree.memory_bytes());
        CHECK(test::same_trees(expand(StoredTree(plain)), plain));
    }
}

TEST_CASE("a tree of counts is expanded to what was grown, to the last bit") {
    // exact_tree of unit weights: class 0 is cut off, one by one.
    GrowingTree growing;
    const double n = 6.0;
    for (NodeId level = 0; level < 5; ++level) {
        GrowingNode node;
        node.feature = 0;
        node.rule = level;
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
    CHECK(test::same_trees(expand(compact(plain, CompactionRule::gini).value()), plain));
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
            node.set_rule(LevelRule::of({&far, 1}, {}, false, plain.level_sets));
        if (n_inner % 3 == 1)  // coins
            node.set_rule(LevelRule(LevelRule::Form::coin, t, true));
    }
    REQUIRE(n_inner > 10);
    REQUIRE_NOTHROW(check_tree(plain));
    const CompactTree tree = compact(plain, CompactionRule::gini).value();
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
    const StoredTree tree = tree_example(of).tree;
    return static_cast<double>(tree.memory_bytes() - sizeof(StoredTree) -
                               tree->n_classes.capacity() * sizeof(ClassId)) /
           static_cast<double>(tree->nodes.size());
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
        const CompactTree tree = compact(plain, find_criterion(criterion).compaction).value();
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
    CHECK(!compact(classes, CompactionRule::none));
    Tree tree = classes;
    SUBCASE("values of their own") {
        tree.node_values = tree.all_values();
        tree.leaf_weights.clear();
    }
    SUBCASE("a leaf of next to no weight") {
        if (!tree.nodes.back().pure()) tree.leaf_weights.resize(tree.leaf_weights.size() - 3);
        tree.nodes.back().link = kPureBit;
        tree.weighted_n_node_samples.back() *= 0x1.0p-400;
    }
    SUBCASE("another impurity") {
        for (double& w : tree.weighted_n_node_samples) w *= 0.3;
        for (double& w : tree.leaf_weights) w *= 0.3;
        tree.impurity[0] *= 1.001;
    }
    REQUIRE_NOTHROW(check_tree(tree));
    CHECK(!compact(tree, CompactionRule::gini));
    CHECK(test::same_trees(stored(tree, CompactionRule::gini), StoredTree(tree)));
}

TEST_CASE("outputs of any size are derived in their own unit") {
    for (const double size : {1e-300, 1e300}) {
        std::vector<double> y(40);
        for (std::size_t i = 0; i < 40; ++i) y[i] = size * static_cast<double>(i % 7);
        test::Rng rng(131);
        const Table table = test::coded(test::random_matrix(rng, 40, 2));
        const Target target = real_target(y, 40, 1, true);
        const GrowthRules rules = test::full_search(table);
        const StoredTree tree =
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
        const StoredTree tree = tree_example(of).tree;
        const StoredTree plain = expand(tree);
        const PruningPath path = pruning_path(tree), other = pruning_path(plain);
        CHECK(path.alphas == other.alphas);
        CHECK(path.impurities == other.impurities);
        CHECK(impurity_decrease(tree, true) == impurity_decrease(plain, true));
        const double alpha = path.alphas[path.alphas.size() / 2];
        const StoredTree pruned = prune(tree, alpha), other_form = prune(plain, alpha);
        CHECK(pruned.compact());
        CHECK_NOTHROW(check_tree(pruned));
        CHECK(!other_form.compact());
        CHECK(pruned->nodes.size() == other_form->nodes.size());
        const auto values = expand(pruned).all_values(), others = expand(other_form).all_values();
        for (std::size_t i = 0; i < values.size(); ++i)
            CHECK(values[i] == doctest::Approx(others[i]).epsilon(1e-12));
    }
}

TEST_CASE("a compact chain of depth 100,000 is expanded without recursion") {
    const NodeId depth = 100000;
    for (const bool first_goes_on : {false, true}) {
        CompactTree tree;
        tree.n_features = 1;
        tree.n_classes = {3};
        tree.max_depth = depth;
        tree.rule = CompactionRule::gini;
        const auto leaf = [](std::uint32_t c) {
            return Node::leaf_of_counts({1, 2}, kPureBit | c);
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

}  // namespace
}  // namespace silvics
