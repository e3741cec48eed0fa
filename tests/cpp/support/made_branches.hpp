// Trees with nodes of every kind, made at random.
#pragma once

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "support/problem.hpp"
#include "tree/goes_left.hpp"

namespace silvics::test {

enum class Branches { plain, thresholds, levels, subset, combination };
inline constexpr Branches kAllBranches[] = {Branches::plain, Branches::thresholds, Branches::levels,
                                            Branches::subset, Branches::combination};

// Ascending, each once.
template <class T, class Draw>
std::vector<T> some_ascending(std::size_t n, Draw&& draw) {
    std::set<T> some;
    while (some.size() < n) some.insert(draw());
    return {some.begin(), some.end()};
}

// What a node of so many children may keep. Of numbers and levels, the last child may be one for
// missing values alone.
inline Branching random_branching(Rng& rng, Branches kind, std::uint32_t n_children,
                                  std::size_t n_features, std::vector<std::uint32_t>& sets) {
    Branching made;
    made.n_children = n_children;
    made.missing_child = static_cast<std::uint32_t>(pick(rng, n_children));
    made.other_child = static_cast<std::uint32_t>(pick(rng, n_children));
    const bool apart = n_children > 1 && pick(rng, 2) == 0;
    if (apart) made.missing_child = n_children - 1;
    const auto quarters = [&] { return static_cast<double>(pick(rng, 13)) / 4.0 - 1.5; };
    if (kind == Branches::levels) {
        made.test = Branching::Test::levels;
        made.levels = some_ascending<Level>(
            n_children - apart, [&] { return static_cast<Level>(pick(rng, 12) * pick(rng, 12)); });
    } else if (kind == Branches::subset) {
        made.test = Branching::Test::subset;
        std::vector<Level> sides[2];
        const Level n = pick(rng, 2) == 0 ? 12 : 140;
        for (Level level = 0; level < n; ++level)
            if (const std::size_t side = pick(rng, 3); side < 2) sides[side].push_back(level);
        made.subset = LevelRule::of(sides[0], sides[1], pick(rng, 2) == 0, sets);
    } else {
        made.thresholds = some_ascending<double>(n_children - 1 - apart, quarters);
    }
    if (kind == Branches::combination)
        for (std::size_t i = 1 + pick(rng, 3); i > 0; --i)
            made.terms.push_back({static_cast<FeatureId>(pick(rng, n_features)),
                                  pick_real(rng, -2.0, 2.0),
                                  static_cast<float>(pick_real(rng, 0.0, 1.0))});
    return made;
}

struct Shape {
    std::size_t n_features = 4;
    std::vector<ClassId> n_classes{};  // empty: one real output
    std::size_t deepest = 4;
    std::uint32_t most_children = 5;
    bool single = true;           // nodes of one child too
    std::size_t leaf_one_in = 3;  // of the nodes between the root and the deepest
    std::vector<Branches> kinds{std::begin(kAllBranches), std::end(kAllBranches)};
};

namespace detail {

inline NodeId add_random_node(Rng& rng, const Shape& shape, std::size_t depth, Tree& tree) {
    const auto t = static_cast<NodeId>(tree.nodes.size());
    tree.nodes.push_back({-2.0, kLeaf, 0});
    tree.max_depth = std::max(tree.max_depth, static_cast<std::uint32_t>(depth));
    if (depth == shape.deepest || (depth > 0 && pick(rng, shape.leaf_one_in) == 0)) return t;
    const Branches kind = shape.kinds[pick(rng, shape.kinds.size())];
    Node node{static_cast<double>(pick(rng, 9)) / 4.0 - 1.0,
              static_cast<std::int32_t>(pick(rng, shape.n_features)), 0};
    if (kind == Branches::plain) {
        add_random_node(rng, shape, depth + 1, tree);
        const bool missing_left = pick(rng, 2) == 0;
        node.set_second(add_random_node(rng, shape, depth + 1, tree), missing_left);
        tree.nodes[t] = node;
        return t;
    }
    const auto most = kind == Branches::subset || kind == Branches::combination
                          ? 2 + static_cast<std::uint32_t>(pick(rng, 2))
                          : shape.most_children;
    const std::uint32_t least =
        kind == Branches::subset || kind == Branches::combination || !shape.single ? 2 : 1;
    const auto n = static_cast<std::uint32_t>(least + pick(rng, most - least + 1));
    const std::size_t at = BranchRecord::append(
        random_branching(rng, kind, n, shape.n_features, tree.level_sets), tree.branches);
    node.set_rule(SplitRule::record(at));
    tree.nodes[t] = node;
    for (std::uint32_t k = 0; k < n; ++k) {
        const NodeId child = add_random_node(rng, shape, depth + 1, tree);
        tree.branches[BranchRecord::child_offset(at, k)] = child;
        if (k < 2) tree.nodes[t].set_second(child, false);  // the last, where it is the only one
    }
    return t;
}

}  // namespace detail

// Every node has a value of its own; shares of classes add up to one.
inline Tree random_branches(Rng& rng, const Shape& shape) {
    Tree tree;
    tree.n_features = shape.n_features;
    tree.n_classes = shape.n_classes;
    if (!shape.n_classes.empty()) tree.n_outputs = shape.n_classes.size();
    detail::add_random_node(rng, shape, 0, tree);
    const std::size_t n = tree.nodes.size();
    tree.n_node_samples.assign(n, 1);
    tree.weighted_n_node_samples.assign(n, 1.0);
    for (std::size_t t = 0; t < n; ++t) {
        tree.impurity.push_back(static_cast<double>(pick(rng, 17)) / 16.0);
        if (shape.n_classes.empty()) tree.node_values.push_back(pick_real(rng, -5.0, 5.0));
        for (const ClassId classes : shape.n_classes) {
            std::vector<double> shares(classes);
            double sum = 0.0;
            for (double& share : shares)  // often equal
                sum += share = 1.0 + static_cast<double>(pick(rng, 3));
            for (const double share : shares) tree.node_values.push_back(share / sum);
        }
    }
    return tree;
}

// Values on thresholds and beside them, levels that are known and others, some missing.
inline Matrix samples_of_branches(Rng& rng, std::size_t rows, std::size_t cols,
                                  bool missing = true) {
    Matrix X = random_matrix(rng, rows, cols, 13);
    for (double& x : X.values) {
        const std::size_t kind = pick(rng, 12);
        if (kind < 3) x = pick_real(rng, -1.6, 1.6);
        if (kind >= 3 && kind < 7) {
            x = static_cast<double>(pick(rng, 12));
            x *= static_cast<double>(pick(rng, 13));
        }
        if (kind == 7) x = pick(rng, 2) == 0 ? kUnknownLevel : 1e6;
        if (missing && kind == 8) x = pick(rng, 3) == 0 ? -1.0 : NAN;
        if (missing && kind == 9 && pick(rng, 4) == 0) x = pick(rng, 2) == 0 ? INFINITY : -INFINITY;
    }
    return X;
}

}  // namespace silvics::test
