#include "doctest/doctest.h"
#include "support/build_problem.hpp"
#include "tree/cut_tree.hpp"

namespace silvics {
namespace {

TEST_CASE("a tree that is cut nowhere is the same tree") {
    test::Rng rng(420);
    for (const char* name : {"gini", "squared_error", "absolute_error"})
        for (int repeat = 0; repeat < 10; ++repeat) {
            const Tree tree = test::random_problem(rng, find_criterion(name)).tree();
            CHECK(test::same_trees(cut_tree(tree, std::vector<char>(tree.nodes.size(), 0)), tree));
        }
}

TEST_CASE("a node that is cut keeps its statistics") {
    test::Rng rng(421);
    for (const char* name : {"entropy", "squared_error"})
        for (int repeat = 0; repeat < 20; ++repeat) {
            const test::BuildProblem problem = test::random_problem(rng, find_criterion(name));
            const Tree tree = problem.tree();
            const std::vector<NodeId> ends = tree.subtree_ends();
            const auto t = static_cast<NodeId>(test::pick(rng, tree.nodes.size()));
            std::vector<char> cut(tree.nodes.size(), 0);
            cut[t] = 1;
            const Tree left = cut_tree(tree, cut);
            check_tree(left);
            CHECK(left.nodes.size() == tree.nodes.size() - (ends[t] - t - 1));
            CHECK(left.nodes[t].leaf());
            CHECK(left.n_node_samples[t] == tree.n_node_samples[t]);
            CHECK(left.impurity[t] == tree.impurity[t]);
            std::vector<double> before(tree.value_width()), after(tree.value_width());
            tree.write_value(t, before);
            left.write_value(t, after);
            for (std::size_t c = 0; c < before.size(); ++c)
                CHECK(after[c] == doctest::Approx(before[c]));
        }
}

TEST_CASE("given class weights replace the sums over leaves") {
    test::Rng rng(422);
    const Tree tree = test::random_problem(rng, find_criterion("gini")).tree();
    std::vector<char> cut(tree.nodes.size(), 0);
    cut[0] = 1;
    std::vector<double> weights(tree.nodes.size() * tree.value_width(), 0.0);
    for (std::size_t c = 0; c < tree.value_width(); ++c) weights[c] = 1.0 + static_cast<double>(c);
    const Tree root = cut_tree(tree, cut, weights);
    REQUIRE(root.nodes.size() == 1);
    CHECK(root.leaf_weights ==
          std::vector<double>(weights.begin(),
                              weights.begin() + static_cast<std::ptrdiff_t>(tree.value_width())));
}

}  // namespace
}  // namespace silvics
