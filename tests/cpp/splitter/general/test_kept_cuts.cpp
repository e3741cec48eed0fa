#include "doctest/doctest.h"
#include "splitter/general/kept_cuts.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

using test::Rng;

// Decreases with ties, where larger scores may have equal decreases.
std::vector<KeptCut> random_cuts(Rng& rng, std::size_t n) {
    std::vector<KeptCut> cuts(n);
    for (std::size_t k = 0; k < n; ++k) {
        const auto score = static_cast<double>(test::pick(rng, 40));
        cuts[k] = {.score = score, .decrease = std::floor(score / 2.0), .threshold = 1.0 * k};
    }
    return cuts;
}

// Offers the cuts that are above the bar; returns the thresholds of those kept.
std::vector<double> kept(KeptCuts& keeper, const std::vector<KeptCut>& cuts) {
    for (const KeptCut& cut : cuts)
        if (cut.score > keeper.bar()) keeper.offer(cut);
    std::vector<double> thresholds;
    for (const KeptCut& cut : keeper.finish()) thresholds.push_back(cut.threshold);
    return thresholds;
}

// The n best by decrease, the first of equal ones, in their order.
std::vector<double> expected(std::vector<KeptCut> cuts, std::size_t n, double least) {
    std::erase_if(cuts, [&](const KeptCut& cut) { return !(cut.decrease > least); });
    std::ranges::stable_sort(cuts, std::greater{}, &KeptCut::decrease);
    cuts.resize(std::min(n, cuts.size()));
    std::vector<double> thresholds;
    for (const KeptCut& cut : cuts) thresholds.push_back(cut.threshold);
    std::ranges::sort(thresholds);
    return thresholds;
}

TEST_CASE("the n best cuts are kept, the first of equal ones, in their order") {
    Rng rng(62);
    KeptCuts keeper;  // serves one variable after another
    for (int repeat = 0; repeat < 200; ++repeat) {
        const std::vector<KeptCut> cuts = random_cuts(rng, 1 + test::pick(rng, 200));
        const std::size_t n = 1 + test::pick(rng, 6);
        const double least =
            repeat % 2 == 0 ? -kInfinity : static_cast<double>(test::pick(rng, 20));
        keeper.begin(n, least);
        CHECK(kept(keeper, cuts) == expected(cuts, n, least));
    }
}

TEST_CASE("the best cut is the first of those that differ by no more than the tolerance") {
    KeptCuts keeper;
    const auto of = [](std::vector<double> decreases) {
        std::vector<KeptCut> cuts;
        for (const double d : decreases)
            cuts.push_back({.score = d, .decrease = d, .threshold = 1.0 * cuts.size()});
        return cuts;
    };
    keeper.begin_best(0.0);
    CHECK(keeper.empty());
    CHECK(kept(keeper, of({1.0, 3.0, 3.0, 2.0})) == std::vector<double>{1.0});
    keeper.begin_best(0.5);
    CHECK(kept(keeper, of({1.0, 1.5, 1.25, 2.0, 2.25})) == std::vector<double>{3.0});
}

TEST_CASE("a cut that was not kept is a bar for the others") {
    KeptCuts keeper;
    keeper.begin(2, 4.0);
    CHECK(keeper.bar() == -kInfinity);
    keeper.offer({.score = 9.0, .decrease = 4.0});
    CHECK(keeper.bar() == 9.0);
    keeper.offer({.score = 8.0, .decrease = 4.0});
    CHECK(keeper.bar() == 9.0);
    CHECK(keeper.empty());
}

}  // namespace
}  // namespace silvics
