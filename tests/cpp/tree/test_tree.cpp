#include "doctest/doctest.h"
#include "support/descend.hpp"
#include "support/problem.hpp"
#include "tree/tree.hpp"

namespace silvics {
namespace {

struct Example {
    test::Matrix X;
    Target target;
    LearningSubset subset;
    Tree tree;
};

// A tree with pure and impure leaves.
Example classification(std::vector<ClassId> n_classes) {
    test::Rng rng(100);
    test::Matrix X = test::random_matrix(rng, 90, 3, 4);
    const Table table = test::coded(X);
    Target target = test::random_classes(rng, 90, n_classes);
    LearningSubset subset = test::random_subset(rng, 90, test::Weights::whole);
    Tree tree = test::grown("gini", table, target, subset, test::full_search(table));
    return {std::move(X), std::move(target), std::move(subset), std::move(tree)};
}

void check_class_weights(const Example& example) {
    const auto& [X, target, subset, tree] = example;
    const std::size_t width = tree.value_width();
    std::vector<double> expected(tree.nodes.size() * width, 0.0);
    for (const RowId row : subset.rows)
        test::descend(tree, X.row(row), [&](NodeId t) {
            std::size_t first = t * width;
            for (std::size_t k = 0; k < target.n_outputs; first += target.n_classes[k++])
                expected[first + target.classes[k * 90 + row]] += subset.weight(row);
        });
    const auto all = tree.all_values();
    std::vector<double> value(width);
    for (NodeId t = 0; t < tree.nodes.size(); ++t) {
        const auto wanted = std::span(expected).subspan(t * width, width);
        tree.write_class_weights(t, value);
        CHECK(std::ranges::equal(value, wanted));
        tree.write_value(t, value);
        CHECK(std::ranges::equal(value, std::span(all).subspan(t * width, width)));
        for (std::size_t c = 0; c < width; ++c)
            CHECK(value[c] == wanted[c] / tree.weighted_n_node_samples[t]);
    }
}

TEST_CASE("class weights of inner nodes are the sums over their rows") {
    SUBCASE("one output") { check_class_weights(classification({3})); }
    SUBCASE("two outputs") { check_class_weights(classification({2, 3})); }
}

TEST_CASE("values stored per node are returned unchanged") {
    test::Rng rng(101);
    const Table table = test::coded(test::random_matrix(rng, 40, 2));
    const Target target = test::random_reals(rng, 40, 2);
    const Tree tree =
        test::grown("squared_error", table, target, test::subset_of(40), test::full_search(table));
    CHECK(tree.value_width() == 2);
    CHECK(tree.all_values() == tree.node_values);
    std::vector<double> value(2);
    tree.write_value(3, value);
    CHECK(value == std::vector<double>{tree.node_values[6], tree.node_values[7]});
}

TEST_CASE("the memory of a tree is about that of its arrays") {
    const Tree tree = classification({3}).tree;
    const std::size_t per_node = sizeof(Node) + 4 + 8 + 8;
    CHECK(sizeof(Node) == 16);
    CHECK(tree.memory_bytes() >= tree.nodes.size() * per_node + tree.leaf_weights.size() * 8);
    CHECK(tree.memory_bytes() <=
          2 * (tree.nodes.size() * per_node + tree.leaf_weights.size() * 8 + 64));
}

}  // namespace
}  // namespace silvics
