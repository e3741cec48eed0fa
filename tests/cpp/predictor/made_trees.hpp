// Trees with splits of every kind, and samples that try them.
#pragma once

#include <functional>
#include <memory>

#include "forest/forest.hpp"
#include "predictor/packed_tree.hpp"
#include "support/tree_example.hpp"
#include "tree/check_tree.hpp"

namespace silvics::test {

// What splits and samples are to have.
struct Trials {
    bool missing = false, categories = false;
    std::size_t n_features = 4;
};
inline constexpr Trials kAllTrials[] = {{false, false}, {true, false}, {false, true}, {true, true}};

// Of any form.
inline LevelRule random_rule(Rng& rng, std::vector<std::uint32_t>& sets) {
    const bool others_left = pick(rng, 2) == 0;
    if (pick(rng, 3) == 0) return LevelRule(LevelRule::Form::coin, rng(), others_left);
    const bool apart = pick(rng, 2) == 0;
    std::vector<Level> sides[2];
    for (Level level = 0; level < (apart ? 70U : 40U); ++level)
        if (const std::size_t side = pick(rng, 3); side < 2) sides[side].push_back(level);
    if (apart) {  // far enough for a list, or only for bits
        const Level far = pick(rng, 2) == 0 ? 90000 : 71;
        sides[0].push_back(far);
        sides[1].push_back(far + 1);
    }
    return LevelRule::of(sides[0], sides[1], others_left, sets);
}

// The tree with its leaves and its shape, but other splits: all sides for missing values, all forms
// of rules.
inline void set_other_splits(Rng& rng, const Trials& trials, TreeBase& tree) {
    tree.n_features = trials.n_features;
    for (Node& node : tree.nodes) {
        if (node.leaf()) continue;
        node.feature = static_cast<std::int32_t>(pick(rng, trials.n_features));
        node.set_second(node.second(), trials.missing && pick(rng, 2) == 0);
        if (trials.categories && pick(rng, 2) == 0)
            node.set_rule(random_rule(rng, tree.level_sets));
        else if (pick(rng, 20) == 0)  // missing values from all others
            node.set_rule(pick(rng, 2) == 0 ? INFINITY : -INFINITY);
        else
            node.set_rule(static_cast<double>(pick(rng, 9)) / 4.0 - 1.0);
    }
}
inline StoredTree with_other_splits(Rng& rng, const StoredTree& tree, const Trials& trials) {
    StoredTree made = changed(tree, [&](TreeBase& base) { set_other_splits(rng, trials, base); });
    check_tree(made);
    return made;
}

// Values on thresholds and beside, levels that rules know and others; NaN in one cell of ten.
inline Matrix samples_for(Rng& rng, std::size_t rows, const Trials& trials) {
    constexpr double kLevels[] = {-1.0,         kUnknownLevel, 46.0,    47.0,    69.0,
                                  71.0,         72.0,          90000.0, 90001.0, 1e6,
                                  4294967295.0, 4294967296.0,  -7.0,    -0.0};
    Matrix X = random_matrix(rng, rows, trials.n_features, 9);
    for (double& x : X.values) {
        if (pick(rng, 3) == 0) x = pick_real(rng, -1.5, 1.5);
        if (pick(rng, 30) == 0) x = pick(rng, 2) == 0 ? INFINITY : -INFINITY;
        if (trials.categories && pick(rng, 2) == 0)
            x = pick(rng, 4) == 0 ? kLevels[pick(rng, std::size(kLevels))]
                                  : static_cast<double>(pick(rng, 75));
        if (trials.missing && pick(rng, 10) == 0) x = pick(rng, 2) == 0 ? NAN : -NAN;
    }
    return X;
}

// Every inner node has a leaf, as first child or as second. Of x0 the lowest values leave the chain
// to first children, the highest to second ones, and those between come to its end.
inline Tree chain_of(std::uint32_t depth, const std::function<bool(std::uint32_t)>& leaf_first) {
    Tree tree;
    tree.n_features = 2;
    tree.max_depth = depth;
    std::vector<NodeId> waiting;  // for their second child
    double low = 0.0, high = 2.0 * depth;
    for (std::uint32_t level = 0; level < depth; ++level) {
        const auto t = static_cast<NodeId>(tree.nodes.size());
        const bool first = leaf_first(level);
        tree.nodes.push_back({first ? low++ : high--, 0, 0});
        if (first) {
            tree.nodes.push_back({});
            tree.nodes[t].set_second(t + 2, level % 5 == 0);
        } else {
            waiting.push_back(t);
        }
    }
    tree.nodes.push_back({});
    for (; !waiting.empty(); waiting.pop_back()) {
        tree.nodes[waiting.back()].set_second(static_cast<NodeId>(tree.nodes.size()),
                                              waiting.back() % 5 != 0);
        tree.nodes.push_back({});
    }
    tree.n_node_samples.assign(tree.nodes.size(), 1);
    tree.weighted_n_node_samples.assign(tree.nodes.size(), 1.0);
    tree.impurity.assign(tree.nodes.size(), 0.0);
    for (std::size_t t = 0; t < tree.nodes.size(); ++t)
        tree.node_values.push_back(0.1 * static_cast<double>(t));
    check_tree(tree);
    return tree;
}

// A tree, packed by itself.
class Packed {
public:
    explicit Packed(StoredTree tree)
        : tree_(std::make_shared<const StoredTree>(std::move(tree))),
          forest_(std::make_shared<const PackedForest>(pack({&tree_, 1}))),
          packed_(*forest_, 0),
          numbers_(packed_) {}

    const StoredTree& tree() const { return *tree_; }
    const PackedForest& forest() const { return *forest_; }
    const PackedTree& packed() const { return packed_; }
    const NodeNumbers& numbers() const { return numbers_; }
    NodeId id(PackedLeaf leaf) const { return numbers_.of(packed_, leaf); }

private:
    SharedTree tree_;
    std::shared_ptr<const PackedForest> forest_;
    PackedTree packed_;
    NodeNumbers numbers_;
};

// Trees of all kinds: their layouts, chains, a root alone.
inline std::vector<StoredTree> many_trees() {
    Rng rng(300);
    std::vector<StoredTree> trees;
    for (const TreeCase& of : all_tree_cases())
        for (const Trials& trials : kAllTrials) {
            const StoredTree tree = with_other_splits(rng, tree_example(of).tree, trials);
            trees.push_back(tree);
            trees.push_back(expand(tree));
        }
    trees.push_back(chain_of(50, [](std::uint32_t) { return true; }));
    trees.push_back(chain_of(50, [](std::uint32_t) { return false; }));
    trees.push_back(chain_of(50, [](std::uint32_t level) { return level % 3 == 0; }));
    trees.push_back(chain_of(0, [](std::uint32_t) { return true; }));
    return trees;
}

}  // namespace silvics::test
