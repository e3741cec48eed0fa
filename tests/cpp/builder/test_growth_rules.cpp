#include "builder/growth_rules.hpp"
#include "doctest/doctest.h"

namespace silvics {
namespace {

TEST_CASE("several threads may grow a tree unless a rule depends on the order of growth") {
    GrowthRules rules;
    CHECK(rules.shareable());
    rules.growth = Growth::best_first;
    CHECK(rules.shareable());

    GrowthRules limited;
    limited.stopping.max_leaf_nodes = 5;
    CHECK_FALSE(limited.shareable());

    GrowthRules both;
    both.search.missing = MissingRule::both;
    CHECK_FALSE(both.shareable());

    GrowthRules honest;
    honest.search.honest = true;
    CHECK_FALSE(honest.shareable());
}

}  // namespace
}  // namespace silvics
