// A packed forest whose arrays can be changed, to test that check_packed refuses invalid ones.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "doctest/doctest.h"
#include "predictor/made_forests.hpp"
#include "predictor/plain_forest.hpp"
#include "support/made_branches.hpp"

namespace silvics::packed_parts {

using test::Branches;
using test::pick;
using test::Rng;

// A packed forest whose arrays may be changed.
struct Parts {
    std::size_t n_features = 0, n_outputs = 1;
    std::vector<std::uint32_t> n_classes;
    bool both_children = false;
    std::vector<std::uint64_t> first_node, first_set, first_branch;
    std::vector<PackedNode> nodes;
    std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>,
                 std::vector<double>>
        values;
    std::vector<std::uint32_t> level_sets, branches;

    explicit Parts(const std::vector<SharedTree>& trees) {
        const auto copied = [](auto from, auto& to) { to.assign(from.begin(), from.end()); };
        const PackedForest forest = pack(trees);
        n_features = forest.n_features;
        n_outputs = forest.n_outputs;
        n_classes = forest.n_classes;
        both_children = forest.both_children;
        copied(forest.first_node, first_node);
        copied(forest.first_set, first_set);
        copied(forest.first_branch, first_branch);
        copied(forest.nodes, nodes);
        copied(forest.level_sets, level_sets);
        copied(forest.branches, branches);
        std::visit(
            [&]<class T>(std::span<const T> from) {
                values = std::vector<T>(from.begin(), from.end());
            },
            forest.values);
    }

    // Its arrays lie in memory that ends where they end.
    PackedForest forest() const {
        const auto mine = std::make_shared<const Parts>(*this);
        PackedForest made{.n_features = n_features,
                          .n_outputs = n_outputs,
                          .n_classes = n_classes,
                          .both_children = both_children,
                          .first_node = mine->first_node,
                          .nodes = mine->nodes,
                          .values = {},
                          .first_set = mine->first_set,
                          .first_branch = mine->first_branch,
                          .level_sets = mine->level_sets,
                          .branches = mine->branches,
                          .shapes = {},
                          .memory = mine};
        std::visit(
            [&]<class T>(const std::vector<T>& from) { made.values = std::span<const T>(from); },
            mine->values);
        return made;
    }

    std::vector<double>& numbers() { return std::get<std::vector<double>>(values); }
    std::vector<std::uint8_t>& bytes() { return std::get<std::vector<std::uint8_t>>(values); }
};

// Of links that are wrong, either may be found first.
inline constexpr std::string_view kOrder = "order of nodes";
inline constexpr std::string_view kNoParent = "a node without a parent";

struct Damage {
    std::string_view complaint;
    std::function<void(Parts&)> apply;
};

inline void check_refused(const Parts& good, const std::vector<Damage>& damages) {
    PackedForest accepted = good.forest();
    REQUIRE_NOTHROW(check_packed(accepted));
    for (const auto& [complaint, apply] : damages) {
        Parts bad = good;
        apply(bad);
        PackedForest forest = bad.forest();
        std::string message;
        try {
            check_packed(forest);
        } catch (const std::invalid_argument& e) {
            message = e.what();
        }
        if (complaint == kOrder && message.ends_with(kNoParent))
            message.replace(20, message.size(), kOrder);
        CHECK(message == "not a valid forest: " + std::string(complaint));
    }
}

inline std::vector<SharedTree> shared(std::vector<StoredTree> trees) {
    std::vector<SharedTree> made;
    for (StoredTree& tree : trees) {
        check_tree(tree);
        made.push_back(std::make_shared<const StoredTree>(std::move(tree)));
    }
    return made;
}

inline std::vector<SharedTree> grown(const char* criterion, const std::vector<ClassId>& n_classes,
                                     std::size_t outputs = 1) {
    const StoredTree tree =
        test::tree_example({criterion, n_classes, test::Weights::unit, 9}, 0.0, outputs).tree;
    return shared({tree, prune(tree, INFINITY), tree});
}

inline const std::vector<SharedTree>& of_classes() {  // whole weights, one byte each
    static const auto trees = grown("gini", {3});
    return trees;
}
inline const std::vector<SharedTree>& of_reals() {
    static const auto trees = grown("squared_error", {});
    return trees;
}

// The node of a tree at a place.
inline PackedNode& at(Parts& parts, std::size_t m, Place t) {
    return parts.nodes[parts.first_node[m] + t];
}

inline PackedNode with_rule(const PackedNode& node, SplitRule rule) {
    return {rule, node.feature(), node.missing_first(), node.child(0), node.child(1)};
}
inline PackedNode with_feature(const PackedNode& node, FeatureId feature) {
    return {node.rule(), feature, node.missing_first(), node.child(0), node.child(1)};
}

// A child of tree m that is an inner node, or one that is a leaf.
struct Link {
    Place parent;
    std::uint32_t which;
};
inline Link find_link(const Parts& parts, std::size_t m, bool leaf) {
    const PackedForest forest = parts.forest();
    for (std::uint64_t t = forest.first_node[m]; t < forest.first_node[m + 1]; ++t)
        for (const std::uint32_t k : {0U, 1U})
            if (forest.nodes[t].child(k).leaf() == leaf)
                return {static_cast<Place>(t - forest.first_node[m]), k};
    FAIL("no such child");
    return {};
}

}  // namespace silvics::packed_parts
