// Trees as a packed forest and statistics, and back: bit for bit.
#include <cmath>
#include <cstring>

#include "doctest/doctest.h"
#include "model_file/check_stats.hpp"
#include "model_file/made_stats.hpp"

namespace silvics {
namespace {

template <class Array>
bool same_bits(const Array& a, const Array& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0);
}

void check_same_base(const TreeBase& a, const TreeBase& b) {
    CHECK(a.n_features == b.n_features);
    CHECK(a.n_outputs == b.n_outputs);
    CHECK(a.n_classes == b.n_classes);
    CHECK(a.max_depth == b.max_depth);
    CHECK(same_bits(a.nodes, b.nodes));
    CHECK(a.impurity_exponent == b.impurity_exponent);
    CHECK(a.level_sets == b.level_sets);
    CHECK(a.branches == b.branches);
    CHECK(a.both_children == b.both_children);
}

void check_same_form(const Tree& a, const Tree& b) {
    CHECK(a.n_node_samples == b.n_node_samples);
    CHECK(same_bits(a.weighted_n_node_samples, b.weighted_n_node_samples));
    CHECK(same_bits(a.impurity, b.impurity));
    CHECK(same_bits(a.leaf_weights, b.leaf_weights));
    CHECK(same_bits(a.node_values, b.node_values));
}

void check_same_form(const CompactTree& a, const CompactTree& b) {
    CHECK(a.rule == b.rule);
    CHECK(a.n_leaf_samples == b.n_leaf_samples);
    CHECK(same_bits(a.weighted_n_leaf_samples, b.weighted_n_leaf_samples));
    CHECK(same_bits(a.leaf_impurity, b.leaf_impurity));
    CHECK(same_bits(a.leaf_weights, b.leaf_weights));
    CHECK(a.whole_weights == b.whole_weights);
}

void check_same(const StoredTree& a, const StoredTree& b) {
    check_same_base(a, b);
    REQUIRE((a.compact() != nullptr) == (b.compact() != nullptr));
    if (a.compact())
        check_same_form(*a.compact(), *b.compact());
    else
        check_same_form(*a.plain(), *b.plain());
}

TEST_CASE("trees come back bit for bit") {
    for (const auto& trees : test::stored_forests()) {
        const PackedForest packed = pack(trees);
        const TrainingStats stats = stats_of(packed, trees);
        check_stats(packed, stats);
        const std::vector<SharedTree> again = trees_of(packed, stats);
        REQUIRE(again.size() == trees.size());
        for (std::size_t m = 0; m < trees.size(); ++m) check_same(*trees[m], *again[m]);
    }
}

TEST_CASE("statistics are stored in the narrowest type that holds them") {
    const StoredTree tree = test::tree_example({"gini", {2}, test::Weights::unit, 1}).tree;
    const std::vector<SharedTree> one{std::make_shared<const StoredTree>(tree)};
    const PackedForest packed = pack(one);
    const TrainingStats stats = stats_of(packed, one);
    CHECK(std::holds_alternative<std::span<const std::uint8_t>>(stats.samples));
    CHECK(size_of(stats.samples) == tree->n_leaves());
    CHECK(stats.impurity.empty());
    CHECK(stats.first_impurity.empty());
}

}  // namespace
}  // namespace silvics
