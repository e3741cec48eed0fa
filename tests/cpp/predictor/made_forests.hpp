// Forests of trees of every layout.
#pragma once

#include <string>

#include "forest/forest.hpp"
#include "predictor/made_trees.hpp"
#include "tree/prune.hpp"

namespace silvics::test {

// Trees that may stand in one forest.
struct Kind {
    std::string name;
    std::vector<StoredTree> trees;

    // So many of them in turn, each with splits of its own.
    std::vector<SharedTree> forest(Rng& rng, std::size_t n_trees, const Trials& trials) const {
        std::vector<SharedTree> made;
        for (std::size_t m = 0; m < n_trees; ++m)
            made.push_back(std::make_shared<const StoredTree>(
                with_other_splits(rng, trees[m % trees.size()], trials)));
        return made;
    }
};

// The tree as it is kept, the plain one, and the root alone.
inline void add_layouts(const StoredTree& tree, Kind& kind) {
    kind.trees.push_back(tree);
    kind.trees.push_back(expand(tree));
    kind.trees.push_back(prune(tree, INFINITY));
}

// Weights that do not fit into two bytes.
inline StoredTree with_large_weights(const StoredTree& tree, CompactionRule rule) {
    Tree plain = expand(tree);
    for (double& w : plain.weighted_n_node_samples) w *= 65536.0;
    for (double& w : plain.leaf_weights) w *= 65536.0;
    return stored(std::move(plain), rule);
}

inline Kind kind_of_classes(std::string name, const std::vector<ClassId>& n_classes) {
    Kind kind{std::move(name), {}};
    for (const Weights weights : kAllWeights)
        for (const std::size_t smallest : {1U, 5U})
            add_layouts(tree_example({"gini", n_classes, weights, smallest}).tree, kind);
    kind.trees.push_back(with_large_weights(
        tree_example({"gini", n_classes, Weights::unit, 5}).tree, CompactionRule::gini));
    // Values of their own, that say another thing than the links that the leaves still have.
    Tree with_values = expand(tree_example({"gini", n_classes, Weights::unit, 1}).tree);
    with_values.node_values = with_values.all_values();
    with_values.leaf_weights.clear();
    for (double& value : with_values.node_values) value = 0.7 * value + 0.1;
    kind.trees.push_back(with_values);
    return kind;
}

inline std::vector<Kind> all_kinds() {
    std::vector<Kind> kinds;
    kinds.push_back(kind_of_classes("two classes", {2}));
    kinds.push_back(kind_of_classes("26 classes", {26}));
    kinds.push_back(kind_of_classes("two outputs of classes", {2, 3}));
    Kind reals{"one real output", {}}, two{"two real outputs", {}};
    for (const Weights weights : kAllWeights)
        for (const std::size_t smallest : {1U, 5U}) {
            add_layouts(tree_example({"squared_error", {}, weights, smallest}).tree, reals);
            two.trees.push_back(
                tree_example({"squared_error", {}, weights, smallest}, 0.0, 2).tree);
        }
    reals.trees.push_back(with_large_weights(
        tree_example({"squared_error", {}, Weights::unit, 5}).tree, CompactionRule::variance));
    reals.trees.push_back(tree_example({"absolute_error", {}, Weights::unit, 5}).tree);
    two.trees.push_back(tree_example({"absolute_error", {}, Weights::unit, 5}, 0.0, 2).tree);
    two.trees.push_back(prune(two.trees[0], INFINITY));
    kinds.push_back(std::move(reals));
    kinds.push_back(std::move(two));
    return kinds;
}

}  // namespace silvics::test
