// The paths of rows: every row comes once to each leaf that it reaches with some point.
#include <cmath>
#include <map>

#include "dependence/grid_paths.hpp"
#include "doctest/doctest.h"
#include "predictor/made_trees.hpp"
#include "predictor/unpacked_levels.hpp"
#include "support/descend.hpp"

namespace silvics {
namespace {

using test::Matrix;
using test::Packed;
using test::Rng;

// The row of each leaf content, by descending with every point.
using Ends = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>;

template <class Unpacked>
void check_ends(const Packed& of, const Unpacked& unpacked, const Matrix& X,
                const typename Unpacked::Value* values, std::span<const GridAxis> axes) {
    const RowBlock block{0, X.rows, X.cols, X.values.data(), !any_missing(X.values)};
    GridPaths<Unpacked> paths(unpacked, axes);
    const GridAxis none{0, std::span(axes[0].points).first(1)};
    const auto second = axes.size() == 2 ? axes[1].points : none.points;
    for (int repeat = 0; repeat < 2; ++repeat) {  // in the same memory
        const GridRegions& regions = paths.begin(of.packed());
        Ends found;
        paths.run(block, values, StopFlag(), [&](std::uint32_t i, std::uint32_t at) {
            if (!paths.leaf_at(at)) return;
            for (const auto a : regions.points(regions.region(at), 0))
                for (std::uint32_t b = 0; b < (axes.size() == 2 ? second.size() : 1); ++b) {
                    if (axes.size() == 2) {
                        const auto of_second = regions.points(regions.region(at), 1);
                        if (std::ranges::count(of_second, b) == 0) continue;
                    }
                    const auto point = static_cast<std::uint32_t>(a * second.size() + b);
                    CHECK(found.emplace(std::pair{i, point}, paths.leaf(at).content).second);
                }
        });
        const std::size_t n_second = axes.size() == 2 ? second.size() : 1;
        REQUIRE(found.size() == X.rows * axes[0].points.size() * n_second);
        for (const auto& [key, content] : found) {
            std::vector<double> row(X.row(key.first), X.row(key.first) + X.cols);
            row[axes[0].variable] = axes[0].points[key.second / second.size()];
            if (axes.size() == 2) row[axes[1].variable] = second[key.second % second.size()];
            Child child = Child::inner(PackedTree::kRoot);
            while (!child.leaf()) child = of.packed().next<false>(child.place(), row.data()).to;
            CHECK(child.content() == content);
        }
    }
}

TEST_CASE("rows come to the leaves of their predictions at every point") {
    Rng rng(346);
    const std::vector<double> first = {1.0, NAN, -1.0, 71.0, 0.0, 0.0, -HUGE_VAL},
                              second = {HUGE_VAL, kUnknownLevel, 2.0};
    for (const test::TreeCase& each : test::all_tree_cases())
        for (const test::Trials& trials : test::kAllTrials) {
            const Packed of(test::with_other_splits(rng, test::tree_example(each).tree, trials));
            for (const std::size_t n : {1U, 13U, 100U}) {
                const Matrix X = test::samples_for(rng, n, trials);
                const GridAxis axes[] = {{1, first}, {3, second}};
                for (const std::size_t n_axes : {1U, 2U}) {
                    const auto some = std::span(axes).first(n_axes);
                    const RowBlock block{0, X.rows, X.cols, X.values.data(),
                                         !any_missing(X.values)};
                    const LevelColumns columns(of.forest());
                    const LevelBlock levels(columns, block);
                    check_ends(of, UnpackedLevels(levels), X, levels.values(), some);
                    if (trials.categories) continue;
                    Matrix padded = X;
                    padded.values.push_back(0.0);  // may be read
                    check_ends(of, UnpackedTree<double>(4), X, padded.values.data(), some);
                }
            }
        }
}

TEST_CASE("a request to stop ends the paths") {
    const Packed of(test::chain_of(9, [](std::uint32_t) { return true; }));
    const std::vector<double> points = {0.0, 5.0}, values(3, 0.0);
    const GridAxis axis{0, points};
    GridPaths<UnpackedTree<double>> paths(UnpackedTree<double>(2), {&axis, 1});
    paths.begin(of.packed());
    StopFlag stop;
    stop.request();
    const RowBlock block{0, 1, 2, values.data(), true};
    CHECK_THROWS_AS(paths.run(block, values.data(), stop, [](auto&&...) {}), Interrupted);
}

}  // namespace
}  // namespace silvics
