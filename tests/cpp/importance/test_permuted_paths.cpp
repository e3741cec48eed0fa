// The ends of permuted paths against traversals of rows with permuted values.
#include <map>
#include <numeric>

#include "doctest/doctest.h"
#include "importance/permuted_example.hpp"
#include "importance/permuted_paths.hpp"
#include "predictor/forest_example.hpp"

namespace silvics {
namespace {

TEST_CASE("a set of repeats is visited in order") {
    std::vector<std::uint32_t> visited;
    for_each(Repeats{1} << 63 | 0b101, [&](std::uint32_t r) { visited.push_back(r); });
    CHECK(visited == std::vector<std::uint32_t>{0, 2, 63});
    for_each(Repeats{0}, [&](std::uint32_t) { FAIL("there is none"); });
}

TEST_CASE("samples have their own values and those of the permutations") {
    test::Rng rng(260);
    const test::PermutedExample example(rng, test::random_matrix(rng, 9, 4), {{1}, {3, 0}}, 3);
    PermutedSamples samples(example.block(2, 5), example.columns);
    for (std::uint32_t i = 0; i < 5; ++i) {
        const double* const own = example.X.row(2 + i);
        CHECK(std::equal(own, own + 4, samples.own(i)));
        for (std::uint32_t g = 0; g < 2; ++g)
            for (std::uint32_t r = 0; r < 3; ++r) {
                const std::vector<double> expected = example.permuted(2 + i, g, r);
                const PermutedSamples::Sample sample = samples.sample_of(i, g, r);
                for (FeatureId f = 0; f < 4; ++f) CHECK(sample(f) == expected[f]);
                const PermutedSamples::Exchange exchange(samples, g, r);
                exchange(i);
                CHECK(std::ranges::equal(expected, std::span(samples.own(i), 4)));
                exchange(i);
                CHECK(std::equal(own, own + 4, samples.own(i)));
            }
    }
}

std::uint32_t content_of(const PackedTree& tree, const double* row) {
    Child at = Child::inner(PackedTree::kRoot);
    while (!at.leaf()) at = tree.next<false>(at.place(), row).to;
    return at.content();
}

template <class Paths>
void check_ends(const test::PermutedExample& example, const PackedTree& tree,
                std::span<const std::uint32_t> some, PermutedSamples& samples, PermutedEnds& ends,
                Paths&& paths) {
    const std::size_t n_groups = example.groups.variables.size();
    const Repeats all = ~Repeats{0} >> (64 - example.groups.n_repeats);
    std::ranges::fill(ends.stay, all);
    paths.traverse(tree, some);
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> found;
    for (const PermutedPath& path : ends.paths)
        for_each(path.repeats, [&](std::uint32_t r) {
            CHECK(found.emplace(std::tuple{path.i, path.g, r}, path.at).second);
        });
    std::size_t n_left = 0;
    for (const std::uint32_t i : some) {
        CHECK(ends.contents[i] == content_of(tree, samples.own(i)));
        for (std::uint32_t g = 0; g < n_groups; ++g)
            for (std::uint32_t r = 0; r < example.groups.n_repeats; ++r) {
                const bool stays = (ends.stay[i * n_groups + g] >> r & 1) != 0;
                const std::uint32_t expected = content_of(tree, example.permuted(i, g, r).data());
                CHECK(found.contains({i, g, r}) != stays);
                CHECK((stays ? ends.contents[i] : found[{i, g, r}]) == expected);
                n_left += !stays;
            }
    }
    CHECK(n_left > 0);
}

TEST_CASE("permuted paths end in the leaves of rows with permuted values") {
    const test::ForestExample forest = test::forest_example("gini", 60, 3);
    test::Rng rng(261);
    const test::PermutedExample example(rng, forest.X, {{0}, {2, 3}}, 5);
    const Predictor predictor = forest.predictor();
    PermutedSamples samples(example.block(0, 60), example.columns);
    PermutedEnds ends(60, 2);
    std::vector<std::uint32_t> some;
    for (std::uint32_t i = 0; i < 60; ++i)
        if (i % 3 != 1) some.push_back(i);
    for (std::size_t m = 0; m < 3; ++m) {
        check_ends(example, predictor.tree(m), some, samples, ends, PackedPaths(samples, ends));
        check_ends(example, predictor.tree(m), some, samples, ends,
                   UnpackedPaths(samples, ends, 4));
    }
}

}  // namespace
}  // namespace silvics
