// Where a builder stores the nodes of a growing tree: a concept with two implementations.
//
// FullStore holds every node with its size, weight, impurity and value, in any order of growth.
// CompactStore writes nodes in the form in which the finished tree keeps them. The store is a
// template parameter of the builder, so that no node costs a virtual call.
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <utility>

#include "builder/frontier.hpp"
#include "builder/growing_tree.hpp"
#include "splitter/splitter.hpp"

namespace silvics {

// For each node the builder calls append, then set_size, and then, as they are needed:
// set_impurity, set_pure_class or add_value, and set_leaf or set_split. A sole sample is a leaf at
// once: set_sole_leaf after set_size. The calls for one node end before the next node is appended,
// unless the order of growth is other than depth first.
template <class S>
concept NodeStore = requires(S store, OpenNode& added, const OpenNode& node, const Split& split,
                             const SoleSample& sole, const Target& target) {
    store.append(added);  // numbers the node and links it to its parent
    store.set_size(node, std::size_t{}, double{});
    store.set_impurity(node, double{});
    store.set_pure_class(node, ClassId{});
    // A row of values, which the caller fills before the next call.
    { store.add_value(node) } -> std::same_as<std::span<double>>;
    store.set_leaf(node);
    store.set_sole_leaf(node, sole);
    // The rule of a split as a node stores it.
    { store.encode_rule(split) } -> std::same_as<SplitRule>;
    store.set_split(node);
    // The finished tree in compact form, if what its leaves store suffices.
    {
        store.finish_from_leaves(target, std::size_t{}, CompactionRule{}, int{})
    } -> std::same_as<std::optional<CompactTree>>;
    { std::move(store).take_growing() } -> std::same_as<GrowingTree>;
};

// A store of nodes that may be empty, or have other than two children.
template <class S>
concept BranchStore = NodeStore<S> && requires(S store, const OpenNode& node) {
    store.inherit_value(node);  // an empty leaf predicts what its parent does
    // The samples of each child of a node whose split has been found; empty for a binary split.
    { store.child_sizes(node) } -> std::same_as<std::span<const std::uint32_t>>;
};

}  // namespace silvics
