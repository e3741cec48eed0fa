#include "doctest/doctest.h"
#include "importance/permuted_changes.hpp"
#include "importance/permuted_example.hpp"

namespace silvics {
namespace {

TEST_CASE("changes of predictions are added to the rows of their block when it is finished") {
    test::Rng rng(250);
    const test::PermutedExample example(rng, test::random_matrix(rng, 5, 3), {{0}, {2}}, 2);
    std::vector<double> changes(2 * 2 * 5 * 2, 0.0), sums(5 * 2, 0.0);
    std::vector<std::int64_t> counts(5, 0);
    PredictionChanges gathered(example.columns, example.block(3, 2), 2, changes, {sums, counts});
    const std::vector<double> before = {1.0, 2.0}, after = {4.0, 0.0};
    gathered.add(1, before);
    gathered.add(1, 1, 0, before, after);
    gathered.add(1, 1, 0, before, after);
    CHECK(changes == std::vector<double>(40, 0.0));
    gathered.finish();
    std::vector<double> expected(40, 0.0);
    const std::size_t at = ((1 * 2 + 0) * 5 + 4) * 2;  // group 1, repeat 0, row 4
    expected[at] = 6.0;
    expected[at + 1] = -4.0;
    CHECK(changes == expected);
    CHECK(counts == std::vector<std::int64_t>{0, 0, 0, 0, 1});
    CHECK(sums == std::vector<double>{0, 0, 0, 0, 0, 0, 0, 0, 1, 2});
}

TEST_CASE("sums of blocks are added in the order of rows, whatever the order of their ends") {
    SumsOfBlocks blocks;
    blocks.put(64, {-1e17, 1.0});
    blocks.put(0, {1e17, 1.0});
    blocks.put(128, {1.0, 1.0});
    std::vector<double> whole(2, 0.0);
    blocks.add_to(whole);
    CHECK(whole == std::vector<double>{1.0, 3.0});  // (1e17 - 1e17) + 1
}

TEST_CASE("changes of the loss are summed over the rows of a block") {
    test::Rng rng(251);
    const test::PermutedExample example(rng, test::random_matrix(rng, 4, 2), {{0}, {1}}, 1);
    const std::vector<std::int64_t> y = {0, 1, 0, 1};
    const Target target = class_target(y, 4, {2});
    const LossOfRows loss{LossOfRows::Kind::error, LossOfRows::Parts::classes, target};
    SumsOfBlocks blocks;
    LossChanges gathered(example.columns, example.block(2, 2), loss, blocks);
    const std::vector<double> first = {0.75, 0.25}, second = {0.25, 0.75};
    gathered.add(0, first);                // has no effect
    gathered.add(0, 1, 0, first, second);  // row 2, of class 0: an error more
    gathered.add(1, 1, 0, first, second);  // row 3, of class 1: an error less
    gathered.finish();
    std::vector<double> changes(4, 0.0);
    blocks.add_to(changes);
    CHECK(changes == std::vector<double>{0.0, 0.0, 1.0, -1.0});
}

}  // namespace
}  // namespace silvics
