#include "doctest/doctest.h"
#include "importance/all_trees.hpp"
#include "importance/gathered_importances.hpp"

namespace silvics {
namespace {

using namespace all_trees;

TEST_CASE("decreases are summed by degree and by context, without the variable itself") {
    test::Rng rng(230);
    const Made m = made(rng, 10, {2, 3, 2});
    const RandomizedTrees trees{.depth = 3, .part_of = {}, .most_in_context = 1};
    GatheredImportances sums(m.d, trees);
    sums.add(0, Bits{0b000}, 8.0, 4.0);
    sums.add(2, Bits{0b001}, 4.0, 2.0);
    sums.add(2, Bits{0b101}, 2.0, 1.0);  // below a test of itself: the same context
    sums.add(1, Bits{0b101}, 2.0, 6.0);  // degree 2: not among the contexts
    const TreeImportances found = sums.finish(2.0);
    CHECK(found.by_degree == std::vector<double>{2.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0, 1.5, 0.0});
    REQUIRE(found.contexts.size() == 2);
    CHECK(found.contexts[0].variable == 0);
    CHECK(found.contexts[0].set == Bits{0});
    CHECK(found.contexts[0].weight == 4.0);
    CHECK(found.contexts[1].variable == 2);
    CHECK(found.contexts[1].set == Bits{1});
    CHECK(found.contexts[1].weight == 3.0);
    CHECK(found.contexts[1].decrease == 1.5);
}

TEST_CASE("a cut between levels that are apart is divided by the widths of the gaps") {
    test::Rng rng(231);
    Made m = made(rng, 10, {4});
    m.d.values = {{0.0, 1.0, 4.0, 5.0}};
    const RandomizedTrees trees{.splits = TreeSplits::random_cut, .depth = 3, .part_of = {}};
    GatheredImportances sums(m.d, trees);
    sums.add_cut(0, 0, 2, 8.0);
    sums.add_cut(0, 2, 3, 1.0);
    CHECK(sums.finish(1.0).by_cut == std::vector<std::vector<double>>{{2.0, 6.0, 1.0}});
}

TEST_CASE("parts are reported as their whole") {
    test::Rng rng(232);
    const Made m = made(rng, 10, {2, 2, 2});
    const RandomizedTrees trees{.depth = 3, .part_of = {0, 0, 1}};
    CHECK(GatheredImportances::n_reported(m.d, trees) == 2);
    GatheredImportances sums(m.d, trees);
    sums.add(1, Bits{0b001}, 1.0, 3.0);  // the other part is above: no other variable is
    sums.add(2, Bits{0b011}, 1.0, 5.0);  // both parts are above: one other variable
    const TreeImportances found = sums.finish(1.0);
    CHECK(found.by_degree == std::vector<double>{3.0, 0.0, 0.0, 5.0});
    CHECK(found.by_cut == std::vector<std::vector<double>>{{0.0, 3.0, 5.0}});
}

TEST_CASE("sums of blocks add up") {
    test::Rng rng(233);
    const Made m = made(rng, 10, {2, 3});
    const RandomizedTrees trees{.depth = 2, .part_of = {}, .wants_hidden = true};
    GatheredImportances one(m.d, trees), other(m.d, trees), all(m.d, trees);
    for (GatheredImportances* sums : {&one, &all}) sums->add(0, Bits{0}, 1.0, 2.0);
    for (GatheredImportances* sums : {&other, &all}) {
        sums->add(0, Bits{0}, 2.0, 4.0);
        sums->add(1, Bits{1}, 1.0, 8.0);
        sums->add_hidden(1, 0, 16.0);
    }
    one.add(other);
    CHECK(same_bits(one.finish(4.0), all.finish(4.0)));
}

}  // namespace
}  // namespace silvics
