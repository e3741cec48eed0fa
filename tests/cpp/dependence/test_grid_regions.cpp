// The regions of a grid: the points that come to each node of an unpacked tree.
#include <algorithm>
#include <cmath>
#include <set>

#include "dependence/grid_regions.hpp"
#include "doctest/doctest.h"
#include "predictor/made_trees.hpp"

namespace silvics {
namespace {

using test::Packed;
using test::Rng;

const std::vector<double> kPoints = {1.0,       -1.0,          NAN,  0.25, 0.25,    -0.0, HUGE_VAL,
                                     -HUGE_VAL, kUnknownLevel, 71.0, 0.0,  90000.0, 3.0};

// What the axis needs of a rule: the child of a point.
std::uint32_t child_of(const PackedTree& tree, Place t, double x) {
    return tree.next_of<false>(tree.nodes()[t], [x](FeatureId) { return x; }).which;
}

// Compares the regions below a place with the points that come there, one by one.
void check_below(const PackedTree& tree, Place t, std::uint32_t at, FeatureId variable,
                 const std::vector<InPlace>& chosen, const GridRegions& regions,
                 const std::set<std::uint32_t>& expected) {
    const auto below = [&](std::uint32_t which, std::uint32_t number,
                           const std::set<std::uint32_t>& points) {
        const Child child = tree.child(t, which);
        if (!child.leaf())
            return check_below(tree, child.place(), number, variable, chosen, regions, points);
        const auto found = regions.points(regions.region(number), 0);
        CHECK(std::set<std::uint32_t>(found.begin(), found.end()) == points);
        CHECK(found.size() == points.size());
        CHECK(regions.children(number) == 0);
    };
    if (tree.nodes()[t].feature() != variable) {
        CHECK(chosen[t] == InPlace::node);
        CHECK(regions.children(at) == 0);
        for (std::uint32_t which = 0; which < 2; ++which) below(which, 2 * t + 2 + which, expected);
        return;
    }
    std::set<std::uint32_t> parts[2];
    for (const std::uint32_t point : expected)
        parts[child_of(tree, t, kPoints[point])].insert(point);
    if (parts[0].empty() || parts[1].empty()) {
        const std::uint32_t which = parts[0].empty() ? 1 : 0;
        CHECK(chosen[t] == (which == 0 ? InPlace::first_child : InPlace::second_child));
        return below(which, at, expected);
    }
    CHECK(chosen[t] == InPlace::end);
    CHECK(regions.children(at) == 2 * t + 2);
    for (std::uint32_t which = 0; which < 2; ++which) below(which, 2 * t + 2 + which, parts[which]);
}

TEST_CASE("regions have the points that come to their nodes") {
    Rng rng(345);
    for (const test::TreeCase& each : test::all_tree_cases())
        for (const test::Trials& trials : test::kAllTrials) {
            const Packed of(test::with_other_splits(rng, test::tree_example(each).tree, trials));
            const PackedTree& tree = of.packed();
            if (tree.shape().n_nodes == 1) continue;
            for (FeatureId variable = 0; variable < 4; ++variable) {
                const GridAxis axis{variable, kPoints};
                GridRegions regions({&axis, 1});
                UnpackedTree<double> unpacked(4);
                std::vector<InPlace> chosen(tree.n_places());
                for (int repeat = 0; repeat < 2; ++repeat) {  // in the same memory
                    regions.begin(tree);
                    unpacked.unpack(tree, [&](Place t, std::uint32_t at) {
                        return chosen[t] = regions(t, at);
                    });
                    std::set<std::uint32_t> all;
                    for (std::uint32_t k = 0; k < kPoints.size(); ++k) all.insert(k);
                    check_below(tree, 0, UnpackedTree<double>::kRoot, variable, chosen, regions,
                                all);
                }
            }
        }
}

TEST_CASE("runs have each point of a region once, consecutive ones together if in order") {
    const Packed of(test::chain_of(3, [](std::uint32_t) { return true; }));
    const std::vector<double> ordered = {-1.0, 0.0, 0.0, 2.0, NAN}, mixed = {2.0, 7.0, 4.0};
    const GridAxis axes[] = {{0, ordered}, {1, mixed}};
    GridRegions regions(axes);
    regions.begin(of.packed());
    std::vector<std::pair<std::size_t, std::size_t>> runs;
    const auto visit = [&](std::size_t point, std::size_t n) { runs.emplace_back(point, n); };
    constexpr std::size_t kAll = 1;  // the region of the root
    regions.for_runs(kAll, 0, visit);
    CHECK(runs == std::vector<std::pair<std::size_t, std::size_t>>{{0, 5}});
    runs.clear();
    regions.for_runs(kAll, 1, visit);
    CHECK(runs == std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}, {2, 1}, {1, 1}});
    runs.clear();
    regions.for_runs(0, 0, visit);  // of what cannot be reached
    CHECK(runs.empty());
}

}  // namespace
}  // namespace silvics
