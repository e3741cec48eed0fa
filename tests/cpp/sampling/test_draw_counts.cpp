#include <algorithm>

#include "doctest/doctest.h"
#include "sampling/draw_counts.hpp"

namespace silvics {
namespace {

SamplingPlan plan_of(std::size_t n_rows, std::size_t n_draws) {
    SamplingPlan plan;
    plan.n_rows = n_rows;
    plan.n_draws = n_draws;
    plan.bootstrap = true;
    plan.prepare();
    return plan;
}

TEST_CASE("draws of some rows are counted in the type that holds them") {
    const SamplingPlan plan = plan_of(40, 1000);
    for (std::uint32_t seed = 0; seed < 10; ++seed) {
        std::vector<std::uint32_t> counts(40, 0), some(25, 7);
        for (const RowId row : draw_rows(plan, seed)) ++counts.at(row);
        CHECK(count_draws(plan, seed, 9, std::span(some)));
        CHECK(std::ranges::equal(some, std::span(counts).subspan(9, 25)));
        std::vector<std::uint8_t> bytes(40, 7);
        CHECK(count_draws(plan, seed, 0, std::span(bytes)));
        CHECK(std::ranges::equal(bytes, counts));
    }
    std::vector<std::uint8_t> bytes(2);
    CHECK(!count_draws(plan_of(2, 1000), 1, 0, std::span(bytes)));
}

}  // namespace
}  // namespace silvics
