#include "criterion/class_counts.hpp"
#include "doctest/doctest.h"
#include "splitter/split.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

std::vector<MissingSide> sides_tried(bool has_missing) {
    std::vector<MissingSide> sides;
    for_missing_sides(has_missing, [&](MissingSide side) { sides.push_back(side); });
    return sides;
}

TEST_CASE("missing values are tried right, then left; there is one try without them") {
    CHECK(sides_tried(false) == std::vector{MissingSide::unseen});
    CHECK(sides_tried(true) == std::vector{MissingSide::right, MissingSide::left});
}

TEST_CASE("limits hold on both sides of a cut") {
    const CutLimits limits{.n = 10, .min_samples_leaf = 3, .min_weight_leaf = 2.0};
    CHECK_FALSE(limits.none());
    CHECK(limits.allow(3, 2.0, 9.0));
    CHECK(limits.allow(7, 9.0, 2.0));
    CHECK_FALSE(limits.allow(2, 5.0, 5.0));
    CHECK_FALSE(limits.allow(8, 5.0, 5.0));
    CHECK_FALSE(limits.allow(5, 1.9, 5.0));
    CHECK_FALSE(limits.allow(5, 5.0, 1.9));
    const CutLimits none{.n = 10};
    CHECK(none.none());
    CHECK(none.allow(1, 0.1, 0.1));
    CHECK_FALSE(none.allow(1, 0.0, 1.0));  // no weight, no child
    CHECK_FALSE(none.allow(10, 1.0, 1.0));
}

TEST_CASE("a monotonic cut keeps the order of the children and the bounds of the node") {
    // Shares of the second class: 0 left, 1 right.
    const Target target = class_target(std::vector<std::int64_t>{0, 0, 1, 1}, 4, {2});
    const LearningSubset subset = test::subset_of(4);
    SampleOrder order;
    ClassCounts<Gini>::fill(target, subset, order);
    order.rows = subset.rows;
    ClassCounts<Gini> criterion(target, subset, test::kNeverStop);
    criterion.enter(order, 0, 4);
    criterion.begin_scan();
    criterion.move(0);
    criterion.move(1);
    CutLimits limits{.n = 4};
    CHECK(limits.keep_order(criterion.left_value(), criterion.right_value()));
    limits.monotonic = 1;
    CHECK(limits.keep_order(criterion.left_value(), criterion.right_value()));
    limits.bounds.upper = 0.9;
    CHECK_FALSE(limits.keep_order(criterion.left_value(), criterion.right_value()));
    limits.bounds = {};
    limits.bounds.lower = 0.1;
    CHECK_FALSE(limits.keep_order(criterion.left_value(), criterion.right_value()));
    limits.bounds = {};
    limits.monotonic = -1;
    CHECK_FALSE(limits.keep_order(criterion.left_value(), criterion.right_value()));
}

TEST_CASE("variables are compared by their score less what is due to chance") {
    Found found;
    CHECK(found.worth() == -kInfinity);
    found.cut.score = 5.0;
    found.by_chance = 1.5;
    CHECK(found.worth() == 3.5);
}

}  // namespace
}  // namespace silvics
