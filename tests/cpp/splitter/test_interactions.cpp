#include "doctest/doctest.h"
#include "splitter/interactions.hpp"

namespace silvics {
namespace {

using Variables = std::vector<FeatureId>;

SearchRules constrained(std::vector<Variables> groups, bool pairwise = false) {
    SearchRules rules;
    rules.interactions = std::move(groups);
    rules.pairwise = pairwise;
    return rules;
}

TEST_CASE("without constraints every variable is allowed") {
    Interactions any(SearchRules{}, 4);
    CHECK(any.allowed(0) == nullptr);
    CHECK(any.after(0, 3) == 0);
}

TEST_CASE("a path stays within the groups that contain all of its variables") {
    Interactions of(constrained({{1, 0}, {1, 2}}), 5);  // 3 and 4 are one more group
    CHECK(*of.allowed(0) == Variables{0, 1, 2, 3, 4});
    CHECK(*of.allowed(of.after(0, 0)) == Variables{0, 1});
    CHECK(*of.allowed(of.after(0, 1)) == Variables{0, 1, 2});
    CHECK(*of.allowed(of.after(of.after(0, 1), 2)) == Variables{1, 2});
    CHECK(*of.allowed(of.after(0, 3)) == Variables{3, 4});
    // Equal sets are kept once, whatever the order of the variables.
    CHECK(of.after(of.after(0, 1), 0) == of.after(of.after(0, 0), 1));
}

TEST_CASE("any two variables, but no three") {
    Interactions of(constrained({}, true), 4);
    CHECK(of.allowed(0) == nullptr);
    const Interactions::SetId one = of.after(0, 2);
    CHECK(of.allowed(one) == nullptr);
    CHECK(of.after(one, 2) == one);
    CHECK(*of.allowed(of.after(one, 0)) == Variables{0, 2});
    CHECK(of.after(of.after(one, 0), 2) == of.after(one, 0));
}

}  // namespace
}  // namespace silvics
