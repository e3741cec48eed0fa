#include "doctest/doctest.h"
#include "importance/all_trees.hpp"
#include "importance/node_of_distribution.hpp"

namespace silvics {
namespace {

using namespace all_trees;

TEST_CASE("bits of sets beyond one word") {
    Bits bits(2, 0);
    set_bit(bits, 3);
    set_bit(bits, 64);
    for (std::size_t j = 0; j < 128; ++j) CHECK(has_bit(bits, j) == (j == 3 || j == 64));
}

TEST_CASE("offers are the decreases of plain sums") {
    test::Rng rng(240);
    for (const Impurity impurity : kAllImpurities) {
        const Made m = made(rng, 30, {2, 5, 1}, impurity, Weighting::fractional);
        NodeOfDistribution node(m.d);
        std::vector<std::uint32_t> rows;
        for (std::uint32_t r = 0; r < m.d.n_rows; ++r)
            if (r % 3 != 0) rows.push_back(r);
        const Rows plain(rows.begin(), rows.end());
        node.open(rows);
        CHECK(node.weight() == doctest::Approx(weight_of(m.d, plain)));
        CHECK(node.mass() == doctest::Approx(mass_of(m.d, plain)));
        for (std::size_t j = 0; j < 3; ++j) {
            const auto groups = by_level(m.d, plain, j);
            std::vector<Offer> multiway, cuts, best;
            node.offers(j, TreeSplits::multiway, 0.0, multiway);
            node.offers(j, TreeSplits::random_cut, 0.0, cuts);
            node.offers(j, TreeSplits::best_cut, 0.0, best);
            double children = 0.0;
            for (const auto& [level, group] : groups) children += mass_of(m.d, group);
            REQUIRE(multiway.size() == 1);
            CHECK(multiway[0].decrease ==
                  doctest::Approx(node.mass() - children).epsilon(1e-9).scale(1.0));
            CHECK(cuts.size() == groups.size() - 1);
            CHECK(best.size() == (groups.size() > 1 ? 1 : 0));
            double probability = 0.0, largest = 0.0;
            for (const Offer& cut : cuts) {
                Rows left, right;
                for (const auto& [level, group] : groups) {
                    Rows& side = level <= cut.low ? left : right;
                    side.insert(side.end(), group.begin(), group.end());
                }
                const double decrease = node.mass() - mass_of(m.d, left) - mass_of(m.d, right);
                CHECK(cut.decrease == doctest::Approx(decrease).epsilon(1e-9).scale(1.0));
                CHECK(groups.contains(cut.low));
                CHECK(groups.contains(cut.high));
                probability += cut.probability;
                largest = std::max(largest, cut.decrease);
            }
            if (cuts.empty()) continue;
            CHECK(probability == doctest::Approx(1.0));
            CHECK(best[0].decrease == largest);
        }
    }
}

TEST_CASE("rounding does not decide ties, and a node without impurity is pure") {
    test::Rng rng(241);
    const Made m = made(rng, 30, {2, 5});
    const Ties ties(m.d);
    const double mass = mass_of(m.d, all_rows(m.d));
    CHECK(ties.is_pure(0.0));
    CHECK_FALSE(ties.is_pure(mass));
    CHECK(ties.at(mass) > 1e-12 * mass);
    CHECK(ties.at(mass) < 1e-6 * mass);
}

}  // namespace
}  // namespace silvics
