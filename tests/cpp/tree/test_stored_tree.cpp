#include "doctest/doctest.h"
#include "support/tree_example.hpp"
#include "tree/stored_tree.hpp"

namespace silvics {
namespace {

TEST_CASE("a stored tree has one of two forms, and the base of either") {
    const StoredTree compact = test::tree_example({"gini", {3}, test::Weights::unit, 5}).tree;
    REQUIRE(compact.compact() != nullptr);
    CHECK(compact.plain() == nullptr);
    CHECK(compact.compaction() == CompactionRule::gini);
    CHECK(&compact.base() == compact.compact());

    const StoredTree plain = expand(compact);
    REQUIRE(plain.plain() != nullptr);
    CHECK(plain.compact() == nullptr);
    CHECK(plain.compaction() == CompactionRule::none);
    CHECK(plain->nodes.size() == compact->nodes.size());
    CHECK(plain->subtree_ends() == compact->subtree_ends());
    CHECK(plain->depths() == compact->depths());
    CHECK(plain.memory_bytes() > compact.memory_bytes());
}

TEST_CASE("the leaves of both forms have the same class weights") {
    for (const test::Weights weights : test::kAllWeights) {
        const StoredTree kept = test::tree_example({"entropy", {2, 3}, weights, 5}).tree;
        const Tree plain = expand(kept);
        kept.visit([&](const auto& form) {
            std::vector<double> row(form.value_width()), expected(form.value_width());
            for (NodeId t = 0; t < form.nodes.size(); ++t) {
                if (!form.nodes[t].leaf()) continue;
                REQUIRE(form.pure(form.nodes[t]) == plain.pure(plain.nodes[t]));
                const double weight = form.write_leaf_row(t, row);
                CHECK(weight == doctest::Approx(plain.write_leaf_row(t, expected)));
                CHECK(row == expected);
            }
        });
    }
}

}  // namespace
}  // namespace silvics
