#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <set>

#include "builder/growing_tree.hpp"
#include "doctest/doctest.h"
#include "support/problem.hpp"
#include "tree/check_tree.hpp"
#include "tree/compact.hpp"
#include "tree/level_rule.hpp"
#include "tree/prune.hpp"

namespace silvics {
namespace {

// Cuts the weakest link of the whole tree, all computed anew at every step.
class NaivePruning {
public:
    explicit NaivePruning(const Tree& tree) : tree_(tree), ends_(tree.subtree_ends()) {}

    double impurity() const { return below(0).impurity; }

    // The inner node of the smallest alpha, lowest of equals; false at the root alone.
    bool weakest(double& alpha, NodeId& node) const {
        bool any = false;
        for (NodeId t = 0; t < tree_.nodes.size(); ++t) {
            if (leaf(t) || gone(t)) continue;
            const Branch branch = below(t);
            const double a = (own(t) - branch.impurity) / static_cast<double>(branch.leaves - 1);
            if (!any || a < alpha) {
                alpha = a;
                node = t;
            }
            any = true;
        }
        return any;
    }

    void cut(NodeId t) { cut_.insert(t); }
    bool leaf(NodeId t) const { return tree_.nodes[t].leaf() || cut_.contains(t); }
    bool gone(NodeId t) const {
        return std::ranges::any_of(cut_, [&](NodeId c) { return c < t && t < ends_[c]; });
    }

private:
    struct Branch {
        double impurity;
        std::size_t leaves;
    };
    double own(NodeId t) const {
        return tree_.weighted_n_node_samples[t] * tree_.impurity[t] /
               tree_.weighted_n_node_samples[0];
    }
    Branch below(NodeId t) const {
        if (leaf(t)) return {own(t), 1};
        const Branch first = below(t + 1), second = below(tree_.nodes[t].second());
        return {first.impurity + second.impurity, first.leaves + second.leaves};
    }

    const Tree& tree_;
    std::vector<NodeId> ends_;
    std::set<NodeId> cut_;
};

// A random tree whose weights and impurities make every sum of risks exact, with many ties.
Tree exact_tree(test::Rng& rng, std::size_t n_inner) {
    GrowingTree growing;
    const auto make = [&](double weight) {
        GrowingNode node;
        node.n = 1;
        node.value = kPureBit;
        node.weight = weight;
        node.impurity = static_cast<double>(test::pick(rng, 17)) / 16.0;
        growing.nodes.push_back(node);
    };
    make(1024.0);
    std::vector<NodeId> leaves = {0};
    while (n_inner-- > 0) {
        const std::size_t at = test::pick(rng, leaves.size());
        const NodeId t = leaves[at];
        const auto first = static_cast<NodeId>(growing.nodes.size());
        make(growing.nodes[t].weight);  // weights need not add up for pruning to be defined
        make(growing.nodes[t].weight);
        growing.nodes[t].feature = 0;
        growing.nodes[t].rule = 0.0;
        growing.nodes[t].first = first;
        growing.nodes[t].second = first + 1;
        leaves[at] = first;
        leaves.push_back(first + 1);
    }
    return finish_tree(growing, class_target(std::vector<std::int64_t>{0}, 1, {1}), 1, false);
}

TEST_CASE("the pruning path is that of cutting the weakest link, recomputed each time") {
    test::Rng rng(120);
    for (int repeat = 0; repeat < 60; ++repeat) {
        const Tree tree = exact_tree(rng, test::pick(rng, 40));
        NaivePruning naive(tree);
        std::vector<double> alphas = {0.0}, impurities = {naive.impurity()};
        double alpha = 0.0;
        for (NodeId t = 0; naive.weakest(alpha, t);) {
            naive.cut(t);
            alphas.push_back(alpha);
            impurities.push_back(naive.impurity());
        }
        const PruningPath path = pruning_path(tree);
        CHECK(path.alphas == alphas);
        CHECK(path.impurities == impurities);
    }
}

TEST_CASE("a pruned tree keeps the nodes above the links that were cut") {
    test::Rng rng(121);
    for (int repeat = 0; repeat < 60; ++repeat) {
        const Tree tree = exact_tree(rng, test::pick(rng, 40));
        const double limit = test::pick_real(rng, -0.5, 1.0);
        NaivePruning naive(tree);
        double alpha = 0.0;
        for (NodeId t = 0; naive.weakest(alpha, t) && alpha <= limit;) naive.cut(t);
        const Tree pruned = expand(prune(tree, limit));
        CHECK_NOTHROW(check_tree(pruned));
        std::size_t at = 0;
        for (NodeId t = 0; t < tree.nodes.size(); ++t) {
            if (naive.gone(t)) continue;
            REQUIRE(at < pruned.nodes.size());
            CHECK(pruned.nodes[at].leaf() == naive.leaf(t));
            CHECK(pruned.impurity[at] == tree.impurity[t]);
            CHECK(pruned.weighted_n_node_samples[at] == tree.weighted_n_node_samples[t]);
            ++at;
        }
        CHECK(at == pruned.nodes.size());
    }
}

struct Grown {
    Tree tree;
    const char* criterion;
};

std::vector<Grown> grown_trees(test::Rng& rng) {
    const Table table = test::coded(test::random_matrix(rng, 90, 3, 12));
    const LearningSubset subset = test::random_subset(rng, 90, test::Weights::fractional);
    std::vector<Grown> trees;
    for (const char* criterion : {"gini", "entropy", "squared_error", "absolute_error"}) {
        const Target target = find_criterion(criterion).classification
                                  ? test::random_classes(rng, 90, {3})
                                  : test::random_reals(rng, 90, 2);
        trees.push_back(
            {test::grown(criterion, table, target, subset, test::full_search(table)), criterion});
    }
    return trees;
}

TEST_CASE("grown trees are pruned along increasing alphas to the root") {
    test::Rng rng(122);
    for (const auto& [tree, criterion] : grown_trees(rng)) {
        CAPTURE(std::string(criterion));
        const PruningPath path = pruning_path(tree);
        CHECK(path.impurities.back() == doctest::Approx(test::users_impurity(tree, 0)));
        for (std::size_t i = 1; i < path.alphas.size(); ++i) {
            CHECK(path.alphas[i] >= path.alphas[i - 1] - 1e-9);
            CHECK(path.impurities[i] >= path.impurities[i - 1] - 1e-9);
        }
    }
}

TEST_CASE("pruned nodes keep their values, leaves and inner nodes alike") {
    test::Rng rng(123);
    for (const auto& [tree, criterion] : grown_trees(rng)) {
        CAPTURE(std::string(criterion));
        const PruningPath path = pruning_path(tree);
        const Tree pruned = expand(prune(tree, path.alphas[path.alphas.size() / 2]));
        CHECK_NOTHROW(check_tree(pruned));
        CHECK(pruned.nodes.size() < tree.nodes.size());
        CHECK(pruned.nodes.size() > 1);
        const std::size_t width = tree.value_width();
        const auto before = tree.all_values(), after = pruned.all_values();
        // Traversal both trees along; a cut node's subtree is passed over.
        const auto ends = tree.subtree_ends();
        NodeId t = 0;
        bool same = true;
        for (NodeId u = 0; u < pruned.nodes.size(); ++u) {
            for (std::size_t c = 0; c < width; ++c)
                same &= std::fabs(after[u * width + c] - before[t * width + c]) < 1e-12;
            same &= pruned.n_node_samples[u] == tree.n_node_samples[t];
            t = pruned.nodes[u].leaf() ? ends[t] : t + 1;
        }
        CHECK(same);
        CHECK(t == tree.nodes.size());
    }
}

TEST_CASE("an alpha below all links prunes nothing; one above them leaves the root") {
    test::Rng rng(124);
    for (const auto& [tree, criterion] : grown_trees(rng)) {
        CAPTURE(std::string(criterion));
        CHECK(test::same_trees(prune(tree, -1.0), tree));
        const Tree root = expand(prune(tree, 1e12));
        CHECK(root.nodes.size() == 1);
        CHECK(root.max_depth == 0);
        CHECK_NOTHROW(check_tree(root));
    }
}

TEST_CASE("what missing values do is kept through pruning") {
    test::Rng rng(125);
    Tree tree = exact_tree(rng, 20);
    // A bit for each inner node, and a variable that tells which it was.
    tree.n_features = tree.nodes.size();
    for (NodeId t = 0; t < tree.nodes.size(); ++t) {
        if (tree.nodes[t].leaf()) continue;
        tree.nodes[t].feature = static_cast<std::int32_t>(t);
        tree.nodes[t].set_second(tree.nodes[t].second(), t % 3 == 1);
    }
    // One of them has levels, kept apart.
    const Level far = 4000;
    const LevelRule rule = LevelRule::of({&far, 1}, {}, false, tree.level_sets);
    REQUIRE(rule.form() == LevelRule::Form::apart);
    tree.nodes[0].set_rule(rule);
    REQUIRE_NOTHROW(check_tree(tree));
    const auto path = pruning_path(tree);
    for (const double alpha : {-3.0, path.alphas[path.alphas.size() / 2]}) {
        const Tree pruned = expand(prune(tree, alpha));
        CHECK_NOTHROW(check_tree(pruned));
        std::size_t n_inner = 0;
        bool kept = true;
        for (const Node& node : pruned.nodes) {
            if (node.leaf()) continue;
            ++n_inner;
            kept &= node.missing_left() == (node.feature % 3 == 1);
            kept &= !node.rule().is_threshold() == (node.feature == 0);
        }
        CHECK(kept);
        CHECK(n_inner > 0);
        CHECK((n_inner == 20) == (alpha == -3.0));
        CHECK(pruned.nodes[0].rule().levels().goes_left(far, pruned.level_sets));
        CHECK_FALSE(pruned.nodes[0].rule().levels().goes_left(far - 1, pruned.level_sets));
    }
}

// Whether `work` ends within some seconds; in a process of its own, which can be given up.
template <class Work>
bool ends_in_time(Work&& work) {
    std::fflush(nullptr);  // or the child would print it again
    const pid_t child = fork();
    if (child == 0) {
        alarm(2);
        work();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_CASE("pruning ends where sums of impurities are not numbers any more") {
    test::Rng rng(126);
    const double top = std::numeric_limits<double>::max();
    Tree tree = exact_tree(rng, 5);
    SUBCASE("at the root alone") { tree.impurity[0] = top; }
    SUBCASE("at the leaves") {
        for (NodeId t = 0; t < tree.nodes.size(); ++t)
            if (tree.nodes[t].leaf()) tree.impurity[t] = top;
    }
    SUBCASE("everywhere") { std::ranges::fill(tree.impurity, top); }
    SUBCASE("everywhere, of both signs") {
        for (NodeId t = 0; t < tree.nodes.size(); ++t) tree.impurity[t] = t % 2 == 0 ? top : -top;
    }
    SUBCASE("with weights") {
        std::ranges::fill(tree.impurity, 1.0);
        std::ranges::fill(tree.weighted_n_node_samples, top);
        tree.weighted_n_node_samples[0] = 1e-300;
    }
    REQUIRE_NOTHROW(check_tree(tree));
    CHECK(ends_in_time([&] { pruning_path(tree); }));
    CHECK(ends_in_time([&] { prune(tree, 0.1); }));
}

TEST_CASE("alphas are in the user's units") {
    test::Rng rng(127);
    Tree tree = exact_tree(rng, 20);
    const PruningPath path = pruning_path(tree);
    const Tree pruned = expand(prune(tree, 0.25));
    tree.impurity_exponent = 10;
    const PruningPath other = pruning_path(tree);
    for (std::size_t i = 0; i < path.alphas.size(); ++i) {
        CHECK(other.alphas[i] == 1024.0 * path.alphas[i]);
        CHECK(other.impurities[i] == 1024.0 * path.impurities[i]);
    }
    CHECK(prune(tree, 256.0)->nodes.size() == pruned.nodes.size());
    CHECK(prune(tree, 256.0)->impurity_exponent == 10);
}

}  // namespace
}  // namespace silvics
