#include <cmath>
#include <set>

#include "splitter/fast/level_groups.hpp"
#include "splitter/other_columns.hpp"

namespace silvics {
namespace {

using test::category;
using test::OtherTable;
using test::Rows;

TEST_CASE("samples are grouped by level in order of appearance, missing values as a level") {
    const OtherTable made = category({4, 2, -1, 4, 0, 2, -1}, 5);
    LevelGroups groups;
    for (int again = 0; again < 2; ++again) {  // what a node leaves behind must not matter
        CHECK(groups.enter(made.column(), Rows{1, 2, 3, 5, 6}));
        CHECK(groups.levels == std::vector<Code>{2, 5, 4});
        CHECK(groups.counts == std::vector<std::uint32_t>{2, 2, 1});
        CHECK(groups.group_of == std::vector<Code>{0, 1, 2, 0, 1});
        CHECK(groups.missing == 1);
        CHECK(groups.n_free == 3);
    }
    CHECK_FALSE(groups.enter(made.column(), Rows{0, 3}));
    CHECK(groups.missing == LevelGroups::kNone);
}

TEST_CASE("groups are sorted by level, samples with them") {
    const OtherTable made = category({4, 2, -1, 4, 0}, 5);
    LevelGroups groups;
    groups.enter(made.column(), Rows{0, 1, 2, 3, 4});
    groups.sort_by_level();
    CHECK(groups.levels == std::vector<Code>{0, 2, 4, 5});
    CHECK(groups.counts == std::vector<std::uint32_t>{1, 1, 2, 1});
    CHECK(groups.group_of == std::vector<Code>{2, 1, 3, 2, 0});
    CHECK(groups.missing == 3);
}

TEST_CASE("copies are two groups that stay where they are") {
    const OtherTable made = category({1, 0, -1, -1, 1}, 2);
    LevelGroups groups;
    // Rows 2 and 3 stand for two copies on each side.
    CHECK(groups.enter(made.column(), Rows{0, 1, 4, 2, 3, 2, 3}, 2));
    CHECK(groups.n_free == 2);
    CHECK(groups.size() == 4);
    CHECK(groups.group_of == std::vector<Code>{0, 1, 0, 2, 2, 3, 3});
    CHECK(groups.missing == LevelGroups::kNone);
    CHECK_FALSE(groups.enter(made.column(), Rows{0, 4, 2, 2}, 1));
}

TEST_CASE("other samples can be counted") {
    const OtherTable made = category({1, 0, -1, 1}, 3);
    LevelGroups groups;
    groups.enter(made.column(), Rows{0, 1, 2, 3});
    groups.set_counts(std::vector<std::uint32_t>{7, 8, 9, 10});
    CHECK(groups.counts == std::vector<std::uint32_t>{8, 7, 10});
}

}  // namespace
}  // namespace silvics
