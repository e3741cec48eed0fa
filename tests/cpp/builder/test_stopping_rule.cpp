#include "builder/stopping_rule.hpp"
#include "doctest/doctest.h"

namespace silvics {
namespace {

const NodeStats kNode{.n = 10, .weight = 5.0, .homogeneous = false};

TEST_CASE("without rules only a homogeneous node or one of a single sample stops") {
    const StoppingRule rule;
    const SearchRules search;
    CHECK_FALSE(rule.stops(kNode, 1000000, search));
    NodeStats node = kNode;
    SUBCASE("homogeneous") { node.homogeneous = true; }
    SUBCASE("of a single sample") { node.n = 1; }
    CHECK(rule.stops(node, 0, search));
}

TEST_CASE("max_depth stops at that depth") {
    StoppingRule rule;
    rule.max_depth = 3;
    CHECK_FALSE(rule.stops(kNode, 2, {}));
    CHECK(rule.stops(kNode, 3, {}));
}

TEST_CASE("min_samples_split stops a node of fewer samples") {
    StoppingRule rule;
    rule.min_samples_split = 10;
    CHECK_FALSE(rule.stops(kNode, 0, {}));
    rule.min_samples_split = 11;
    CHECK(rule.stops(kNode, 0, {}));
}

TEST_CASE("a node too small for two leaves stops") {
    const StoppingRule rule;
    SearchRules search;
    SUBCASE("by samples") {
        search.min_samples_leaf = 5;
        CHECK_FALSE(rule.stops(kNode, 0, search));
        search.min_samples_leaf = 6;
    }
    SUBCASE("by weight") {
        search.min_weight_leaf = 2.5;
        CHECK_FALSE(rule.stops(kNode, 0, search));
        search.min_weight_leaf = 2.6;
    }
    CHECK(rule.stops(kNode, 0, search));
}

TEST_CASE("min_impurity_decrease rejects less, and zero rejects nothing") {
    StoppingRule rule;
    CHECK_FALSE(rule.rejects(0.0));
    CHECK_FALSE(rule.rejects(-1e-17));
    rule.min_impurity_decrease = 0.1;
    CHECK_FALSE(rule.rejects(0.1));
    CHECK(rule.rejects(0.0999));
}

TEST_CASE("max_leaf_nodes is a limit once given") {
    StoppingRule rule;
    CHECK_FALSE(rule.limits_leaves());
    rule.max_leaf_nodes = 2;
    CHECK(rule.limits_leaves());
}

TEST_CASE("pure nodes are split if asked, as far as the other rules let them") {
    StoppingRule rule;
    rule.split_pure = true;
    NodeStats node = kNode;
    node.homogeneous = true;
    CHECK_FALSE(rule.stops(node, 0, {}));
    node.n = 1;
    CHECK(rule.stops(node, 0, {}));
    rule.min_samples_split = 1;
    CHECK_FALSE(rule.stops(node, 0, {}));
    rule.max_depth = 3;
    CHECK(rule.stops(node, 3, {}));
    node.n = 10;
    SearchRules search;
    search.min_samples_leaf = 6;
    CHECK(rule.stops(node, 0, search));
    search.min_samples_leaf = 5;
    CHECK_FALSE(rule.stops(node, 0, search));
}

}  // namespace
}  // namespace silvics
